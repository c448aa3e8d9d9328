"""Requests of metadata that hold unless the user decides otherwise."""

from collections.abc import Callable
from inspect import signature
from typing import Any


def request_sensitive_features(request: Any, *methods: str) -> Any:
    """Let `methods` ask for the metadata `sensitive_features`.

    Parameters
    ----------
    request : MetadataRequest
        What ``BaseEstimator.get_metadata_routing`` returns, a copy of its own.
    *methods : str
        Those that scikit-learn does not know are passed over: ``fit_resample`` is one of them
        until imbalanced-learn is imported.

    Returns
    -------
    MetadataRequest
        `request`, changed in place.

    Notes
    -----
    Made afresh at every call rather than with ``__metadata_request__fit`` class attributes:
    scikit-learn 1.7 fails on one for a method it does not know, and 1.8.0 ignores them.
    """
    for method in methods:
        of_method = getattr(request, method, None)
        if of_method is not None and of_method.requests.get("sensitive_features") is None:
            of_method.add_request(param="sensitive_features", alias=True)
    return request


def takes_sensitive_features(method: Callable[..., Any]) -> bool:
    """Whether a method has an argument of this name."""
    return "sensitive_features" in signature(method).parameters
