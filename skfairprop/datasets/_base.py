"""What all loaders share: reading the files and handing out scikit-learn's kind of answer."""

from collections.abc import Hashable, Sequence
from importlib import resources
from os import PathLike
from typing import IO, Any

import pandas as pd
from sklearn.utils import Bunch

from skfairprop._checks import check_switch


def read_table(source: str | PathLike[str] | IO[bytes], **options: Any) -> pd.DataFrame:
    """Read a CSV file in which only an empty field is missing ("none" and "NA" are texts)."""
    return pd.read_csv(source, keep_default_na=False, na_values=[""], **options)


def read_shipped(name: str) -> pd.DataFrame:
    """Read the table `name` that ships with the package."""
    path = resources.files("skfairprop.datasets") / "data" / f"{name}.csv.gz"
    with path.open("rb") as file:
        return read_table(file, compression="gzip")


def read_descr(name: str) -> str:
    """The description of data set `name`, in Markdown."""
    path = resources.files("skfairprop.datasets") / "descr" / f"{name}.md"
    return path.read_text(encoding="utf-8")


def check_switches(**switches: Any) -> None:
    """Raise unless every argument is a bool."""
    for name, value in switches.items():
        check_switch(name, value)


def pack_table(
    frame: pd.DataFrame,
    *,
    target: str,
    sensitive_features: pd.DataFrame,
    protected: Sequence[Hashable],
    pos_label: Hashable,
    descr: str,
    drop_sensitive: bool,
    return_X_y: bool,
    as_frame: bool,
    target_names: list[str] | None = None,
    **extra: Any,
) -> Any:
    """Split a table into features and target and pack them as scikit-learn's loaders do.

    Parameters
    ----------
    frame : DataFrame
        Features and target, and nothing else.
    target : str
        Column with the classes.
    sensitive_features : DataFrame
        Ready groups, with the index of `frame`.
    protected : sequence of column names
        Columns of `frame` that `drop_sensitive` leaves out of the features.
    pos_label, descr, target_names
        Go into the Bunch; `target_names` are by default the classes in sorted order.
    drop_sensitive, return_X_y, as_frame : bool
        As the user gave them.
    **extra
        Further entries of the Bunch; a Series becomes an array if `as_frame` is False.

    Returns
    -------
    Bunch, or (X, y) if `return_X_y`
    """
    check_switches(drop_sensitive=drop_sensitive, return_X_y=return_X_y, as_frame=as_frame)
    if drop_sensitive:
        frame = frame.drop(columns=list(protected))
    data, classes = frame.drop(columns=target), frame[target].copy()
    if target_names is None:
        target_names = sorted(classes.unique())
    bunch = Bunch(
        data=data if as_frame else data.to_numpy(),
        target=classes if as_frame else classes.to_numpy(),
        frame=frame if as_frame else None,
        sensitive_features=sensitive_features.copy(),
        feature_names=list(data),
        target_names=target_names,
        pos_label=pos_label,
        DESCR=descr,
    )
    for name, value in extra.items():
        bunch[name] = value.to_numpy() if isinstance(value, pd.Series) and not as_frame else value
    return (bunch.data, bunch.target) if return_X_y else bunch
