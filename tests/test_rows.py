"""Rows of whatever holds them."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skfairprop._rows import as_indexable, count_rows, is_row_aligned, take_rows

ROWS = np.array([2, 0, 0])


class OnlyArray:
    """Known only to turn into an array, as scikit-learn's checks have it."""

    def __array__(self, dtype=None, copy=None):
        return np.arange(3, dtype=dtype)


@pytest.mark.parametrize("make", [list, tuple, np.array])
def test_sequences(make):
    data = make([10, 11, 12])
    assert count_rows(data) == 3
    assert list(take_rows(data, ROWS)) == [12, 10, 10]


def test_images():
    images = np.arange(24).reshape(3, 2, 2, 2)
    np.testing.assert_array_equal(take_rows(images, ROWS), images[[2, 0, 0]])


def test_pandas_keeps_index_and_dtype():
    frame = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64")}, index=["x", "y", "z"])
    assert take_rows(frame, ROWS).index.tolist() == ["z", "x", "x"]
    assert take_rows(frame["a"], ROWS).dtype == "Int64"


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dia", "bsr", "dok"])
@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix])
def test_sparse(make, kind):
    data = make(np.diag([1.0, 2.0, 3.0])).asformat(kind)
    assert count_rows(data) == 3
    np.testing.assert_array_equal(take_rows(data, ROWS).toarray(), np.diag([1, 2, 3])[ROWS])


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_frames(library):
    module = pytest.importorskip(library)
    frame = (module.DataFrame if library == "polars" else module.table)({"a": [1, 2, 3]})
    assert list(take_rows(frame, ROWS)["a"].to_numpy()) == [3, 1, 1]
    column = frame["a"]
    assert list(take_rows(column, ROWS).to_numpy()) == [3, 1, 1]


def test_what_only_turns_into_an_array():
    assert as_indexable(OnlyArray()).tolist() == [0, 1, 2]
    assert take_rows(OnlyArray(), ROWS).tolist() == [2, 0, 0]
    frame = pd.DataFrame({"a": [1]})
    assert as_indexable(frame) is frame


@pytest.mark.parametrize(
    ("value", "aligned"),
    [
        ([1, 2, 3], True),
        (np.ones(3), True),
        (np.ones((3, 2)), True),
        (pd.Series([1, 2, 3]), True),
        (sparse.eye(3).tocsr(), True),
        ([1, 2], False),
        ("abc", False),
        (b"abc", False),
        ({"a": 1, "b": 2, "c": 3}, False),
        ({1, 2, 3}, False),
        (np.float64(3), False),
        (np.array(3), False),
        (3, False),
        (None, False),
    ],
)
def test_is_row_aligned(value, aligned):
    assert is_row_aligned(value, 3) is aligned
