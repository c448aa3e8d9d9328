"""Type hints: every public parameter, result and property has one that can be read."""

import inspect

import pytest

from tests.public import CLASSES, FUNCTIONS, METHODS, PROPERTIES

SIGNATURES = (
    FUNCTIONS
    | METHODS
    | {n: c.__init__ for n, c in CLASSES.items() if not issubclass(c, BaseException | tuple)}
    | {n: p.fget if isinstance(p, property) else p.func for n, p in PROPERTIES.items()}
)


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_everything_has_a_type(name):
    signature = inspect.signature(SIGNATURES[name])
    bare = [
        p.name
        for p in signature.parameters.values()
        if p.annotation is p.empty and p.name not in ("self", "cls")
    ]
    assert bare == []
    assert signature.return_annotation is not signature.empty


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_types_can_be_read(name):
    for parameter in inspect.signature(SIGNATURES[name]).parameters.values():
        # numpy's ArrayLike is shown as the union of a dozen types
        assert "_SupportsArray" not in str(parameter.annotation), parameter.name
