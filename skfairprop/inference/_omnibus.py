"""One test for any difference between the groups, beside the maxima that see only the largest."""

from dataclasses import dataclass

import numpy as np

from skfairprop._checks import check_choice
from skfairprop._random import RandomState, draw_wide_seed
from skfairprop.counts import GroupCounts
from skfairprop.inference._calls import NULLS
from skfairprop.inference._infer import check_settings
from skfairprop.inference._intervals import p_value
from skfairprop.inference._layout import Layout, make_layout
from skfairprop.inference._replicates import draw_blocks, permuted

_STAGE = 20


@dataclass(frozen=True, repr=False)
class OmnibusTest:
    """Result of :func:`omnibus_test`.

    Attributes
    ----------
    statistic : float
        Sum over the strata of Pearson's chi-square of group x column.
    p_value : float
        In (0, 1]; NaN where no stratum has two groups and two columns.
    degrees_of_freedom : int
        Of the sum, for reference; the p-value is by permutation.
    null : str
        What was exchanged between the groups.
    n_draws : int
        Number of permutations.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import omnibus_test
    >>> counts = GroupCounts(
    ...     [[[80, 20], [10, 90]], [[80, 20], [10, 90]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> found = omnibus_test(counts, random_state=0)
    >>> found.statistic, found.p_value
    (0.0, 1.0)
    """

    statistic: float
    p_value: float
    degrees_of_freedom: int
    null: str
    n_draws: int

    def __repr__(self) -> str:
        return (
            f"OmnibusTest: chi-square {self.statistic:.2f} with {self.degrees_of_freedom} degrees "
            f"of freedom, p = {self.p_value:.3g}\n"
            f"  null {self.null!r}, {self.n_draws:,} permutations"
        )


def omnibus_test(
    counts: GroupCounts,
    *,
    null: str = "separation",
    n_draws: int = 1000,
    random_state: RandomState = None,
) -> OmnibusTest:
    """Test whether the groups differ at all, by the permuted sum of chi-squares within strata.

    Parameters
    ----------
    counts : GroupCounts
        Of a data set alone: group x class (any null but "independence" is refused).
    null : {"separation", "independence", "sufficiency"}, default="separation"
        What is exchangeable between the groups: the predictions given the truth, both together,
        or the truth given the prediction.
    n_draws : int, default=1000
        Number of permutations.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random draws; the same one gives the same result.

    Returns
    -------
    OmnibusTest

    Raises
    ------
    ValueError
        If an argument is out of range, or the null needs predictions that are not there.

    Notes
    -----
    A maximum over groups is driven by the smallest group. This sum has power where many groups
    differ a little, and says nothing about where or how much.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import omnibus_test
    >>> counts = GroupCounts(
    ...     [[[80, 20], [10, 90]], [[50, 50], [10, 90]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> found = omnibus_test(counts, random_state=0)
    >>> round(found.statistic, 2), found.degrees_of_freedom, found.p_value < 0.01
    (19.78, 2, True)
    """
    check_choice("null", null, NULLS)
    check_settings(0.95, n_draws, "tilted", None, warn=False)
    if null != "independence":
        counts.require_predictions(f"null={null!r}")
    name = null if counts.predicted else "labels of y_true"
    layout = make_layout(name, counts.drop_unused())
    expected, freedom = _expected(layout)
    if freedom == 0:
        return OmnibusTest(0.0, np.nan, 0, null, n_draws)
    observed = float(_chi_square(layout.counts[None], expected)[0])
    drawn = [
        _chi_square(tables, expected)
        for tables in draw_blocks(
            layout, permuted(layout), n_draws, seed=draw_wide_seed(random_state), stage=_STAGE
        )
    ]
    p = p_value(observed, np.concatenate(drawn))
    return OmnibusTest(observed, float(p), freedom, null, n_draws)


def _expected(layout: Layout) -> tuple[np.ndarray, int]:
    """Expected counts of every stratum, and the degrees of freedom in all."""
    counts = layout.counts.astype(float)
    rows, columns = counts.sum(-1, keepdims=True), counts.sum(-2, keepdims=True)
    total = rows.sum(-2, keepdims=True)
    expected = np.divide(rows * columns, total, out=np.zeros_like(counts), where=total > 0)
    n_rows = np.count_nonzero(rows, axis=(1, 2))
    n_columns = np.count_nonzero(columns, axis=(1, 2))
    return expected, int((np.maximum(n_rows - 1, 0) * np.maximum(n_columns - 1, 0)).sum())


def _chi_square(tables: np.ndarray, expected: np.ndarray) -> np.ndarray:
    squares = (tables - expected) ** 2
    terms = np.divide(squares, expected, out=np.zeros_like(squares), where=expected > 0)
    return terms.sum((1, 2, 3))
