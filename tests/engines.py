"""The same table in every engine that counts can be made on."""

import importlib.util

import numpy as np
import pandas as pd
import pytest

# narwhals says that its part for Dask will move to a package of its own
DASK_MOVES = "ignore:Dask support is moving out of Narwhals:FutureWarning"


def _pandas_arrow(table: pd.DataFrame):
    pytest.importorskip("pyarrow")
    with np.errstate(invalid="ignore"):  # older pandas tries whether infinity is an integer
        return table.convert_dtypes(dtype_backend="pyarrow")


def _arrow(table: pd.DataFrame):
    return pytest.importorskip("pyarrow").Table.from_pandas(table, preserve_index=False)


def _polars(table: pd.DataFrame):
    return pytest.importorskip("polars").from_arrow(_arrow(table))


def _duckdb(table: pd.DataFrame):
    return pytest.importorskip("duckdb").from_arrow(_arrow(table))


def _dask(table: pd.DataFrame):
    return pytest.importorskip("dask.dataframe").from_pandas(table, npartitions=3)


def _ibis(table: pd.DataFrame):
    ibis = pytest.importorskip("ibis")
    for module in ("pyarrow_hotfix", "duckdb"):
        if not importlib.util.find_spec(module):
            pytest.skip(f"Ibis needs {module}")
    return ibis.memtable(_arrow(table))


ENGINES = {
    "pandas": lambda table: table,
    "pandas pyarrow": _pandas_arrow,
    "polars": _polars,
    "polars lazy": lambda table: _polars(table).lazy(),
    "pyarrow": _arrow,
    "duckdb": _duckdb,
    "dask": _dask,
    "ibis": _ibis,
}
