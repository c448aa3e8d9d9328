"""Bias of a multi-class model: golden values, loops written from the definitions, edge cases."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop.metrics import (
    classwise_equalized_odds,
    combined_error_variance,
    demographic_parity,
    demographic_parity_difference,
    equal_opportunity,
    equal_opportunity_difference,
    equalized_odds_difference,
    evaluate,
    overall_disparity,
    symmetric_distance_error,
    term_by_term_equalized_odds,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "heritage.json").read_text())["cases"]
GOLDEN_NAMES = {
    "TTEqOdds": term_by_term_equalized_odds,
    "CEqOdds": classwise_equalized_odds,
    "EqOpp": equal_opportunity,
    "DemPar": demographic_parity,
    "OD": overall_disparity,
    "CEV": combined_error_variance,
    "SDE": symmetric_distance_error,
}
GOLDEN_VARIANTS = {
    "DemPar_balanced": (demographic_parity, {"normalization": "balanced"}),
    "DemPar_raw": (demographic_parity, {"normalization": "raw"}),
    "CEV_fpr_eq15": (combined_error_variance, {"fpr": "balanced"}),
    "SDE_fpr_eq15": (symmetric_distance_error, {"fpr": "balanced"}),
}
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


@st.composite
def tables(draw):
    """Counts (G, K, K) with many empty cells, rows, groups and classes."""
    n_groups, n_classes = draw(st.integers(1, 4)), draw(st.integers(2, 3))
    cell = st.integers(0, 6) | st.just(0)
    return draw(arrays(np.int64, (n_groups, n_classes, n_classes), elements=cell).filter(np.any))


def counts_of(table):
    n_groups, n_classes, _ = np.shape(table)
    return GroupCounts(table, groups=range(n_groups), classes=range(n_classes))


def rows_of(table):
    """Group, true and predicted class of every row of a table of counts."""
    where = np.nonzero(np.asarray(table))
    repeats = np.asarray(table)[where].astype(int)
    return [np.repeat(axis, repeats) for axis in where]


# -- loops over groups and classes, from the definitions ------------------------------------------


class Loop:
    """The quantities of the definitions, one number at a time; None where undefined."""

    def __init__(self, table):
        classes = range(len(table[0]))
        self.classes = [c for c in classes if any(self._seen(t, c, classes) for t in table)]
        self.groups = [t for t in table if sum(map(sum, t))]
        self.pooled = [
            [sum(t[y][p] for t in self.groups) for p in range(len(table[0]))] for y in classes
        ]

    @staticmethod
    def _seen(t, c, classes):
        return sum(t[c]) + sum(t[y][c] for y in classes)

    def w(self, t, y, p):
        return t[y][p] / sum(t[y]) if sum(t[y]) else None

    def tpr(self, t, y):
        return self.w(t, y, y)

    def fdr(self, t, p):
        def errors(q):
            return sum(self.w(t, y, q) or 0 for y in self.classes if y != q)

        total = sum(errors(q) for q in self.classes)
        return errors(p) / total if total else None

    def fnr(self, t, c):
        return None if self.tpr(t, c) is None else 1 - self.tpr(t, c)

    def raw_fpr(self, t, p):
        others = [y for y in self.classes if y != p]
        total = sum(sum(t[y]) for y in others)
        return sum(t[y][p] for y in others) / total if total else None

    def balanced_fpr(self, t, p):
        return mean(self.w(t, y, p) for y in self.classes if y != p)


def mean(values):
    defined = [v for v in values if v is not None]
    return sum(defined) / len(defined) if defined else None


def gap(values):
    defined = [v for v in values if v is not None]
    return max(defined) - min(defined) if len(defined) >= 2 else None


def slow_term_by_term(loop):
    cells = [gap(loop.w(t, y, p) for t in loop.groups) for y in loop.classes for p in loop.classes]
    return mean(cells)


def slow_classwise(loop):
    recalls = mean(gap(loop.tpr(t, y) for t in loop.groups) for y in loop.classes)
    if recalls is None:
        return None
    errors = mean(gap(loop.fdr(t, p) for t in loop.groups) for p in loop.classes)
    return 0.5 * recalls + 0.5 * (errors or 0.0)


def slow_equal_opportunity(loop):
    return mean(gap(loop.tpr(t, y) for t in loop.groups) for y in loop.classes)


def slow_demographic_parity(loop, normalization="published"):
    if normalization == "raw":
        return mean(
            gap(sum(row[p] for row in t) / sum(map(sum, t)) for t in loop.groups)
            for p in loop.classes
        )
    rows = [y for y in loop.classes if all(sum(t[y]) for t in loop.groups)]
    if not rows:
        return None
    scale = len(loop.classes) / len(rows)
    value = mean(
        gap(scale * sum(loop.w(t, y, p) for y in rows) for t in loop.groups) for p in loop.classes
    )
    balanced = normalization == "balanced" and value is not None
    return value / len(loop.classes) if balanced else value


def slow_overall_disparity(loop):
    by_class = []
    for y in loop.classes:
        recalls = [loop.tpr(t, y) for t in loop.groups if loop.tpr(t, y) is not None]
        if len(recalls) >= 2:
            best = max(recalls)
            short = sum(1 - r / best for r in recalls) if best else 0.0
            by_class.append(short / (len(recalls) - 1))
    return mean(by_class)


def relative(loop, t, fpr):
    """Pairs (dF, dR) of a group, for the classes where it has both."""
    pairs = []
    for c in loop.classes:
        own = getattr(loop, f"{fpr}_fpr")(t, c), loop.fnr(t, c)
        if None not in own:
            pooled = getattr(loop, f"{fpr}_fpr")(loop.pooled, c), loop.fnr(loop.pooled, c)
            pairs.append([(o - p) / p if p else 0.0 for o, p in zip(own, pooled, strict=True)])
    return pairs


def mean_of_groups(values):
    defined = [v for v in values if v is not None]
    return mean(defined) if len(defined) >= 2 else None


def slow_combined_error_variance(loop, fpr="raw"):
    def variance(t):
        pairs = relative(loop, t, fpr)
        if not pairs:
            return None
        centre = [mean(p[0] for p in pairs), mean(p[1] for p in pairs)]
        return mean((f - centre[0]) ** 2 + (r - centre[1]) ** 2 for f, r in pairs)

    return mean_of_groups(variance(t) for t in loop.groups)


def slow_symmetric_distance(loop, fpr="raw"):
    return mean_of_groups(mean(abs(f - r) for f, r in relative(loop, t, fpr)) for t in loop.groups)


SLOW = [
    ("term_by_term_equalized_odds", slow_term_by_term, {}),
    ("classwise_equalized_odds", slow_classwise, {}),
    ("equal_opportunity", slow_equal_opportunity, {}),
    ("demographic_parity", slow_demographic_parity, {}),
    ("demographic_parity", slow_demographic_parity, {"normalization": "balanced"}),
    ("demographic_parity", slow_demographic_parity, {"normalization": "raw"}),
    ("overall_disparity", slow_overall_disparity, {}),
    ("combined_error_variance", slow_combined_error_variance, {}),
    ("combined_error_variance", slow_combined_error_variance, {"fpr": "balanced"}),
    ("symmetric_distance_error", slow_symmetric_distance, {}),
    ("symmetric_distance_error", slow_symmetric_distance, {"fpr": "balanced"}),
]


@quiet
@pytest.mark.parametrize(("name", "slow", "options"), SLOW)
@given(table=tables())
def test_equals_the_loop(name, slow, options, table):
    expected = slow(Loop(table.tolist()), **options)
    value = evaluate(counts_of(table), name, **options)
    assert value == pytest.approx(np.nan if expected is None else expected, abs=1e-12, nan_ok=True)


# -- golden values --------------------------------------------------------------------------------

CASES = [case for case in GOLDEN if case["kind"] == "model"]


@quiet
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("key", GOLDEN_NAMES)
def test_golden_values(case, key):
    group, true, pred = rows_of(case["counts"])
    value = GOLDEN_NAMES[key](true, pred, sensitive_features=group)
    expected = case["expected"][key]
    assert value == pytest.approx(np.nan if expected is None else expected, rel=1e-9, nan_ok=True)


@quiet
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("key", GOLDEN_VARIANTS)
def test_golden_variants(case, key):
    if key not in case["variants"]:
        return  # not every case has every variant
    group, true, pred = rows_of(case["counts"])
    function, options = GOLDEN_VARIANTS[key]
    value = function(true, pred, sensitive_features=group, **options)
    expected = case["variants"][key]
    assert value == pytest.approx(np.nan if expected is None else expected, rel=1e-9, nan_ok=True)


@quiet
@pytest.mark.parametrize("key", ["TTEqOdds", "CEqOdds", "EqOpp", "DemPar"])
def test_golden_values_with_undefined_as_zero(key):
    case = next(case for case in CASES if case["name"] == "empty_group_class_cell")
    group, true, pred = rows_of(case["counts"])
    value = GOLDEN_NAMES[key](true, pred, sensitive_features=group, undefined="zero")
    assert value == pytest.approx(case["expected_undefined_as_zero"][key], rel=1e-9)


# -- what two classes and two groups have in common with the classical metrics --------------------

BINARY = np.array([[[60, 40], [20, 80]], [[90, 10], [50, 50]]])


def test_two_classes_and_two_groups():
    counts = counts_of(BINARY)
    mean_gap = evaluate(counts, "equalized_odds_difference", agg="mean")
    assert evaluate(counts, "term_by_term_equalized_odds") == pytest.approx(mean_gap)
    assert evaluate(counts, "equal_opportunity") == pytest.approx(mean_gap)
    difference = evaluate(counts, "demographic_parity_difference")
    raw = evaluate(counts, "demographic_parity", normalization="raw")
    assert raw == pytest.approx(difference)


def test_the_published_demographic_parity_is_blind_to_base_rates():
    perfect = counts_of([[[90, 0], [0, 10]], [[10, 0], [0, 90]]])
    assert evaluate(perfect, "demographic_parity") == pytest.approx(0.0)
    raw = evaluate(perfect, "demographic_parity", normalization="raw")
    assert raw == pytest.approx(0.8)


# -- undefined rates and options ------------------------------------------------------------------


def test_a_class_that_one_group_lacks_is_named_and_left_out():
    true = [0, 0, 1, 1, 0, 0]
    pred = [0, 1, 1, 1, 0, 0]
    with pytest.warns(
        UndefinedMetricWarning,
        match="equal_opportunity leaves out: recall is 0/0 in group 'b' for class 1$",
    ):
        value = equal_opportunity(true, pred, sensitive_features=list("aaaabb"))
    assert value == pytest.approx(0.5)


def test_a_raw_demographic_parity_does_not_read_the_rows_that_are_undefined():
    true = [0, 0, 1, 1, 0, 0]
    pred = [0, 1, 1, 1, 0, 0]
    for undefined in ("drop", "raise", "nan", "zero"):
        value = demographic_parity(
            true,
            pred,
            sensitive_features=list("aaaabb"),
            normalization="raw",
            undefined=undefined,
        )
        assert value == pytest.approx(0.75)


def test_groups_without_a_class_in_common_are_undefined():
    with pytest.warns(UndefinedMetricWarning, match=r"demographic_parity is undefined \(NaN\)"):
        value = demographic_parity([0, 1], [0, 0], sensitive_features=["a", "b"])
    assert np.isnan(value)


@pytest.mark.parametrize(
    ("function", "option"),
    [(demographic_parity, "normalization"), (combined_error_variance, "fpr")],
)
def test_options_are_checked(function, option):
    with pytest.raises(ValueError, match=f"{option} must be one of .*; got 'typo'"):
        function([0, 1], [0, 1], sensitive_features=["a", "b"], **{option: "typo"})


@quiet
@given(table=tables())
def test_recalls_of_two_classes_agree_with_the_classical_gap(table):
    group, true, pred = rows_of(table)
    if len({*true.tolist(), *pred.tolist()}) < 2:
        return
    given_groups = {"sensitive_features": group}
    gaps = [
        equal_opportunity_difference(true, pred, pos_label=c, **given_groups)
        for c in sorted({*true.tolist(), *pred.tolist()})
    ]
    defined = [g for g in gaps if not np.isnan(g)]
    expected = np.mean(defined) if defined else np.nan
    value = equal_opportunity(true, pred, **given_groups)
    assert value == pytest.approx(expected, nan_ok=True)


def test_the_multi_class_metrics_take_any_labels():
    group, true, pred = rows_of(BINARY)
    names = np.array(["no", "yes"])
    for function in GOLDEN_NAMES.values():
        assert function(names[true], names[pred], sensitive_features=group) == pytest.approx(
            function(true, pred, sensitive_features=group)
        )


def test_classical_metrics_are_not_the_multi_class_ones():
    group, true, pred = rows_of(BINARY)
    both = {"sensitive_features": group}
    assert equalized_odds_difference(true, pred, **both) == pytest.approx(0.3)
    assert demographic_parity_difference(true, pred, **both) == pytest.approx(0.3)
    assert demographic_parity(true, pred, **both) == pytest.approx(0.6)
