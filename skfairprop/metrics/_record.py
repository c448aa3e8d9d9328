"""Whether the record of a metric says what can be, and whether its kernel does what it must."""

from dataclasses import fields

import numpy as np

from skfairprop._checks import check_choice
from skfairprop.metrics._metric import Metric
from skfairprop.metrics._rates import RATES, Rates

FAMILIES = ("dataset", "disparity", "classical", "estimation", "amplification", "procedural")
INPUTS = ("counts", "labels", "scores", "attributions")
NULLS = ("independence", "separation", "sufficiency", "swap", None)
FIELDS = tuple(field.name for field in fields(Metric))


def check_record(metric: Metric) -> None:
    """Raise ValueError for a record that cannot be, or a kernel that is not one of a count metric.

    Parameters
    ----------
    metric : Metric
    """
    owner = metric.name
    if not owner.isidentifier():
        raise ValueError(f"{owner!r} is no name of a function; take letters, digits and _")
    check_choice("family", metric.family, FAMILIES, owner=owner)
    check_choice("inputs", metric.inputs, INPUTS, owner=owner)
    check_choice("null", metric.null, NULLS, owner=owner)
    check_choice("best", metric.best, (0.0, 1.0), owner=owner)
    for name in metric.rates:
        check_choice("rates", name, RATES, owner=owner)
    for field in ("formula", "source", "misleads"):
        text = getattr(metric, field)
        if not text.strip() or "\n" in text:
            raise ValueError(f"{owner}: {field} must be one line of text; got {text!r}")
    _check_variants(metric)
    low, high = metric.range
    if not low <= metric.best <= high or metric.signed != (low < 0):
        raise ValueError(
            f"{owner}: range {metric.range} must hold best={metric.best:g}, and begin below 0 "
            "where the metric is signed, and only there"
        )
    if metric.counts_suffice:
        _try_kernel(metric)


def _check_variants(metric: Metric) -> None:
    """Variants are of options that the record has, for their values, in fields that there are."""
    for option, variants in metric.variants.items():
        check_choice("an option of variants", option, metric.options, owner=metric.name)
        for value, changes in variants.items():
            allowed = metric.options[option]
            check_choice(f"a value of variants[{option!r}]", value, allowed, owner=metric.name)
            for field in changes:
                check_choice("a field of variants", field, FIELDS, owner=metric.name)


def _try_kernel(metric: Metric) -> None:
    """Call the kernel on tables with leading axes, one of which has a single group."""
    predicted = metric.inputs == "counts"
    shape = (2, 3, 4, 2, 2) if predicted else (2, 3, 4, 2)
    tables = np.random.default_rng(0).integers(1, 9, size=shape)
    tables[0, 0, 1:] = 0
    positive = 1 if metric.needs_positive else None
    values = np.asarray(metric.kernel(Rates(tables, predicted=predicted, positive=positive)))
    if values.shape != (2, 3):
        raise ValueError(
            f"{metric.name}: the kernel must reduce the last axes alone, so that counts with the "
            f"leading axes (2, 3) give values of this shape; got {values.shape}"
        )
    if metric.compares_groups and not np.isnan(values[0, 0]):
        raise ValueError(
            f"{metric.name}: the kernel must return NaN where only one group has rows; got "
            f"{values[0, 0]:g} (pass compares_groups=False if it compares none)"
        )
    low, high = metric.range
    outside = values[(values < low - 1e-9) | (values > high + 1e-9)]
    if outside.size:
        raise ValueError(
            f"{metric.name}: the kernel returned {outside[0]:g}, outside {(low, high)}"
        )
