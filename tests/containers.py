"""The same values in every container, and every kind of value, that a column may come in."""

import numpy as np
import pandas as pd
import pytest


def polars(values):
    return pytest.importorskip("polars").Series("column", np.asarray(values).tolist())


def polars_enum(values):
    pl = pytest.importorskip("polars")
    texts = [str(v) for v in np.asarray(values).tolist()]
    return pl.Series("column", texts, dtype=pl.Enum(sorted(set(texts), reverse=True)))


def arrow(values):
    pa = pytest.importorskip("pyarrow")
    values = np.asarray(values)
    return pa.chunked_array([values[:7], values[7:]])


def arrow_dictionary(values):
    return arrow(values).dictionary_encode()


def arrow_table(values):
    return pytest.importorskip("pyarrow").table({"column": arrow(values)})


def pandas_arrow(values):
    pytest.importorskip("pyarrow")
    return pd.Series(values).convert_dtypes(dtype_backend="pyarrow")


def numpy_strings(values):
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("this type of strings came with numpy 2")
    return np.array([f"g{i}" for i in values], dtype=np.dtypes.StringDType())


def category(values, ordered=False):
    found = sorted(set(np.asarray(values).tolist()), reverse=True)
    return pd.Series(pd.Categorical(values, categories=[99, *found, 98], ordered=ordered))


def multi_index(values):
    return pd.MultiIndex.from_arrays([values, np.zeros(len(values))])


NUMBERS = {  # containers of integer labels and groups
    "list": lambda v: np.asarray(v).tolist(),
    "tuple": lambda v: tuple(np.asarray(v).tolist()),
    "int8": lambda v: np.asarray(v, dtype=np.int8),
    "uint64": lambda v: np.asarray(v, dtype=np.uint64),
    "big-endian": lambda v: np.asarray(v, dtype=">i4"),
    "float": lambda v: np.asarray(v, dtype=float),
    "float16": lambda v: np.asarray(v, dtype=np.float16),
    "longdouble": lambda v: np.asarray(v, dtype=np.longdouble),
    "object": lambda v: np.asarray(v, dtype=object),
    "column": lambda v: np.asarray(v)[:, None],
    "strided": lambda v: np.repeat(np.asarray(v), 2)[::2],
    "masked": lambda v: np.ma.masked_equal(np.asarray(v), -5),
    "Series": pd.Series,
    "Index": pd.Index,
    "DataFrame": lambda v: pd.DataFrame({"column": np.asarray(v)}),
    "nullable": lambda v: pd.Series(v).convert_dtypes(),
    "Float64": lambda v: pd.Series(v, dtype="Float64"),
    "sparse": lambda v: pd.Series(pd.arrays.SparseArray(v)),
    "category": category,
    "ordered category": lambda v: category(v, ordered=True),
    "pandas pyarrow": pandas_arrow,
    "polars": polars,
    "polars frame": lambda v: polars(v).to_frame(),
    "pyarrow": arrow,
    "pyarrow dictionary": arrow_dictionary,
    "pyarrow table": arrow_table,
}


GROUPS = {  # what a protected column may hold
    "str": lambda v: pd.Series([f"g{i}" for i in v]),
    "object str": lambda v: pd.Series([f"g{i}" for i in v], dtype=object),
    "string": lambda v: pd.Series([f"g{i}" for i in v], dtype="string"),
    "fixed width": lambda v: np.array([f"g{i}" for i in v]),
    "StringDType": numpy_strings,
    "bytes": lambda v: np.array([b"g%d" % i for i in v]),
    "enum": polars_enum,
    "mixed": lambda v: [1 if i == 0 else "b" if i == 1 else 2.5 for i in v],
    "fractions": lambda v: np.asarray(v) / 7,
    "datetime": lambda v: pd.Timestamp("2020-01-01") + pd.to_timedelta(v, unit="D"),
    "zoned": lambda v: pd.Series(pd.date_range("2020", periods=3, tz="Asia/Tokyo")[v]),
    "datetime64": lambda v: np.datetime64("2020-01-01") + np.asarray(v).astype("m8[D]"),
    "period": lambda v: pd.Series(pd.period_range("2020", periods=3, freq="M")[v]),
    "interval": lambda v: pd.cut(pd.Series(v), [-1, 0, 1, 2]),
    "huge": lambda v: [2**80 + int(i) for i in v],
    "beyond int64": lambda v: np.uint64(2**63) + np.asarray(v, dtype=np.uint64),
    "below zero": lambda v: np.asarray(v) - 2**62,
    "tuples": lambda v: pd.Series([("g", int(i)) for i in v]),
    "MultiIndex": multi_index,
    "integer columns": lambda v: pd.DataFrame({0: np.asarray(v), 1: ["same"] * len(v)}),
    "MultiIndex columns": lambda v: pd.DataFrame(
        {("who", "a"): np.asarray(v), ("who", "b"): ["same"] * len(v)}
    ),
    "dict": lambda v: {"a": np.asarray(v), "b": ["same"] * len(v)},
    "markup": lambda v: [("<script>", "</td>", "&")[i] for i in v],
}
