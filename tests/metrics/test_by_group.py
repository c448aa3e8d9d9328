"""Counts and rates per group."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

from skfairprop import GroupCounts
from skfairprop.metrics import group_rates

RNG = np.random.default_rng(0)
TRUE, PRED = RNG.integers(3, size=(2, 400))
GROUP = RNG.choice(list("abcd"), 400)
COLUMNS = [
    "count",
    "base_rate",
    "selection_rate",
    "accuracy",
    "tpr",
    "fpr",
    "fnr",
    "tnr",
    "precision",
]


def expected_rates(true, pred):
    """One group against scikit-learn."""
    (tn, fp), (fn, tp) = sk.confusion_matrix(true, pred, labels=[False, True])
    return [
        len(true),
        true.mean(),
        pred.mean(),
        sk.accuracy_score(true, pred),
        sk.recall_score(true, pred),
        fp / (fp + tn),
        fn / (fn + tp),
        sk.recall_score(true, pred, pos_label=False),
        sk.precision_score(true, pred),
    ]


def test_two_classes_equal_scikit_learn():
    true, pred = TRUE > 0, PRED > 0
    table = group_rates(GroupCounts.from_arrays(true, pred, sensitive_features=GROUP))
    assert table.columns.tolist() == COLUMNS
    assert table.index.tolist() == list("abcd")
    for label, row in table.iterrows():
        rows = np.equal(GROUP, label)
        assert row.tolist() == pytest.approx(expected_rates(true[rows], pred[rows]))


def test_one_class_against_the_rest_equals_scikit_learn():
    """All but the accuracy, which is that of the model: a rate of all classes."""
    counts = GroupCounts.from_arrays(TRUE, PRED, sensitive_features=GROUP)
    for positive in range(3):
        table = group_rates(counts, pos_label=positive)
        for label, row in table.iterrows():
            rows = np.equal(GROUP, label)
            expected = expected_rates(TRUE[rows] == positive, PRED[rows] == positive)
            expected[3] = sk.accuracy_score(TRUE[rows], PRED[rows])
            assert row.tolist() == pytest.approx(expected)


def test_several_classes_have_a_row_for_each_group_and_class():
    counts = GroupCounts.from_arrays(TRUE, PRED, sensitive_features=GROUP)
    table = group_rates(counts)
    assert table.index.names == ["sensitive_features", "class"]
    assert table.index.tolist() == [(g, c) for g in "abcd" for c in range(3)]
    for positive in range(3):
        one = group_rates(counts, pos_label=positive)
        pd.testing.assert_frame_equal(table.xs(positive, level="class"), one)


def test_undefined_rates_are_nan():
    counts = GroupCounts([[[3, 0], [0, 0]]], groups=["a"], classes=[0, 1])
    table = group_rates(counts)
    assert table[["tpr", "fnr", "precision"]].isna().all(axis=None)
    assert table[["base_rate", "selection_rate", "fpr"]].to_numpy().tolist() == [[0.0, 0.0, 0.0]]


def test_a_group_without_weight_has_no_rates():
    counts = GroupCounts([[[3, 1], [0, 2]], [[0, 0], [0, 0]]], groups=["a", "b"], classes=[0, 1])
    assert group_rates(counts).loc["b"].drop("count").isna().all()


def test_a_data_set_alone_has_base_rates():
    counts = GroupCounts.from_arrays(TRUE > 0, sensitive_features=GROUP)
    table = group_rates(counts, denominators=True)
    assert table.columns.tolist() == ["count", "base_rate", "n_base_rate"]
    expected = pd.Series(TRUE > 0).groupby(GROUP).mean()
    assert table["base_rate"].tolist() == pytest.approx(expected.tolist())


def test_denominators():
    counts = GroupCounts([[[8, 2], [1, 9]]], groups=["a"], classes=[0, 1])
    table = group_rates(counts, denominators=True)
    found = {name: table[f"n_{name}"].item() for name in COLUMNS[1:]}
    assert found == {
        "base_rate": 20,
        "selection_rate": 20,
        "accuracy": 20,
        "tpr": 10,
        "fnr": 10,
        "fpr": 10,
        "tnr": 10,
        "precision": 11,
    }


def test_several_protected_columns_are_levels():
    columns = pd.DataFrame({"sex": GROUP, "age": RNG.integers(2, size=400)})
    counts = GroupCounts.from_arrays(TRUE > 0, PRED > 0, sensitive_features=columns)
    table = group_rates(counts)
    assert table.index.names == ["sex", "age"]
    assert table["count"].sum() == 400


@pytest.mark.parametrize("name", ["class", "count", "tpr"])
def test_a_protected_column_of_a_taken_name(name):
    column = pd.Series(GROUP, name=name)
    counts = GroupCounts.from_arrays(TRUE, PRED, sensitive_features=column)
    assert group_rates(counts).reset_index().columns[0] == f"group_{name}"
    assert group_rates(counts, pos_label=1).reset_index().columns[0] == f"group_{name}"


def test_replicates_have_no_single_table():
    stacked = GroupCounts(np.ones((2, 1, 2, 2)), groups=["a"], classes=[0, 1])
    with pytest.raises(ValueError, match="replicate axes have no single table"):
        group_rates(stacked)


def test_a_class_that_is_not_there_is_refused():
    counts = GroupCounts.from_arrays(TRUE, PRED, sensitive_features=GROUP)
    with pytest.raises(ValueError, match="pos_label=9 is not among the labels found: 0, 1, 2"):
        group_rates(counts, pos_label=9)
