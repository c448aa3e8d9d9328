"""Any container becomes named columns, and any column codes and sorted labels."""

import datetime
import decimal
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skfairprop._columns import (
    blockwise_bincount,
    blockwise_moments,
    factorize,
    read_column,
    read_columns,
)

LEAP_DAY = datetime.date(2020, 2, 29)


def columns_of(data):
    return read_columns(data, what="data")


def values_of(data):
    return [list(column.values) for column in columns_of(data)]


def coded(values):
    codes, labels = factorize(read_column(values, what="data").values, what="data")
    return codes.tolist(), labels.tolist()


# -- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ([1, 2], [None]),
        (np.array([[1, 3], [2, 4]]), ["sensitive_feature_0", "sensitive_feature_1"]),
        ([[1, 3], [2, 4]], ["sensitive_feature_0", "sensitive_feature_1"]),
        ([(1, 3), (2, 4)], ["sensitive_feature_0", "sensitive_feature_1"]),
        (pd.Series([1, 2]), [None]),
        (pd.Series([1, 2], name="sex"), ["sex"]),
        (pd.DataFrame({"sex": [1, 2], 7: [3, 4]}), ["sex", 7]),
        (pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])), None),
        (pd.MultiIndex.from_arrays([[1, 2], [3, 4]], names=["sex", None]), ["sex", None]),
        ({"sex": [1, 2], "age": (3, 4)}, ["sex", "age"]),
        (MappingProxyType({"sex": [1, 2]}), ["sex"]),
    ],
)
def test_names(data, names):
    if names is None:
        names = [("a", 1), ("a", 2)]
    assert [column.name for column in columns_of(data)] == names


def test_a_list_keeps_its_types():
    assert values_of([1, "b", 2.5]) == [[1, "b", 2.5]]
    assert values_of([[1, "b"], [2, "c"]]) == [[1, 2], ["b", "c"]]
    assert read_column([1, 2], what="data").values.dtype == np.int64
    assert read_column(["a", "b"], what="data").values.dtype == object


def test_only_pandas_has_an_index():
    series = pd.Series([1, 2], index=["x", "y"])
    assert columns_of(series)[0].index is series.index
    assert columns_of(series.to_frame())[0].index is not None
    assert columns_of({"a": series, "b": [1, 2]})[1].index is None
    for data in ([1, 2], np.array([1, 2]), pd.Index([1, 2]), series.array):
        assert columns_of(data)[0].index is None


def test_arrow_integers_with_nulls_stay_exact():
    pa = pytest.importorskip("pyarrow")
    huge = 2**60 + 1
    for data in (pa.array([huge, None]), pa.chunked_array([[huge], [None]])):
        assert coded(data) == ([0, -1], [huge])
    table = pa.table({"a": [huge, None], "b": pa.array([5, None]).dictionary_encode()})
    assert [c.name for c in columns_of(table)] == ["a", "b"]
    assert factorize(columns_of(table)[0].values, what="a")[1].tolist() == [huge]
    assert factorize(columns_of(table)[1].values, what="b")[1].tolist() == [5]
    assert values_of(pa.record_batch({"a": [1, 2]})) == [[1, 2]]


