"""How the front of a search grew: its hypervolume against the evaluations."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop._suggest import closest
from skfairprop.inspection import _style as style
from skfairprop.inspection._display import Display
from skfairprop.inspection._search_values import read_search

_LOOKS = (
    {"linestyle": "-", "marker": "o", "markerfacecolor": style.BLUE, "color": style.BLUE},
    {"linestyle": "--", "marker": "s", "markerfacecolor": "white", "color": style.INK},
    {"linestyle": "-.", "marker": "^", "markerfacecolor": style.ORANGE, "color": style.ORANGE},
    {"linestyle": ":", "marker": "D", "markerfacecolor": "white", "color": style.SOFT},
)
_COLUMNS = ("n_evaluations", "hypervolume")


class HypervolumeDisplay(Display):
    """Hypervolume of the front against the number of evaluations, for one or more searches.

    A step a generation: the volume stays what it was until the next is done. A curve that has been
    flat for long says that more evaluations would add little *to the front of the search*. With
    repeats, the line is their mean and the band reaches from the least to the largest of them.

    Use :meth:`from_estimator` or :meth:`from_values`.

    Parameters
    ----------
    frame : DataFrame
        One row for each search, repeat and generation: ``method``, ``repeat``, ``n_evaluations``
        and ``hypervolume``.

    Attributes
    ----------
    frame_ : DataFrame
        The numbers drawn: for each method and number of evaluations ``mean``, ``lower``, ``upper``
        and ``n`` (repeats).
    ax_ : matplotlib Axes
    axes_ : ndarray of matplotlib Axes, shape (1,)
    figure_ : matplotlib Figure

    See Also
    --------
    ParetoDisplay : The front itself.

    Notes
    -----
    Curves can be compared only under the same reference point, the same objectives and the same
    data. A larger volume is a better front on the data of the search; the point chosen from it
    need not be better on other data.

    Examples
    --------
    >>> from skfairprop.inspection import HypervolumeDisplay
    >>> display = HypervolumeDisplay.from_values(
    ...     {"search": [(10, 0.20), (20, 0.25)], "random": [(10, 0.18), (20, 0.21)]}
    ... )
    >>> display.frame_[["method", "n_evaluations", "mean"]].to_numpy().tolist()
    [['search', 10, 0.2], ['search', 20, 0.25], ['random', 10, 0.18], ['random', 20, 0.21]]
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    @classmethod
    def from_estimator(cls, search: Any, *, name: str = "search", ax: Any = None) -> Self:
        """Draw the history of a search.

        Parameters
        ----------
        search : UEFSearchCV
            Fitted. Its volume is a share of the box of the points that it found, so that it cannot
            be held against that of another search; see :meth:`from_values` for that.
        name : str, default="search"
            What it is called in the table.
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        HypervolumeDisplay

        Raises
        ------
        TypeError
            If `search` is something else.
        NotFittedError
            If `search` is not fitted.
        """
        read_search(search, owner=cls.__name__)  # refuses what is no fitted search
        return cls.from_values({name: search.hypervolume_}, ax=ax)

    @classmethod
    def from_values(cls, values: Mapping[str, Any], *, ax: Any = None) -> Self:
        """Draw histories of searches.

        Parameters
        ----------
        values : mapping of str to histories
            One entry for each search, at most four: pairs (number of evaluations, hypervolume) as
            an array-like of shape (n_generations, 2); or a DataFrame with the columns
            ``n_evaluations`` and ``hypervolume`` and, with repeats of the search, ``repeat``.
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        HypervolumeDisplay

        Raises
        ------
        ValueError
            If there are none or more than four, or a history is no such table.
        """
        parts = [_history(history, name) for name, history in values.items()]
        if not parts or len(parts) > len(_LOOKS):
            raise ValueError(
                f"{cls.__name__} draws one to {len(_LOOKS)} searches; values has {len(parts)}"
            )
        return cls(pd.concat(parts, ignore_index=True)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        HypervolumeDisplay
        """
        self.frame_ = _summary(self.frame)
        panels = self._panels(ax, size=(5, 3.2))
        axes = panels.axes[0]
        style.clean(axes, grid="both")
        methods = pd.unique(self.frame_["method"])
        handles = []
        for method, look in zip(methods, _LOOKS, strict=False):
            own = self.frame_[self.frame_["method"] == method]
            _draw_history(axes, own, look)
            n = int(own["n"].max())
            text = style.name_of(method) + (f", mean and range of {n}" if n > 1 else "")
            handles.append(style.entry(text, markersize=4.5, **look))
        axes.set_xlim(left=0)
        axes.margins(y=0.08)
        axes.set_xlabel("evaluations", fontsize=style.MEDIUM, color=style.INK)
        style.title(axes, "Hypervolume of the front")
        style.legend_below(panels, handles if len(handles) > 1 else [])
        return self


def _history(history: Any, name: str) -> pd.DataFrame:
    if isinstance(history, pd.DataFrame):
        for column in _COLUMNS:
            if column not in history.columns:
                raise ValueError(
                    f"values[{name!r}] has no column {column!r}{closest(column, history.columns)}"
                )
        repeat = history["repeat"] if "repeat" in history.columns else 0
        table = history[list(_COLUMNS)].assign(repeat=repeat)
    else:
        pairs = np.asarray(history, dtype=float)
        if pairs.ndim != 2 or pairs.shape[1] != len(_COLUMNS) or not len(pairs):
            raise ValueError(
                f"values[{name!r}] must be pairs of evaluations and hypervolume; "
                f"got the shape {pairs.shape}"
            )
        table = pd.DataFrame({_COLUMNS[0]: pairs[:, 0], _COLUMNS[1]: pairs[:, 1], "repeat": 0})
    n = table["n_evaluations"].astype(float)
    if table.empty or not np.isfinite(n).all() or (n < 0).any() or (n % 1 != 0).any():
        raise ValueError(
            f"values[{name!r}]: the numbers of evaluations must be whole and not negative, and "
            "there must be one"
        )
    if not np.isfinite(table["hypervolume"].astype(float)).all():
        raise ValueError(f"values[{name!r}]: hypervolumes must be finite")
    return table.assign(method=name, n_evaluations=n.astype(int))


def _summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean and range over the repeats, each of which keeps its volume until its next step."""
    parts = []
    for method, own in frame.groupby("method", sort=False):
        curves = own.pivot_table(
            index="n_evaluations", columns="repeat", values="hypervolume", aggfunc="last"
        ).ffill()
        full = curves.dropna()  # from where on every repeat has been evaluated
        full = full if len(full) else curves
        parts.append(
            pd.DataFrame(
                {
                    "method": method,
                    "n_evaluations": full.index.to_numpy(),
                    "mean": full.mean(axis=1).to_numpy(),
                    "lower": full.min(axis=1).to_numpy(),
                    "upper": full.max(axis=1).to_numpy(),
                    "n": curves.shape[1],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _draw_history(ax: Any, own: pd.DataFrame, look: dict[str, Any]) -> None:
    x = own["n_evaluations"].to_numpy()
    ends = own["lower"].to_numpy(), own["upper"].to_numpy()
    if (own["n"] > 1).any():
        ax.fill_between(x, *ends, step="post", color=look["color"], alpha=0.14, linewidth=0)
    ax.plot(
        x,
        own["mean"],
        **look,
        drawstyle="steps-post",
        linewidth=1.6,
        markersize=4.5,
        markevery=max(1, len(x) // 12),
    )
