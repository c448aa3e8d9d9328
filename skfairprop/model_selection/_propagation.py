"""Train on data with more and more bias, and see how much of it the models show."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import check_scoring
from sklearn.utils.parallel import delayed

from skfairprop._checks import check_integer
from skfairprop._progress import Progress
from skfairprop._random import RandomState, draw_seed
from skfairprop.counts import GroupCounts
from skfairprop.model_selection._checkpoint import (
    Checkpoint,
    describe,
    describe_estimator,
    digest,
)
from skfairprop.model_selection._parallel import as_finished
from skfairprop.model_selection._propagation_data import (
    OWNER,
    Part,
    common_labels,
    train_and_test,
)
from skfairprop.model_selection._propagation_fits import Fit, list_fits, run_fit, with_factor
from skfairprop.model_selection._propagation_metrics import dataset_calls, model_calls
from skfairprop.model_selection._propagation_result import PropagationResult, evaluate_study
from skfairprop.preprocessing import BiasInducer
from skfairprop.preprocessing._shares import check_factor


def bias_propagation(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    inducer: Any,
    factors: Sequence[float] | None = None,
    n_repeats: int = 3,
    dataset_metrics: Any = "all",
    model_metrics: Any = "all",
    scoring: Any = None,
    test: Any = 0.3,
    pos_label: Hashable | None = None,
    checkpoint: Any = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
    random_state: RandomState = None,
) -> PropagationResult:
    """Train on data with more and more bias, and see how much of it the models show.

    For each factor and repeat, bias is induced in the training rows, a clone of the estimator is
    fitted to them, and its predictions are counted on one common test set that stays as it is [1]_.

    Parameters
    ----------
    estimator : estimator
        Classifier or Pipeline. Every ``random_state`` in it that is None gets a seed of its own in
        each fit; those that are set stay.
    X : indexable of n rows
        What the estimator takes.
    y : array-like of shape (n,)
        Classes.
    sensitive_features : str, list of str, callable, Series, DataFrame or array-like
        Protected columns: names of columns of X, a callable of X, pandas data aligned on the index
        of X, or an array of n rows.
    inducer : BiasInducer, or dict of str -> BiasInducer
        What induces the bias, by experiment; or another sampler with a parameter ``f`` and
        ``sample_indices_``. Its ``f`` and ``random_state`` are set anew for each fit. If ``f`` is a
        dict of class -> number, these numbers are multiplied by the factor: ``{"sad": 1,
        "angry": -1}`` goes both ways at once.
    factors : sequence of float, optional
        Bias factors in [-1, 1]. Default: 11 from -1 to 1.
    n_repeats : int, default=3
        How often to draw rows and fit for each factor.
    dataset_metrics : "all", sequence or dict, default="all"
        Metrics of the training data: names in ``METRICS``, or a dict of name -> name or
        :class:`~skfairprop.inference.MetricCall` with options.
    model_metrics : "all", sequence or dict, default="all"
        Metrics of the predictions on the test rows, likewise. "all" are those that counts suffice
        for: disparity and amplification, and those of a positive class if it is known.
    scoring : str, callable, list of str or dict, optional
        Scorers to compute on the test rows as well, as in
        :func:`sklearn.model_selection.cross_validate`. Accuracy and balanced accuracy are always
        there.
    test : float or tuple, default=0.3
        Share of every cell (group, class) to test on, or the test rows as ``(X, y)`` or
        ``(X, y, sensitive_features)``.
    pos_label : hashable, optional
        The positive class, for metrics that need one. With more than two classes: that class
        against the rest.
    checkpoint : path-like, optional
        File to which every finished fit is written. A study that was killed goes on from it, and
        loses the running fits at most.
    n_jobs : int, optional
        Fits at a time, see :class:`joblib.Parallel`; the result does not depend on it.
    verbose : bool, optional
        Whether to show progress on stderr. Default: if that is a terminal.
    random_state : int, RandomState, Generator or None, default=None
        For the test rows, the induced rows and the estimators. None: another study each time,
        except that a checkpoint goes on with its own.

    Returns
    -------
    PropagationResult
        Tidy ``results``, ``summary()`` with intervals, ``correlations()``, and the counts.

    Raises
    ------
    ValueError
        If an argument is not allowed, a metric does not apply, a cell has no rows, or `checkpoint`
        is of another study; the message says what differs. Errors of a fit say which one it was.

    Warns
    -----
    UndefinedMetricWarning
        If metrics are undefined in some fits.
    UserWarning
        If the test set lacks rows of a group and class.

    See Also
    --------
    PropagationResult.from_counts : Analyse stored counts without training.
    skfairprop.preprocessing.BiasInducer : The kinds of bias.

    Notes
    -----
    The induced data shrink as the bias grows: what a model loses is partly for want of data, not
    of balance. With ``BiasInducer(rounding="largest_remainder")`` at least the classes keep their
    size whatever f. Small test groups make most model metrics larger than 0 for a fair model; look
    at f = 0.

    Networks draw from torch's global generator, so that a repeat depends on what ran before it;
    wrap them so that ``fit`` seeds torch from a ``random_state``.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, sections 4 and 5.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.model_selection import bias_propagation
    >>> from skfairprop.preprocessing import BiasInducer
    >>> data = make_biased_classification(
    ...     3000, base_rates=(0.5, 0.5), proxy_strength=0.9, random_state=0
    ... )
    >>> study = bias_propagation(
    ...     LogisticRegression(),
    ...     data.data,
    ...     data.target,
    ...     sensitive_features=data.sensitive_features,
    ...     inducer=BiasInducer("stereotypical", target_group="g1", target_classes=[1]),
    ...     factors=[-0.8, -0.4, 0, 0.4, 0.8],
    ...     random_state=0,
    ... )
    >>> summary = study.summary().set_index(["metric", "f"])
    >>> summary.loc["cramers_v", "mean"].round(2).tolist()
    [0.44, 0.2, 0.0, 0.2, 0.44]
    >>> bool(summary.loc[("equal_opportunity", 0.8), "lower"] > 0.2)
    True
    """
    inducers = inducer if isinstance(inducer, Mapping) else {"study": inducer}
    factors = _check_factors(factors)
    check_integer("n_repeats", n_repeats, least=1, owner=OWNER)
    scorers = _named_scorers(scoring)
    dataset_calls(dataset_metrics)
    seed = draw_seed(random_state)
    store = None
    if checkpoint is not None:
        study = _describe(estimator, inducers, X, y, sensitive_features, test)
        study |= {"factors": list(factors), "n_repeats": int(n_repeats), "scoring": sorted(scorers)}
        study["random_state"] = None if random_state is None else seed
        store = Checkpoint(checkpoint, study, seed)
        seed = store.seed
    train, held_out = train_and_test(X, y, sensitive_features, test, seed)
    train, held_out = _keep_common(train, held_out, inducers, factors)
    model_calls(model_metrics, _perfect(held_out), pos_label)  # refuse before anything is fitted
    fits = list_fits(list(inducers), factors, int(n_repeats), seed)
    scorer = check_scoring(estimator, scoring=scorers) if scorers else None
    run = partial(run_fit, estimator=estimator, train=train, test=held_out, scorer=scorer)
    records = _run(fits, run, inducers, store, n_jobs, verbose)
    return _collect(records, held_out, dataset_metrics, model_metrics, pos_label)


def _describe(
    estimator: Any, inducers: Mapping[str, Any], X: Any, y: Any, people: Any, test: Any
) -> dict[str, Any]:
    """What a checkpoint is compared by, beside the numbers of the study."""
    parts = {
        "X": digest(X),
        "y": digest(y),
        "sensitive_features": describe(people),
        "test": [digest(part) for part in test] if isinstance(test, tuple) else repr(test),
    }
    parts |= describe_estimator("estimator", estimator)
    for name, inducer in inducers.items():
        parts |= describe_estimator(f"inducer {name!r}", inducer)
    return parts


def _check_factors(factors: Sequence[float] | None) -> list[float]:
    if factors is None:
        factors = np.linspace(-1, 1, 11).round(12).tolist()
    out = [check_factor(f, "factors", owner=OWNER) + 0.0 for f in factors]  # -0.0 is 0
    if not out or len(set(out)) < len(out):
        raise ValueError(f"{OWNER}: factors must be distinct numbers, at least one; got {out}")
    return out


def _named_scorers(scoring: Any) -> dict[str, Any]:
    if scoring is None:
        return {}
    if isinstance(scoring, Mapping):
        return dict(scoring)
    if isinstance(scoring, str):
        return {scoring: scoring}
    if callable(scoring):
        return {"score": scoring}
    names = list(scoring)
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"{OWNER}: scoring must be names, a callable or a dict; got {scoring!r}")
    return {name: name for name in names}


def _keep_common(
    train: Part, test: Part, inducers: Mapping[str, Any], factors: Sequence[float]
) -> tuple[Part, Part]:
    """The rows of the groups and classes that the study is about."""
    fitted = []
    for name, inducer in inducers.items():
        if not isinstance(name, str | int):  # anything else would come out of a checkpoint changed
            raise ValueError(
                f"{OWNER}: experiments must be named by texts or integers; got {name!r}"
            )
        if not hasattr(inducer, "fit_resample"):
            raise ValueError(f"{OWNER}: the inducer {name!r} has no fit_resample; got {inducer!r}")
        for f in (max(factors, key=abs), factors[0]):  # the strongest bias may be too strong
            one = with_factor(inducer, f)
            if isinstance(one, BiasInducer):
                one._fit_cells(train.cells)
        fitted.append(one)
    groups, classes = common_labels(train, test, fitted)
    return train.within(groups, classes), test.within(groups, classes)


def _perfect(test: Part) -> GroupCounts:
    """Counts of the test rows as if they were predicted without error."""
    codes = test.cells.class_codes
    return GroupCounts.from_codes(
        test.cells.group_codes,
        codes,
        codes,
        groups=test.cells.groups,
        classes=test.cells.classes,
    )


def _run(
    fits: list[Fit],
    run: Callable[..., dict[str, Any]],
    inducers: Mapping[str, Any],
    store: Checkpoint | None,
    n_jobs: int | None,
    verbose: bool | None,
) -> list[dict[str, Any]]:
    """Records of all fits, in their order; those that the checkpoint holds are not run again."""
    done = {}
    if store is not None:
        done = {(r["experiment"], r["f"], r["repeat"]): r for r in store.records}
    left = [fit for fit in fits if fit.key not in done]
    progress = Progress(OWNER, len(fits), unit="fits", done=len(fits) - len(left), verbose=verbose)
    calls = [delayed(run)(fit, inducer=inducers[fit.experiment]) for fit in left]
    for record in as_finished(calls, n_jobs=n_jobs):
        if store is not None:
            store.append(record)
        done[record["experiment"], record["f"], record["repeat"]] = record
        progress.step()
    return [done[fit.key] for fit in fits]


def _collect(
    records: list[dict[str, Any]],
    test: Part,
    dataset_metrics: Any,
    model_metrics: Any,
    pos_label: Hashable | None,
) -> PropagationResult:
    groups, classes = test.cells.groups, test.cells.classes
    of_data, of_model = (np.array([r[key] for r in records]) for key in ("dataset", "model"))
    runs = pd.DataFrame(records).drop(columns=["dataset", "model", "scores"])
    return evaluate_study(
        runs,
        GroupCounts(of_data, groups=groups, classes=classes, predicted=False),
        GroupCounts(of_model, groups=groups, classes=classes),
        dataset_metrics=dataset_metrics,
        model_metrics=model_metrics,
        pos_label=pos_label,
        scores={name: [r["scores"][name] for r in records] for name in records[0]["scores"]},
    )