def test_polars_columns():
    pl = pytest.importorskip("polars")
    huge = 2**60 + 1
    assert coded(pl.Series([huge, None])) == ([0, -1], [huge])
    if hasattr(pl, "Int128"):
        assert coded(pl.Series([1, 2], dtype=pl.Int128)) == ([0, 1], [1, 2])
    assert coded(pl.Series(["b", "a", None], dtype=pl.Categorical)) == ([1, 0, -1], ["a", "b"])
    assert coded(pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"]))) == ([1, 0], ["a", "b"])
    assert coded(pl.Series([True, None, False])) == ([1, -1, 0], [False, True])
    assert columns_of(pl.DataFrame({"sex": ["a"]}))[0].name == "sex"


@pytest.mark.parametrize(
    "values",
    [["b", "z", "a"], [2, 9, 1], [2.5, 0.0, 1.5], [True, True, False], [b"b", b"z", b"a"]],
)
def test_what_a_mask_hides_is_missing(values):
    column = np.ma.array(values, mask=[False, True, False])
    assert coded(column) == ([1, -1, 0], sorted({values[0], values[2]}))
    assert coded(np.ma.array(values))[0].count(-1) == 0


def test_duckdb_must_be_collected():
    duckdb = pytest.importorskip("duckdb")
    with pytest.raises(ValueError, match="data is a lazy frame; collect it first"):
        columns_of(duckdb.sql("SELECT 1 AS a"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "data is required; got None"),
        ("aabb", "data must hold one value a row; got the text 'aabb'"),
        (b"aabb", "data must hold one value a row; got the text b'aabb'"),
        (5, "data must hold one value a row; got the scalar 5"),
        (np.array("a"), "data must hold one value a row; got the scalar 'a'"),
        ({1, 2}, "data must be a sequence with one value a row; got a set"),
        (iter([1, 2]), "data must be a sequence with one value a row; got a list_iterator"),
        ((i for i in range(2)), "data must be a sequence with one value a row; got a generator"),
        (np.zeros((2, 2, 2)), r"data must have one or two dimensions; got shape \(2, 2, 2\)"),
        ([[1], [1, 2]], r"the rows of data have different lengths: \[1, 2\]"),
        (sparse.csr_array([[1, 0]]), "data is a sparse matrix; pass a dense"),
        ({}, "data has no columns"),
        (pd.DataFrame(index=[0, 1]), "data has no columns"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "data has several columns named a; rename"),
        ({"a": [1, 2], "b": [1]}, "the columns of data have different lengths: {'a': 2, 'b': 1}"),
        ({"a": 1}, "data 'a' must hold one value a row; got the scalar 1"),
        ({"a": [[1, 2], [3, 4]]}, "data 'a' must be one-dimensional; got 2 columns"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_column_is_refused(data, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        columns_of(data)


def test_what_is_lazy_is_refused():
    pl = pytest.importorskip("polars")
    with pytest.raises(ValueError, match=r"lazy frame; collect it first, as in frame.collect\(\)"):
        columns_of(pl.LazyFrame({"a": [1]}))


def test_a_label_column_is_one_column():
    with pytest.raises(ValueError, match="y must be one-dimensional; got 2 columns"):
        read_column(np.zeros((3, 2)), what="y")


# -- coding ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([3, 1, 2], [1, 2, 3]),
        (["b", "a"], ["a", "b"]),
        ([1, "b", 0], [0, 1, "b"]),
        ([True, False], [False, True]),
        (np.array([-128, 127], dtype=np.int8), [-128, 127]),
        (np.array([2**63 + 5, 2**63], dtype=np.uint64), [2**63, 2**63 + 5]),
        (np.array([2**64 - 1, 0], dtype=np.uint64), [0, 2**64 - 1]),
        (np.array([-(2**63), 2**63 - 1]), [-(2**63), 2**63 - 1]),
        ([2**70, -(2**70)], [-(2**70), 2**70]),
        (np.array([5, 10**9], dtype=">i8"), [5, 10**9]),
        (np.array([0.5, -1], dtype=">f4"), [-1.0, 0.5]),
        (np.array([0.5, 2], dtype=np.float16), [0.5, 2.0]),
        (np.array([0.5, 2], dtype=np.longdouble), [0.5, 2.0]),
        ([float("inf"), 1.0], [1.0, float("inf")]),
        ([decimal.Decimal(2), decimal.Decimal(1)], [1, 2]),
        ([datetime.date(2021, 1, 1), LEAP_DAY], [LEAP_DAY, datetime.date(2021, 1, 1)]),
        (np.array([b"b", b"a"]), [b"a", b"b"]),
        (pd.Series([("b", 1), ("a", 2)]), [("a", 2), ("b", 1)]),
        (pd.Series([True, "a", 0], dtype=object), [True, 0, "a"]),
    ],
)
def test_labels_are_sorted(values, labels):
    codes, found = coded(values)
    assert found == labels
    assert [found[code] for code in codes] == list(values)


@pytest.mark.parametrize(
    "missing", [None, float("nan"), pd.NA, pd.NaT, decimal.Decimal("nan"), np.datetime64("NaT")]
)
def test_every_missing_value_has_code_minus_one(missing):
    codes, labels = coded(pd.Series(["a", missing, "b"], dtype=object))
    assert (codes, labels) == ([0, -1, 1], ["a", "b"])


def test_zero_by_zero_is_missing_in_every_float_type():
    for dtype in ("float64", "Float64", "float64[pyarrow]"):
        if "pyarrow" in dtype:
            pytest.importorskip("pyarrow")
        zero = pd.Series([0.0, 1.0, 2.0], dtype=dtype)
        assert coded(zero / pd.Series([0.0, 1.0, 1.0], dtype=dtype)) == ([-1, 0, 1], [1.0, 2.0])


def test_the_order_of_an_ordered_category_is_kept():
    values = pd.Categorical(
        ["low", "high", "low"], categories=["none", "low", "high"], ordered=True
    )
    assert coded(values) == ([0, 1, 0], ["low", "high"])
    assert coded(values.as_unordered()) == ([1, 0, 1], ["high", "low"])


def test_labels_do_not_depend_on_the_order_of_the_rows():
    values = np.array(["b", "a", "c"] * 20_000, dtype=object)
    shuffled = np.random.default_rng(0).permutation(values)
    assert coded(values)[1] == coded(shuffled)[1] == ["a", "b", "c"]


def test_many_labels_are_coded_like_few():
    """More labels, or rows, than are hashed in one block."""
    names = np.array([f"{i:05d}" for i in range(40_000)], dtype=object)
    order = np.random.default_rng(0).permutation(len(names))
    codes, labels = factorize(names[order], what="data")
    assert labels.tolist() == names.tolist()
    np.testing.assert_array_equal(codes, order)
    pairs = pd.Series([(i, "x") for i in range(10_000)])
    assert coded(pairs)[1][:2] == [(0, "x"), (1, "x")]


def test_values_that_cannot_be_hashed_are_refused():
    with pytest.raises(ValueError, match="data holds values that cannot be compared: unhashable"):
        coded(pd.Series([{"a": 1}, {"a": 2}]))


# -- counting -------------------------------------------------------------------------------------


def test_counts_over_several_blocks():
    rng = np.random.default_rng(0)
    n, sizes = 600_000, (3, 4, 5)
    codes = [rng.integers(size, size=n).astype(np.int8) for size in sizes]
    codes[0][rng.random(n) < 0.1] = -1
    weight = rng.random(n)
    kept = codes[0] >= 0
    joint = np.ravel_multi_index([c[kept] for c in codes], sizes)
    np.testing.assert_array_equal(
        blockwise_bincount(codes, sizes), np.bincount(joint, minlength=60)
    )
    sums, squares = blockwise_moments(codes, sizes, weight)
    for found, values in ((sums, weight), (squares, weight**2)):
        expected = np.bincount(joint, weights=values[kept], minlength=60)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_codes_are_checked_in_every_block():
    code = np.zeros(200_000, dtype=np.int8)
    code[-1] = -1
    with pytest.raises(ValueError, match=r"^code must lie in 0 \.\. 4$"):
        blockwise_bincount([code], [5], names=["code"])
    assert blockwise_bincount([code], [5]).tolist() == [199_999, 0, 0, 0, 0]
