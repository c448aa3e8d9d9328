"""What a report found: the views of the data and their metrics, as plain data."""

from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.inference import benjamini_hochberg, benjamini_yekutieli
from skfairprop.report._before_after import BeforeAfter
from skfairprop.report._class_bias import class_bias
from skfairprop.report._drivers import Drivers
from skfairprop.report._estimations import Estimations
from skfairprop.report._explanations import Explanations
from skfairprop.report._view import Settings, View


class Findings:
    """What text, page and checks read; see :class:`~skfairprop.report.FairnessReport`."""

    def __init__(
        self,
        views: list[View],
        *,
        settings: Settings,
        pos_label: Hashable | None = None,
        notes: Sequence[str] = (),
        drivers: Drivers | None = None,
    ) -> None:
        self.views = views
        self.settings = settings
        self.pos_label = pos_label
        self.notes = list(notes)
        self.drivers = drivers
        self.before_after: BeforeAfter | None = None
        self.explanations: Explanations | None = None
        self.estimations: Estimations | None = None
        self.metrics = _with_q(views, settings)

    @property
    def counts(self) -> GroupCounts:
        """Counts of the first view."""
        return self.views[0].counts

    @property
    def by_group(self) -> pd.DataFrame:
        """Rates per group of the first view."""
        return self.views[0].by_group

    @cached_property
    def class_bias(self) -> pd.DataFrame | None:
        """The bias of the data set class by class, the worst first; None for one group or class.

        ``distance`` (of the groups within the class from those outside it) with its interval, what
        chance gives, ``p`` and ``q``; ``association`` (Cramér's V); ``missing`` (groups that are
        missing in effect within the class); the groups with the least and the most of the class.
        """
        return class_bias(self.counts, self.settings)

    def to_frame(self) -> pd.DataFrame:
        """The metrics as a flat table.

        Returns
        -------
        DataFrame
            With the columns ``attributes`` and ``metric``, and those of `metrics`.
        """
        return self.metrics.reset_index()


def _with_q(views: list[View], settings: Settings) -> pd.DataFrame:
    """The metrics of all views in one table, with q over all of them."""
    tables = {view.name: view.metrics for view in views}
    table = pd.concat(tables, names=["attributes", "metric"])
    adjust = benjamini_hochberg if settings.correction == "bh" else benjamini_yekutieli
    tested = table["p"].notna().to_numpy()
    q = np.full(len(table), np.nan)
    if tested.any():
        q[tested] = adjust(table["p"].to_numpy(float)[tested])
    table.insert(table.columns.get_loc("p") + 1, "q", q)
    return table
