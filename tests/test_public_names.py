"""What a user imports from the top of the package."""

import subprocess
import sys

import pytest

import skfairprop


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
