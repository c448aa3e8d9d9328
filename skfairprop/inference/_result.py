"""What the inference of one metric returns."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Inference:
    """A metric with its interval, what chance alone gives, and its p-value.

    Attributes
    ----------
    value : float
        The metric itself, as its public function returns it. NaN where it is undefined; then all
        the numbers below are NaN too.
    lower, upper : float
        Ends of the interval; ``lower <= value <= upper`` except for ``method="percentile"``.
    corrected : float
        The value corrected for chance: the size of the gap for which a value like this one would
        be the median. Never further from `best` than `value`, unless signed. NaN where there is no
        null.
    p_value : float
        Share of replicates without bias that are at least as far from `best`, in (0, 1]. NaN where
        there is no null.
    null_mean, null_95 : float
        Mean, and the point that one replicate in twenty passes, of the metric without bias on data
        of this size. For signed metrics the point that one in twenty passes on either side.
    open_at_zero : bool
        Whether the interval ends at `best` without including it: p_value is at most
        ``1 - confidence``, although the interval reaches `best`. Printed as "(0, upper]".
    reliable : bool
        Whether the counts suffice; `reason` says why not.
    reason : str
        Empty where it is reliable.
    n_undefined : int
        Number of replicates on which the metric was undefined, the largest over the sets of
        `n_draws`. They are left out.
    n_draws : int
        Number of replicates in each set.
    confidence : float
        Level of the interval, in (0, 1).
    method : str
        "tilted", "max_t", "percentile" or "rows"; see :func:`infer`.
    null : str or None
        What was exchangeable between the groups; None: the metric has no null.
    best : float, default=0.0
        The value without bias: 1 for the ratios.
    signed : bool, default=False
        Whether the value has a sign.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import infer
    >>> counts = GroupCounts(
    ...     [[[80, 20], [10, 90]], [[50, 50], [10, 90]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> found = infer(counts, ["accuracy_difference"], random_state=0)["accuracy_difference"]
    >>> round(found.value, 3), found.lower <= found.corrected <= found.upper
    (0.15, True)
    >>> found.null, found.method, found.reliable
    ('independence', 'tilted', True)
    """

    value: float
    lower: float
    upper: float
    corrected: float
    p_value: float
    null_mean: float
    null_95: float
    open_at_zero: bool
    reliable: bool
    reason: str
    n_undefined: int
    n_draws: int
    confidence: float
    method: str
    null: str | None
    best: float = 0.0
    signed: bool = False

    def state(self, limit: float) -> str:
        """Whether the data settle on which side of a limit the metric lies.

        Parameters
        ----------
        limit : float
            The largest value that is accepted; the smallest one for ratios, and the largest
            absolute value for signed metrics.

        Returns
        -------
        {"over", "not settled", "under"}
            "over": the whole interval is beyond the limit. "under": none of it is. "not settled"
            also where the metric is undefined.

        Examples
        --------
        >>> from skfairprop import GroupCounts
        >>> from skfairprop.inference import infer
        >>> counts = GroupCounts(
        ...     [[[80, 20], [10, 90]], [[50, 50], [10, 90]]], groups=["a", "b"], classes=[0, 1]
        ... )
        >>> found = infer(counts, ["equalized_odds_difference"], random_state=0)
        >>> found["equalized_odds_difference"].state(0.1)
        'over'
        """
        if self.signed:
            over = self.lower > limit or self.upper < -limit
            under = self.lower >= -limit and self.upper <= limit
        elif self.best == 1:
            over, under = self.upper < limit, self.lower >= limit
        else:
            over, under = self.lower > limit, self.upper <= limit
        return "over" if over else "under" if under else "not settled"

    def interval_text(self, format_spec: str = ".3f") -> str:
        """The interval as text: "[0.061, 0.284]", or "(0.000, 0.284]" where it is open.

        Parameters
        ----------
        format_spec : str, default=".3f"
            Format of the two numbers.

        Returns
        -------
        str
        """
        opens_low = self.open_at_zero and self.lower == self.best
        opens_high = self.open_at_zero and not opens_low
        left, right = "(" if opens_low else "[", ")" if opens_high else "]"
        return f"{left}{self.lower:{format_spec}}, {self.upper:{format_spec}}{right}"

    def __repr__(self) -> str:
        lines = [f"Inference: {self._headline()}"]
        if not math.isnan(self.null_mean):
            lines.append(
                f"by chance {self.null_mean:.3f} on average, beyond {self.null_95:.3f} in 1 of 20 "
                f"(null {self.null!r})"
            )
        if not math.isnan(self.corrected):
            lines.append(f"corrected for chance {self.corrected:.3f}")
        lines.append(f"method {self.method!r}, {self.n_draws:,} replicates")
        if self.n_undefined:
            lines[-1] += f", {self.n_undefined:,} of them undefined"
        if not self.reliable:
            lines.append(f"not reliable: {self.reason}")
        return "\n  ".join(lines)

    def _headline(self) -> str:
        if math.isnan(self.value):
            return "undefined"
        line = f"{self.value:.3f}"
        if not math.isnan(self.lower):
            line += f", {self.confidence:.4g} interval {self.interval_text()}"
        return line if math.isnan(self.p_value) else f"{line}, p = {self.p_value:.3g}"
