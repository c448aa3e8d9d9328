"""What is read of scikit-learn's scorers, all of it here: there is no public way to ask them.

Relied upon, and held by tests/scorers/test_sklearn.py: ``make_scorer`` keeps the function, the
sign, the keyword arguments and the response method under the names below.
"""

from dataclasses import dataclass
from inspect import signature
from typing import Any

from sklearn.metrics import accuracy_score, make_scorer

# The class of its scorers, by their public factory.
Scorer: Any = type(make_scorer(accuracy_score))


@dataclass(frozen=True)
class Parts:
    """What a scorer of ``make_scorer`` is made of.

    Attributes
    ----------
    function : callable
        Of labels and predictions.
    sign : {1, -1}
        -1 if smaller values of it are better.
    kwargs : dict
        What else the function is passed.
    response_method : str or tuple of str
        Where the predictions come from.
    """

    function: Any
    sign: int
    kwargs: dict[str, Any]
    response_method: Any

    @property
    def parameters(self) -> set[str]:
        """Names of the function's parameters."""
        return set(signature(self.function).parameters)

    @property
    def is_of_counts(self) -> bool:
        """Whether rows with equal labels and predictions can be one row with their weights."""
        module = str(getattr(self.function, "__module__", ""))
        weighted = "sample_weight" in self.parameters and "sample_weight" not in self.kwargs
        return module.startswith("sklearn.metrics._classification") and weighted

    def score(self, y_true: Any, y_pred: Any, **options: Any) -> float:
        """Score of predictions, larger is better."""
        return float(self.sign * self.function(y_true, y_pred, **options, **self.kwargs))

    def remade(self, **kwargs: Any) -> Any:
        """A scorer with other keyword arguments."""
        return make_scorer(
            self.function,
            response_method=self.response_method,
            greater_is_better=self.sign > 0,
            **{**self.kwargs, **kwargs},
        )


def parts_of(scorer: Any) -> Parts:
    """The parts of a scorer of ``make_scorer``."""
    return Parts(scorer._score_func, scorer._sign, scorer._kwargs, scorer._response_method)


def function_of(scorer: Any) -> Any:
    """The function that a scorer is made of; of a plain callable, itself."""
    return getattr(scorer, "_score_func", scorer)


def sign_of(scorer: Any) -> int:
    """-1 for a scorer whose values are never above 0 because it negates them, else 1."""
    return int(getattr(scorer, "_sign", 1))


def takes_weights(scorer: Any) -> bool:
    """Whether scikit-learn passes sample weights to a scorer when metadata is not routed."""
    return bool(getattr(scorer, "_accept_sample_weight", lambda: False)())
