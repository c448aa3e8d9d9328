"""Scorers whose value depends on the protected attribute of the rows."""

import copy
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest

from skfairprop._checks import check_choice
from skfairprop._resolve import check_sensitive_features
from skfairprop.groups import MISSING_POLICIES
from skfairprop.scorers._fold import Fold, find_fold, respond
from skfairprop.scorers._sklearn import Scorer


class Measure:
    """What a scorer computes, and where it finds the protected attribute.

    Subclasses define :meth:`value`.

    Parameters
    ----------
    name : str
        For the messages.
    sensitive_features : str, list of str, callable, Series, DataFrame or None
    missing : {"raise", "group", "drop"}
    sign : {1, -1}
        -1 if smaller values are better.
    undefined_score : float
        Score in place of an undefined value.
    declared : sequence, optional
        Groups that count whether they occur or not.
    """

    needs_predictions = True
    accepts_weight = True

    def __init__(
        self,
        name: str,
        *,
        sensitive_features: Any = None,
        missing: str = "raise",
        sign: int = -1,
        undefined_score: float = math.nan,
        declared: Sequence[Hashable] | None = None,
    ) -> None:
        check_choice("missing", missing, MISSING_POLICIES)
        if not isinstance(undefined_score, int | float | np.floating):
            raise TypeError(f"undefined_score must be a number; got {undefined_score!r}")
        check_sensitive_features(sensitive_features, owner=name)
        self.__name__ = name
        self.sensitive_features = sensitive_features
        self.missing = missing
        self.sign = sign
        self.undefined_score = undefined_score
        self.declared = declared

    def value(self, fold: Fold) -> float:
        """Value on a fold; NaN if it is undefined."""
        raise NotImplementedError

    def fold(
        self,
        method_caller: Any,
        estimator: Any,
        X: Any,
        y_true: Any,
        sensitive_features: Any = None,
        sample_weight: Any = None,
    ) -> Fold:
        """The rows with their protected attribute, shared by the scorers of a call."""
        return find_fold(
            method_caller,
            estimator,
            X,
            y_true,
            spec=self.sensitive_features,
            routed=sensitive_features,
            sample_weight=sample_weight,
            missing=self.missing,
            declared=self.declared,
            owner=f"{self.__name__} scorer",
        )

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
        pos_label: Hashable | None = None,
    ) -> float:
        """Value of predictions that someone else made from the X that is not passed here.

        scikit-learn tunes a threshold so, and takes the largest score with ``argmax``, which finds
        a NaN: an undefined value is the worst there is.
        """
        fold = self.fold(None, None, None, y_true, sensitive_features, sample_weight)
        fold.y_pred = y_pred
        value = self.value(fold)
        if not math.isnan(value):
            return value
        return self.sign * (-math.inf if math.isnan(self.undefined_score) else self.undefined_score)


