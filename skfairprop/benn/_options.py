"""Which options of BENNEstimator are allowed."""

from typing import Any

from skfairprop._checks import check_choice, check_integer, check_number
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
        check_choice(name, getattr(estimator, name), known, owner=OWNER)
    for name, least in _WHOLE.items():
        check_integer(name, getattr(estimator, name), least=least, owner=OWNER)
    for name in ("learning_rate", "proxy_threshold"):
        check_number(name, getattr(estimator, name), "(0, inf)", owner=OWNER)
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
        verbose=bool(estimator.verbose),
    )


def _check_layers(layers: Any) -> None:
    if not isinstance(layers, list | tuple) or not layers:
        raise ValueError(
            f"{OWNER}: hidden_layers must hold the width of each layer, as (40, 40); got {layers!r}"
        )
    for width in layers:
        check_integer("hidden_layers", width, least=1, owner=OWNER)


def _check_lambdas(lambdas: Any) -> None:
    if not isinstance(lambdas, list | tuple) or len(lambdas) != 3:
        raise ValueError(f"{OWNER}: lambdas must hold three numbers; got {lambdas!r}")
    for value, within in zip(lambdas, ("(0, inf)", "(0, inf)", "[0, inf)"), strict=True):
        check_number("lambdas", value, within, owner=OWNER)
