"""The base of every display: it gets the axes, and keeps them as scikit-learn's displays do."""

from typing import Any

import numpy as np

from skfairprop.inspection import _style as style


class Display:
    """Base of the displays, whose ``plot`` draws on what :meth:`_panels` makes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The first panel.
    axes_ : ndarray of matplotlib Axes, shape (n_panels,)
        All panels.
    figure_ : matplotlib Figure
    """

    axes_: np.ndarray
    ax_: Any
    figure_: Any

    def _panels(
        self, ax: Any, n: int = 1, *, n_columns: int = 1, size: tuple[float, float]
    ) -> style.Panels:
        """Axes for `n` panels, as of :func:`_style.make_panels`, which the display keeps."""
        style.require_matplotlib()
        owner = type(self).__name__
        return self._keep(style.make_panels(ax, n, owner=owner, n_columns=n_columns, size=size))

    def _keep(self, panels: style.Panels) -> style.Panels:
        self.axes_, self.ax_, self.figure_ = panels.axes, panels.axes[0], panels.figure
        return panels
