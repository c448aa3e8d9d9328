"""Drop rows so that a data set has a bias of known kind and strength."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import validate_data

from skfairprop._checks import check_choice
from skfairprop._metadata import request_sensitive_features
from skfairprop._random import RandomState, as_generator
from skfairprop._refit import forget_fit
from skfairprop._rows import take_rows
from skfairprop.groups import label_text, name_some
from skfairprop.preprocessing._cells import Cells, code_cells, refuse_empty
from skfairprop.preprocessing._shares import (
    check_factor,
    explicit_shares,
    induced_shares,
    rows_to_keep,
)
from skfairprop.preprocessing._tags import mark_unread

KINDS = ("representational", "stereotypical")
ROUNDINGS = ("floor", "largest_remainder")
_REMEDY = "name those that have rows with groups= and classes="


class BiasInducer(BaseEstimator):
    """Drop rows so that the data have a bias of known kind and strength.

    A sampler in the manner of imbalanced-learn. From every class the same number of rows of each
    group is kept, that of its smallest group; from this balanced baseline, rows are dropped at
    random until the groups have the wanted shares of each class [1]_.

    Parameters
    ----------
    kind : {"representational", "stereotypical"}, default="representational"
        Give the target group its share in every class, or only in `target_classes`, the others
        staying balanced. Not used with `proportions`.
    target_group : hashable, optional
        Group whose share `f` sets; the others share the rest equally. A tuple where several
        protected columns make the groups. Needed unless all factors are 0.
    f : float or dict of class -> float, default=0.0
        Bias factor in [-1, 1]: 0 keeps the balance, -1 takes the target group away, 1 leaves no
        other. For the stereotypical kind, a dict gives each target class its own.
    target_classes : sequence, optional
        For the stereotypical kind with one number `f`: the classes that are to be biased.
    proportions : DataFrame, array of shape (G, K) or dict, optional
        Any table of shares, in the place of `kind`, `f` and `target_group`: a DataFrame of groups x
        classes, an array in the order of `groups` and `classes`, or a dict of class -> dict of
        group -> share. Each class sums to 1.
    groups, classes : sequence, optional
        Only these, in this order; rows of others are left out. Default: all there are, sorted.
    rounding : {"floor", "largest_remainder"}, default="floor"
        Round each cell down, as in the paper, or so that every class keeps the same number of rows
        whatever the shares.
    sensitive_features : str, list of str, callable, Series or DataFrame, optional
        Protected columns: names of columns of X, a callable of X, or pandas data aligned on the
        index of X. What is passed to a method goes before it.
    random_state : int, RandomState, Generator or None, default=None
        Which rows are kept. With an int, a stronger bias keeps a subset of each cell that loses
        rows.

    Attributes
    ----------
    groups_, classes_ : Index of length G and K
        Groups and classes in the table.
    expected_counts_ : DataFrame of shape (G, K)
        Rows that each cell keeps.
    sample_indices_ : integer array of shape (n_kept,)
        Positions of the kept rows, ascending; after ``fit_resample``.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of str
        Names of the columns of X, where they have any.

    Raises
    ------
    ValueError
        By the methods: if an argument is not allowed, a group or class does not occur, a cell has
        no rows, or a class has fewer rows of its smallest group than there are groups. The message
        names it and the remedy.

    See Also
    --------
    skfairprop.bias_propagation : Train on data with more and more bias.

    Notes
    -----
    The target's share is p = ((f + 1) / 2) ** log2(G), 1 / G at f = 0; a cell keeps
    floor(p * n_min + 1e-9) of the n_min rows of the baseline. Plain ``int(p * n_min)`` is one too
    few where p has no exact float. The data shrink: every class falls to the size of its smallest
    group, and with ``rounding="floor"`` by up to a row more for each group, so that a model also
    gets worse for want of data. A rare class can keep no row in a cell although its share is not
    0; ``expected_counts`` tells before anything is drawn.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 4.2, Tables II to IV.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.preprocessing import BiasInducer
    >>> y = np.repeat(["happy", "sad"], 20)
    >>> sex = np.tile(["f", "m"], 20)
    >>> X = np.arange(40).reshape(-1, 1)
    >>> inducer = BiasInducer(
    ...     "stereotypical", target_group="f", target_classes=["happy"], f=0.6, random_state=0
    ... )
    >>> inducer.expected_counts(y, sex)
       happy  sad
    f      8    5
    m      2    5
    >>> X_induced, y_induced = inducer.fit_resample(X, y, sensitive_features=sex)
    >>> X_induced.shape
    (20, 1)
    """

    def __init__(
        self,
        kind: str = "representational",
        *,
        target_group: Hashable | None = None,
        f: float | Mapping[Hashable, float] = 0.0,
        target_classes: Sequence[Hashable] | None = None,
        proportions: Any = None,
        groups: Sequence[Hashable] | None = None,
        classes: Sequence[Hashable] | None = None,
        rounding: str = "floor",
        sensitive_features: Any = None,
        random_state: RandomState = None,
    ) -> None:
        self.kind = kind
        self.target_group = target_group
        self.f = f
        self.target_classes = target_classes
        self.proportions = proportions
        self.groups = groups
        self.classes = classes
        self.rounding = rounding
        self.sensitive_features = sensitive_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> "BiasInducer":
        """Find the groups and classes, and how many rows each cell keeps; nothing is drawn.

        Parameters
        ----------
        X : indexable of n rows
            Only its columns are read, if `sensitive_features` names some.
        y : array-like of shape (n,)
            Classes: numbers, booleans, strings or categories.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes, optional
            Protected columns of these rows; they go before those named at construction.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            See the class.
        """
        forget_fit(self)
        validate_data(self, X, skip_check_array=True)
        self._fit_cells(self._code(X, y, sensitive_features))
        return self

    def fit_resample(self, X: Any, y: Any, *, sensitive_features: Any = None) -> tuple[Any, Any]:
        """Drop rows until the groups have the wanted shares of each class.

        Parameters
        ----------
        X : indexable of n rows
            Data frame, array of any dimension (images too), sparse matrix or list.
        y : array-like of shape (n,)
            Classes: numbers, booleans, strings or categories.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes, optional
            Protected columns of these rows; they go before those named at construction.

        Returns
        -------
        X_resampled : container like X
            The kept rows, in their order. Sparse matrices come back as CSR.
        y_resampled : container like y
            Their classes.

        Raises
        ------
        ValueError
            See the class.
        """
        forget_fit(self)
        validate_data(self, X, skip_check_array=True)
        rows = self._draw_rows(self._code(X, y, sensitive_features))
        return take_rows(X, rows), take_rows(y, rows)

    def expected_counts(self, y: Any, sensitive_features: Any = None) -> pd.DataFrame:
        """Rows that each cell keeps, before anything is drawn.

        Parameters
        ----------
        y : array-like of shape (n,)
            Classes.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes, optional
            Protected columns of these rows. Without them, pandas data given at construction are
            aligned on the index of y.

        Returns
        -------
        DataFrame of shape (G, K)
            Groups x classes.

        Raises
        ------
        ValueError
            See the class.
        """
        cells = self._restrict(self._code(None, y, sensitive_features))
        return cells.frame(self._rows_to_keep(cells))

    def _code(self, X: Any, y: Any, sensitive_features: Any) -> Cells:
        owner = type(self).__name__
        return code_cells(self.sensitive_features, X, y, sensitive_features, owner=owner)

    def _restrict(self, cells: Cells) -> Cells:
        return cells.restrict(self.groups, self.classes, owner=type(self).__name__)

    def _fit_cells(self, cells: Cells) -> Cells:
        """Learn the table of coded rows; returns those of the groups and classes that are kept."""
        cells = self._restrict(cells)
        self.expected_counts_ = cells.frame(self._rows_to_keep(cells))
        self.groups_, self.classes_ = cells.groups, cells.classes
        return cells

    def _draw_rows(self, cells: Cells) -> np.ndarray:
        """Positions of the rows to keep, out of rows that are coded already."""
        rng = as_generator(self.random_state)
        cells = self._fit_cells(cells)
        self.sample_indices_ = _draw(cells, self.expected_counts_.to_numpy(), rng)
        return self.sample_indices_

    def _rows_to_keep(self, cells: Cells) -> np.ndarray:
        owner = type(self).__name__
        check_choice("rounding", self.rounding, ROUNDINGS, owner=owner)
        shares = self._shares(cells, owner)
        table = cells.table()
        refuse_empty(cells, table, _REMEDY, owner=owner)
        smallest = table.min(0)
        few = np.flatnonzero(smallest < len(table))
        if len(few):
            which = "that class"
            if len(few) > 1:
                which = f"such classes ({name_some(cells.classes[few])})"
            rarest = cells.groups[int(table[:, few[0]].argmin())]
            raise ValueError(
                f"{owner}: class {label_text(cells.classes[few[0]])!r} has {smallest[few[0]]:,} "
                f"rows of group {label_text(rarest)!r}, too few for one a cell when {len(table)} "
                f"groups are balanced; leave out {which} with classes=, or groups with groups="
            )
        return rows_to_keep(shares, smallest, self.rounding)

    def _shares(self, cells: Cells, owner: str) -> np.ndarray:
        check_choice("kind", self.kind, KINDS, owner=owner)
        factors = self._factors(cells, owner)
        if self.proportions is None:
            return induced_shares(cells, self.target_group, factors, owner=owner)
        if (
            self.target_group is not None
            or self.target_classes is not None
            or any(factors.values())
        ):
            raise ValueError(
                f"{owner}: proportions take the place of target_group, f and target_classes; give "
                "one or the other"
            )
        return explicit_shares(cells, self.proportions, owner=owner)

    def _factors(self, cells: Cells, owner: str) -> dict[Hashable, float]:
        """Bias factor of each class that is to be biased."""
        if self.kind == "representational" or self.proportions is not None:
            if isinstance(self.f, Mapping) or self.target_classes is not None:
                raise ValueError(
                    f"{owner}: f for single classes and target_classes go with "
                    "kind='stereotypical'; the representational kind biases every class"
                )
            return dict.fromkeys(cells.classes, check_factor(self.f, "f", owner=owner))
        if isinstance(self.f, Mapping):
            if self.target_classes is not None and set(self.target_classes) != set(self.f):
                raise ValueError(
                    f"{owner}: f names the classes {name_some(list(self.f))}, and target_classes "
                    f"{name_some(list(self.target_classes))}; give one of the two"
                )
            return {c: check_factor(v, f"f[{c!r}]", owner=owner) for c, v in self.f.items()}
        f = check_factor(self.f, "f", owner=owner)
        if self.target_classes is None or isinstance(self.target_classes, str):
            raise ValueError(
                f"{owner}: target_classes must list the classes that kind='stereotypical' biases, "
                f"out of {name_some(cells.classes)}; got {self.target_classes!r}"
            )
        return dict.fromkeys(self.target_classes, f)

    def get_metadata_routing(self) -> MetadataRequest:
        """Metadata that the methods ask for: `sensitive_features`, unless told otherwise.

        Returns
        -------
        MetadataRequest
        """
        return request_sensitive_features(super().get_metadata_routing(), "fit", "fit_resample")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "sampler"
        mark_unread(tags)
        return tags


def _draw(cells: Cells, keep: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Ascending positions of `keep` rows of each cell, without replacement."""
    codes = cells.codes
    n_cells = keep.size
    # sorting 16-bit codes is linear in the rows
    by_cell = np.argsort(codes.astype(np.int16) if n_cells < 1 << 15 else codes, kind="stable")
    ends = np.cumsum(np.bincount(codes + 1, minlength=n_cells + 1))
    kept = np.zeros(len(codes), dtype=bool)
    for cell, size in enumerate(keep.ravel()):
        # all rows are shuffled, whatever the size, so that draws of one seed are nested
        rows = rng.permutation(by_cell[ends[cell] : ends[cell + 1]])
        kept[rows[:size]] = True
    return np.flatnonzero(kept)
