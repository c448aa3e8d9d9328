"""What a metric is: a kernel on rates and what is known about it; and its evaluation."""

import math
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop._checks import check_choice
from skfairprop.counts import GroupCounts, count_rows
from skfairprop.groups import label_text, name_some
from skfairprop.metrics._rates import Rates, gap

UNDEFINED_POLICIES = ("drop", "zero", "raise", "nan")


@dataclass(frozen=True)
class Driver:
    """What lies behind a value: the rate, the class, and the groups at its two ends.

    Attributes
    ----------
    rate : str
        Name of the rate, or of what is compared.
    column : hashable or None
        Class (or pair of classes) whose gap is the largest; None where there is one column only.
    low, high : hashable
        Labels of the groups with the smallest and the largest rate.
    low_value, high_value : float
        Their rates.

    Examples
    --------
    >>> from skfairprop.metrics import Driver
    >>> Driver("recall", "good", "female", "male", 0.62, 0.81).high
    'male'
    """

    rate: str
    column: Hashable | None
    low: Hashable
    high: Hashable
    low_value: float
    high_value: float


@dataclass(frozen=True, repr=False)
class Metric:
    """A metric and what is known about it.

    Parameters
    ----------
    name : str
        Name of the function, in the registry and as a scorer.
    kernel : callable
        ``kernel(rates, **options)`` with a :class:`~skfairprop.metrics.Rates` of shape
        ``(..., G, K[, K])``; reduces the last axes and returns ``(...)``. For the other two
        `inputs`, which only metrics of this library have, it takes what was made of the rows and
        returns a float: the scores with their groups, or a
        :class:`~skfairprop.metrics.MESDResult`. A function of a module, not a lambda, where the
        record or its scorer shall be pickled.
    family : {"dataset", "disparity", "classical", "estimation", "amplification", "procedural"}
        What it is shown among.
    formula, source, misleads : str
        One line each: the formula, the paper and equation, and when the value misleads.
    inputs : {"counts", "labels", "scores", "attributions"}, default="counts"
        What it is a function of. "labels": group x class of a data set alone. A metric of your own
        is of one of these two; of "scores" and "attributions" it cannot be registered.
    rates : tuple of str, default=()
        The rates it compares: their empty denominators are what is undefined, and the largest gap
        among them is what drives the value.
    needs_positive : bool, default=False
        Whether it looks at the rates of one positive class.
    null : {"independence", "separation", "sufficiency", "swap"} or None, default=None
        What is exchangeable when there is no bias: between groups the rows, the predictions given
        the truth, or the truth given the prediction; "swap", truth and prediction of a row, for
        what compares the two. None: no null.
    compares_groups : bool, default=True
        Whether it is undefined when there is one group.
    range : tuple of float, default=(0.0, 1.0)
        Smallest and largest possible value.
    best : {0.0, 1.0}, default=0.0
        The value without bias: 1 for the ratios.
    signed : bool, default=False
        Whether the value has a sign, 0 being best.
    options : mapping of str to tuple, optional
        Allowed values of its own options, the default first.
    variants : mapping of str to mapping, optional
        What changes in this record where an option has a value, by option, value and field, as
        ``{"normalization": {"raw": {"null": "independence"}}}``; see :meth:`with_options`.
    driver : callable, optional
        ``driver(counts, rates, **options)`` returns what lies behind the value, a
        :class:`Driver` or None. Default: the largest gap among `rates`.
    holes : callable, optional
        ``holes(counts, rates)`` returns a phrase for each thing that is undefined beside `rates`.

    Examples
    --------
    A metric of your own, which :func:`evaluate`, the scorers and the inference take as it is:

    >>> from skfairprop import GroupCounts
    >>> from skfairprop.metrics import Metric, evaluate
    >>> spread = Metric(
    ...     name="accuracy_spread",
    ...     kernel=lambda rates: rates["accuracy"][..., 0].std(-1),
    ...     family="disparity",
    ...     formula="standard deviation over groups of the accuracy",
    ...     source="an example",
    ...     misleads="it is small where one small group of many is treated differently",
    ...     rates=("accuracy",),
    ...     null="independence",
    ... )
    >>> counts = GroupCounts(
    ...     [[[8, 2], [0, 10]], [[6, 4], [2, 8]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> round(evaluate(counts, spread), 2)
    0.1
    """

    name: str
    kernel: Callable[..., Any]
    family: str
    formula: str
    source: str
    misleads: str
    inputs: str = "counts"
    rates: tuple[str, ...] = ()
    needs_positive: bool = False
    null: str | None = None
    compares_groups: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    best: float = 0.0
    signed: bool = False
    options: Mapping[str, tuple] = field(default_factory=dict)
    variants: Mapping[str, Mapping[Any, Mapping[str, Any]]] = field(default_factory=dict)
    driver: Callable[..., Driver | None] | None = None
    holes: Callable[[GroupCounts, Rates], list[str]] | None = None

    def __hash__(self) -> int:
        return hash(self.name)  # the mappings have no hash; equal records have one name

    def __repr__(self) -> str:
        return f"<Metric {self.name}: {self.formula}>"

    @property
    def counts_suffice(self) -> bool:
        """Whether the metric is a function of counts."""
        return self.inputs in ("counts", "labels")

    def with_options(self, options: Mapping[str, Any]) -> "Metric":
        """The record of the metric with these options: the rates and the null it then has.

        Parameters
        ----------
        options : mapping of str to object
            Options and their values.

        Returns
        -------
        Metric
            With the changes of every option that has a variant.

        Raises
        ------
        ValueError
            If an option that has variants is given a value that is not allowed, or the record has
            variants of an option that it does not have.
        """
        changes: dict[str, Any] = {}
        for key, variants in self.variants.items():
            if key not in self.options:
                raise ValueError(
                    f"{self.name}: variants has {key!r}, which is no option of it; give them by "
                    "option and value, as {'agg': {'mean': {'null': None}}}"
                )
            if key in options:
                self.check_options({key: options[key]})
                changes |= variants.get(options[key], {})
        return replace(self, **changes) if changes else self

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Refuse options that the metric does not have.

        Parameters
        ----------
        options : mapping of str to object
            Options and their values.

        Raises
        ------
        ValueError
            For an option it does not know, or a value that is not allowed.
        """
        for key, value in options.items():
            if key not in self.options:
                known = f"; it knows {', '.join(self.options)}" if self.options else ""
                raise ValueError(f"{self.name} has no option {key!r}{known}")
            check_choice(key, value, self.options[key], owner=self.name)


def evaluate(
    counts: GroupCounts,
    metric: "Metric",
    *,
    pos_label: Hashable | None = None,
    undefined: str = "drop",
    stacklevel: int = 3,
    **options: Any,
) -> float:
    """Value of a count metric on a table of counts; see :func:`skfairprop.metrics.evaluate`."""
    metric.check_options(options)
    check_choice("undefined", undefined, UNDEFINED_POLICIES)
    if counts.values.ndim > (3 if counts.predicted else 2):
        raise ValueError("counts with replicate axes have no single value; select one replicate")
    metric = metric.with_options(options)
    rates = rates_of(counts, metric, pos_label=pos_label, zero=undefined == "zero")
    holes = describe_undefined(counts, metric, rates) if undefined != "zero" else []
    value = math.nan if holes and undefined == "nan" else float(metric.kernel(rates, **options))
    if metric.compares_groups and np.count_nonzero(rates.present) < 2:
        holes = [describe_too_few(counts, rates)]
    elif math.isnan(value) and not holes:
        holes = [describe_no_pair(metric)]
    say_undefined(metric.name, value, holes, undefined, stacklevel=stacklevel + 1)
    return value


def say_undefined(
    name: str, value: float, holes: Sequence[str], undefined: str, *, stacklevel: int
) -> None:
    """Warn of what is undefined in a value, or refuse it with ``undefined="raise"``."""
    if not holes:
        return
    if undefined == "raise":
        raise ValueError(f"{name} is undefined: {'; '.join(holes)}")
    verdict = "is undefined (NaN)" if math.isnan(value) else "leaves out"
    message = f"{name} {verdict}: {'; '.join(holes)}"
    warnings.warn(message, UndefinedMetricWarning, stacklevel=stacklevel)


def measure(
    metric: Metric,
    labels: Mapping[str, Any],
    *,
    sensitive_features: Any,
    sample_weight: Any,
    missing: str,
    groups: Sequence[Hashable] | None = None,
    **evaluation: Any,
) -> float:
    """Count rows, with labels by argument name, and evaluate a metric on them."""
    counts = count_rows(
        labels,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        groups=groups,
        missing=missing,
        stacklevel=4,
    )
    return evaluate(counts, metric, stacklevel=4, **evaluation)


def describe_too_few(counts: GroupCounts, rates: Rates) -> str:
    """Why nothing can be compared: one group, or none, has rows."""
    present = counts.groups[rates.present]
    found = f"there is only one: {name_some(present)}" if len(present) else "none has rows"
    return f"it compares groups, and {found}"


def describe_no_pair(metric: Metric) -> str:
    """Why a value is undefined although every rate has its rows."""
    return f"no two groups have a rate above 0 to compare ({', '.join(metric.rates)})"


def rates_of(counts: GroupCounts, metric: Metric, *, pos_label=None, zero: bool = False) -> Rates:
    """The rates that a metric reads, with the positive class found."""
    if metric.inputs == "labels":
        counts = counts.of_labels()
    elif not metric.counts_suffice:
        raise ValueError(f"{metric.name} is no function of counts; it needs {metric.inputs}")
    else:
        counts.require_predictions(metric.name)
    if not metric.needs_positive:
        return Rates(counts.values, predicted=counts.predicted, zero=zero)
    counts, positive = find_positive(counts, pos_label, metric.name)
    return Rates(counts.values, predicted=counts.predicted, positive=positive, zero=zero)


def find_positive(
    counts: GroupCounts, pos_label: Hashable | None, name: str
) -> tuple[GroupCounts, int]:
    """Counts that have the positive class, and its position; never guessed from strings.

    Without `pos_label` the labels must be {0, 1}, {-1, 1} or booleans; the class 1 is added, with
    counts of 0, where only the other one occurs.

    Raises
    ------
    ValueError
        If the labels do not tell which class is positive, or `pos_label` does not occur.
    """
    labels = counts.classes.tolist()
    if pos_label is not None:
        if pos_label not in labels:
            raise ValueError(
                f"pos_label={pos_label!r} is not among the labels found: "
                f"{name_some(counts.classes, 12)}"
            )
        return counts, labels.index(pos_label)
    found = counts.drop_unused().classes.tolist()
    numeric = all(isinstance(label, bool | int | float) for label in found)
    if numeric and (set(found) <= {0, 1} or set(found) <= {-1, 1}):
        if 1 not in labels:
            counts = counts.declare_classes([*labels, 1])
        return counts, counts.classes.tolist().index(1)
    raise ValueError(
        f"{name} needs a positive class, and the labels {name_some(found)} do not tell which it "
        "is; pass pos_label= (that class against the rest)"
    )


def describe_undefined(counts: GroupCounts, metric: Metric, rates: Rates) -> list[str]:
    """One phrase for each rate that some groups do not have, naming groups and classes."""
    out = [] if metric.holes is None else metric.holes(counts, rates)
    for name in metric.rates:
        holes = rates.undefined(name, positive=metric.needs_positive)
        if not holes.any():
            continue
        groups = counts.groups[holes.any(-1)]
        phrase = f"{name} is 0/0 in group{'s' * (len(groups) > 1)} {name_some(groups)}"
        columns = _column_labels(counts, metric, rates, name)
        if len(columns) > 1:
            found = [columns[i] for i in np.flatnonzero(holes.any(-2)).tolist()]
            if name == "row":
                found = list(dict.fromkeys(c[0] for c in found))
            phrase += f" for class{'es' * (len(found) > 1)} {name_some(found)}"
        out.append(phrase)
    return out


def _column_labels(counts: GroupCounts, metric: Metric, rates: Rates, name: str) -> Sequence:
    """Labels of the columns of a rate as the metric reads it."""
    labels = counts.classes.tolist()
    if name == "accuracy" or metric.needs_positive:
        return [None]
    if name == "row":
        return [(true, pred) for true in labels for pred in labels]
    return labels


def find_driver(
    counts: GroupCounts, metric: Metric, *, pos_label=None, rates: Rates | None = None, **options
) -> Driver | None:
    """The rate, class and pair of groups with the largest gap behind a metric.

    Parameters
    ----------
    counts : GroupCounts
    metric : Metric
    pos_label : hashable, optional
    rates : Rates, optional
        Those of :func:`rates_of`, where they are at hand.
    **options
        Of the metric.

    Returns
    -------
    Driver or None
        None where no two groups have a rate to compare.
    """
    metric = metric.with_options(options)
    if rates is None:
        rates = rates_of(counts, metric, pos_label=pos_label)
    if metric.driver is not None:
        return metric.driver(counts, rates, **options)
    return widest_gap(counts, metric, rates, metric.rates)


def widest_gap(
    counts: GroupCounts, metric: Metric, rates: Rates, names: Sequence[str]
) -> Driver | None:
    """Driver by the largest gap among the columns of some rates; for ratios the smallest ratio."""
    found = []
    for name in names:
        table = rates.positive_rate(name) if metric.needs_positive else rates[name]
        columns = _column_labels(counts, metric, rates, name)
        driver = driver_of(counts.groups, table, name, columns)
        if driver is not None:
            found.append(driver)
    if metric.best == 1.0:  # 0/0: nothing differs
        ratios = [d.low_value / d.high_value if d.high_value > 0 else 1.0 for d in found]
        return found[int(np.argmin(ratios))] if found else None
    return max(found, key=lambda d: d.high_value - d.low_value, default=None)


def driver_of(groups: pd.Index, table: np.ndarray, name: str, columns: Sequence) -> Driver | None:
    """Driver by the largest gap among the columns of a table of shape (G, C)."""
    gaps = gap(table) if len(table) else np.array([np.nan])
    if np.isnan(gaps).all():
        return None
    column = int(np.nanargmax(gaps))
    low, high = int(np.nanargmin(table[:, column])), int(np.nanargmax(table[:, column]))
    label = columns[column] if len(columns) > 1 else None
    return Driver(
        rate=name,
        column=label,
        low=groups[low],
        high=groups[high],
        low_value=float(table[low, column]),
        high_value=float(table[high, column]),
    )


def driver_text(driver: Driver) -> str:
    """One line: "recall of 'good': 0.62 'female' to 0.81 'male'"."""
    what = driver.rate.replace("_", " ")
    if driver.column is not None:
        what += f" of {label_text(driver.column)!r}"
    return (
        f"{what}: {driver.low_value:.3g} {label_text(driver.low)!r} to "
        f"{driver.high_value:.3g} {label_text(driver.high)!r}"
    )
