import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from skfairprop.explain._table import BLOCK_CELLS, BLOCK_ROWS, Table, block_rows


def mixed_frame():
    return pd.DataFrame(
        {
            "age": [30, 40, 50],
            "pay": np.array([1.5, np.nan, 2.5], dtype=np.float32),
            "sex": ["m", "f", None],
            "job": pd.Categorical(["b", "a", "b"], categories=["b", "a", "unused"]),
            "old": [True, False, True],
            "rank": pd.array([1, None, 3], dtype="Int64"),
        }
    )


def test_frame_survives_the_round_trip():
    X = mixed_frame()
    table = Table.of(X)
    back = table.decode(table.encode(X))
    # integers come back as floats: perturbed, they are not integers any more
    expected = X.astype({"age": np.float64, "rank": np.float64})
    pd.testing.assert_frame_equal(back, expected)


def test_only_numbers_are_numeric():
    assert Table.of(mixed_frame()).is_categorical.tolist() == [
        False,
        False,
        True,
        True,
        True,
        False,
    ]


def test_codes_follow_the_order_of_the_values():
    X = pd.DataFrame({"s": ["b", "a", None], "c": pd.Categorical(["y", "x", "y"], ["y", "x"])})
    assert Table.of(X).encode(X).tolist() == [[1, 0], [0, 1], [-1, 0]]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_the_missing_value_of_the_data_comes_back(missing):
    X = np.array([["a", 1.0], [missing, 2.0]], dtype=object)
    table = Table.of(X)
    back = table.decode(table.encode(X))
    assert back[1, 0] is missing or (missing is np.nan and np.isnan(back[1, 0]))


@pytest.mark.parametrize(
    "X",
    [
        np.arange(6.0).reshape(3, 2),
        np.arange(6, dtype=np.float32).reshape(3, 2),
        np.array([["a", "b"], ["c", "d"]]),
        np.array([["a", 1.0], ["b", 2.5]], dtype=object),
    ],
)
def test_array_survives_the_round_trip(X):
    table = Table.of(X)
    back = table.decode(table.encode(X))
    assert back.dtype == X.dtype
    assert (back == X).all()


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix])
def test_sparse_stays_sparse(kind):
    dense = np.array([[0.0, 1.0], [2.0, 0.0]])
    table = Table.of(kind(dense))
    back = table.decode(table.encode(kind(dense)))
    assert sparse.issparse(back)
    assert (back.toarray() == dense).all()


def test_polars_reaches_the_model_as_pandas():
    X = pl.DataFrame({"a": [1.0, 2.0], "s": ["x", "y"]})
    table = Table.of(X)
    back = table.decode(table.encode(X))
    assert list(back.columns) == ["a", "s"]
    assert back["s"].tolist() == ["x", "y"]


@pytest.mark.parametrize("declared", [["g"], [1], [-1], [False, True]])
def test_numbers_can_be_declared_labels(declared):
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0], "g": [7, 5, 7]})
    table = Table.of(X, declared)
    assert table.is_categorical.tolist() == [False, True]
    assert table.encode(X)[:, 1].tolist() == [1, 0, 1]
    assert table.decode(table.encode(X))["g"].dtype == X["g"].dtype


def test_declared_columns_of_an_array_keep_their_numbers():
    X = np.array([[1.5, 7], [2.5, 5]])
    table = Table.of(X, [1])
    assert (table.decode(table.encode(X)) == X).all()


def test_values_not_in_the_background_get_new_codes():
    table = Table.of(pd.DataFrame({"s": ["a", "c"]}))
    X = pd.DataFrame({"s": ["b", "c", "a"]})
    adapted = table.adapted(X)
    assert adapted.encode(X).ravel().tolist() == [2, 1, 0]
    assert adapted.decode(adapted.encode(X))["s"].tolist() == ["b", "c", "a"]
    assert len(table.columns[0].values) == 2


def test_categories_of_background_and_rows_are_joined():
    table = Table.of(pd.DataFrame({"c": pd.Categorical(["a", "b"])}))
    X = pd.DataFrame({"c": pd.Categorical(["c", "a"])})
    adapted = table.adapted(X)
    cells = adapted.decode(np.array([[0.0], [1.0], [2.0]]))["c"]
    assert cells.tolist() == ["a", "b", "c"]


