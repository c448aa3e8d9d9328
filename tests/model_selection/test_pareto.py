"""Fronts, hypervolumes and the rules that choose a point."""

import numpy as np
import pytest

from skfairprop.model_selection import _pareto as pareto
from skfairprop.model_selection._pareto import choose, hypervolume, nondominated


def slowly_nondominated(losses):
    """By the definition: a row is dominated if another is nowhere larger and somewhere smaller."""
    rows = [tuple(row) for row in np.asarray(losses, dtype=float)]
    finite = [all(np.isfinite(row)) for row in rows]
    return np.array(
        [
            ok
            and not any(
                seen
                and all(a <= b for a, b in zip(other, row, strict=True))
                and any(a < b for a, b in zip(other, row, strict=True))
                for other, seen in zip(rows, finite, strict=True)
            )
            for row, ok in zip(rows, finite, strict=True)
        ]
    )


# -- the front ----------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("kind", ["continuous", "ties", "holes"])
def test_the_front_is_what_the_definition_says(m, kind):
    rng = np.random.default_rng(m)
    for n in (1, 2, 7, 60, 300):  # more than are held against each other at once
        losses = rng.normal(size=(n, m)) if kind == "continuous" else rng.integers(0, 4, (n, m))
        losses = losses.astype(float)
        if kind == "holes":
            losses[rng.random((n, m)) < 0.1] = rng.choice([np.nan, np.inf, -np.inf])
        np.testing.assert_array_equal(nondominated(losses), slowly_nondominated(losses))


@pytest.mark.parametrize("m", [2, 3, 5])
def test_the_front_is_that_of_pymoo(m):
    sorting = pytest.importorskip("pymoo.util.nds.non_dominated_sorting").NonDominatedSorting()
    losses = np.random.default_rng(0).normal(size=(500, m))
    expected = sorting.do(losses, only_non_dominated_front=True)
    np.testing.assert_array_equal(np.flatnonzero(nondominated(losses)), np.sort(expected))


def test_equal_rows_are_all_kept():
    np.testing.assert_array_equal(nondominated([[1, 2], [2, 1], [1, 2], [2, 2]]), [1, 1, 1, 0])


def test_sums_that_round_do_not_hide_who_dominates():
    """Adding 1e-20 to 1 changes nothing, but the second row is dominated."""
    np.testing.assert_array_equal(nondominated([[1.0, 1e-20], [1.0, 0.0]]), [False, True])


def test_no_rows_make_an_empty_front():
    assert nondominated(np.empty((0, 3))).shape == (0,)


@pytest.mark.parametrize("wrong", [[1.0, 2.0], np.empty((3, 0)), 1.0, np.ones((2, 2, 2))])
def test_losses_are_a_table(wrong):
    for function in (nondominated, choose, lambda x: hypervolume(x, [1, 1])):
        with pytest.raises(ValueError, match="losses must have two dimensions, points and obj"):
            function(wrong)


def test_thousands_of_points_that_are_all_on_the_front():
    points = np.random.default_rng(0).dirichlet(np.ones(4), size=3000).round(12)
    points[:, -1] = 1 - points[:, :-1].sum(axis=1)
    assert nondominated(points).all()
    assert nondominated(np.vstack([points + 0.9, points])).sum() == 3000


# -- hypervolume --------------------------------------------------------------------------------


def test_hypervolumes_by_hand():
    assert hypervolume([[0.25, 0.5]], [1, 1]) == pytest.approx(0.75 * 0.5)
    # two boxes of 1 x .5 and .5 x 1 that share .5 x .5
    assert hypervolume([[0, 0.5], [0.5, 0]], [1, 1]) == pytest.approx(0.75)
    # three boxes of 1 x 1 x .5, by inclusion and exclusion: 3 / 2 - 3 / 4 + 1 / 8
    corners = [[0, 0, 0.5], [0, 0.5, 0], [0.5, 0, 0]]
    assert hypervolume(corners, [1, 1, 1]) == pytest.approx(0.875)
    assert hypervolume([[1, 2, 3, 4]], [2, 4, 6, 8]) == pytest.approx(24)


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_the_hypervolume_is_the_share_of_random_points_dominated(m):
    rng = np.random.default_rng(m)
    losses, reference = rng.random((30, m)), np.full(m, 0.9)
    drawn = rng.random((40_000, m)) * reference
    share = (losses[:, None] <= drawn).all(axis=2).any(axis=0).mean()
    deviation = np.sqrt(share * (1 - share) / len(drawn)) * 0.9**m
    assert hypervolume(losses, reference) == pytest.approx(share * 0.9**m, abs=4 * deviation)


def test_points_that_are_not_better_than_the_reference_add_nothing():
    inside = [[0.5, 0.5]]
    beyond = [[0.1, 1.0], [2.0, 0.0], [np.nan, 0.0], [-np.inf, 0.0], [0.5, 0.5], [0.6, 0.7]]
    assert hypervolume(inside + beyond, [1, 1]) == hypervolume(inside, [1, 1])
    assert hypervolume(beyond[:4], [1, 1]) == 0
    assert hypervolume(np.empty((0, 2)), [1, 1]) == 0


