"""What MESD returns, and how it is made from the stability of rows."""

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from skfairprop.groups import label_text
from skfairprop.metrics._mesd_rows import StableRows
from skfairprop.metrics._procedural_kernels import (
    TIED,
    Cells,
    Pairs,
    permuted_group_means,
    resampled_group_means,
    widened,
)

_PAIR_CELLS = 4_000_000  # replicates times pairs held at once


@dataclass(frozen=True, eq=False)
class MESDResult:
    """Disparity of explanation stability between groups, and what it is made of.

    Attributes
    ----------
    value : float
        MESD, in [0, 1]: 0 where no pair of groups in the tail differs. NaN for one group.
    max, var : float
        Largest difference between two groups, and population variance of the differences.
    worst_group_instability : float
        1 minus the smallest stability of a group, in [0, 1].
    mean_instability : float
        1 minus the mean stability of all rows, in [0, 1].
    fidelity_gap : float
        Largest difference between groups of the mean fidelity of the attributions; NaN for one
        group, and where no model was explained.
    group_stability : Series of float
        S(g), by group.
    group_fidelity : Series of float
        Mean fidelity of the attributions by group, at most 1, averaged over labels and shrunk as
        the stability is: how well they reproduce the model around a row.
    cells : DataFrame
        By group and label: number of rows ``n``, ``mean`` stability (NaN without rows), and the
        mean ``shrunk`` towards that of the label.
    pairs : DataFrame
        By pair of groups: difference ``D``, risk ``R`` (1 minus the smaller stability) and
        ``weight`` in MESD.
    tau : float
        The (1 - alpha)-quantile of the risks, where the tail starts.
    null_mean : float
        Mean of MESD when the rows of each label are dealt to the groups at random.
    p_value : float
        Share of such deals, plus one, with at least this MESD: in (0, 1].
    interval : tuple of two floats
        Percentile interval of MESD *without shrinkage*, from resampling rows within groups, whose
        means are spread as far as Student's t reaches; widened to hold `value`. It starts at 0
        unless ``p_value`` is at most ``1 - confidence``.
    group_interval : DataFrame
        ``lower`` and ``upper`` of the same resamples, by group.
    n_rows, n_degenerate : int
        Number of rows that were explained, and of those whose attributions are all zero, as a
        constant model's are. They are perfectly stable.
    alpha, shrinkage, confidence : float
        As given: share of the pairs in the tail, rows that each cell is thought to have besides
        its own, and level of the intervals.
    tail : str
        As given: the weights of the pairs.

    Notes
    -----
    ``null_mean``, ``p_value``, ``interval`` and ``group_interval`` are NaN where no permutations
    or resamples were asked for, the intervals also where no group has two rows. They hold for
    this model and this draw of perturbations.

    Shrinkage pulls MESD towards 0: with 50 rows a group, .113 came out as .080 on average. The
    interval does not shrink. In simulations of 200 data sets the 95 % interval of MESD held the
    true value in 92 to 100 %, that of a group in 90 to 100 %, for groups of 1 to 100 rows. A row
    that is alone in its group is taken to be as unsure as the rows of the others, and a label that
    a group lacks to lie as far from the others as the group's other labels do.

    Examples
    --------
    >>> from skfairprop.metrics import mesd_from_stability
    >>> found = mesd_from_stability(
    ...     [0.9, 0.8, 0.7], [1, 1, 1], sensitive_features=list("abc"), shrinkage=0
    ... )
    >>> found.pairs.round(2)
                    D    R  weight
    first second
    a     b       0.1  0.2     0.0
          c       0.2  0.3     0.5
    b     c       0.1  0.3     0.5
    >>> round(found.value, 3), round(found.worst_group_instability, 3)
    (0.15, 0.3)
    """

    value: float
    max: float
    var: float
    worst_group_instability: float
    mean_instability: float
    fidelity_gap: float
    group_stability: pd.Series
    group_fidelity: pd.Series = field(repr=False)
    cells: pd.DataFrame = field(repr=False)
    pairs: pd.DataFrame = field(repr=False)
    tau: float
    null_mean: float
    p_value: float
    interval: tuple[float, float]
    group_interval: pd.DataFrame = field(repr=False)
    n_rows: int
    n_degenerate: int
    alpha: float
    tail: str
    shrinkage: float
    confidence: float

    @property
    def excess(self) -> float:
        """MESD minus its mean by chance; NaN without permutations."""
        return self.value - self.null_mean

    @property
    def degenerate(self) -> bool:
        """Whether all attributions are zero, as those of a constant model."""
        return self.n_degenerate == self.n_rows

    def to_frame(self) -> pd.DataFrame:
        """One row a group.

        Returns
        -------
        DataFrame
            With ``n``, ``stability``, its ``lower`` and ``upper`` end, and ``fidelity``.
        """
        names = list(range(self.cells.index.nlevels - 1))
        n = self.cells["n"].groupby(level=names, sort=False).sum()
        out = self.group_interval.copy()
        out.insert(0, "n", n.to_numpy())
        out.insert(1, "stability", self.group_stability)
        out["fidelity"] = self.group_fidelity
        return out

    def __repr__(self) -> str:
        return "\n".join([self._headline(), *self._facts(), *self._group_lines()])

    def _headline(self) -> str:
        if math.isnan(self.value):
            return "MESD is undefined: there are not two groups to compare"
        line = f"MESD {self.value:.4f}"
        if not math.isnan(self.interval[0]):
            low, high = self.interval
            line += f" [{low:.4f}, {high:.4f}]"
        if not math.isnan(self.p_value):
            line += f", by chance {self.null_mean:.4f}, p = {self.p_value:.3g}"
        return line

    def _facts(self) -> list[str]:
        lines = [
            f"  {self.n_rows:,} rows; tail {self.tail!r}, alpha {self.alpha:g}, "
            f"shrinkage {self.shrinkage:g}",
            f"  instability: mean {self.mean_instability:.4f}, worst group "
            f"{self.worst_group_instability:.4f}",
        ]
        if not math.isnan(self.max):
            pair = int(self.pairs["D"].to_numpy().argmax())
            members = self.pairs.index[pair]
            lines.append(
                f"  largest difference {self.max:.4f}: "
                f"{' against '.join(repr(label_text(g)) for g in members)}"
            )
        if self.degenerate:
            lines.append("  degenerate: all attributions are zero, as those of a constant model")
        elif self.n_degenerate:
            lines.append(f"  attributions of {self.n_degenerate:,} rows are all zero")
        return lines

    def _group_lines(self) -> list[str]:
        table = self.to_frame().sort_values("stability", kind="stable")
        texts = [label_text(label) for label in table.index]
        width = max(len(text) for text in texts)
        lines = []
        columns = table[["n", "stability", "lower", "upper"]].to_numpy()
        for text, (n, stability, low, high) in zip(texts, columns, strict=True):
            line = f"  {text:{width}s}  S = {stability:.4f}"
            line += "" if math.isnan(low) else f" [{low:.4f}, {high:.4f}]"
            lines.append(f"{line}, {int(n):,} rows")
        return lines


