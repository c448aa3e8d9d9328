"""The German credit data set."""

from typing import Any

import numpy as np

from ._base import pack_table, read_descr, read_shipped


def load_german_credit(
    *,
    drop_sensitive: bool = False,
    return_X_y: bool = False,
    as_frame: bool = True,
) -> Any:
    """Load the German credit data set: good and bad credits, by sex and age.

    =================  ==================================
    Rows               1,000
    Features           21, mixed
    Classes            2: good (700) and bad (300)
    Groups             sex (2) and age, cut after 25 (2)
    Missing            none
    =================  ==================================

    Parameters
    ----------
    drop_sensitive : bool, default=False
        Leave sex and age out of the features. By default they stay in.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=True
        Give data frames and series; otherwise arrays (of dtype object, as the features are mixed).

    Returns
    -------
    Bunch
        With the entries

        data : DataFrame or ndarray of shape (1000, 21)
            Features.
        target : Series or ndarray of shape (1000,)
            ``"good"`` or ``"bad"``.
        frame : DataFrame of shape (1000, 22), or None
            Features and target, if `as_frame` is True.
        sensitive_features : DataFrame of shape (1000, 2)
            ``sex``, and ``age_group`` with the values ``"25 or under"`` and ``"over 25"``; always a
            data frame, with the index of `data`.
        feature_names, target_names : list of str
            Columns of `data`; classes in sorted order.
        pos_label : str
            The favourable class ``"good"``.
        DESCR : str
            Columns, source, licence, and what to beware of.

    (data, target) : tuple, if `return_X_y` is True

    Raises
    ------
    ValueError
        If a switch is not a bool.

    Notes
    -----
    The true sex is not recoverable from this data set. The column is decoded from UCI's table, but
    the original code for "female and not single" also stands for single men (Groemping, South
    German Credit Data, 2019). Use it to try methods out, not to say anything about women and men.

    Source: H. Hofmann, Statlog (German Credit Data), UCI Machine Learning Repository, 1994,
    doi:10.24432/C5NC77, licence CC BY 4.0. The cut at age 25 is that of Kamiran and Calders,
    Classifying without discriminating, 2009.

    Examples
    --------
    >>> from skfairprop.datasets import load_german_credit
    >>> credit = load_german_credit()
    >>> credit.target.value_counts().to_dict()
    {'good': 700, 'bad': 300}
    >>> good = credit.target == credit.pos_label
    >>> good.groupby(credit.sensitive_features["age_group"]).mean().round(3).to_dict()
    {'25 or under': 0.579, 'over 25': 0.728}
    """
    frame = read_shipped("german_credit")
    groups = frame[["sex"]].assign(age_group=np.where(frame["age"] > 25, "over 25", "25 or under"))
    return pack_table(
        frame,
        target="credit",
        sensitive_features=groups,
        protected=["sex", "age"],
        pos_label="good",
        descr=read_descr("german_credit"),
        drop_sensitive=drop_sensitive,
        return_X_y=return_X_y,
        as_frame=as_frame,
    )
