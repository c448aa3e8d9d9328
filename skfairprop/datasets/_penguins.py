"""The Palmer penguins data set."""

from typing import Any

from ._base import pack_table, read_descr, read_shipped

SENSITIVE = ["sex", "island"]


def load_penguins(
    *,
    drop_sensitive: bool = False,
    return_X_y: bool = False,
    as_frame: bool = True,
) -> Any:
    """Load the Palmer penguins: three species, by sex and island.

    A small data set with what is awkward in larger ones: missing values in a protected column, and
    combinations of group and class that cannot occur.

    =================  ================================================
    Rows               344
    Features           7, mixed
    Classes            3
    Groups             sex (2, and 11 rows missing) and island (3)
    Missing            sex (11), the four measurements (2 each)
    =================  ================================================

    Parameters
    ----------
    drop_sensitive : bool, default=False
        Leave sex and island out of the features. By default they stay in.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=True
        Give data frames and series; otherwise arrays (of dtype object with both kinds of columns,
        of floats if `drop_sensitive` leaves only the measurements and the year).

    Returns
    -------
    Bunch
        With the entries

        data : DataFrame or ndarray of shape (344, 7)
            Features: lengths in mm, body mass in g.
        target : Series or ndarray of shape (344,)
            ``"Adelie"``, ``"Chinstrap"`` or ``"Gentoo"``.
        frame : DataFrame of shape (344, 8), or None
            Features and target, if `as_frame` is True.
        sensitive_features : DataFrame of shape (344, 2)
            ``sex`` (11 values missing) and ``island``, always a data frame, with the index of
            `data`.
        feature_names, target_names : list of str
            Columns of `data`; classes in sorted order.
        pos_label : None
            No species is the favourable one.
        DESCR : str
            Columns, source, licence, and what to beware of.

    (data, target) : tuple, if `return_X_y` is True

    Raises
    ------
    ValueError
        If a switch is not a bool.

    Notes
    -----
    Chinstraps live on Dream only and Gentoos on Biscoe only: for the other islands the rates of
    these classes are undefined, not 0.

    Source: K. Gorman, T. Williams and W. Fraser 2014, doi:10.1371/journal.pone.0090081; A. Horst,
    A. Hill and K. Gorman, palmerpenguins, 2020, doi:10.5281/zenodo.3960218, licence CC0.

    Examples
    --------
    >>> from skfairprop.datasets import load_penguins
    >>> penguins = load_penguins()
    >>> penguins.sensitive_features.isna().sum().to_dict()
    {'sex': 11, 'island': 0}
    """
    frame = read_shipped("penguins")
    return pack_table(
        frame,
        target="species",
        sensitive_features=frame[SENSITIVE],
        protected=SENSITIVE,
        pos_label=None,
        descr=read_descr("penguins"),
        drop_sensitive=drop_sensitive,
        return_X_y=return_X_y,
        as_frame=as_frame,
    )
