"""Hand weights to whatever finally fits: an estimator, the last step of a Pipeline, a search."""

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter

from skfairprop.meta._delegating import routing_enabled

# With routing on, the weights travel under a name that nothing else asks for: `sample_weight`
# itself would be refused by every scaler of a Pipeline that was not told whether to take it.
ALIAS = "skfairprop_sample_weight"


def fit_with_weights(
    estimator: Any, X: Any, y: Any, weights: np.ndarray, params: dict[str, Any], *, owner: str
) -> Any:
    """Fit `estimator`, a clone of its own, with weights.

    Parameters
    ----------
    estimator : estimator
        With routing on, its metadata requests are changed.
    X, y : rows and classes
    weights : array of shape (n,)
    params : dict
        Other arguments of its ``fit``.
    owner : str
        For the messages.

    Returns
    -------
    estimator
        Fitted.

    Raises
    ------
    ValueError
        If it takes no weights, or a step changes the rows.
    """
    keyword = _keyword(estimator, owner)
    if not routing_enabled():
        if keyword in params:
            raise ValueError(
                f"{owner} makes {keyword} itself; pass weights of your own as sample_weight, they "
                "are multiplied"
            )
        return estimator.fit(X, y, **params, **{keyword: weights})
    direct = has_fit_parameter(estimator, "sample_weight")
    request_weights(estimator, "sample_weight" if direct else ALIAS)
    metadata = params if direct else params | {ALIAS: weights}
    if metadata:
        metadata = _routed(estimator, metadata, owner)
    if direct:
        metadata["sample_weight"] = weights
    return estimator.fit(X, y, **metadata)


def request_weights(estimator: Any, name: str = ALIAS) -> None:
    """Have `estimator` ask for the metadata `name` as its weights, where it finally fits."""
    if isinstance(estimator, Pipeline):
        if name != ALIAS:  # a wrapper hands the weights on under the name that scalers know, too
            _decline([step for _, step in estimator.steps[:-1]])
    elif has_fit_parameter(estimator, "sample_weight"):
        estimator.set_fit_request(sample_weight=True if name == "sample_weight" else name)
        name = "sample_weight"  # under which it hands them on, if it wraps another estimator
    for inner in _inner(estimator):
        request_weights(inner, name)


def _routed(estimator: Any, metadata: dict[str, Any], owner: str) -> dict[str, Any]:
    router = MetadataRouter(owner=owner).add(
        estimator=estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit")
    )
    if ALIAS in metadata and not router.consumes("fit", [ALIAS]):
        raise ValueError(
            f"{owner}: with metadata routing on, weights do not reach the estimator that "
            f"{type(_last(estimator)).__name__} wraps; put {owner} around that one, inside"
        )
    return dict(process_routing(router, "fit", **metadata)["estimator"]["fit"])


def _decline(steps: list[Any]) -> None:
    """Let steps that were not told whether to take `sample_weight` go without."""
    for step in steps:
        if has_fit_parameter(step, "sample_weight"):
            request = step.get_metadata_routing()
            if request.fit.requests.get("sample_weight") is None:
                step.set_fit_request(sample_weight=False)


def _inner(estimator: Any) -> list[Any]:
    """Estimators to which `estimator` hands what its ``fit`` gets."""
    listed = getattr(estimator, "estimators", None)  # of votes and stacks
    if isinstance(estimator, Pipeline):
        found = [estimator.steps[-1][1]]
    elif isinstance(listed, list):
        found = [pair[1] for pair in listed]
    else:
        found = [getattr(estimator, "estimator", None)]
    return [inner for inner in found if hasattr(inner, "fit")]


def _last(estimator: Any) -> Any:
    return _last(estimator.steps[-1][1]) if isinstance(estimator, Pipeline) else estimator


def _keyword(estimator: Any, owner: str) -> str:
    """Argument of ``fit`` that takes the weights, with routing off: "step__sample_weight"."""
    inner = _inner(estimator)
    if isinstance(estimator, Pipeline):
        _refuse_samplers(estimator, owner)
        if inner:
            return f"{estimator.steps[-1][0]}__{_keyword(inner[0], owner)}"
    if has_fit_parameter(estimator, "sample_weight"):
        return "sample_weight"
    keywords = {_keyword(one, owner) for one in inner}
    if len(keywords) == 1:
        return keywords.pop()
    raise ValueError(
        f"{owner}: {type(estimator).__name__}.fit has no sample_weight; use ResampledClassifier "
        "with a RowReplicator, which replicates rows instead"
    )


def _refuse_samplers(pipeline: Pipeline, owner: str) -> None:
    for name, step in pipeline.steps:
        if hasattr(step, "fit_resample"):
            raise ValueError(
                f"{owner}: step {name!r} changes the rows, and weights made before it would not "
                f"fit those after it; take it out, and wrap {owner} in a ResampledClassifier with "
                "that sampler"
            )
