"""Optional dependencies: imported when first used, with one message that names the extra."""

from importlib import import_module
from types import ModuleType


def import_optional(module: str, *, extra: str) -> ModuleType:
    """Import an optional module or say which extra brings it.

    Parameters
    ----------
    module : str
        Name of the module, e.g. ``"shap"``.
    extra : str
        The extra of skfairprop that installs it, e.g. ``"explain"``.

    Returns
    -------
    module

    Raises
    ------
    ImportError
        If the module is not installed; the message names the extra.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as exc:
        if exc.name is not None and exc.name.split(".")[0] != module.split(".")[0]:
            raise  # the module is there but one of its own dependencies is not
        raise ImportError(
            f"{module!r} is not installed; it comes with the extra {extra!r}: "
            f"pip install 'skfairprop[{extra}]'"
        ) from exc