@pytest.mark.parametrize("wrong", [[1], [1, 1, 1], [1, np.nan], 1.0, [np.inf, 1]])
def test_a_reference_is_one_finite_number_for_each_objective(wrong):
    with pytest.raises(ValueError, match="reference must be 2 finite numbers"):
        hypervolume([[0, 0]], wrong)


def test_without_pymoo_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pymoo.indicators.hv", None)
    with pytest.raises(ImportError, match=r"pip install 'skfairprop\[search\]'"):
        hypervolume([[0, 0]], [1, 1])


# -- constrained --------------------------------------------------------------------------------

FRONT = np.array([[0.20, 0.30], [0.21, 0.10], [0.22, 0.095], [0.30, 0.05], [0.50, 0.00]])


@pytest.mark.parametrize(
    ("within", "expected"), [(0, 0), (0.005, 0), (0.01, 1), (0.02, 2), (0.2, 3), (1, 4)]
)
def test_the_least_gap_within_a_loss_of_utility(within, expected):
    assert choose(FRONT, within=within) == expected
    assert choose(FRONT[::-1], within=within) == 4 - expected
    assert choose(FRONT[:, ::-1], utility=1, gap=0, within=within) == expected


def test_a_loss_of_exactly_what_is_allowed_is_allowed():
    """1 - .78 is more than 1 - .80 + .02 after rounding."""
    utilities = np.array([0.80, 0.78])
    assert 1 - 0.78 > (1 - 0.80) + 0.02
    assert choose(np.column_stack([1 - utilities, [0.3, 0.1]]), within=0.02) == 1


def test_a_third_objective_breaks_ties_only():
    losses = [[0.20, 0.10, 0.9], [0.21, 0.10, 0.1], [0.22, 0.11, 0.0], [0.19, 0.2, 1.0]]
    # equal gaps: the smaller loss of utility is taken before the third objective is looked at
    assert choose(losses, within=0.05) == 0
    losses[1][0] = 0.20
    losses[0] = [0.20, 0.10, 0.05]
    assert choose(losses, within=0.05) == 0


def test_dominated_and_undefined_rows_are_never_chosen():
    losses = np.vstack([[0.21, 0.4], [np.nan, 0.0], [0.0, np.nan], FRONT])
    assert choose(losses) == 5
    for rule in pareto.RULES:
        assert nondominated(losses)[choose(losses, rule=rule)]


def test_the_first_of_equal_rows_is_chosen():
    for rule in pareto.RULES:
        assert choose([[0.9, 0.9], [0.2, 0.2], [0.2, 0.2]], rule=rule) == 1


# -- chebyshev ----------------------------------------------------------------------------------


def slow_chebyshev(losses, weights, ideal=None):
    """The paper's formula, point for point."""
    rows = np.flatnonzero(slowly_nondominated(losses))
    best, chosen = np.inf, -1
    for i in rows:
        parts = []
        for j in range(losses.shape[1]):
            column = losses[rows, j]
            z = column.min() if ideal is None else ideal[j]
            size = column.max() - z if column.max() - z > 0 else 1.0
            parts.append(weights[j] * max(losses[i, j] - z, 0) / size)
        distance = max(parts) + 1e-3 * sum(parts)
        if distance < best:
            best, chosen = distance, i
    return chosen


@pytest.mark.parametrize("m", [2, 3, 5])
def test_chebyshev_is_the_formula(m):
    rng = np.random.default_rng(m)
    for _ in range(30):
        losses, weights = rng.random((40, m)) * 10.0 ** rng.integers(-3, 4, m), rng.random(m)
        assert choose(losses, rule="chebyshev", weights=weights) == slow_chebyshev(losses, weights)
        ideal = losses.min(axis=0) - rng.random(m) * losses.std(axis=0)
        assert choose(losses, rule="chebyshev", weights=weights, ideal=ideal) == slow_chebyshev(
            losses, weights, ideal
        )


def test_the_units_of_the_objectives_do_not_matter_to_chebyshev_and_knee():
    for rule in ("chebyshev", "knee"):
        assert choose(FRONT * [1, 1000] + [5, -7], rule=rule) == choose(FRONT, rule=rule)


def test_an_objective_without_a_range_does_not_matter():
    constant = np.column_stack([FRONT, np.full(5, 0.3)])
    for rule in ("chebyshev", "knee"):
        assert choose(constant, rule=rule) == choose(FRONT, rule=rule)


def test_weights_lead_to_the_ends():
    assert choose(FRONT, rule="chebyshev", weights=[1, 0]) == 0
    assert choose(FRONT, rule="chebyshev", weights=[0, 3]) == 4


def test_being_better_than_an_ideal_point_is_not_punished():
    """Both points 1 and 2 are below the ideal gap of .2; the one with the better utility wins."""
    ideal = [0.0, 0.2]
    assert choose(FRONT, rule="chebyshev", ideal=ideal) == 1
    # everybody beats this ideal: the least sum of the normalised losses decides
    assert choose(FRONT, rule="chebyshev", ideal=[1, 1]) == choose(FRONT, rule="knee")