def summarise(
    rows: StableRows,
    *,
    shrinkage: float,
    alpha: float,
    tail: str,
    n_permutations: int = 0,
    n_resamples: int = 0,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> MESDResult:
    """The disparity between the groups of some rows, with its null and its intervals."""
    cells = rows.cells(rows.stability, shrinkage)
    stability = cells.group_means
    pairs = Pairs(stability)
    comparable = len(stability) > 1
    value = float(pairs.disparity(alpha, tail)) if comparable else math.nan
    fidelity = np.full(len(stability), math.nan)
    if rows.fidelity is not None:
        fidelity = rows.cells(rows.fidelity, shrinkage).group_means
    null_mean, p_value = _chance(rows, cells, value, alpha, tail, n_permutations, rng)
    drawn = _resampled(rows, cells, n_resamples, confidence, rng)
    ends = (1 - confidence) / 2, (1 + confidence) / 2
    return MESDResult(
        value=value,
        max=float(pairs.difference.max()) if comparable else math.nan,
        var=float(pairs.difference.var()) if comparable else math.nan,
        worst_group_instability=max(0.0, float(1 - stability.min())),
        mean_instability=max(0.0, float(1 - rows.stability.mean())),
        fidelity_gap=float(np.ptp(fidelity)) if comparable else math.nan,
        group_stability=pd.Series(stability, index=rows.group_labels, name="stability"),
        group_fidelity=pd.Series(fidelity, index=rows.group_labels, name="fidelity"),
        cells=_cell_table(rows, cells),
        pairs=_pair_table(rows.group_labels, pairs, alpha, tail),
        tau=float(pairs.threshold(alpha)) if comparable else math.nan,
        null_mean=null_mean,
        p_value=p_value,
        interval=_interval(drawn, ends, value, p_value, alpha, tail),
        group_interval=_group_interval(drawn, ends, stability, rows.group_labels),
        n_rows=len(rows.stability),
        n_degenerate=rows.n_degenerate,
        alpha=alpha,
        tail=tail,
        shrinkage=shrinkage,
        confidence=confidence,
    )


def _disparities(stability: np.ndarray, alpha: float, tail: str) -> np.ndarray:
    """MESD of replicates, in blocks: there are many more pairs than groups."""
    n_pairs = stability.shape[1] * (stability.shape[1] - 1) // 2
    step = max(1, _PAIR_CELLS // n_pairs)
    return np.concatenate(
        [
            Pairs(stability[i : i + step]).disparity(alpha, tail)
            for i in range(0, len(stability), step)
        ]
    )


def _chance(
    rows: StableRows,
    cells: Cells,
    value: float,
    alpha: float,
    tail: str,
    n_permutations: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Mean of MESD without a difference, and the p-value."""
    if not n_permutations or math.isnan(value):
        return math.nan, math.nan
    codes = (rows.stability, rows.groups, rows.labels)
    means = permuted_group_means(cells, *codes, n_permutations=n_permutations, rng=rng)
    null = _disparities(means, alpha, tail)
    p_value = (1 + np.count_nonzero(null >= value - TIED)) / (n_permutations + 1)
    return float(null.mean()), float(p_value)


def _resampled(
    rows: StableRows, cells: Cells, n_resamples: int, confidence: float, rng: np.random.Generator
) -> np.ndarray | None:
    """Group means of resamples, None where there are none or every row is alone in its group."""
    if not n_resamples or cells.n.sum(-1).max() < 2:
        return None
    codes = (rows.stability, rows.groups, rows.labels)
    drawn = resampled_group_means(cells, *codes, n_resamples=n_resamples, rng=rng)
    return widened(drawn, cells, confidence)


def _interval(
    drawn: np.ndarray | None,
    ends: tuple[float, float],
    value: float,
    p_value: float,
    alpha: float,
    tail: str,
) -> tuple[float, float]:
    """Percentiles; a largest difference is biased upwards, so 0 is left out only where p says."""
    if drawn is None or math.isnan(value):
        return math.nan, math.nan
    low, high = np.quantile(_disparities(drawn, alpha, tail), ends)
    settled = p_value <= 2 * ends[0]  # False for NaN
    return (float(min(low, value)) if settled else 0.0), float(max(high, value))


def _group_interval(
    drawn: np.ndarray | None, ends: tuple[float, float], stability: np.ndarray, groups: pd.Index
) -> pd.DataFrame:
    low = high = np.full(len(groups), math.nan)
    if drawn is not None:
        low, high = np.quantile(drawn, ends, axis=0)
        low, high = np.minimum(low, stability), np.maximum(high, stability)
    return pd.DataFrame({"lower": low, "upper": high}, index=groups)


def _cell_table(rows: StableRows, cells: Cells) -> pd.DataFrame:
    groups, labels = rows.group_labels, rows.label_values
    levels = [groups.get_level_values(i).repeat(len(labels)) for i in range(groups.nlevels)]
    levels.append(labels.take(np.tile(np.arange(len(labels)), len(groups))))
    names = [*(groups.names if groups.nlevels > 1 else [groups.name or "group"]), "label"]
    return pd.DataFrame(
        {"n": cells.n.ravel(), "mean": cells.mean.ravel(), "shrunk": cells.shrunk.ravel()},
        index=pd.MultiIndex.from_arrays(levels, names=names),
    )


def _pair_table(groups: pd.Index, pairs: Pairs, alpha: float, tail: str) -> pd.DataFrame:
    i, j = pairs.members
    labels = groups.to_flat_index()  # an intersection is one label
    index = pd.MultiIndex.from_arrays([labels.take(i), labels.take(j)], names=["first", "second"])
    weight = pairs.weights(alpha, tail) if len(i) else np.empty(0)
    return pd.DataFrame({"D": pairs.difference, "R": pairs.risk, "weight": weight}, index=index)
