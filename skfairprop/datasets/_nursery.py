"""The nursery data set."""

from typing import Any

from ._base import pack_table, read_descr, read_shipped

SENSITIVE = ["parents", "form", "finance"]


def load_nursery(
    *,
    drop_sensitive: bool = False,
    return_X_y: bool = False,
    as_frame: bool = True,
) -> Any:
    """Load the nursery data set: applications ranked in five classes, by family background.

    =================  =========================================================
    Rows               12,960
    Features           8, all nominal or ordinal
    Classes            5
    Groups             parents (3), form (4) and finance (2)
    Missing            none
    =================  =========================================================

    Parameters
    ----------
    drop_sensitive : bool, default=False
        Leave the parents' occupation, the form of the family and its finances out of the features.
        By default they stay in.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=True
        Give data frames and series; otherwise arrays of dtype object.

    Returns
    -------
    Bunch
        With the entries

        data : DataFrame or ndarray of shape (12960, 8)
            Features, all texts; ``children`` is ``"1"``, ``"2"``, ``"3"`` or ``"more"``.
        target : Series or ndarray of shape (12960,)
            ``"not_recom"``, ``"recommend"``, ``"very_recom"``, ``"priority"`` or ``"spec_prior"``,
            in the order of rising priority.
        frame : DataFrame of shape (12960, 9), or None
            Features and target, if `as_frame` is True.
        sensitive_features : DataFrame of shape (12960, 3)
            ``parents``, ``form`` and ``finance``, always a data frame, with the index of `data`.
        feature_names, target_names : list of str
            Columns of `data`; classes in sorted order.
        pos_label : None
            With five classes there is no single favourable one.
        DESCR : str
            Columns, source, licence, and what to beware of.

    (data, target) : tuple, if `return_X_y` is True

    Raises
    ------
    ValueError
        If a switch is not a bool.

    Notes
    -----
    The rows are a full factorial of the eight features, derived from an expert's rules: all groups
    are equally large, which real data never are. The class ``"recommend"`` has two rows, so most of
    its rates are undefined.

    Source: V. Rajkovic, Nursery, UCI Machine Learning Repository, 1989, doi:10.24432/C5P88W,
    licence CC BY 4.0. The rows are in another (shuffled) order than in UCI's file.

    Examples
    --------
    >>> from skfairprop.datasets import load_nursery
    >>> nursery = load_nursery()
    >>> nursery.data.shape
    (12960, 8)
    >>> int((nursery.target == "recommend").sum())
    2
    """
    frame = read_shipped("nursery")
    return pack_table(
        frame,
        target="class",
        sensitive_features=frame[SENSITIVE],
        protected=SENSITIVE,
        pos_label=None,
        descr=read_descr("nursery"),
        drop_sensitive=drop_sensitive,
        return_X_y=return_X_y,
        as_frame=as_frame,
    )