def test_declared_numbers_of_two_dtypes_are_joined():
    table = Table.of(np.array([[1.5], [2.0]]), [0])
    X = np.array([[2], [3]])
    adapted = table.adapted(X)
    assert adapted.encode(X).ravel().tolist() == [1, 2]
    assert adapted.decode(np.array([[0.0], [1.0], [2.0]])).ravel().tolist() == [1.5, 2, 3]


def test_missing_value_of_the_background_is_kept_for_rows_without_any():
    table = Table.of(pd.DataFrame({"s": pd.Series(["a", None], dtype=object)}))
    adapted = table.adapted(pd.DataFrame({"s": pd.Series(["a"], dtype=object)}))
    assert adapted.decode(np.array([[-1.0]]))["s"][0] is None


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame({"a": [1.0]}), "X has 1 columns and the background 2"),
        (pd.DataFrame({"b": [1.0], "a": [1.0]}), "another order, from 'b' on"),
        (pd.DataFrame({"a": [1.0], "c": [1.0]}), "from 'c' on"),
        (np.ones((1, 2)), "both be data frames or both arrays"),
        (pd.DataFrame({"a": ["x"], "b": [1.0]}), "column 'a' is numeric in the background"),
    ],
)
def test_other_columns_are_refused(X, message):
    table = Table.of(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}))
    with pytest.raises(ValueError, match=message):
        table.adapted(X)


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([1.0, 2.0], ValueError, "rows and columns; got 1 dim"),
        (np.empty((0, 3)), ValueError, "at least one row"),
        (pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}), TypeError, "column 't' has dtype"),
    ],
)
def test_bad_tables_are_refused(X, error, message):
    with pytest.raises(error, match=message):
        Table.of(X)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("g", "must be 'auto'"),
        (["z"], "no column 'z'"),
        ([9], "no column 9"),
        ([True], "mask of 1 values"),
    ],
)
def test_bad_declarations_are_refused(declared, message):
    with pytest.raises(ValueError, match=message):
        Table.of(pd.DataFrame({"g": [1, 2], "h": [1, 2]}), declared)


def test_infinite_values_are_refused():
    X = pd.DataFrame({"a": [1.0, np.inf], "b": [1.0, 2.0]})
    with pytest.raises(ValueError, match="column 'a' has infinite values"):
        Table.of(X).encode(X)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", object])
def test_whole_numbers_that_floats_cannot_tell_apart_are_refused(dtype):
    X = pd.DataFrame({"a": pd.Series([2**53 + 1, 2**53, 0], dtype=dtype), "b": [1.0, 2.0, 1e300]})
    with pytest.raises(ValueError, match=r"column 'a' holds whole numbers of 2\*\*53"):
        Table.of(X).encode(X)
    one_by_one = Table.of(X, ["a"])
    assert one_by_one.decode(one_by_one.encode(X))["a"].tolist() == X["a"].tolist()
    X["a"] = X["a"].clip(upper=2**53 - 1)
    assert Table.of(X).encode(X)[:, 0].tolist() == [2.0**53 - 1, 2.0**53 - 1, 0]


def test_whole_numbers_of_an_array_are_looked_at_too():
    X = np.array([[0, 2**60], [1, 2**60 + 1]])
    with pytest.raises(ValueError, match="column 1 holds whole numbers of"):
        Table.of(X).encode(X)


def test_long_lists_of_columns_are_cut():
    table = Table.of(np.zeros((1, 8)))
    assert table.labels(np.ones(8, dtype=bool)).endswith("column 4 and 3 more")


def test_blocks_cover_all_rows_and_stay_small():
    X = np.arange(50_000.0).reshape(-1, 1)
    blocks = list(Table.of(X).blocks(X))
    assert [len(Z) for _, Z in blocks] == [BLOCK_ROWS, BLOCK_ROWS, 10_000]
    assert (np.concatenate([X[rows] for rows, _ in blocks]) == X).all()
    assert block_rows(BLOCK_CELLS // 10) == 10
    assert block_rows(10 * BLOCK_CELLS) == 1


def test_values_of_several_types_keep_the_order_they_come_in():
    X = np.array([["b"], [1], ["a"]], dtype=object)
    table = Table.of(X)
    assert table.encode(X).ravel().tolist() == [0, 1, 2]
    assert table.decode(table.encode(X)).ravel().tolist() == ["b", 1, "a"]


def test_columns_of_a_sparse_matrix_can_be_labels():
    X = sparse.csr_matrix([[0.0, 7.0], [1.0, 5.0]])
    table = Table.of(X, [1])
    assert table.encode(X).tolist() == [[0, 1], [1, 0]]
