"""Where the protected columns of a fold come from."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skfairprop._resolve import (
    by_name_or_value,
    check_sensitive_features,
    resolve_sensitive_features,
)

INDEX = pd.Index([7, 3, 5, 1])
X = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "sex": list("fmfm")}, index=INDEX)
Y = pd.Series([0, 1, 0, 1], index=INDEX)
EVERYBODY = pd.Series(list("abcdef"), index=[1, 2, 3, 5, 7, 9], name="race")


def resolve(spec, data=X, y=Y, routed=None):
    return resolve_sensitive_features(spec, data, y, routed, owner="Owner")


def values(frame):
    return [tuple(row) if len(row) > 1 else row[0] for row in frame.to_numpy().tolist()]


# -- names of columns ---------------------------------------------------------------------------


def test_a_column_of_a_pandas_frame_keeps_its_name_and_index():
    found = resolve("sex")
    assert values(found) == list("fmfm")
    assert found.columns.tolist() == ["sex"]
    assert found.index.equals(INDEX)


@pytest.mark.parametrize("names", [["sex", "age"], ("sex", "age"), pd.Index(["sex", "age"])])
def test_several_columns_come_in_the_order_given(names):
    assert values(resolve(names)) == [("f", 1.0), ("m", 2.0), ("f", 3.0), ("m", 4.0)]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize("names", ["sex", ["sex", "age"]])
def test_columns_of_other_frames(library, names):
    module = pytest.importorskip(library)
    make = module.DataFrame if library == "polars" else module.table
    data = make({"age": [1.0, 2.0, 3.0, 4.0], "sex": list("fmfm")})
    found = resolve(names, data, [0, 1, 0, 1])
    assert values(found) == values(resolve(names))
    assert found.columns.tolist() == ([names] if isinstance(names, str) else names)


def test_missing_values_stay_missing():
    polars = pytest.importorskip("polars")
    data = polars.DataFrame({"sex": ["f", None], "n": [1, None]})
    assert resolve(["sex", "n"], data, [0, 1]).isna().to_numpy().tolist() == [
        [False] * 2,
        [True] * 2,
    ]


def test_a_tuple_is_one_label_where_columns_are_a_multiindex():
    frame = pd.DataFrame(
        [[1, 2], [3, 4]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    )
    found = resolve(("a", "y"), frame, [0, 1])
    assert values(found) == [2, 4]
    assert found.columns.tolist() == [("a", "y")]


def test_an_unknown_column_suggests_the_closest():
    with pytest.raises(ValueError, match=r"^Owner: X has no column 'sexx'; did you mean 'sex'\?$"):
        resolve("sexx")


def test_columns_that_share_the_name_are_refused():
    with pytest.raises(ValueError, match="X has several columns named sex; rename them"):
        resolve("sex", X[["sex", "sex"]])


@pytest.mark.parametrize("data", [X.to_numpy(), sparse.csr_matrix(np.eye(4)), np.eye(4).tolist()])
def test_a_column_of_data_without_names_says_what_to_do(data):
    with pytest.raises(
        ValueError, match=r"cannot read column 'sex': X is a .* pandas Series .* meta"
    ):
        resolve("sex", data)


@pytest.mark.parametrize("spec", ["sex", lambda X: X["sex"]])
def test_without_x_a_column_says_what_to_do(spec):
    with pytest.raises(ValueError, match="X is not passed to it here; give a pandas Series"):
        resolve(spec, None)


# -- callables ----------------------------------------------------------------------------------


def test_a_callable_of_x():
    assert values(resolve(lambda X: X["age"] > 2)) == [False, False, True, True]
    assert values(resolve(lambda X: X[:, 0] > 2, X[["age"]].to_numpy())) == [
        False,
        False,
        True,
        True,
    ]


def test_what_a_callable_returns_follows_the_index_of_x():
    assert values(resolve(lambda X: X["age"].sort_index())) == [1.0, 2.0, 3.0, 4.0]


def test_a_callable_that_returns_too_few_rows():
    message = r"^Owner: sensitive_features that the callable returns has 1 rows; X has 4$"
    with pytest.raises(ValueError, match=message):
        resolve(lambda X: X["age"][:1])


def test_a_callable_that_fails_shows_what_x_has_become():
    message = "the callable sensitive_features failed on X, a ndarray here: IndexError: only int"
    with pytest.raises(ValueError, match=message):
        resolve(lambda X: X["age"], X.to_numpy())


def test_a_callable_that_resets_the_index():
    with pytest.raises(ValueError, match="does not have the index of the data"):
        resolve(lambda X: X["age"].reset_index(drop=True))


# -- data on an index ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data, y",
    [(X, Y), (X, Y.to_numpy()), (X.to_numpy(), Y), (None, Y)],
    ids=["both", "X", "y", "y without X"],
)
def test_a_series_follows_the_index_of_x_or_else_of_y(data, y):
    found = resolve(EVERYBODY, data, y)
    assert values(found) == ["e", "c", "d", "a"]
    assert found.columns.tolist() == ["race"]
    assert found.index.equals(INDEX)


def test_a_frame_on_the_index():
    people = EVERYBODY.to_frame().assign(old=[0, 0, 0, 0, 1, 1])
    assert values(resolve(people)) == [("e", 1), ("c", 0), ("d", 0), ("a", 0)]


def test_rows_may_repeat_in_x():
    assert values(resolve(EVERYBODY, X.loc[[7, 7, 1]], None)) == ["e", "e", "a"]


def test_rows_that_the_series_lacks_are_counted():
    with pytest.raises(ValueError, match=r"1 of 4 rows are not in the index .*, as 1; give"):
        resolve(EVERYBODY.drop(1))


def test_a_series_needs_an_index_to_follow():
    with pytest.raises(ValueError, match="neither X nor y has an index; pass X or y as pandas"):
        resolve(EVERYBODY, X.to_numpy(), Y.to_numpy())


def test_the_index_of_x_counts_where_y_has_another_as_when_y_is_permuted():
    assert values(resolve(EVERYBODY, X, Y[::-1])) == ["e", "c", "d", "a"]
    assert values(resolve("sex", X, Y.reset_index(drop=True))) == list("fmfm")


# -- routed -------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [None, "sex", EVERYBODY])
def test_routed_values_go_first(spec):
    assert values(resolve(spec, routed=list("wxyz"))) == list("wxyz")


def test_routed_values_on_an_index_are_aligned_never_combined_by_position():
    routed = pd.Series(list("wxyz"), index=[1, 3, 5, 7])
    assert values(resolve(None, routed=routed)) == list("zxyw")
    with pytest.raises(ValueError, match="as passed does not have the index of the data"):
        resolve(None, routed=routed.set_axis([0, 1, 2, 3]))
    with pytest.raises(ValueError, match="does not have the index"):
        resolve(None, routed=routed.set_axis([1, 1, 3, 5]))


def test_routed_values_with_the_index_of_y_follow_it():
    routed = pd.Series(list("wxyz"), index=INDEX)
    assert values(resolve(None, X.reset_index(drop=True), Y, routed)) == list("wxyz")


@pytest.mark.parametrize("data", [X, X.to_numpy(), sparse.csr_matrix(np.eye(4)), None])
def test_routed_values_of_another_length(data):
    with pytest.raises(ValueError, match="as passed has 3 rows; X has 4"):
        resolve(None, data, routed=list("abc"))


def test_routed_values_may_be_several_columns_in_any_container():
    routed = {"a": list("wxyz"), "b": pd.Series([1, 2, 3, 4], index=[1, 3, 5, 7])}
    assert values(resolve(None, routed=routed)) == [("w", 4), ("x", 2), ("y", 3), ("z", 1)]
    assert values(resolve(None, X.to_numpy(), None, np.array([1, 2, 3, 4]))) == [1, 2, 3, 4]


# -- what is refused ----------------------------------------------------------------------------


def test_nothing_given_says_how_to_give_it():
    message = r"^Owner was not told the protected attribute: name a column of X, .* metadata"
    with pytest.raises(ValueError, match=message):
        resolve(None)


@pytest.mark.parametrize("spec", [0, np.int64(1), [0, 1], ["sex", 1], True, 1.5])
def test_positions_are_refused(spec):
    with pytest.raises(TypeError, match="is a position, which is another feature once a selector"):
        check_sensitive_features(spec, owner="Owner")


@pytest.mark.parametrize("spec", [np.array(["a", "b"]), {"sex": [1]}, object(), [["a"]]])
def test_data_without_an_index_are_refused(spec):
    with pytest.raises(TypeError, match="neither column names nor an index"):
        check_sensitive_features(spec, owner="Owner")


@pytest.mark.parametrize("spec", [EVERYBODY[:0], []])
def test_nothing_to_look_up_is_refused(spec):
    with pytest.raises(ValueError, match=r"is empty|names no column"):
        check_sensitive_features(spec, owner="Owner")


def test_an_index_that_repeats_labels_is_refused():
    with pytest.raises(ValueError, match="the index of sensitive_features repeats labels, as 7"):
        check_sensitive_features(pd.Series(list("ab"), index=[7, 7]), owner="Owner")


@pytest.mark.parametrize("spec", [None, "sex", ["sex"], ("a", "b"), EVERYBODY, len])
def test_what_is_allowed(spec):
    check_sensitive_features(spec, owner="Owner")


# -- names or values --------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("given", ["sex", "sx", ["sex", "age"], ("age",), [], len, None])
def test_what_finds_columns_in_x(library, given):
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    data = make({"age": [1.0, 2.0, 3.0], "sex": list("fmf")})
    assert by_name_or_value(given, data) == (given, None)


@pytest.mark.parametrize(
    "given",
    [
        list("fmfm"),
        ("f", "m", "f", "m"),
        ["sex", "m", "f", "m"],
        [1, 2, 1, 2],
        [["f"], ["m"], ["f"], ["m"]],
        [np.array(["f"]), np.array(["m"])],
        [pd.NA, "f", None, np.nan],
        {"sex": list("fmfm")},
        np.array(list("fmfm")),
        X["sex"],
        X[["sex", "age"]],
        pd.Index(list("fmfm")),
    ],
    ids=repr,
)
@pytest.mark.parametrize("data", [X, X.to_numpy(), sparse.eye_array(4)], ids=lambda d: type(d))
def test_what_holds_the_groups(given, data):
    spec, values = by_name_or_value(given, data)
    assert spec is None
    assert values is given


def test_groups_may_be_called_as_columns_of_x():
    dummies = pd.get_dummies(X["sex"])
    assert by_name_or_value(list("fmfm"), dummies) == (None, list("fmfm"))
    assert by_name_or_value(["f", "m"], dummies) == (["f", "m"], None)
    assert by_name_or_value(["f", "f"], dummies) == (["f", "f"], None)  # refused as names


def test_a_label_of_several_levels_is_a_name():
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=pd.MultiIndex.from_tuples([("a", "b"), "cd"]))
    assert by_name_or_value(("a", "b"), frame) == (("a", "b"), None)
    assert by_name_or_value([("a", "b")], frame) == ([("a", "b")], None)


@pytest.mark.parametrize("given", [EVERYBODY, EVERYBODY.to_frame()], ids=["Series", "DataFrame"])
def test_pandas_data_are_looked_up_where_they_cover_other_rows_too(given):
    spec, values = by_name_or_value(given, X, on_index=True)
    assert spec is given
    assert values is None
    assert by_name_or_value(given, X)[1] is given
