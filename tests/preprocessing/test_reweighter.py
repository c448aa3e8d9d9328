"""Reweighter: weights from their formula, aif360's, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from skfairprop.datasets import load_adult
from skfairprop.preprocessing import Reweighter
from tests.protected import one_group

# COMPAS, two years: rows by race, without and with recidivism (ProPublica, commit bafff5d).
COMPAS = {
    "African-American": (1795, 1901),
    "Asian": (23, 9),
    "Caucasian": (1488, 966),
    "Hispanic": (405, 232),
    "Native American": (8, 10),
    "Other": (244, 133),
}


def rows(sizes, groups=("f", "m"), classes=(0, 1)):
    """Shuffled rows with `sizes[g][k]` of each cell."""
    y = np.concatenate([np.repeat(list(classes), row) for row in sizes])
    g = np.repeat(list(groups), [sum(row) for row in sizes])
    order = np.random.default_rng(3).permutation(len(y))
    return y[order], g[order]


def compas():
    return rows(list(COMPAS.values()), groups=list(COMPAS))


def adult(*names):
    data = load_adult()
    people = data.sensitive_features[list(names)]
    return data.target.to_numpy(), people if len(names) > 1 else people[names[0]].to_numpy()


def closed_form(y, groups):
    """P(a) P(y) / P(a, y), row by row, from frequencies."""
    frame = pd.DataFrame({"y": y})
    columns = groups if isinstance(groups, pd.DataFrame) else pd.DataFrame({"a": groups})
    frame["a"] = list(columns.itertuples(index=False, name=None))
    share = {name: frame.groupby(name)["y"].transform("size") / len(frame) for name in ("y", "a")}
    both = frame.groupby(["y", "a"])["y"].transform("size") / len(frame)
    return (share["a"] * share["y"] / both).to_numpy()


def weighted_table(y, groups, weights):
    columns = groups if isinstance(groups, pd.DataFrame) else pd.DataFrame({"a": groups})
    keys = [columns[c].to_numpy() for c in columns]
    return pd.Series(weights).groupby([*keys, y]).sum().unstack(fill_value=0.0).to_numpy()


DATA = {
    "adult by sex": lambda: adult("sex"),
    "adult by sex and race": lambda: adult("sex", "race"),
    "compas by race": compas,
    "three classes": lambda: rows([(5, 9, 2), (7, 1, 8), (3, 3, 40)], "fmx", "abc"),
}


# -- reweighing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DATA)
def test_weights_are_the_closed_form_and_make_the_table_independent(name):
    y, groups = DATA[name]()
    weights = Reweighter().compute_sample_weight(y, groups)
    np.testing.assert_allclose(weights, closed_form(y, groups), rtol=1e-12)
    table = weighted_table(y, groups, weights)
    table = table / table.sum()
    expected = table.sum(1, keepdims=True) * table.sum(0)
    np.testing.assert_allclose(table, expected, atol=1e-12, rtol=0)
    assert weights.sum() == pytest.approx(len(y), rel=1e-12)


@pytest.mark.parametrize("name", ["adult by sex", "compas by race", "three classes"])
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_equal_those_of_aif360(name, weighted):
    reweighing = pytest.importorskip("aif360.sklearn.preprocessing.reweighing")
    y, groups = DATA[name]()
    given = np.random.default_rng(0).integers(1, 5, len(y)).astype(float) if weighted else None
    X = pd.DataFrame({"x": 0.0}, index=pd.Index(groups, name="a"))
    _, expected = reweighing.Reweighing("a").fit_transform(
        X, pd.Series(y, index=X.index), sample_weight=given
    )
    found = Reweighter().compute_sample_weight(y, groups, given)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_attributes():
    y, groups = rows([(30, 10), (10, 30)])
    reweighter = Reweighter().fit(np.zeros((80, 3)), y, sensitive_features=groups)
    # each cell should have 20 rows
    np.testing.assert_allclose(reweighter.weight_table_, [[2 / 3, 2], [2, 2 / 3]])
    assert reweighter.weight_table_.index.tolist() == ["f", "m"]
    assert reweighter.weight_table_.columns.tolist() == [0, 1]
    assert reweighter.groups_.tolist() == ["f", "m"]
    assert reweighter.classes_.tolist() == [0, 1]
    assert reweighter.n_features_in_ == 3
    # (sum w)^2 / sum w^2 with 60 weights of 2/3 and 20 of 2
    assert reweighter.effective_sample_size_ == pytest.approx(80**2 / (60 * 4 / 9 + 20 * 4))


def test_independent_data_weigh_one():
    y, groups = rows([(10, 20), (30, 60)])
    weights = Reweighter().compute_sample_weight(y, groups)
    np.testing.assert_allclose(weights, 1)


def test_one_group_weighs_one():
    weights = Reweighter().compute_sample_weight([0, 1, 1], ["f"] * 3)
    np.testing.assert_allclose(weights, 1)


def test_integer_weights_are_repeated_rows():
    y, groups = rows([(9, 4), (5, 7)])
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = Reweighter().compute_sample_weight(y, groups, times)
    repeated = Reweighter().compute_sample_weight(np.repeat(y, times), np.repeat(groups, times))
    np.testing.assert_allclose(np.repeat(weighted / times.clip(1), times), repeated)
    assert (weighted[times == 0] == 0).all()


def test_rows_of_weight_zero_do_not_make_a_cell():
    y, groups = rows([(9, 4), (5, 1)])
    alone = (groups == "m") & (y == 1)
    message = "there are no rows of class '1' in group 'm'"
    with pytest.raises(ValueError, match=message):
        Reweighter().compute_sample_weight(y, groups, 1.0 - alone)
    weights = Reweighter(empty_cells="ignore").compute_sample_weight(y, groups, 1.0 - alone)
    assert weights[alone].tolist() == [0.0]
    assert np.isfinite(weights).all()


def test_weights_are_aligned_on_the_index():
    y, groups = rows([(9, 4), (5, 7)])
    y = pd.Series(y, index=np.arange(25)[::-1])
    given = pd.Series(np.arange(25) + 1.0, index=y.index)
    expected = Reweighter().compute_sample_weight(y, groups, given.to_numpy())
    found = Reweighter().compute_sample_weight(y, pd.Series(groups, y.index), given.sort_index())
    np.testing.assert_array_equal(found, expected)


# -- cells without rows, clipping ------------------------------------------------------------------


def test_cells_without_rows_are_named_with_the_remedy():
    y, groups = rows([(5, 5), (5, 0)])
    with pytest.raises(ValueError) as error:
        Reweighter().compute_sample_weight(y, groups)
    assert str(error.value) == (
        "Reweighter: there are no rows of class '1' in group 'm'; merge groups or classes, or pass "
        "empty_cells='ignore' to weigh the others alone, or empty_cells='smooth' to count one more "
        "row in every cell"
    )


def test_ignoring_cells_without_rows():
    y, groups = rows([(6, 2), (4, 0)])
    reweighter = Reweighter(empty_cells="ignore").fit(y, y, sensitive_features=groups)
    # 8 * 10 / (12 * 6), 8 * 2 / (12 * 2), 4 * 10 / (12 * 4)
    np.testing.assert_allclose(
        reweighter.weight_table_, [[10 / 9, 2 / 3], [5 / 6, np.nan]], rtol=1e-12
    )


def test_smoothing_counts_one_more_row_in_every_cell():
    y, groups = rows([(5, 1), (3, 0)])
    reweighter = Reweighter(empty_cells="smooth").fit(y, y, sensitive_features=groups)
    # from the table [[6, 2], [4, 1]]
    expected = [[8 * 10 / (13 * 6), 8 * 3 / (13 * 2)], [5 * 10 / (13 * 4), np.nan]]
    np.testing.assert_allclose(reweighter.weight_table_, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("clip", "expected"),
    [
        (None, [[2 / 3, 2], [2, 2 / 3]]),
        (1.25, [[0.8, 1.25], [1.25, 0.8]]),
        ((0.0, 1.5), [[2 / 3, 1.5], [1.5, 2 / 3]]),
        ([1, np.inf], [[1, 2], [2, 1]]),
        (1, [[1, 1], [1, 1]]),
    ],
)
def test_clipping(clip, expected):
    y, groups = rows([(30, 10), (10, 30)])
    reweighter = Reweighter(clip=clip).fit(y, y, sensitive_features=groups)
    np.testing.assert_allclose(reweighter.weight_table_, expected, rtol=1e-12)


# -- replication ----------------------------------------------------------------------------------


def shares(y, groups, weights, positive):
    """Weighted share of the positive class in each group, by a slow loop."""
    out = []
    for g in sorted(set(groups)):
        mine = [i for i in range(len(y)) if groups[i] == g]
        positives = sum(weights[i] for i in mine if y[i] == positive)
        out.append(positives / sum(weights[i] for i in mine))
    return np.array(out)


@pytest.mark.parametrize("threshold", [1e-2, 1e-3, 1e-4, 0.0])
@pytest.mark.parametrize("sizes", [[(30, 10), (10, 30)], [(30, 10), (20, 20), (5, 35)]])
def test_replication_brings_the_variance_under_the_threshold(sizes, threshold):
    y, groups = rows(sizes, groups="fmx"[: len(sizes)])
    reweighter = Reweighter("replication", threshold=threshold)
    weights = reweighter.compute_sample_weight(y, groups)
    assert np.var(shares(y, groups, weights, 1)) <= threshold + 1e-30
    assert (weights >= 1).all()


def test_replication_counts_whole_rounds():
    """30:10 against 10:30. One round: helpful rows weigh 2, others 1.1."""
    y, groups = rows([(30, 10), (10, 30)])
    before = np.var([0.25, 0.75])
    one_round = np.var([20 / (20 + 33), 33 / (20 + 33)])
    weights = Reweighter("replication", threshold=before).fit(y, y, sensitive_features=groups)
    np.testing.assert_allclose(weights.weight_table_, 1)
    weights = Reweighter("replication", threshold=one_round).fit(y, y, sensitive_features=groups)
    np.testing.assert_allclose(weights.weight_table_, [[1.1, 2], [2, 1.1]])


def test_replication_does_not_overshoot():
    """A group stops at the share of everybody, however far the others are."""
    y, groups = rows([(490, 510), (300, 700), (500, 400)], groups="fmx")
    target = np.mean(y)
    before = np.array([0.51, 0.7, 4 / 9])
    for threshold in (1e-2, 1e-3, 1e-4, 1e-6, 0.0):
        weights = Reweighter("replication", threshold=threshold).compute_sample_weight(y, groups)
        after = shares(y, groups, weights, 1)
        assert ((before - target) * (after - target) >= -1e-12).all()
    np.testing.assert_allclose(after, target)


def test_replication_of_one_class_against_the_rest():
    y, groups = rows([(10, 20, 10), (30, 5, 5)], classes="abc")
    reweighter = Reweighter("replication", pos_label="a", threshold=0.0)
    reweighter.fit(y, y, sensitive_features=groups)
    np.testing.assert_allclose(shares(y, groups, reweighter.sample_weight_, "a"), 0.5)
    table = reweighter.weight_table_
    np.testing.assert_array_equal(table["b"], table["c"])


def test_replication_that_cannot_reach_the_threshold_warns():
    y, groups = rows([(1000, 1), (1, 1000)])
    with pytest.warns(
        ConvergenceWarning, match=r"above threshold=0.0001: replicas cannot multiply"
    ):
        weights = Reweighter("replication").compute_sample_weight(y, groups)
    assert np.isfinite(weights).all()


def test_replication_needs_the_positive_class():
    y, groups = rows([(10, 20), (30, 5)], classes=["good", "bad"])
    with pytest.raises(
        ValueError, match=r"Reweighter: method='replication' needs a positive class"
    ):
        Reweighter("replication").compute_sample_weight(y, groups)
    with pytest.raises(ValueError, match="pos_label='fine' is not among"):
        Reweighter("replication", pos_label="fine").compute_sample_weight(y, groups)


def test_replication_leaves_groups_of_one_class_alone():
    y, groups = rows([(30, 10), (10, 30), (0, 10)], groups="fmx")
    reweighter = Reweighter("replication", empty_cells="ignore", threshold=0.0)
    reweighter.fit(y, y, sensitive_features=groups)
    assert reweighter.weight_table_.loc["x", 1] == 1.0
    np.testing.assert_allclose(
        shares(y, groups, reweighter.sample_weight_, 1)[:2], np.mean(y), rtol=1e-12
    )


# -- scikit-learn ------------------------------------------------------------------------------


@parametrize_with_checks(
    [
        Reweighter(sensitive_features=one_group),
        Reweighter(sensitive_features=one_group, empty_cells="smooth", clip=3),
    ]
)
def test_estimator_checks(estimator, check):
    check(estimator)


def test_it_passes_anything_through():
    images = np.zeros((10, 8, 8, 3))
    y, groups = [0, 1] * 5, ["f"] * 4 + ["m"] * 6
    reweighter = Reweighter().fit(images, y, sensitive_features=groups)
    assert reweighter.transform(images) is images
    frame = pd.DataFrame({"sex": groups, "u": [None] * 10})
    reweighter = Reweighter(sensitive_features="sex").fit(frame, y)
    assert reweighter.transform(frame) is frame
    assert reweighter.get_feature_names_out().tolist() == ["sex", "u"]
    with pytest.raises(ValueError, match="feature names should match"):
        reweighter.transform(frame.rename(columns={"u": "v"}))
    with pytest.raises(NotFittedError):
        Reweighter().transform(images)


def test_it_is_no_sampler():
    """imbalanced-learn refuses a class with both transform and fit_resample."""
    assert not hasattr(Reweighter(), "fit_resample")
    pipe = make_pipeline(Reweighter(sensitive_features=one_group)).fit(np.eye(4), [0, 1, 0, 1])
    assert pipe.transform(np.eye(4)).shape == (4, 4)


def test_clone_and_parameters():
    reweighter = Reweighter("replication", clip=(0.1, 5), pos_label="b", threshold=0.01)
    assert clone(reweighter).get_params() == reweighter.get_params()
    assert json.dumps(reweighter.get_params()["clip"]) == "[0.1, 5]"


# -- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "reweigh"}, r"method must be one of \('reweighing', 'replication'\); got"),
        ({"empty_cells": "drop"}, r"empty_cells must be one of \('error', 'ignore', 'smooth'\)"),
        ({"clip": 0.5}, "clip must be None, a number of at least 1, or a pair .* got 0.5"),
        ({"clip": (2, 3)}, r"with 0 <= low <= 1 <= high; got \(2, 3\)"),
        ({"clip": (-1, 3)}, "clip must be None"),
        ({"clip": "3"}, "clip must be None"),
        ({"clip": 0}, "clip must be None"),
        ({"clip": (1, 2, 3)}, "clip must be None"),
        ({"clip": np.nan}, "clip must be None"),
        ({"method": "replication", "threshold": -1}, "threshold must be a number of at least 0"),
        ({"method": "replication", "threshold": "a"}, "threshold must be a number of at least 0"),
        ({"sensitive_features": 0}, "is a position"),
    ],
)
def test_bad_parameters(options, message):
    y, groups = rows([(5, 5), (5, 5)])
    given = None if "sensitive_features" in options else groups
    with pytest.raises((ValueError, TypeError), match=message):
        Reweighter(**options).fit(y[:, None], y, sensitive_features=given)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.zeros(20), "sample_weight is zero in all rows"),
        (-np.ones(20), "sample_weight holds 20 negative values"),
        (np.full(20, np.nan), "sample_weight holds values that are missing or infinite"),
        (np.ones(7), "inputs have different numbers of rows: y has 20, sample_weight has 7"),
    ],
)
def test_bad_weights(weight, message):
    y, groups = rows([(5, 5), (5, 5)])
    with pytest.raises(ValueError, match=message):
        Reweighter().compute_sample_weight(y, groups, weight)


def test_missing_groups_are_refused():
    y, groups = rows([(5, 5), (5, 5)])
    people = pd.DataFrame({"sex": groups})
    people.loc[:2, "sex"] = None
    with pytest.raises(
        ValueError, match=r"^Reweighter: sensitive_features 'sex': 3 of 20 values are missing; make"
    ):
        Reweighter().fit(y[:, None], y, sensitive_features=people)
