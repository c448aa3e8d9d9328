"""Which options of BENNEstimator are allowed."""

from numbers import Integral, Real
from typing import Any

from skfairprop._optional import import_optional
from skfairprop.benn._features import OWNER

FORMULATIONS = ("targeted", "paper")
EFFECTS = ("total", "direct")
CHOICES = {
    "formulation": FORMULATIONS,
    "effect": EFFECTS,
    "response_method": ("predict", "predict_proba"),
    "l0": ("printed", "smooth"),
    "loss_scale": ("printed", "normalized"),
    "gradient": ("auto", "exact", "finite_differences", "evolution"),
}
_WHOLE = {
    "n_init": 1,
    "max_steps": 1,
    "batch_size": 1,
    "max_values": 2,
    "n_draws": 1,
    "min_slice_size": 1,
    "max_queries": 1,
}


def check_options(estimator: Any) -> None:
    """Raise for the first option that is not allowed.

    Raises
    ------
    ValueError
        With the option, its value and what it may be.
    """
    for name, known in CHOICES.items():
        if getattr(estimator, name) not in known:
            raise ValueError(
                f"{OWNER}: {name} must be one of {known}; got {getattr(estimator, name)!r}"
            )
    for name, least in _WHOLE.items():
        check_whole(name, getattr(estimator, name), least)
    for name in ("learning_rate", "proxy_threshold"):
        value = getattr(estimator, name)
        if not is_number(value) or value <= 0:
            raise ValueError(f"{OWNER}: {name} must be a number above 0; got {value!r}")
    _check_layers(estimator.hidden_layers)
    _check_lambdas(estimator.lambdas)


def training_settings(estimator: Any) -> Any:
    """Settings of the training; the seed is still to be set.

    Raises
    ------
    ImportError
        If torch or skorch is not installed; the message names the extra.
    ValueError
        If the device is not there.
    """
    import_optional("torch", extra="torch")
    import_optional("skorch", extra="torch")
    from skfairprop.benn._training import Settings, pick_device

    prediction, selection, similarity = (float(v) for v in estimator.lambdas)
    return Settings(
        n_init=int(estimator.n_init),
        hidden_layers=tuple(estimator.hidden_layers),
        max_steps=int(estimator.max_steps),
        batch_size=int(estimator.batch_size),
        learning_rate=float(estimator.learning_rate),
        lambdas=(prediction, selection, similarity),
        device=pick_device(estimator.device),
        seed=0,
    )


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise unless a value is a whole number, and large enough."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{OWNER}: {name} must be an integer of at least {least}; got {value!r}")


def is_number(value: Any) -> bool:
    """Whether a value is a number that can be compared; NaN and infinity are none."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    return abs(float(value)) < float("inf")


def _check_layers(layers: Any) -> None:
    if not isinstance(layers, list | tuple) or not layers:
        raise ValueError(
            f"{OWNER}: hidden_layers must hold the width of each layer, as (40, 40); got {layers!r}"
        )
    for width in layers:
        check_whole("hidden_layers", width, 1)


def _check_lambdas(lambdas: Any) -> None:
    listed = isinstance(lambdas, list | tuple) and len(lambdas) == 3
    if not listed or not all(is_number(v) and v >= 0 for v in lambdas) or min(lambdas[:2]) <= 0:
        raise ValueError(
            f"{OWNER}: lambdas must be three numbers, the first two above 0 and the third at least "
            f"0; got {lambdas!r}"
        )
