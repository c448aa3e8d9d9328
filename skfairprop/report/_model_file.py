"""Read a model from a ``.skops`` file, trusting no type silently, and predict with it."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._optional import import_optional
from skfairprop._suggest import closest
from skfairprop._visible import visible
from skfairprop.report._errors import AuditError, UsageError, first_line

# Named sets of types for --trust. A tree that was tampered with can crash the process.
SHORTCUTS = {
    "sklearn-trees": (
        "sklearn.tree._tree.Tree",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    )
}


def read_model(path: str, trust: Sequence[str] = ()) -> tuple[Any, list[str]]:
    """Read a model from a skops file.

    Parameters
    ----------
    path : str
    trust : sequence of str
        Types to trust besides those that skops trusts, or the name of a set of them:
        "sklearn-trees".

    Returns
    -------
    model : estimator
    trusted : list of str
        Those of the types in the file that had to be trusted.

    Raises
    ------
    UsageError
        If the file is none, or holds types that are not trusted; the message lists them.
    """
    if not path.endswith(".skops"):
        raise UsageError(
            f"--model {path!r}: only .skops files are read, as a pickle runs any code when it is "
            "opened; write one with skops.io.dump(model, 'model.skops'), or pass --pred"
        )
    try:
        skops_io = import_optional("skops.io", extra="report")
    except ImportError as exc:
        raise UsageError(f"--model: {exc}") from None
    try:
        data = Path(path).read_bytes()
        untrusted = skops_io.get_untrusted_types(data=data)
    except OSError as exc:
        raise UsageError(f"--model {path!r} cannot be read: {exc.strerror}") from None
    except Exception as exc:  # whatever zipfile or skops say of a broken file
        raise UsageError(f"--model {path!r} is no skops file: {first_line(exc)}") from None
    trusted = [t for name in trust for t in SHORTCUTS.get(name, (name,))]
    missing = [t for t in untrusted if t not in trusted]
    if missing:
        raise UsageError(_refusal(path, missing))
    return _load(skops_io, data, path, untrusted), list(untrusted)


def _load(skops_io, data: bytes, path: str, trusted: list[str]):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other versions of scikit-learn: predicting tells
            return skops_io.loads(data, trusted=trusted)
    except Exception as exc:  # a file may name anything
        raise AuditError(f"--model {path!r} could not be loaded: {first_line(exc)}") from exc


def _refusal(path: str, types: list[str]) -> str:
    """The types that are not trusted, and how to trust them."""
    flags, rest = [], list(types)
    for name, members in SHORTCUTS.items():
        if set(rest) & set(members):
            flags.append(f"--trust {name}")
            rest = [t for t in rest if t not in members]
    flags += [f"--trust {t}" for t in rest]
    listed = ", ".join(visible(t) for t in types)
    return (
        f"--model {path!r} holds types that skops does not trust: {listed}; if you know where the "
        f"file comes from, pass {visible(' '.join(flags))}"
    )


def predict_with(model, frame: pd.DataFrame, y: pd.Series) -> pd.Series:
    """Predicted classes of a model for the rows of a table.

    Parameters
    ----------
    model : estimator
        With ``feature_names_in_`` it gets these columns, in their order; else all of `frame`.
    frame : DataFrame of shape (n, d)
        Without the target.
    y : Series of shape (n,)
        True classes.

    Raises
    ------
    AuditError
        If it needs a column that is missing, fails, or does not return classes of `y`.
    """
    if not hasattr(model, "predict"):
        raise AuditError(f"the model, {type(model).__name__}, cannot predict")
    X = model_columns(model, frame)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = np.asarray(model.predict(X))
    except Exception as exc:  # any estimator may fail in any way; the cause is shown
        cause = f"{type(exc).__name__}: {first_line(exc)}"
        raise AuditError(f"the model could not predict ({cause})") from exc
    return _labels(found, y)


def model_columns(model, frame: pd.DataFrame) -> pd.DataFrame:
    """The columns that a model reads, in its order."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        missing = [n for n in names if n not in frame.columns]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise AuditError(
                f"the model needs the column {missing[0]!r}{more}, which the table does not have"
                f"{closest(missing[0], frame.columns)}"
            )
        return frame[list(names)]
    n = getattr(model, "n_features_in_", frame.shape[1])
    if n != frame.shape[1]:
        raise AuditError(
            f"the model was fitted on {n} columns without names; the table has {frame.shape[1]} "
            "besides the target"
        )
    return frame


def _labels(found: np.ndarray, y: pd.Series) -> pd.Series:
    """What was predicted, as classes of the target."""
    if found.shape != (len(y),):
        raise AuditError(f"the model returned an array of shape {found.shape} for {len(y):,} rows")
    labels = pd.Series(found, index=y.index, name="prediction").infer_objects()
    if labels.isna().any():
        raise AuditError(f"the model returned {int(labels.isna().sum()):,} missing values")
    if not set(labels.unique().tolist()) & set(y.unique().tolist()):
        example, wanted = labels.tolist()[0], y.tolist()[0]
        raise AuditError(
            f"the model returned {type(example).__name__} values, as {visible(example)!r}, and the "
            f"target holds {type(wanted).__name__} values, as {visible(wanted)!r}: they have no "
            "class in common"
        )
    return labels
