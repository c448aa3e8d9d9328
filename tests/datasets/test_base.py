"""The helpers that all loaders share."""

from io import BytesIO

import numpy as np
import pytest

from skfairprop.datasets import _base


def test_only_an_empty_field_is_missing():
    table = _base.read_table(BytesIO(b"a,b\nNA,none\n,null\nnan,x\n"))
    assert table["a"].isna().tolist() == [False, True, False]
    assert table["b"].tolist() == ["none", "null", "x"]


def test_as_generator_keeps_a_generator():
    rng = np.random.default_rng(0)
    assert _base.as_generator(rng) is rng


def test_as_generator_leaves_the_global_state_alone():
    np.random.seed(0)  # noqa: NPY002 - the global generator is what is looked at
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    _base.as_generator(None).random(3)
    _base.as_generator(1).random(3)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


@pytest.mark.parametrize("seed", [-1, "a"])
def test_as_generator_refuses_what_is_no_seed(seed):
    with pytest.raises(ValueError, match=f"random_state must be None, .* got {seed!r}"):
        _base.as_generator(seed)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, 0, 4])
def test_check_count_refuses(value):
    with pytest.raises(ValueError, match=f"n must be an integer from 1 to 3; got {value!r}"):
        _base.check_count("n", value, minimum=1, maximum=3)


def test_check_count_takes_numpy_integers():
    assert _base.check_count("n", np.int8(3), minimum=1) == 3


@pytest.mark.parametrize("value", [True, "0.5", None, [0.5]])
def test_check_share_refuses_what_is_no_number(value):
    with pytest.raises(ValueError, match="a must be a number"):
        _base.check_share("a", value)
