"""What a user imports from the top of the package."""

import dataclasses
import subprocess
import sys

import pytest

import skfairprop
from tests.public import CLASSES


def test_every_public_name_is_there_and_documented():
    assert set(skfairprop.__all__) == set(skfairprop._HOMES)
    for name in skfairprop.__all__:
        assert getattr(skfairprop, name).__doc__
        assert name in dir(skfairprop)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="has no attribute 'fairness'"):
        _ = skfairprop.fairness


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, skfairprop; sys.exit(bool({'numpy', 'pandas', 'sklearn'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", [n for n, c in CLASSES.items() if dataclasses.is_dataclass(c)])
def test_results_that_hold_tables_are_compared_by_identity_or_by_their_own_rule(name):
    """The rule that a dataclass makes would ask a table for one truth value."""
    cls = CLASSES[name]
    tables = ("ndarray", "Series", "DataFrame", "Index")
    held = [f.name for f in dataclasses.fields(cls) if any(t in str(f.type) for t in tables)]
    assert not held or not cls.__dataclass_params__.eq
