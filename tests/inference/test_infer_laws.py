"""The inference of many metrics at once: its laws, and the tables that break simpler ones."""

import numpy as np
import pytest

from skfairprop import GroupCounts
from skfairprop.inference import MetricCall, infer
from skfairprop.metrics import METRICS
from tests.inference.data import rows

NAMES = [
    "demographic_parity_difference",
    "demographic_parity_ratio",
    "equalized_odds_difference",
    "overall_disparity",
    "cramers_v",
    "ens_bias",
]


def counted(**options):
    y_true, y_pred, group = rows(**options)
    return GroupCounts.from_arrays(y_true, y_pred, sensitive_features=group)


def table(values):
    values = np.asarray(values)
    groups = [f"g{i}" for i in range(len(values))]
    return GroupCounts(values, groups=groups, classes=range(values.shape[1]))


def check_laws(found):
    """What holds for every metric that is defined."""
    alpha = 1 - found.confidence
    assert found.lower <= found.value <= found.upper
    if found.null is None or found.signed:
        return
    bound, side = (found.upper, -1) if found.best == 1 else (found.lower, 1)
    excludes = side * (bound - found.best) > 0
    assert excludes <= (found.p_value <= alpha / 2)
    assert (excludes or found.open_at_zero) == (found.p_value <= alpha)


@pytest.mark.parametrize("gap", [0.0, 0.15, 0.3, 0.5])
@pytest.mark.parametrize("interval", ["tilted", "max_t"])
def test_interval_and_p_never_contradict(gap, interval):
    for seed in range(3):
        counts = counted(gap=gap, seed=seed)
        found = infer(counts, NAMES, interval=interval, n_draws=200, random_state=seed)
        assert list(found) == NAMES
        for one in found.values():
            check_laws(one)


def test_every_count_metric_of_the_registry():
    calls = [
        MetricCall(metric, pos_label=1 if metric.needs_positive else None)
        for metric in METRICS.values()
        if metric.counts_suffice
    ]
    found = infer(counted(n=400, gap=0.3), calls, n_draws=100, random_state=0)
    for one in found.values():
        check_laws(one)


def test_the_same_for_any_chunk_and_any_company():
    counts = counted(gap=0.3)
    whole = infer(counts, NAMES, n_draws=150, random_state=5)
    for chunk_size in (1, 7, 1000):
        assert repr(infer(counts, NAMES, n_draws=150, random_state=5, chunk_size=chunk_size)) == (
            repr(whole)
        )
    alone = infer(counts, "cramers_v", n_draws=150, random_state=5)
    assert alone["cramers_v"] == whole["cramers_v"]
    other = infer(counts, "cramers_v", n_draws=150, random_state=6)
    assert alone["cramers_v"] != other["cramers_v"]


def test_weights_of_two_are_no_more_rows():
    y_true, y_pred, group = rows(gap=0.4)
    name = "equalized_odds_difference"

    def interval(*data, weight=None):
        counts = GroupCounts.from_arrays(
            data[0], data[1], sensitive_features=data[2], sample_weight=weight
        )
        return infer(counts, name, random_state=0)[name]

    plain = interval(y_true, y_pred, group)
    weighted = interval(y_true, y_pred, group, weight=np.full(len(group), 2))
    doubled = interval(*(np.repeat(x, 2) for x in (y_true, y_pred, group)))
    assert weighted.value == pytest.approx(plain.value)
    assert (weighted.lower, weighted.upper) == pytest.approx((plain.lower, plain.upper))
    assert weighted.p_value == plain.p_value
    assert doubled.upper - doubled.value < plain.upper - plain.value


def test_weights_of_zero_are_no_rows():
    y_true, y_pred, group = rows(gap=0.4)
    kept = np.arange(len(group)) % 3 > 0
    weighted, cut = (
        GroupCounts.from_arrays(t, p, sensitive_features=g, sample_weight=w)
        for t, p, g, w in (
            (y_true, y_pred, group, kept.astype(int)),
            (y_true[kept], y_pred[kept], group[kept], np.ones(kept.sum())),
        )
    )
    name = "equalized_odds_difference"
    first, second = (infer(c, name, random_state=0)[name] for c in (weighted, cut))
    assert repr(first) == repr(second)


def test_sums_of_weights_alone_are_refused():
    with pytest.raises(ValueError, match="not whole numbers; give the sums of squared weights"):
        infer(table([[[1.5, 2], [3, 4]], [[1, 2], [3, 4]]]), "cramers_v")


