"""The helpers that all loaders share."""

from io import BytesIO

import numpy as np
import pytest

from skfairprop.datasets import _base


def test_only_an_empty_field_is_missing():
    table = _base.read_table(BytesIO(b"a,b\nNA,none\n,null\nnan,x\n"))
    assert table["a"].isna().tolist() == [False, True, False]
    assert table["b"].tolist() == ["none", "null", "x"]


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