# -- knee ---------------------------------------------------------------------------------------


def test_the_knee_is_farthest_from_the_line_through_the_ends():
    rng = np.random.default_rng(0)
    for _ in range(30):
        losses = rng.random((40, 2)) ** 2
        rows = np.flatnonzero(nondominated(losses))
        front = losses[rows]
        low, high = front.min(axis=0), front.max(axis=0)
        points = (front - low) / (high - low)
        (x0, y0), (x1, y1) = points[points[:, 0].argmin()], points[points[:, 1].argmin()]
        # twice the area of the triangle of a point and the ends; positive below the line
        area = (x1 - x0) * (y0 - points[:, 1]) - (x0 - points[:, 0]) * (y1 - y0)
        assert choose(losses, rule="knee") == rows[np.argmax(area)]


def test_the_knee_of_a_bulge_in_three_objectives():
    corners = np.eye(3)
    bulge = [[0.3, 0.3, 0.3], [0.1, 0.1, 0.75]]
    assert choose(np.vstack([corners, bulge]), rule="knee") == 3


# -- lexicographic ------------------------------------------------------------------------------


def test_lexicographic_without_tolerance_is_the_textbooks():
    losses = [[0.2, 0.3, 0.1], [0.2, 0.2, 0.9], [0.3, 0.0, 0.0]]
    assert choose(losses, rule="lexicographic", within=0) == 1
    assert choose(losses, rule="lexicographic", within=0, order=[2, 0, 1]) == 2
    assert choose(losses, rule="lexicographic", within=0, order=[0, 2]) == 0


def test_each_objective_may_give_something_away():
    losses = [[0.20, 0.30, 0.3], [0.22, 0.20, 0.2], [0.24, 0.21, 0.1], [0.40, 0.0, 0.0]]
    assert choose(losses, rule="lexicographic", within=0.05) == 2
    assert choose(losses, rule="lexicographic", within=[0.05, 0.0, 0.0]) == 1
    assert choose(losses, rule="lexicographic", within=[0.01, 1.0, 1.0]) == 0
    assert choose(losses, rule="lexicographic", order=[0, 1], within=0.05) == choose(
        losses, within=0.05
    )


# -- callables and what is refused --------------------------------------------------------------


def test_a_callable_gets_the_front_and_its_answer_is_a_row_of_the_losses():
    losses = np.vstack([[9.0, 9.0], FRONT])
    seen = []

    def rule(front):
        seen.append(front.copy())
        front[:] = 0  # its own copy
        return np.int64(2)

    assert choose(losses, rule=rule) == 3
    np.testing.assert_array_equal(seen[0], FRONT)
    assert isinstance(choose(losses, rule=rule), int)
    assert losses[1, 0] == 0.20


@pytest.mark.parametrize("answer", ["a", None, True, 0.5, [1, 2]])
def test_a_callable_returns_an_integer(answer):
    with pytest.raises(TypeError, match="the rule must return a position, an integer; got"):
        choose(FRONT, rule=lambda front: answer)


@pytest.mark.parametrize("answer", [-1, 5])
def test_a_callable_returns_a_position_of_the_front(answer):
    with pytest.raises(ValueError, match="must return a position from 0 to 4"):
        choose(FRONT, rule=lambda front: answer)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "constraint"}, "rule must be one of .* did you mean 'constrained'?"),
        ({"rule": None}, "rule must be one of constrained, .* got None"),
        ({"utility": 2}, "utility must be a column from 0 to 1; got 2"),
        ({"gap": -1}, "gap must be a column from 0 to 1; got -1"),
        ({"gap": True}, "gap must be a column"),
        ({"gap": 0}, "utility and gap are both column 0"),
        ({"within": -0.1}, "within must be finite and not negative"),
        ({"within": np.nan}, "within must be finite and not negative"),
        ({"within": [1, 2, 3]}, "within must be a number, or 2"),
        ({"rule": "chebyshev", "weights": [1, -1]}, "weights must not be negative, nor all 0"),
        ({"rule": "chebyshev", "weights": [0, 0]}, "weights must not be negative, nor all 0"),
        ({"rule": "chebyshev", "weights": [1]}, "weights must be 2 finite numbers"),
        ({"rule": "chebyshev", "weights": [1, np.inf]}, "weights must be 2 finite numbers"),
        ({"rule": "chebyshev", "ideal": [0, 0, 0]}, "ideal must be 2 finite numbers"),
        ({"rule": "lexicographic", "order": [0, 0]}, "order must name at least one column, and"),
        ({"rule": "lexicographic", "order": []}, "order must name at least one column, and"),
        ({"rule": "lexicographic", "order": [0, 2]}, "order must be a column from 0 to 1"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        choose(FRONT, **options)


def test_nothing_can_be_chosen_from_nothing():
    for losses in (np.empty((0, 2)), [[np.nan, 0.1]]):
        with pytest.raises(ValueError, match="no row is finite, so there is nothing to choose"):
            choose(losses)