@pytest.mark.parametrize(
    "values",
    [
        [[[10, 0], [20, 0]], [[5, 0], [7, 0]]],  # a single predicted class
        [[[9, 9], [0, 0]], [[4, 6], [0, 0]]],  # a single true class
        [[[5, 5], [5, 5]], [[5, 5], [5, 5]]],  # all cells equal
        [[[1, 0], [0, 0]], [[8, 4], [3, 9]]],  # a group of one row
        [[[30, 10], [0, 0]], [[0, 0], [10, 30]], [[8, 4], [3, 9]]],  # empty strata
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_tables_that_leave_little_to_exchange(values):
    names = ["demographic_parity_difference", "equalized_odds_difference", "overall_disparity"]
    for one in infer(table(values), names, n_draws=100, random_state=0).values():
        assert 0 <= one.null_mean <= 1 or np.isnan(one.value)
        if not np.isnan(one.lower):
            check_laws(one)


def test_no_gap_at_all_has_a_p_of_one():
    found = infer(table([[[5, 5], [5, 5]]] * 2), "demographic_parity_difference", random_state=0)[
        "demographic_parity_difference"
    ]
    assert (found.value, found.lower, found.p_value) == (0, 0, 1)


def test_undefined_replicates_are_counted():
    # group a has two rows: where neither is predicted positive it has no precision
    counts = table([[[1, 0], [0, 1]], [[20, 9], [9, 30]]])
    call = MetricCall("precision_difference", pos_label=1, null="independence")
    found = infer(counts, call, n_draws=1000, random_state=0)["precision_difference"]
    neither = (30 / 70) * (29 / 69)  # under the exchange of all rows
    assert found.n_undefined >= 1000 * neither - 4 * np.sqrt(1000 * neither * (1 - neither))
    assert found.n_undefined < found.n_draws == 1000


def test_mostly_undefined_replicates_leave_no_interval():
    counts = table([[[0, 0], [0, 1]], [[60, 9], [9, 2]]])
    call = MetricCall("precision_difference", pos_label=1, null="independence")
    found = infer(counts, call, n_draws=200, random_state=0)["precision_difference"]
    assert found.value == pytest.approx(1 - 2 / 11)
    assert np.isnan([found.lower, found.upper, found.p_value]).all()
    assert found.reason == f"undefined on {found.n_undefined} of 200 replicates"


def test_two_hundred_groups():
    rng = np.random.default_rng(0)
    counts = table(rng.integers(0, 20, size=(200, 2, 2)))
    found = infer(counts, "demographic_parity_difference", n_draws=100, random_state=0)
    check_laws(found["demographic_parity_difference"])


def test_too_few_draws_are_said():
    with pytest.warns(UserWarning, match="n_draws=10 gives no p-value below"):
        infer(counted(), "cramers_v", n_draws=10, random_state=0)


def test_no_generator_of_numpy_is_touched():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    infer(counted(), "cramers_v", n_draws=50, random_state=np.random.RandomState(0))
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize(
    ("calls", "options", "message"),
    [
        (["cramers_v", "cramers_v"], {}, "occurs more than once"),
        ("cramers_v", {"chunk_size": 0}, "chunk_size must be an integer of at least 1; got 0"),
        ("cramers_v", {"chunk_size": "a"}, "chunk_size must be an integer of at least 1; got 'a'"),
        ("cramers_v", {"confidence": float("nan")}, "confidence must be a number in .0, 1."),
        ("cramers_v", {"n_draws": True}, "n_draws must be an integer"),
    ],
)
def test_bad_input(calls, options, message):
    with pytest.raises(ValueError, match=message):
        infer(counted(), calls, **options)


def test_replicates_are_refused():
    counts = counted()
    many = GroupCounts(np.stack([counts.values] * 2), groups=counts.groups, classes=counts.classes)
    with pytest.raises(ValueError, match="replicate axes"):
        infer(many, "cramers_v")


@pytest.mark.parametrize(("null", "stratum"), [("separation", "y"), ("sufficiency", "p")])
def test_another_null_of_the_accuracy_shuffles_within_its_own_strata(null, stratum):
    """Accuracies .84 and .66 that differ by base rates alone: chance within the class."""
    values = np.array([[[720, 80], [80, 120]], [[180, 20], [320, 480]]])
    counts = GroupCounts(values, groups=["a", "b"], classes=[0, 1])
    found = infer(counts, "accuracy_difference", null=null, random_state=0)["accuracy_difference"]
    cells = np.array([(g, y, p) for g in (0, 1) for y in (0, 1) for p in (0, 1)])
    g, y, p = np.repeat(cells, values.ravel(), axis=0).T
    right, within = y == p, {"y": y, "p": p}[stratum]
    rng = np.random.default_rng(0)
    gaps = []
    for _ in range(200):
        moved = g.copy()
        for k in (0, 1):
            moved[within == k] = rng.permutation(moved[within == k])
        gaps.append(abs(right[moved == 0].mean() - right[moved == 1].mean()))
    assert found.null_mean == pytest.approx(np.mean(gaps), abs=0.01)


def test_more_rows_than_random_tables_hold_are_refused():
    huge = GroupCounts(np.full((2, 2, 2), 10**9, dtype=np.int64), groups=["a", "b"], classes=[0, 1])
    with pytest.raises(ValueError, match="8,000,000,000 rows are more than random tables can hold"):
        infer(huge, "demographic_parity_difference")
