"""Public bug reports against fairness libraries, as inputs; each says what must not happen again.

The reports on scorers and explanations are tested with those.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import KFold

from skfairprop import GroupCounts
from skfairprop.datasets import load_adult
from skfairprop.metrics import (
    demographic_parity_difference,
    demographic_parity_ratio,
    equal_opportunity_difference,
    equalized_odds_difference,
    evaluate,
    group_rates,
)

# COMPAS, counted: two_year_recid 0 and 1 by race.
COMPAS = {
    "African-American": (1795, 1901),
    "Asian": (23, 9),
    "Caucasian": (1488, 966),
    "Hispanic": (405, 232),
    "Native American": (8, 10),
    "Other": (244, 133),
}


@pytest.fixture(scope="module")
def compas():
    race = np.repeat(list(COMPAS), [sum(n) for n in COMPAS.values()])
    label = np.concatenate([np.repeat([0, 1], n) for n in COMPAS.values()])
    return pd.DataFrame({"race": race, "two_year_recid": label})


# -- fairlearn#1155: a row with a missing protected value vanished from the groups only -----------

MISSING_PRED = [1, 0, 1, 0, 1, 1, 0]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_missing_protected_value(missing):
    group = pd.Series(["a", "a", "a", "a", "b", "b", missing], name="sex", dtype=object)
    given = {"y_true": MISSING_PRED, "y_pred": MISSING_PRED, "sensitive_features": group}
    with pytest.raises(ValueError, match="sensitive_features 'sex': 1 of 7 values are missing"):
        demographic_parity_difference(**given)
    assert demographic_parity_difference(**given, missing="group") == 1.0
    rates = group_rates(GroupCounts.from_arrays(**given, missing="group"))["selection_rate"]
    assert rates.to_dict() == {"a": 0.5, "b": 1.0, "(missing)": 0.0}
    with pytest.warns(UserWarning, match="left out 1 of 7 rows .*; 6 rows were used"):
        assert demographic_parity_difference(**given, missing="drop") == 0.5


# -- fairness_pipeline_dev_toolkit#30: series in another order were combined by position ----------


def test_index_in_another_order():
    pred = pd.Series([1, 0, 1, 0], index=[0, 1, 2, 3])
    group = pd.Series(list("mmff"), index=[0, 2, 1, 3])
    assert demographic_parity_difference(pred, pred, sensitive_features=group) == 1.0
    by_position = group.to_numpy()
    assert demographic_parity_difference(pred, pred, sensitive_features=by_position) == 0.0


def test_index_of_other_rows():
    pred = pd.Series([1, 0, 1, 0])
    group = pd.Series(list("mmff"), index=[4, 5, 6, 7])
    with pytest.raises(ValueError, match="y_true and sensitive_features have different indexes"):
        demographic_parity_difference(pred, pred, sensitive_features=group)


# -- fairlearn#1441: a resample or fold without a group crashed -----------------------------------


def test_resamples_without_a_group():
    y = np.array([0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    group = np.array(list("abcabcabcab"))
    rates = group_rates(GroupCounts.from_arrays(y, y, sensitive_features=group))
    assert rates["selection_rate"].to_dict() == {"a": 0.75, "b": 0.5, "c": 1.0}
    rng = np.random.default_rng(0)
    for _ in range(200):
        rows = rng.integers(11, size=11)
        value = demographic_parity_difference(y[rows], y[rows], sensitive_features=group[rows])
        assert 0.0 <= value <= 1.0


def test_folds_without_a_group(compas):
    n_groups = []
    for _, fold in KFold(20, shuffle=True, random_state=0).split(compas):
        rows = compas.iloc[fold]
        counts = GroupCounts.from_arrays(
            rows["two_year_recid"],
            rows["two_year_recid"],
            sensitive_features=rows["race"],
            groups=list(COMPAS),
        )
        present = rows["race"].nunique()
        n_groups.append(present)
        rates = group_rates(counts)["selection_rate"]
        assert rates.isna().sum() == 6 - present  # not a rate of 0
        expected = rates.max() - rates.min()
        assert evaluate(counts, "demographic_parity_difference") == pytest.approx(expected)
    assert min(n_groups) < 6


# -- aequitas#104: predictions that are all negative ----------------------------------------------


def test_nobody_is_selected():
    given = {"y_true": [1, 0, 1, 0], "y_pred": [0, 0, 0, 0], "sensitive_features": list("aabb")}
    assert demographic_parity_difference(**given) == 0.0
    with pytest.warns(UndefinedMetricWarning, match=r"demographic_parity_ratio is undefined \(NaN"):
        assert np.isnan(demographic_parity_ratio(**given))


# -- fairlearn#1212, #752, pycaret#2455: three classes --------------------------------------------


@pytest.mark.parametrize("labels", [[0, 1, 2], ["low", "mid", "high"]])
def test_three_classes(labels):
    labels = np.array(labels)
    given = {
        "y_true": labels[[0, 1, 2, 0, 1, 2]],
        "y_pred": labels[[0, 1, 1, 0, 2, 2]],
        "sensitive_features": list("aaabbb"),
    }
    for function in (demographic_parity_difference, equalized_odds_difference):
        with pytest.raises(ValueError, match="pass pos_label="):
            function(**given)
    parity = [demographic_parity_difference(**given, pos_label=c) for c in labels]
    assert parity == pytest.approx([0, 2 / 3, 2 / 3])
    odds = [equalized_odds_difference(**given, pos_label=c) for c in labels]
    assert odds == pytest.approx([0, 1, 1])
    rates = group_rates(GroupCounts.from_arrays(**given))
    expected = {
        "selection_rate": [(1 / 3, 1 / 3), (2 / 3, 0), (0, 2 / 3)],
        "tpr": [(1, 1), (1, 0), (0, 1)],
        "fpr": [(0, 0), (1 / 2, 0), (0, 1 / 2)],
    }
    for name, by_class in expected.items():
        for label, pair in zip(labels.tolist(), by_class, strict=True):
            assert rates[name].xs(label, level="class").tolist() == pytest.approx(pair)


# -- AIF360#435: protected values that are strings ------------------------------------------------


def test_protected_values_that_are_strings(compas):
    label, race = compas["two_year_recid"], compas["race"]
    rates = group_rates(GroupCounts.from_arrays(label, sensitive_features=race), pos_label=0)
    assert rates["base_rate"].to_dict() == pytest.approx(
        {
            "African-American": 0.485660,
            "Asian": 0.718750,
            "Caucasian": 0.606357,
            "Hispanic": 0.635793,
            "Native American": 0.444444,
            "Other": 0.647215,
        },
        abs=5e-7,
    )
    given = {"sensitive_features": race, "pos_label": 0}
    assert demographic_parity_difference(label, label, **given) == pytest.approx(
        0.2743056, abs=1e-7
    )
    assert demographic_parity_ratio(label, label, **given) == pytest.approx(0.6183575, abs=1e-7)


# -- scikit-learn#25953: nullable and extension dtypes --------------------------------------------


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "Float64", "category", "string", "int8"])
def test_extension_dtypes(dtype):
    y = pd.Series([1, 0, 1, 1])
    y = (y.astype(str) if dtype == "string" else y).astype(dtype)
    group = pd.Series(list("aabb"), dtype="string")
    positive = {"pos_label": "1"} if dtype == "string" else {}
    given = {"y_true": y, "y_pred": y, "sensitive_features": group}
    assert demographic_parity_difference(**given, **positive) == 0.5
    rates = group_rates(GroupCounts.from_arrays(**given), **positive)
    assert rates["selection_rate"].to_dict() == {"a": 0.5, "b": 1.0}


# -- fairlearn#1168: a label with a leading space, never equal to the positive one ----------------


def test_label_with_a_leading_space():
    adult = load_adult()
    given = {"sensitive_features": adult.sensitive_features["sex"], "pos_label": ">50K"}
    spaced = " " + adult.target.astype(str)
    with pytest.raises(
        ValueError, match="pos_label='>50K' is not among the labels found: ' <=50K', ' >50K'"
    ):
        demographic_parity_difference(spaced, spaced, **given)
    counts = GroupCounts.from_arrays(
        adult.target, adult.target, sensitive_features=adult.sensitive_features["sex"]
    )
    rates = group_rates(counts, pos_label=">50K")
    assert (rates["count"] * rates["base_rate"]).sum() == pytest.approx(11_687)
    assert rates["base_rate"].to_dict() == pytest.approx(
        {"Female": 0.1092515, "Male": 0.3037672}, abs=1e-7
    )
    difference = demographic_parity_difference(adult.target, adult.target, **given)
    assert difference == pytest.approx(0.1945157, abs=1e-7)
    ratio = demographic_parity_ratio(adult.target, adult.target, **given)
    assert ratio == pytest.approx(0.3596553, abs=1e-7)


# -- a group without positives, which several libraries give a rate of 0 --------------------------


def test_group_without_positives():
    with pytest.warns(UndefinedMetricWarning, match="recall is 0/0 in group 'c'"):
        value = equal_opportunity_difference(
            [1, 1, 1, 1, 0, 0], [1, 0, 1, 1, 0, 1], sensitive_features=list("aabbcc")
        )
    assert value == 0.5