class GroupScorer(Scorer):
    """Base of the scorers that need the protected attribute of the rows.

    Parameters
    ----------
    measure : Measure
    pos_label : hashable, optional
        Where the measure looks at one class: tuning a threshold needs to know it.
    """

    def __init__(self, measure: Measure, *, pos_label: Hashable | None = None) -> None:
        kwargs = {} if pos_label is None else {"pos_label": pos_label}
        super().__init__(measure, measure.sign, kwargs, "predict")
        self._requests: dict[str, bool | str | None] = {
            "sensitive_features": True,
            "sample_weight": None,
        }

    @property
    def measure(self) -> Any:
        """What the scorer computes."""
        return self._score_func

    @property
    def sensitive_features(self) -> Any:
        """How the scorer finds the protected attribute, as given."""
        return self.measure.sensitive_features

    # -- scoring --------------------------------------------------------------------------------

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y_true: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
    ) -> float:
        """Score of an estimator.

        Parameters
        ----------
        estimator : estimator
            Fitted.
        X : {array-like, sparse matrix, data frame} of shape (n, n_features)
        y_true : array-like of shape (n,)
        sensitive_features : array-like of n rows, optional
            Protected attribute of these rows. It goes before what was given at construction.
        sample_weight : array-like of shape (n,), optional
            Not negative.

        Returns
        -------
        float
            Larger is better.

        Raises
        ------
        ScorerSetupError
            If the protected attribute or the positive class cannot be found.
        """
        return self._score(
            None,
            estimator,
            X,
            y_true,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
        )

    def _score(
        self,
        method_caller: Callable | None,
        estimator: Any,
        X: Any,
        y_true: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
    ) -> float:
        """Where scikit-learn enters with several scorers; they share what `method_caller` keeps."""
        measure = self.measure
        fold = measure.fold(method_caller, estimator, X, y_true, sensitive_features, sample_weight)
        if measure.needs_predictions and fold.y_pred is None:
            fold.y_pred = respond(fold, "predict", method_caller)
        value = measure.value(fold)
        if math.isnan(value):
            return float(measure.undefined_score)
        return measure.sign * value + 0.0  # no negative zero

    def _accept_sample_weight(self) -> bool:
        return bool(self.measure.accepts_weight)

    # -- metadata routing -----------------------------------------------------------------------

    def set_score_request(
        self,
        *,
        sensitive_features: bool | str | None = UNCHANGED,
        sample_weight: bool | str | None = UNCHANGED,
    ) -> "GroupScorer":
        """Say which metadata scikit-learn shall pass to this scorer.

        Parameters
        ----------
        sensitive_features : bool, str or None
            True, the default of a scorer: pass it if the caller has it. False: never. None: fail
            if the caller has it. A name: pass the metadata of that name.
        sample_weight : bool, str or None
            Likewise; None is the default of a scorer.

        Returns
        -------
        self

        Raises
        ------
        RuntimeError
            If metadata routing is not enabled.
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "metadata is routed only with sklearn.set_config(enable_metadata_routing=True)"
            )
        given = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
        changed = {name: alias for name, alias in given.items() if alias is not UNCHANGED}
        self._requests = self._requests | changed
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Metadata that the scorer asks for.

        Returns
        -------
        MetadataRequest
            Made afresh: a stored one breaks when imbalanced-learn, imported later, adds a method.
        """
        request = MetadataRequest(owner=self)
        for name, alias in self._requests.items():
            if name != "sample_weight" or self.measure.accepts_weight:
                request.score.add_request(param=name, alias=alias)
        return request

    # scikit-learn up to 1.8 reads the request of a scorer under this name.
    _get_metadata_request = get_metadata_routing

    # -- copies ---------------------------------------------------------------------------------

    def __sklearn_clone__(self) -> "GroupScorer":
        """A copy that shares the protected attribute: searches clone their scorers."""
        return copy.copy(self)

    def __deepcopy__(self, memo: dict) -> "GroupScorer":
        return copy.copy(self)

    def _describe(self) -> str:
        """The protected attribute as text for a repr, "" if none was given."""
        spec = self.sensitive_features
        if spec is None:
            return ""
        if isinstance(spec, pd.Series | pd.DataFrame):
            names = [spec.name] if isinstance(spec, pd.Series) else spec.columns.tolist()
            return f", sensitive_features=<{names} of {len(spec):,} rows>"
        return f", sensitive_features={getattr(spec, '__name__', repr(spec))}"


def show_all(options: Mapping[str, Any]) -> str:
    """Arguments as text, each after a comma."""
    return "".join(f", {name}={value!r}" for name, value in options.items())


def show_changed(cls: type, settings: Mapping[str, Any]) -> str:
    """Those arguments of a scorer as text that differ from its defaults, in its order."""
    plain = {k: p.default for k, p in signature(cls).parameters.items() if k in settings}
    # by their texts: NaN is not equal to itself, and an array has no one answer
    return show_all({k: settings[k] for k, v in plain.items() if repr(settings[k]) != repr(v)})
