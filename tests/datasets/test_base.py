"""The helpers that all loaders share."""

from io import BytesIO

from skfairprop.datasets import _base


def test_only_an_empty_field_is_missing():
    table = _base.read_table(BytesIO(b"a,b\nNA,none\n,null\nnan,x\n"))
    assert table["a"].isna().tolist() == [False, True, False]
    assert table["b"].tolist() == ["none", "null", "x"]
