"""How stable a model's explanations are for each group, as a report shows it."""

import warnings
from dataclasses import dataclass
from typing import Any

from skfairprop.metrics import mesd
from skfairprop.metrics._mesd_result import MESDResult
from skfairprop.report._view import Settings

N_ROWS = 200  # that are explained: the cost grows with them, not with the table
FEW_ROWS = 20  # below it the intervals of a group's stability were seen to miss too often


@dataclass(frozen=True, repr=False)
class Explanations:
    """Stability of explanations by group.

    Attributes
    ----------
    result : MESDResult
        MESD with its null, the stability of each group, and the pairs behind it.
    model : str
        Which model was explained, and on which rows.
    notes : tuple of str
        What :func:`~skfairprop.metrics.mesd` warned of.

    Examples
    --------
    >>> from skfairprop.metrics import mesd_from_stability
    >>> from skfairprop.report import Explanations
    >>> found = mesd_from_stability(
    ...     [0.9, 0.7], [1, 1], sensitive_features=["a", "b"], shrinkage=0
    ... )
    >>> round(Explanations(found, model="a forest on unseen rows").result.value, 3)
    0.2
    """

    result: MESDResult
    model: str
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Explanations of {self.model}: {self.result!r}"


def explain_groups(
    model: Any,
    X,
    y,
    *,
    sensitive_features,
    missing: str,
    settings: Settings,
    what: str,
    n_rows: int = N_ROWS,
) -> Explanations:
    """Explain a sample of rows and their neighbours, and compare the groups.

    Parameters
    ----------
    model : fitted classifier
        With ``predict_proba`` or ``decision_function``.
    X, y, sensitive_features
        Rows that it did not learn from, their classes and their groups.
    missing : str
    settings : Settings
        Confidence, seed, and ``bootstrap``, the number of permutations and of resamples.
    what : str
        Which model on which rows.
    n_rows : int

    Raises
    ------
    TypeError
        If the model has no continuous output.
    ValueError
        If it cannot be explained.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = mesd(
            model,
            X,
            y,
            sensitive_features=sensitive_features,
            missing=missing,
            n_samples=n_rows,
            n_permutations=settings.bootstrap,
            n_resamples=settings.bootstrap,
            confidence=settings.confidence,
            random_state=settings.random_state,
        )
    said = [w for w in caught if issubclass(w.category, UserWarning)]
    return Explanations(result, what, tuple(dict.fromkeys(str(w.message) for w in said)))
