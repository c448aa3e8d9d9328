"""What a propagation study found."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop._checks import check_number
from skfairprop._suggest import closest
from skfairprop.counts import GroupCounts
from skfairprop.groups import name_some
from skfairprop.model_selection._propagation_metrics import (
    dataset_calls,
    evaluate_stack,
    model_calls,
    performance,
    warn_undefined,
)
from skfairprop.model_selection._rank_correlation import rank_correlation

# Values are ranked after rounding: what is equal in theory differs by 1e-16 in practice.
_DECIMALS = 12
_CONFIGURATION = ["experiment", "f"]
_FIT = [*_CONFIGURATION, "repeat"]


@dataclass(frozen=True, eq=False, repr=False)
class PropagationResult:
    """Bias of the training data beside the bias of the models trained on them.

    Made by :func:`bias_propagation`, or by :meth:`from_counts` from stored counts.

    Parameters
    ----------
    results : DataFrame
        Tidy: one row for each fit and metric, with the columns ``experiment``, ``f``, ``repeat``,
        ``kind`` ("dataset", "model" or "score"), ``metric`` and ``value``.
    runs : DataFrame
        One row for each fit: ``experiment``, ``f``, ``repeat``, and, after a study, ``n_rows`` of
        training, ``fit_time`` and ``score_time`` in seconds.
    dataset_counts : GroupCounts
        Group x class of the training data, with one leading axis: the rows of `runs`.
    model_counts : GroupCounts
        Group x true class x predicted class of the test data, likewise.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.model_selection import PropagationResult
    >>> data = [[[10, 10], [20 - n, n]] for n in (10, 12, 14, 16, 18)]
    >>> model = [[[[9, 1], [1, 9]], [[10 - n // 3, n // 3], [1, 9]]] for n in (3, 6, 7, 9, 11)]
    >>> labels = {"groups": ["a", "b"], "classes": [0, 1]}
    >>> study = PropagationResult.from_counts(
    ...     GroupCounts(data, predicted=False, **labels),
    ...     GroupCounts(model, **labels),
    ...     f=[0.0, 0.2, 0.4, 0.6, 0.8],
    ... )
    >>> found = study.correlations(["cramers_v"], ["equalized_odds_difference"])
    >>> found[["rho", "lower", "upper", "n"]].round(2)
        rho  lower  upper  n
    0  0.95   0.15    1.0  5
    """

    results: pd.DataFrame
    runs: pd.DataFrame
    dataset_counts: GroupCounts
    model_counts: GroupCounts

    @classmethod
    def from_counts(
        cls,
        dataset_counts: GroupCounts,
        model_counts: GroupCounts,
        *,
        f: Sequence[float],
        repeat: Sequence[int] | None = None,
        experiment: Sequence[Hashable] | None = None,
        dataset_metrics: Any = "all",
        model_metrics: Any = "all",
        pos_label: Hashable | None = None,
    ) -> "PropagationResult":
        """Analyse stored counts, without training anything.

        Parameters
        ----------
        dataset_counts : GroupCounts
            Group x class of the training data: values of shape (n, G, K), one for each fit.
            Groups and classes that were taken away stay in the table, with counts of 0.
        model_counts : GroupCounts
            Group x true class x predicted class of the test data: values of shape (n, G, K, K).
        f : sequence of n floats
            Bias factor of each fit.
        repeat : sequence of n ints, optional
            Number of the repeat. Default: 0.
        experiment : sequence of length n, optional
            Name of the experiment. Default: "study".
        dataset_metrics, model_metrics : "all", sequence or dict, default="all"
            See :func:`bias_propagation`.
        pos_label : hashable, optional
            The positive class, for metrics that need one.

        Returns
        -------
        PropagationResult

        Raises
        ------
        ValueError
            If lengths differ, an axis is missing, a fit occurs twice, or a metric does not apply.

        Warns
        -----
        UndefinedMetricWarning
            If a metric is undefined in some fits.
        """
        n = _check_stack(dataset_counts, model_counts)
        columns = {
            "experiment": ["study"] * n if experiment is None else list(experiment),
            "f": _read_factors(f),
            "repeat": [0] * n if repeat is None else list(repeat),
        }
        for name, values in columns.items():
            if len(values) != n:
                raise ValueError(f"{name} has {len(values):,} values for the counts of {n:,} fits")
        runs = pd.DataFrame(columns)
        twice = runs[runs.duplicated()]
        if len(twice):
            raise ValueError(
                f"the fit {twice.iloc[0].to_dict()} occurs twice; number repeats with repeat="
            )
        return evaluate_study(
            runs,
            dataset_counts,
            model_counts,
            dataset_metrics=dataset_metrics,
            model_metrics=model_metrics,
            pos_label=pos_label,
        )

    # -- views ----------------------------------------------------------------------------------

    @property
    def groups(self) -> pd.Index:
        """Labels of the groups."""
        return self.model_counts.groups

    @property
    def classes(self) -> pd.Index:
        """Labels of the classes."""
        return self.model_counts.classes

    @property
    def experiments(self) -> list:
        """Names of the experiments, in their order."""
        return list(dict.fromkeys(self.runs["experiment"]))

    @property
    def factors(self) -> np.ndarray:
        """Bias factors, ascending."""
        return np.unique(self.runs["f"])

    def metrics(self, kind: str) -> list[str]:
        """Names of the metrics of a kind.

        Parameters
        ----------
        kind : {"dataset", "model", "score"}
            Of the training data, of the models' predictions, or of their performance.

        Returns
        -------
        list of str
        """
        return list(dict.fromkeys(self.results.loc[self.results["kind"] == kind, "metric"]))

    def summary(self, confidence: float = 0.95) -> pd.DataFrame:
        """Means over the repeats with their intervals.

        Parameters
        ----------
        confidence : float, default=0.95
            Between 0 and 1.

        Returns
        -------
        DataFrame
            One row for each experiment, factor and metric: ``mean``, ``std`` over the repeats,
            ``n`` of them that are defined, and ``lower`` and ``upper`` limit of the mean.

        Notes
        -----
        Student's t over the repeats: how much the mean would move if rows were drawn and models
        fitted again. All share one test set, whose size is another source of error. With one repeat
        there are no limits (NaN); with three they are wide, 4.3 standard errors each way.
        """
        check_number("confidence", confidence, "(0, 1)")
        by = [*_CONFIGURATION, "kind", "metric"]
        grouped = self.results.groupby(by, sort=False)["value"]
        out = grouped.agg(mean="mean", std="std", n="count").reset_index()
        with np.errstate(invalid="ignore"):
            quantile = stats.t.ppf(0.5 + confidence / 2, out["n"] - 1)
            half = quantile * out["std"] / np.sqrt(out["n"])
        return out.assign(lower=out["mean"] - half, upper=out["mean"] + half)

    def correlations(
        self,
        dataset_metrics: Sequence[str] | None = None,
        model_metrics: Sequence[str] | None = None,
        *,
        experiments: Sequence[Hashable] | None = None,
        factors: Sequence[float] | None = None,
        confidence: float = 0.95,
    ) -> pd.DataFrame:
        """Spearman's correlation of every data set metric with every model metric and score.

        Parameters
        ----------
        dataset_metrics, model_metrics : sequence of str, optional
            Only these. Default: all; scores count as model metrics.
        experiments, factors : sequence, optional
            Only these configurations. Default: all.
        confidence : float, default=0.95
            Of the intervals.

        Returns
        -------
        DataFrame
            One row for each pair: ``dataset_metric``, ``model_metric``, ``rho``, ``lower``,
            ``upper`` and ``n``, the number of configurations that both are defined in.

        Raises
        ------
        ValueError
            If a metric, experiment or factor is not in the study.

        Warns
        -----
        UndefinedMetricWarning
            If a metric is the same in all configurations: its correlations are NaN.

        Notes
        -----
        The points are the configurations (experiment and factor), each the mean over its repeats,
        rounded to 12 digits. The interval (Bonett and Wright, 2000) takes them for a sample of
        configurations like these; with 11 and 33 points it covers 92 to 97 % of the time where both
        metrics are normal. Ratios (best value 1) fall as bias grows, so their correlations have
        the opposite sign. Metrics that go up and down again with f, as representational bias does
        from f = -1 over 0 to 1, do not correlate with f itself.
        """
        check_number("confidence", confidence, "(0, 1)")
        table = self._table(experiments, factors)
        of_data = _choose(dataset_metrics, self.metrics("dataset"), "dataset_metrics")
        of_model = _choose(
            model_metrics, self.metrics("model") + self.metrics("score"), "model_metrics"
        )
        _warn_constant(table[of_data + of_model])
        rows = [
            (d, m, *rank_correlation(table[d].to_numpy(), table[m].to_numpy(), confidence))
            for d in of_data
            for m in of_model
        ]
        return pd.DataFrame(
            rows, columns=["dataset_metric", "model_metric", "rho", "lower", "upper", "n"]
        )

    def correlation_table(self, *args: Any, **options: Any) -> pd.DataFrame:
        """The correlations alone, data set metrics x model metrics.

        Parameters
        ----------
        *args, **options
            As in :meth:`correlations`.

        Returns
        -------
        DataFrame of shape (n_dataset_metrics, n_model_metrics)
        """
        found = self.correlations(*args, **options)
        order = [list(dict.fromkeys(found[c])) for c in ("dataset_metric", "model_metric")]
        table = found.pivot(index="dataset_metric", columns="model_metric", values="rho")
        return table.loc[order[0], order[1]]

    def _table(self, experiments, factors) -> pd.DataFrame:
        """Mean over the repeats: a row for each configuration, a column for each metric."""
        chosen = pd.Series(True, index=self.results.index)
        if experiments is not None:
            kept = _choose(experiments, self.experiments, "experiments")
            chosen &= self.results["experiment"].isin(kept)
        if factors is not None:
            if not len(factors):
                raise ValueError("factors is empty; name at least one of the study's")
            kept = [_nearest(factor, self.factors) for factor in factors]
            chosen &= self.results["f"].isin(kept)
        means = (
            self.results[chosen].groupby([*_CONFIGURATION, "metric"], sort=False)["value"].mean()
        )
        return means.unstack("metric").round(_DECIMALS)

    def __repr__(self) -> str:
        return (
            f"PropagationResult({len(self.runs):,} fits: {len(self.experiments)} experiments, "
            f"{len(self.factors)} factors, {self.runs['repeat'].nunique()} repeats; "
            f"{len(self.metrics('dataset'))} data set metrics, {len(self.metrics('model'))} model "
            f"metrics)"
        )


def evaluate_study(
    runs: pd.DataFrame,
    dataset_counts: GroupCounts,
    model_counts: GroupCounts,
    *,
    dataset_metrics: Any,
    model_metrics: Any,
    pos_label: Hashable | None,
    scores: Mapping[str, Sequence[float]] | None = None,
) -> PropagationResult:
    """Every metric of every fit, and the scores that came with the fits."""
    values = {
        "dataset": evaluate_stack(dataset_counts, dataset_calls(dataset_metrics)),
        "model": evaluate_stack(model_counts, model_calls(model_metrics, model_counts, pos_label)),
        "score": performance(model_counts).assign(**(scores or {})),
    }
    names = [str(name) for frame in values.values() for name in frame]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} names two metrics; name them differently in a dict")
    warn_undefined(pd.concat([values["dataset"], values["model"]], axis=1))
    kinds = [kind for kind, frame in values.items() for _ in frame]
    results = pd.DataFrame(
        {
            **{key: np.tile(runs[key].to_numpy(), len(names)) for key in _FIT},
            "kind": np.repeat(kinds, len(runs)),
            "metric": np.repeat(names, len(runs)),
            "value": np.concatenate([frame[n] for frame in values.values() for n in frame]),
        }
    )
    return PropagationResult(results, runs, dataset_counts, model_counts)


def _check_stack(dataset_counts: GroupCounts, model_counts: GroupCounts) -> int:
    """Number of fits in counts that belong together."""
    for counts, name, axes in (
        (dataset_counts, "dataset_counts", 2),
        (model_counts, "model_counts", 3),
    ):
        if not isinstance(counts, GroupCounts):
            raise ValueError(f"{name} must be a GroupCounts; got {type(counts).__name__}")
        if counts.predicted != (axes == 3) or counts.values.ndim != axes + 1:
            form = "(n, G, K) with predicted=False" if axes == 2 else "(n, G, K, K)"
            raise ValueError(f"{name} must have values of shape {form}; got {counts.values.shape}")
    if not dataset_counts.groups.equals(model_counts.groups) or not dataset_counts.classes.equals(
        model_counts.classes
    ):
        raise ValueError("dataset_counts and model_counts must have the same groups and classes")
    n = len(model_counts.values)
    if len(dataset_counts.values) != n or not n:
        raise ValueError(
            f"dataset_counts hold {len(dataset_counts.values):,} fits, model_counts {n:,}; they "
            "must hold the same, and at least 1"
        )
    return n


def _read_factors(f: Sequence[float]) -> list[float]:
    """Factors as numbers: a missing one would be left out of every mean."""
    try:
        factors = np.asarray(f, dtype=float) + 0.0  # -0.0 is 0
    except (TypeError, ValueError):
        factors = np.array([np.nan])
    if not np.isfinite(factors).all():
        raise ValueError(f"f must hold one number for each fit; got {name_some(pd.Index(f))}")
    return factors.tolist()


def _choose(wanted: Sequence | None, known: list, what: str) -> list:
    if wanted is None:
        return known
    if isinstance(wanted, str):
        wanted = [wanted]
    if not len(wanted):
        raise ValueError(f"{what} is empty; name at least one of the study's, or leave it out")
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise ValueError(f"{what}: {unknown[0]!r} is not in the study{closest(unknown[0], known)}")
    return list(wanted)


def _nearest(factor: float, known: np.ndarray) -> float:
    """A factor of the study, so that 0.2 finds 0.19999999999999996."""
    found = known[np.abs(known - factor).argmin()]
    if abs(found - factor) > 1e-9:
        raise ValueError(f"factors: {factor!r} is not in the study; there are {known.tolist()}")
    return float(found)


def _warn_constant(table: pd.DataFrame) -> None:
    constant = [str(name) for name in table if table[name].dropna().nunique() < 2]
    if constant:
        more = f" and {len(constant) - 4} more" if len(constant) > 4 else ""
        warnings.warn(
            f"no correlation (NaN) for metrics that do not vary: {', '.join(constant[:4])}{more}",
            UndefinedMetricWarning,
            stacklevel=3,
        )
