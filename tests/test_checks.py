"""Checks of arguments, and that the messages of the package speak with one voice."""

import ast
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from skfairprop._checks import check_choice, check_integer, check_number, is_integer, is_number

# The words that scikit-learn's checks of an estimator look for.
SCIKIT_LEARN_S = ("input_features should have length equal", "requires y to be passed")
PACKAGE = Path(__file__).parents[1] / "skfairprop"


# -- single arguments -----------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["c", "A", 1, ["a"], np.array(["a", "b"]), None, {}])
def test_what_is_no_choice(value):
    with pytest.raises(ValueError, match=r"^Owner: kind must be one of \('a', 'b'\); got ") as exc:
        check_choice("kind", value, ("a", "b"), owner="Owner")
    assert str(exc.value).endswith(repr(value))


def test_what_is_a_choice():
    for value in ("a", None, True, 2):
        check_choice("kind", value, ["a", None, True, 2])


@pytest.mark.parametrize("value", [True, np.True_, 1.0, "1", None, 0, 4, np.nan, [1]])
def test_what_is_no_integer(value):
    with pytest.raises(ValueError, match=r"^n must be an integer from 1 to 3; got "):
        check_integer("n", value, least=1, most=3)


@pytest.mark.parametrize("value", [1, 3, np.int8(3), np.uint64(2)])
def test_what_is_an_integer(value):
    found = check_integer("n", value, least=1, most=3)
    assert type(found) is int
    assert found == value


@pytest.mark.parametrize(
    ("within", "inside", "outside", "said"),
    [
        ("(0, 1)", [1e-9, 0.5, np.float32(0.5)], [0, 1, -1, 2], "in (0, 1)"),
        ("[0, 1]", [0, 1, np.int64(1)], [-1e-9, 1.1], "in [0, 1]"),
        ("[-1, 1)", [-1], [1], "in [-1, 1)"),
        ("(0, inf)", [1e300], [0, np.inf, -np.inf], "above 0"),
        ("[2, inf)", [2], [1.9, np.inf], "of at least 2"),
    ],
)
def test_numbers(within, inside, outside, said):
    for value in inside:
        found = check_number("x", value, within)
        assert type(found) is float
        assert found == value
    for value in [*outside, np.nan, "0.5", None, True, [0.5], 0.5j]:
        kind = "finite number" if value in (np.inf, -np.inf) else "number"
        message = re.escape(f"x must be a {kind} {said}; got {value!r}")
        with pytest.raises(ValueError, match=message):
            check_number("x", value, within)


def test_what_may_be_none():
    assert check_integer("n", None, least=1, optional=True) is None
    assert check_integer("n", np.int8(2), least=1, optional=True) == 2
    assert check_number("x", None, "(0, 1)", optional=True) is None
    assert check_number("x", 0.5, "(0, 1)", optional=True) == 0.5
    with pytest.raises(ValueError, match=r"^n must be None or an integer of at least 1; got True"):
        check_integer("n", True, least=1, optional=True)
    with pytest.raises(ValueError, match=r"^x must be None or a number in \(0, 1\); got 'a'"):
        check_number("x", "a", "(0, 1)", optional=True)
    with pytest.raises(ValueError, match=r"^n must be an integer of at least 1; got None"):
        check_integer("n", None, least=1)


@pytest.mark.parametrize(
    ("value", "whole", "number"),
    [(1, True, True), (np.uint8(1), True, True), (1.0, False, True), (np.float32(1), False, True)]
    + [(np.nan, False, True), (Fraction(1, 2), False, True)]
    + [(x, False, False) for x in (True, np.True_, "1", None, 1j, [1], np.array(1))],
)
def test_what_is_a_number_by_its_type(value, whole, number):
    assert is_integer(value) is whole
    assert is_number(value) is number


# -- all messages ---------------------------------------------------------------------------------


def text_of(node):
    """A message with what is put into it as {}."""
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "{}" for v in node.values)
    return node.value if isinstance(node, ast.Constant) else ""


def messages():
    """Every message that is raised or warned of: where, and its text."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            call = node.exc if isinstance(node, ast.Raise) else node
            warned = isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn"
            if isinstance(call, ast.Call) and call.args and (warned or call is not node):
                text = text_of(call.args[0])
                if isinstance(text, str) and text and not text.startswith(SCIKIT_LEARN_S):
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", text


MESSAGES = list(messages())


def test_messages_are_found():
    assert len(MESSAGES) > 250


@pytest.mark.parametrize(
    ("fault", "pattern"),
    [
        ("several lines, but for the failure of a fit at the end", r"\n(?!\{\}$)"),
        ("ends as a sentence", r"[.!]$"),
        ("begins as a sentence", r"^(The|A|An|This|You|Please|Invalid|Expected|Unknown|Got) "),
        ("what came goes after a semicolon", r", got |\(got |; but got|, but got"),
        ("says should or expected", r"\b(should|invalid|illegal)\b|^expected"),
        ("is rude or begs", r"\b(please|cannot be empty|bad|wrong)\b"),
        ("two blanks", r"  "),
        ("British and American", r"\b(analyze|normalise|color)\b"),
    ],
)
def test_messages_speak_with_one_voice(fault, pattern):
    assert [(where, text) for where, text in MESSAGES if re.search(pattern, text)] == [], fault


def tells_numbers(path):
    """Places that tell numbers from truth values by themselves."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.BoolOp):
            kinds = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            asked = any(isinstance(n, ast.Name) and n.id == "isinstance" for n in ast.walk(node))
            if asked and "bool" in kinds and kinds & {"Integral", "Real", "Number"}:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}"


def test_numbers_are_told_from_truth_values_in_one_place():
    found = [place for path in PACKAGE.rglob("*.py") for place in tells_numbers(path)]
    assert {place.split(":")[0] for place in found} == {"_checks.py"}, found


SAME_FAULTS = (
    "must be one of ",
    "must be (None or )?an integer (of at least|from|above) ",
    "must be (None or )?a number (above|in) ",
    "must be True or False;",
    "must be (None or a share )?(between 0 and 1;|seconds above)",
    "strictly between",
)


def test_the_same_fault_has_the_same_words():
    """Choices, integers and numbers in an interval are refused in one place."""
    places = {}
    for where, text in MESSAGES:
        for fault in SAME_FAULTS:
            if re.search(fault, text) and " or a callable" not in text:
                places.setdefault(fault, []).append(where.split(":")[0])
    assert {place for found in places.values() for place in found} <= {"_checks.py"}
