"""What is public: the names that the modules of the package export, and their methods."""

import importlib
import inspect
import pkgutil

import skfairprop


def public_modules():
    """The package and its public modules."""
    yield skfairprop
    for found in pkgutil.iter_modules(skfairprop.__path__):
        if not found.name.startswith("_"):
            yield importlib.import_module(f"skfairprop.{found.name}")


def _public_objects():
    for module in public_modules():
        if module is skfairprop:  # they are exported by another module, too
            continue
        for name in module.__all__:
            yield f"{module.__name__}.{name}", getattr(module, name)


def members(cls):
    """Public methods and properties that the package gives a class, by name."""
    for name in dir(cls):
        owner = next((c for c in cls.__mro__ if name in vars(c)), object)
        if name.startswith("_") or not owner.__module__.startswith("skfairprop"):
            continue
        found = inspect.getattr_static(owner, name)
        if name.startswith("set_") and name.endswith("_request"):  # made by scikit-learn
            continue
        if hasattr(found, "fget") or callable(getattr(owner, name)) or hasattr(found, "func"):
            yield name, found


OBJECTS = {name: thing for name, thing in _public_objects() if callable(thing)}
CLASSES = {name: thing for name, thing in OBJECTS.items() if inspect.isclass(thing)}
FUNCTIONS = {name: thing for name, thing in OBJECTS.items() if not inspect.isclass(thing)}
METHODS = {
    f"{name}.{method}": getattr(cls, method)
    for name, cls in CLASSES.items()
    for method, found in members(cls)
    if not (hasattr(found, "fget") or type(found).__name__ == "cached_property")
}
PROPERTIES = {
    f"{name}.{attribute}": getattr(cls, attribute)
    for name, cls in CLASSES.items()
    for attribute, found in members(cls)
    if hasattr(found, "fget") or type(found).__name__ == "cached_property"
}
