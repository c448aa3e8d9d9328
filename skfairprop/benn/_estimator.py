"""BENNEstimator: how much each feature can move what a model says."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from skfairprop._random import RandomState, as_generator, draw_seed
from skfairprop._refit import forget_fit
from skfairprop.benn._effects import group_names
from skfairprop.benn._examined import Examined, is_fitted, is_net_like, net_rows
from skfairprop.benn._features import OWNER, check_names, column_names, find_blocks, read_table
from skfairprop.benn._options import check_options, training_settings
from skfairprop.benn._paper import paper_finder
from skfairprop.benn._targeted import Found, Question, find_targeted, network_inputs
from skfairprop.explain._table import as_container
from skfairprop.groups import label_text


class BENNEstimator(TransformerMixin, BaseEstimator):
    """Estimate how much each feature can move what a model says, without labels.

    A network in the manner of BENN [1]_: it reads a row and what the model says of it, and tells
    for each feature with what intensity |b| in [0, 1] a change of the feature changes the output.
    The model may be any black box; it is only asked.

    Parameters
    ----------
    estimator : estimator or callable
        The model: a fitted classifier or Pipeline, one in a
        :class:`~sklearn.frozen.FrozenEstimator`, a torch module, or a function of rows as X is
        passed. What is not fitted is cloned and fitted, for which ``fit`` needs y. scikit-learn's
        ``clone`` takes the fit away from a bare fitted model, so freeze it for a search.
    features : name, position, or list of them, or "all", optional
        Features to examine. Default: all, or those of `feature_blocks` alone if these are given;
        "all" adds every column that is in no block.
    feature_blocks : dict of name to list of columns, optional
        Columns that say the same thing and change together, as ``{"age": ["age", "age_cat"]}``.
        The first decides the groups.
    categorical_features : "auto" or list of names or positions, default="auto"
        Columns whose values are labels. Text, categories and booleans always are.
    formulation : {"targeted", "paper"}, default="targeted"
        "paper" is Eq. 1 to 5 as printed; see the notes for why it is not the default.
    effect : {"total", "direct"}, default="total"
        What the headline is of: the feature and all that goes with it, or the feature alone.
    response_method : {"predict", "predict_proba"}, default="predict"
        Of labels a change counts 0 or 1, of probabilities their total variation.
    n_init : int, default=4
        Restarts, trained together. Of each two networks are trained, on halves of the rows.
    hidden_layers : sequence of int, default=(40,) * 8
        Widths.
    max_steps, batch_size : int, default=300 and 256
        Gradient steps, and rows of each.
    learning_rate : float, default=3e-3
        Of Adam, falling to 0.
    lambdas : three floats, default=(1, 1, 1)
        Weights of prediction change, feature selection and similarity in Eq. 4.
    max_values : int, default=24
        Observed values that the direct effect tries, at most.
    n_draws : int, default=3
        Draws of the total effect, averaged.
    proxy_threshold : float, default=3.0
        Columns whose association with the groups is so many standard deviations above chance go
        with them.
    min_slice_size : int, default=30
        Fewest rows of a slice that may be the worst, and of a group (a tenth of the rows, if
        these are fewer than ten times as many).
    max_queries : int, default=2_000_000
        Most rows the model is asked about; equal ones are asked once. Where the plan is larger,
        a random part of the rows is examined, with a warning ("paper": batches are smaller).
    l0 : {"printed", "smooth"}, default="printed"
        Of "paper" only: count components that are not 0, or 1 - exp(-b^2 / 2(.2)^2).
    loss_scale : {"printed", "normalized"}, default="printed"
        Of "paper" only: sums, or every part in [0, 1].
    gradient : {"auto", "exact", "finite_differences", "evolution"}, default="auto"
        Of "paper" only: how the loss gets through the model. "exact" needs a torch module or
        skorch net on numbers, and uses its probabilities.
    device : str, default="auto"
        "cpu", "cuda", or any other of torch. "auto": CUDA where there is one.
    random_state : int, RandomState, Generator or None, default=None
        torch's own seed is neither read nor set.
    verbose : bool, default=False
        Tell on stderr how far it has come.

    Attributes
    ----------
    bias_estimates_ : Series
        By feature: the largest mean of |b| over all rows, the predicted classes, the groups, and
        the classes within groups ("paper": Eq. 5, the mean over all rows). NaN for a feature of a
        single value.
    mean_estimates_ : Series
        Mean of |b| over all rows (Eq. 5).
    change_ : Series
        Mean expected change of the output under the directions of the network, rho below.
    estimate_sd_ : Series
        Standard deviation over the restarts: how much chance in the training matters. Not that of
        the sample.
    direct_, total_ : Series
        The same as ``bias_estimates_`` for either effect. Direct 0 with a high total is a proxy.
    null_ : Series
        The same for a placebo: what the proxies of shuffled groups do.
    flip_any_, flip_mean_, flip_best_ : Series
        What no network is needed for: mean over the rows of the largest and of the mean change
        over all values, and the change by the one value that changes most.
    worst_slices_ : DataFrame
        ``name`` and ``size`` of the slice of each estimate.
    proxies_ : DataFrame
        ``feature``, ``proxy``, ``cramers_v`` (bias-corrected) and ``z``.
    loss_curve_ : DataFrame
        ``step`` and the parts of the loss, on rows that are not trained on.
    estimator_ : estimator or callable
        The model that was asked.
    feature_columns_ : dict
        Columns of each feature.
    row_indices_ : integer ndarray
        Positions of the rows that were examined.
    n_queries_, n_steps_ : int
        Rows the model was asked about; steps of the training.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Their names, where they have any.

    Raises
    ------
    ImportError
        By ``fit``: if torch or skorch is not installed; the message names the extra.
    TypeError, ValueError
        By ``fit``: if an option or feature does not exist, X has one row, the model is not fitted
        and there is no y, it fails on changed rows, or `device` is not there.

    Warns
    -----
    UserWarning
        If all estimates are 0, a feature has one value, answers are random, or rows are left out.
    ConvergenceWarning
        If the training was interrupted; what was trained so far counts.

    See Also
    --------
    compare_with_ensemble : Beside 21 bias estimations that need labels.
    BENNScorer : The largest estimate as a score.

    Notes
    -----
    **What it can tell.** Which features, and which through proxies, can change the decision for
    how many people, and where most. `direct` changes the feature to other observed values;
    `total` also moves every associated column from its distribution in the row's group to that
    of another one, each by the coupling that changes the fewest rows.

    **What it cannot.** The total effect is an association, not a cause. No labels are read, so
    that gaps in error rates stay unseen, and a change that is justified counts as any other. A low
    estimate does not mean fair, and does not replace metrics of groups. An overfitted model does
    use noise, and gets estimates that say so. Differences below about .05 are ties, and ``null_``
    is what chance alone gives. The network adds little to ``flip_mean_`` and ``flip_any_``: it
    leaves out changes that cannot be learnt from the row, and tells of new rows without asking
    about them all again.

    **The targeted loss.** For each feature, with rho the expected change under the network's
    distribution over values, the mean of -l1 |b| rho + l2 |b|^2 / 2, plus l3 times the spread of
    the directions: Eq. 4 with 1 - delta replaced by |b|. Its optimum is |b| = (l1 / l2) rho, and 0
    only where nothing changes. Estimates are read on rows that the network was not trained on, at
    the step that did best there. Where no value changes any output, 0 is exact and no network is
    asked.

    **The printed loss.** [1]_ does not say how a black box enters a loss that is minimised by
    gradients. Its count of components has no gradient and tanh is never exactly 0; with equal
    lambdas B = 0 is a global optimum, as is every b that pays for itself, so that the estimates
    depend on the initial weights. ``l0="smooth"``, ``loss_scale="normalized"`` and
    ``lambdas=(1, 1, .1)`` make it work on the synthetic data of the paper; on real data one
    feature then takes all, which one depends on the seed, and proxies are missed. The exact
    gradient of a squared change is 0 at B = 0, where the training starts: it may never leave.

    **Other deviations.** The paper has no target, tables, slices, null or restarts; its headline
    is the mean. Eq. 6 to 8 are in :func:`guidelines`.

    A patent application on the method has been published: EP3968239A1.

    References
    ----------
    .. [1] Giloni et al., "BENN: Bias Estimation Using Deep Neural Network", 2020, arXiv 2012.12537.

    Examples
    --------
    A model that looks at one column, another that repeats it, and one that nothing looks at:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from skfairprop.benn import BENNEstimator
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame(rng.integers(0, 2, (400, 2)), columns=["used", "unused"])
    >>> X["proxy"] = np.where(rng.random(400) < 0.9, X["used"], 1 - X["used"])
    >>> benn = BENNEstimator(lambda X: X["used"], n_init=2, random_state=0).fit(X)
    >>> benn.summary()[["direct", "total"]].round(1)
             direct  total
    feature
    used        1.0    1.0
    proxy       0.0    0.9
    unused      0.0    0.0
    """

    def __init__(
        self,
        estimator: Any,
        *,
        features: Any = None,
        feature_blocks: Mapping | None = None,
        categorical_features: Any = "auto",
        formulation: str = "targeted",
        effect: str = "total",
        response_method: str = "predict",
        n_init: int = 4,
        hidden_layers: Sequence[int] = (40,) * 8,
        max_steps: int = 300,
        batch_size: int = 256,
        learning_rate: float = 3e-3,
        lambdas: Sequence[float] = (1, 1, 1),
        max_values: int = 24,
        n_draws: int = 3,
        proxy_threshold: float = 3.0,
        min_slice_size: int = 30,
        max_queries: int = 2_000_000,
        l0: str = "printed",
        loss_scale: str = "printed",
        gradient: str = "auto",
        device: str = "auto",
        random_state: RandomState = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.features = features
        self.feature_blocks = feature_blocks
        self.categorical_features = categorical_features
        self.formulation = formulation
        self.effect = effect
        self.response_method = response_method
        self.n_init = n_init
        self.hidden_layers = hidden_layers
        self.max_steps = max_steps
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.lambdas = lambdas
        self.max_values = max_values
        self.n_draws = n_draws
        self.proxy_threshold = proxy_threshold
        self.min_slice_size = min_slice_size
        self.max_queries = max_queries
        self.l0 = l0
        self.loss_scale = loss_scale
        self.gradient = gradient
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> "BENNEstimator":
        """Ask the model about changed rows, and train the generator.

        Parameters
        ----------
        X : data frame or array-like of shape (n, n_features)
            Rows as the model takes them.
        y : array-like of shape (n,), optional
            Only to fit a model that is not fitted yet; otherwise not read.

        Returns
        -------
        self

        Raises
        ------
        ImportError
            If torch or skorch is not installed.
        TypeError, ValueError
            See the class.
        """
        check_options(self)
        settings = training_settings(self)
        forget_fit(self)
        rows = self._check_rows(X, reset=True)
        table = read_table(rows, self.categorical_features)
        blocks = find_blocks(table, self.features, self.feature_blocks)
        if rows.shape[0] < 2:
            raise ValueError(
                f"{OWNER}: one row has no other values to take; got n_samples=1, pass at least 2"
            )
        self.estimator_ = self._fitted_model(X, y)
        Z = table.encode(rows)
        examined = Examined(self.estimator_, table, response_method=self.response_method)
        rng = as_generator(self.random_state)
        settings = replace(settings, seed=draw_seed(rng))
        find: Any = find_targeted
        if self.formulation == "paper":
            find = paper_finder(self.l0, self.loss_scale, self.gradient)
        found = find(examined, Z, blocks, column_names(table), self._question(), settings, rng)
        self._blocks, self._names = blocks, [label_text(block.name) for block in blocks]
        self._table, self._found, self._classes = table, found, examined.classes
        self.n_queries_ = examined.n_queries
        self.feature_columns_ = {
            block.name: [column_names(table)[j] for j in block.columns] for block in blocks
        }
        self._publish(found)
        self._warn(found, examined)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Bias vectors: how far each feature can move the output of each row.

        Parameters
        ----------
        X : data frame or array-like of shape (n, n_features)
            The model is asked once for each distinct row.

        Returns
        -------
        ndarray of float64, shape (n, n_features_out)
            In [0, 1]: |b|, the mean over all networks. NaN for a feature that had a single value.
        """
        check_is_fitted(self)
        examined, Z, base = self._ask(X)  # in any case: the model refuses what it cannot take
        found = self._found
        out = np.zeros((len(Z), len(self._names)))
        if found.generator is not None:
            from skfairprop.benn._training import predict_intensity, predict_vectors

            if self.formulation == "paper":
                intensity = predict_vectors(found.generator, found.encoding.encode(Z))
            else:
                read = network_inputs(found.encoding, examined, Z, base, found.n_classes)
                intensity = predict_intensity(found.generator, read - found.center)
            for j, places in enumerate(found.outputs):
                if places:
                    out[:, j] = intensity[:, :, places].max(axis=2).mean(axis=0)
        out[:, found.constant] = np.nan
        return out

    def _ask(self, X: Any) -> tuple[Examined, np.ndarray, np.ndarray]:
        """The model, the encoded rows, and what it says of them."""
        rows = self._check_rows(X, reset=False)
        table = self._table.adapted(rows)
        Z = table.encode(rows)
        examined = Examined(
            self.estimator_, table, response_method=self.response_method, classes=self._classes
        )
        return examined, Z, examined.ask(Z)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features that were examined.

        Parameters
        ----------
        input_features : array-like of str, optional
            Must be the names of the columns of X, where it has any.

        Returns
        -------
        ndarray of str objects
        """
        check_is_fitted(self)
        if input_features is not None:
            given = np.asarray(input_features, dtype=object)
            known = getattr(self, "feature_names_in_", None)
            if known is not None and not np.array_equal(given, known):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError(
                    f"input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(given)}"
                )
        return np.array(self._names, dtype=object)

    def groups_of(self, X: Any) -> dict:
        """The groups that each feature is examined in: values, or quantile bins of a number.

        Parameters
        ----------
        X : data frame or array-like of shape (n, n_features)
            Rows as the model takes them.

        Returns
        -------
        dict of ndarray of str objects, shape (n,)
            By feature. Rare ones are pooled as "other".
        """
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        table = self._table.adapted(rows)
        Z = table.encode(rows)
        return {b.name: group_names(Z, table, b, self.min_slice_size) for b in self._blocks}

    def summary(self) -> pd.DataFrame:
        """All that was found, one row a feature.

        Returns
        -------
        DataFrame
            Indexed by feature, largest estimate first. ``estimate`` and ``sd`` are those of
            ``bias_estimates_`` and ``estimate_sd_``; the other columns are named as the
            attributes are; ``slice`` and ``slice_rows`` tell where the estimate was found.
        """
        check_is_fitted(self)
        return self._found.table.sort_values("estimate", ascending=False, kind="stable")

    # -- parts of fit ---------------------------------------------------------------------------

    def _question(self) -> Question:
        return Question(
            effect=self.effect,
            max_values=int(self.max_values),
            n_draws=int(self.n_draws),
            proxy_threshold=float(self.proxy_threshold),
            min_slice_size=int(self.min_slice_size),
            max_queries=int(self.max_queries),
            verbose=bool(self.verbose),
        )

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        """X as a data frame, array or sparse matrix; its names and width are kept or compared."""
        if hasattr(X, "columns") or hasattr(X, "column_names"):
            rows = as_container(X)
            check_names(rows)
            validate_data(self, X, reset=reset, skip_check_array=True)
            return rows
        X = check_array(X, accept_sparse=True, dtype=None, ensure_all_finite=False, estimator=self)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return as_container(X)

    def _fitted_model(self, X: Any, y: Any) -> Any:
        if not hasattr(self.estimator, "fit"):
            if not callable(self.estimator) and not hasattr(self.estimator, "predict"):
                raise TypeError(
                    f"{OWNER}: estimator must be a classifier or a function of X; got "
                    f"{self.estimator!r}"
                )
            return self.estimator
        if is_fitted(self.estimator):
            return self.estimator
        if y is None:
            raise ValueError(
                f"{OWNER} requires y to be passed, but the target y is None: "
                f"{type(self.estimator).__name__} is not fitted; pass y, or fit it before and "
                "wrap it in sklearn.frozen.FrozenEstimator, which survives cloning"
            )
        rows = net_rows(X) if is_net_like(self.estimator) else X
        return clone(self.estimator).fit(rows, y)

    def _publish(self, found: Found) -> None:
        table = found.table
        self.bias_estimates_ = table["estimate"].rename("bias_estimate")
        self.mean_estimates_ = table["mean"]
        self.estimate_sd_ = table["sd"]
        for name in ("change", "direct", "total", "null", "flip_any", "flip_mean", "flip_best"):
            if name in table:
                setattr(self, f"{name}_", table[name])
        self.worst_slices_ = table[["slice", "slice_rows"]].set_axis(["name", "size"], axis=1)
        self.proxies_ = found.proxies
        self.loss_curve_ = found.curve
        self.n_steps_, self.row_indices_ = found.n_steps, found.rows

    def _warn(self, found: Found, examined: Examined) -> None:
        if found.constant.any():
            names = [n for n, c in zip(self._names, found.constant, strict=True) if c]
            warnings.warn(
                f"{OWNER}: {', '.join(names[:5])} has a single value in X, so that nothing can be "
                "compared: the estimate is NaN",
                UserWarning,
                stacklevel=3,
            )
        if found.is_constant:
            warnings.warn(
                f"{OWNER}: the model says the same of every row, changed or not: all estimates "
                "are 0",
                UserWarning,
                stacklevel=3,
            )
        if found.generator is not None and found.n_steps < self.max_steps:
            warnings.warn(
                f"{OWNER}: training was stopped after {found.n_steps} of {self.max_steps} steps; "
                "the estimates are those of the steps done",
                ConvergenceWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        model = self.estimator
        tags.target_tags.required = hasattr(model, "fit") and not is_fitted(model)
        if hasattr(model, "__sklearn_tags__"):
            inner = get_tags(model).input_tags
            tags.input_tags.allow_nan = inner.allow_nan
            tags.input_tags.sparse = inner.sparse
            tags.input_tags.categorical = inner.categorical
            tags.input_tags.string = inner.string
        return tags
