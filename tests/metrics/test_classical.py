"""Classical measures: fairlearn where its value is well-defined, a loop where a rate is 0/0."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as sk
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop import metrics as m
from skfairprop.metrics import evaluate

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


def tables(smallest):
    shape = st.tuples(st.integers(2, 5), st.just(2), st.just(2))
    cell = st.integers(smallest, 6)
    return arrays(np.int64, shape, elements=cell).filter(np.any)


def rows_of(table):
    """Group, true and predicted class of every row of a table of counts."""
    where = np.nonzero(table)
    return [np.repeat(axis, table[where]) for axis in where]


# -- fairlearn: every group has every cell, so that nothing is undefined --------------------------


def by_group(metric):
    """The difference of any scikit-learn metric between groups, as fairlearn computes it."""

    def difference(true, pred, *, sensitive_features, sample_weight=None):
        frame = pytest.importorskip("fairlearn.metrics").MetricFrame(
            metrics=metric,
            y_true=true,
            y_pred=pred,
            sensitive_features=sensitive_features,
            sample_params=None if sample_weight is None else {"sample_weight": sample_weight},
        )
        return frame.difference()

    return difference


def said(name):
    """A docstring, on one line."""
    return " ".join(getattr(m, name).__doc__.split())


def fairlearn(name, **options):
    def function(true, pred, **data):
        return getattr(pytest.importorskip("fairlearn.metrics"), name)(
            true, pred, **data, **options
        )

    return function


PEERS = [
    ("demographic_parity_difference", fairlearn("demographic_parity_difference"), {}),
    ("demographic_parity_ratio", fairlearn("demographic_parity_ratio"), {}),
    ("equalized_odds_difference", fairlearn("equalized_odds_difference"), {}),
    (
        "equalized_odds_difference",
        fairlearn("equalized_odds_difference", agg="mean"),
        {"agg": "mean"},
    ),
    ("equalized_odds_ratio", fairlearn("equalized_odds_ratio"), {}),
    ("equalized_odds_ratio", fairlearn("equalized_odds_ratio", agg="mean"), {"agg": "mean"}),
    ("equal_opportunity_difference", fairlearn("equal_opportunity_difference"), {}),
    ("equal_opportunity_ratio", fairlearn("equal_opportunity_ratio"), {}),
    ("accuracy_difference", by_group(sk.accuracy_score), {}),
    ("precision_difference", by_group(sk.precision_score), {}),
    (
        "false_positive_rate_difference",
        by_group(lambda *a, **k: fairlearn("false_positive_rate")(*a, **k)),
        {},
    ),
    (
        "false_negative_rate_difference",
        by_group(lambda *a, **k: fairlearn("false_negative_rate")(*a, **k)),
        {},
    ),
]
IDS = [f"{name} {' '.join(options.values())}".strip() for name, _, options in PEERS]


@pytest.mark.parametrize(("name", "peer", "options"), PEERS, ids=IDS)
@settings(max_examples=5)  # a frame of fairlearn takes milliseconds
@given(table=tables(1), seed=st.integers(0, 99))
def test_equals_fairlearn(name, peer, options, table, seed):
    group, true, pred = rows_of(table)
    weight = np.random.default_rng(seed).integers(1, 5, len(group))
    for data in ({}, {"sample_weight": weight}):
        value = getattr(m, name)(true, pred, sensitive_features=group, **data, **options)
        assert value == pytest.approx(peer(true, pred, sensitive_features=group, **data))


CLASSICAL = [name for name, record in m.METRICS.items() if record.family == "classical"]
SAID = [n for n in CLASSICAL if "fairlearn's function of this name" in said(n)]


def test_fairlearn_is_named_where_it_has_the_function():
    there = pytest.importorskip("fairlearn.metrics")
    assert [name for name in CLASSICAL if hasattr(there, name)] == SAID
    for name in CLASSICAL:
        assert ("fairlearn" in m.METRICS[name].source) == (name in SAID), name
    functions = [n for n in m.__all__ if callable(getattr(m, n)) and n not in SAID]
    assert [n for n in functions if "fairlearn's function" in said(n)] == []
    # those of another name that are spoken of
    assert "``accuracy_score_difference``" in said("accuracy_difference")
    assert hasattr(there, "accuracy_score_difference")
    assert not [n for n in dir(there) if n.startswith("precision") and n.endswith("_difference")]


@quiet
@pytest.mark.parametrize("name", SAID)
@settings(max_examples=10)
@given(table=tables(0).filter(lambda table: (table.sum(-1) > 0).all()))
def test_what_is_said_of_fairlearn_is_so(name, table):
    group, true, pred = rows_of(table)
    ratios = (table[:, 0, 1], table[:, 1, 1])  # 0/0 where nobody is selected
    if name == "equalized_odds_ratio" and not all(map(np.any, ratios)):
        return
    value = getattr(m, name)(true, pred, sensitive_features=group)
    peer = fairlearn(name)(true, pred, sensitive_features=group)
    assert value == pytest.approx(peer, nan_ok=True)


def test_no_two_kinds_of_fairness_have_one_source():
    sources = {name: m.METRICS[name].source.split(";")[0] for name in CLASSICAL}
    hardt = {name for name, source in sources.items() if source.startswith("Hardt")}
    assert hardt == {
        f"{what}_{how}"
        for what in ("equalized_odds", "equal_opportunity")
        for how in ("difference", "ratio")
    }
    for name, source in sources.items():  # the first author stands in the docstring too
        assert source.split()[0].rstrip(",") in said(name), name


# -- loops: a rate 0/0 is left out, where fairlearn counts it as 0 --------------------------------


def share(part, whole):
    return part / whole if whole else None


RATES = {
    "selection": lambda tn, fp, fn, tp: share(tp + fp, tn + fp + fn + tp),
    "tpr": lambda tn, fp, fn, tp: share(tp, tp + fn),
    "fpr": lambda tn, fp, fn, tp: share(fp, fp + tn),
    "fnr": lambda tn, fp, fn, tp: share(fn, tp + fn),
    "accuracy": lambda tn, fp, fn, tp: share(tp + tn, tn + fp + fn + tp),
    "precision": lambda tn, fp, fn, tp: share(tp, tp + fp),
}


def defined(table, rate):
    values = [RATES[rate](*np.ravel(t)) for t in table.tolist()]
    return [v for v in values if v is not None]


def slow_gap(table, rate):
    values = defined(table, rate)
    return max(values) - min(values) if len(values) >= 2 else None


def slow_ratio(table, rate):
    values = defined(table, rate)
    return min(values) / max(values) if len(values) >= 2 and max(values) else None


def worse_of(join, one, table):
    found = [v for v in (one(table, "tpr"), one(table, "fpr")) if v is not None]
    return join(found) if found else None


LOOPS = [
    ("demographic_parity_difference", lambda t: slow_gap(t, "selection"), {}),
    ("demographic_parity_ratio", lambda t: slow_ratio(t, "selection"), {}),
    ("equalized_odds_difference", lambda t: worse_of(max, slow_gap, t), {}),
    ("equalized_odds_difference", lambda t: worse_of(np.mean, slow_gap, t), {"agg": "mean"}),
    ("equalized_odds_ratio", lambda t: worse_of(min, slow_ratio, t), {}),
    ("equalized_odds_ratio", lambda t: worse_of(np.mean, slow_ratio, t), {"agg": "mean"}),
    ("equal_opportunity_difference", lambda t: slow_gap(t, "tpr"), {}),
    ("equal_opportunity_ratio", lambda t: slow_ratio(t, "tpr"), {}),
    ("accuracy_difference", lambda t: slow_gap(t, "accuracy"), {}),
    ("false_positive_rate_difference", lambda t: slow_gap(t, "fpr"), {}),
    ("false_negative_rate_difference", lambda t: slow_gap(t, "fnr"), {}),
    ("precision_difference", lambda t: slow_gap(t, "precision"), {}),
]


@quiet
@pytest.mark.parametrize(("name", "slow", "options"), LOOPS)
@given(table=tables(0))
def test_equals_the_loop(name, slow, options, table):
    counts = GroupCounts(table, groups=range(len(table)), classes=[0, 1])
    expected = slow(table)
    value = evaluate(counts, name, **options)
    assert value == pytest.approx(np.nan if expected is None else expected, abs=1e-12, nan_ok=True)


# -- the policies on undefined rates, by hand -----------------------------------------------------

# Recalls: a 1/2, b 1, and c has no positive.
TRUE = [1, 1, 1, 1, 0, 0]
PRED = [1, 0, 1, 1, 0, 1]
GROUP = list("aabbcc")


def test_a_group_without_positives_is_left_out_and_named():
    with pytest.warns(
        UndefinedMetricWarning,
        match="^equal_opportunity_difference leaves out: recall is 0/0 in group 'c'$",
    ):
        value = m.equal_opportunity_difference(TRUE, PRED, sensitive_features=GROUP)
    assert value == pytest.approx(0.5)  # not 1.0, as when 0/0 counts as 0


def test_a_group_without_weight_is_left_out_and_is_no_rate_of_zero():
    given = {"sensitive_features": GROUP, "sample_weight": [1, 1, 1, 1, 0, 0]}
    with pytest.warns(UndefinedMetricWarning, match="sample_weight is 0 in all rows of group 'c'"):
        value = m.demographic_parity_difference(TRUE, PRED, **given)
    assert value == 0.5  # selected: a 1/2, b all


@quiet
def test_one_group_with_weight_is_one_group():
    given = {"sensitive_features": list("aaabbb"), "sample_weight": [1, 1, 1, 0, 0, 0]}
    assert np.isnan(m.demographic_parity_difference(TRUE, PRED, **given))


def test_undefined_zero_is_what_the_papers_do():
    value = m.equal_opportunity_difference(TRUE, PRED, sensitive_features=GROUP, undefined="zero")
    assert value == 1.0


def test_undefined_raise_names_the_group():
    with pytest.raises(ValueError, match=r"is undefined: recall is 0/0 in group 'c'$"):
        m.equal_opportunity_difference(TRUE, PRED, sensitive_features=GROUP, undefined="raise")


def test_undefined_nan():
    with pytest.warns(UndefinedMetricWarning, match=r"is undefined \(NaN\): recall is 0/0"):
        value = m.equal_opportunity_difference(
            TRUE, PRED, sensitive_features=GROUP, undefined="nan"
        )
    assert np.isnan(value)


def test_undefined_policy_is_checked():
    with pytest.raises(ValueError, match=r"undefined must be one of .*; got 'ignore'"):
        m.equal_opportunity_difference(TRUE, PRED, sensitive_features=GROUP, undefined="ignore")


@pytest.mark.parametrize("undefined", ["drop", "nan", "zero"])
def test_the_ratio_of_nobody_to_nobody_is_undefined(undefined):
    with pytest.warns(UndefinedMetricWarning, match="no two groups have a rate above 0"):
        value = m.demographic_parity_ratio(
            [1, 0, 1, 0], [0, 0, 0, 0], sensitive_features=list("aabb"), undefined=undefined
        )
    assert np.isnan(value)


def test_the_ratio_of_nobody_to_nobody_can_be_refused():
    with pytest.raises(ValueError, match="demographic_parity_ratio is undefined"):
        m.demographic_parity_ratio(
            [1, 0, 1, 0], [0, 0, 0, 0], sensitive_features=list("aabb"), undefined="raise"
        )


def test_one_undefined_half_of_equalized_odds_is_left_out():
    true, pred = [1, 1, 1, 1], [1, 0, 1, 1]
    with pytest.warns(
        UndefinedMetricWarning, match="false_positive_rate is 0/0 in groups 'a', 'b'"
    ):
        value = m.equalized_odds_difference(true, pred, sensitive_features=list("aabb"))
    assert value == pytest.approx(0.5)


# -- the positive class ---------------------------------------------------------------------------

THREE = {
    "y_true": [0, 1, 2, 0, 1, 2],
    "y_pred": [0, 1, 1, 0, 2, 2],
    "sensitive_features": list("aaabbb"),
}


@pytest.mark.parametrize(("label", "expected"), [(0, 0.0), (1, 2 / 3), (2, 2 / 3)])
def test_one_class_against_the_rest(label, expected):
    assert m.demographic_parity_difference(**THREE, pos_label=label) == pytest.approx(expected)


def test_a_positive_class_that_no_row_has_is_never_selected():
    given = {"sensitive_features": ["a", "b"]}
    assert m.demographic_parity_difference([0, 0], [0, 0], **given) == 0.0
    assert m.demographic_parity_difference([-1, -1], [-1, -1], **given) == 0.0
    assert m.demographic_parity_difference([False, False], [False, False], **given) == 0.0


def test_accuracy_needs_no_positive_class():
    value = m.accuracy_difference(
        ["x", "y", "z", "x"], ["x", "y", "x", "x"], sensitive_features=list("aabb")
    )
    assert value == pytest.approx(0.5)
