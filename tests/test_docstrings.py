"""Docstrings: everything public says what it takes, what it returns and how it is used."""

import inspect
import re
from dataclasses import is_dataclass

import pytest

from tests.public import CLASSES, FUNCTIONS, METHODS, PROPERTIES, public_modules

docscrape = pytest.importorskip("numpydoc.docscrape")
validate = pytest.importorskip("numpydoc.validate")

EVERYTHING = CLASSES | FUNCTIONS | METHODS
# An exception takes a message, and is shown where it is raised.
EXCEPTIONS = {name for name, thing in CLASSES.items() if issubclass(thing, Exception)}
# Faults that numpydoc finds and that are none here: a blank line at the start and the end is no
# need (GL01, GL02), a summary may say what something is and take two lines (SS03, SS05, SS06), it
# suffices without an extended one (ES01), what a name means may begin with a small letter or end
# without a full stop (PR08, PR09, RT04, RT05), a type that says all needs no description (RT03),
# and not everything has relatives (SA01, SA04). Parameters and examples are looked at below.
TOLERATED = {
    *("GL01", "GL02", "SS03", "SS05", "SS06", "ES01", "PR08", "PR09", "RT03", "RT04", "RT05"),
    *("SA01", "SA04", "PR01", "PR02", "PR03", "PR04", "PR07", "RT01", "EX01"),
}


def section(thing, name):
    """The entries of a section: names, type and description."""
    doc = docscrape.get_doc_object(thing, config={"show_class_members": False})
    return [
        ([part.strip() for part in entry.name.split(", ")], entry.type, " ".join(entry.desc))
        for entry in doc[name]
    ]


def documented(thing):
    """What is documented as a parameter, by name: a type and a description."""
    entries = section(thing, "Parameters")
    if inspect.isclass(thing) and is_result(thing):
        entries += section(thing, "Attributes")
    return {name: (kind, text) for names, kind, text in entries for name in names}


def is_result(thing):
    """Whether the fields are what was found, documented as attributes."""
    return is_dataclass(thing) or hasattr(thing, "_fields")


def parameters(thing):
    """Names of the parameters, as they are documented."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    try:
        found = inspect.signature(thing).parameters.values()
    except ValueError:
        return []
    return [stars.get(p.kind, "") + p.name for p in found if p.name not in ("self", "cls")]


def full_name(thing):
    """The name under which a class or function is public."""
    return next(name for name, other in EVERYTHING.items() if other is thing)


def resolve(reference, name):
    """The full name of what a reference in the docstring of `name` leads to."""
    reference = reference.removeprefix("~")
    return reference if reference in EVERYTHING else f"{name.rsplit('.', 1)[0]}.{reference}"


def is_explained(name, parameter):
    """Whether a parameter has a type and a description, here or where its entry refers to."""
    kind, text = documented(EVERYTHING[name]).get(parameter, ("", ""))
    if kind or parameter.startswith("*"):
        return bool(text)
    references = re.findall(r":(?:func|class|meth):`([^`]+)`", text)
    return any(is_explained(resolve(r, name), parameter) for r in references)


@pytest.mark.parametrize("name", sorted(EVERYTHING))
def test_every_parameter_is_documented_in_order(name):
    thing = EVERYTHING[name]
    if name in EXCEPTIONS:
        return
    found = list(documented(thing))
    if inspect.isclass(thing) and is_result(thing):  # in a better order, with properties
        fields = [name for name in found if f"{full_name(thing)}.{name}" not in PROPERTIES]
        assert sorted(fields) == sorted(parameters(thing))
    else:
        assert found == parameters(thing)


@pytest.mark.parametrize("name", sorted(EVERYTHING.keys() - EXCEPTIONS))
def test_every_parameter_has_a_type_and_a_description(name):
    unexplained = [p for p in parameters(EVERYTHING[name]) if not is_explained(name, p)]
    assert unexplained == []


@pytest.mark.parametrize("name", sorted(FUNCTIONS | METHODS))
def test_what_is_returned_is_documented(name):
    thing = EVERYTHING[name]
    doc = docscrape.get_doc_object(thing)
    returns = inspect.signature(thing).return_annotation
    assert bool(doc["Returns"] or doc["Yields"]) == (returns not in (None, "None"))


@pytest.mark.parametrize("name", sorted((CLASSES | FUNCTIONS).keys() - EXCEPTIONS))
def test_there_is_an_example_that_shows_something(name):
    lines = docscrape.get_doc_object(EVERYTHING[name])["Examples"]
    assert any(line.startswith(">>> ") and "import" not in line for line in lines)


@pytest.mark.parametrize("name", sorted(EVERYTHING | PROPERTIES))
def test_numpydoc_finds_no_other_fault(name):
    found = validate.validate(name)["errors"]
    assert [error for error in found if error[0] not in TOLERATED] == []


def test_every_module_says_what_it_is_for():
    for module in public_modules():
        assert module.__doc__.strip().endswith(".")
        assert len(module.__doc__.strip().splitlines()[0]) <= 100
