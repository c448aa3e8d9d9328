"""The table of counts: how it is made, viewed and merged, and what it refuses."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop.metrics import (
    accuracy_difference,
    bias_estimation,
    bias_estimations,
    ensemble_bias_estimation,
    evaluate,
)

TRUE = [1, 0, 1, 1, 0]
PRED = [1, 0, 0, 1, 1]
GROUP = list("aabbb")
TABLE = [[[1, 0], [0, 1]], [[0, 1], [1, 1]]]


def counts(**changes):
    given = {"y_true": TRUE, "y_pred": PRED, "sensitive_features": GROUP} | changes
    return GroupCounts.from_arrays(**given)


def slow_table(group, true, pred, weight):
    """Counts by a loop over the rows, as a dict."""
    table = {}
    for key in zip(group, true, pred, strict=True):
        table.setdefault(key, 0)
    for *key, w in zip(group, true, pred, weight, strict=True):
        table[tuple(key)] += w
    return table


# -- from rows ------------------------------------------------------------------------------------


def test_from_arrays_by_hand():
    found = counts()
    assert found.values.tolist() == TABLE
    assert found.values.dtype == np.int64
    assert found.groups.tolist() == ["a", "b"]
    assert found.classes.tolist() == [0, 1]
    assert (found.n_groups, found.n_classes, found.total) == (2, 2, 5)
    assert found.predicted
    assert found.squared is None
    assert repr(found) == "GroupCounts(2 groups by sensitive_features, 2 classes, total 5)"


def test_of_a_data_set_alone():
    found = counts(y_pred=None)
    assert found.values.tolist() == [[1, 1], [1, 2]]
    assert not found.predicted
    assert found == counts().of_labels()
    assert counts().of_predictions().values.tolist() == [[1, 1], [1, 2]]


def test_from_arrays_equals_a_loop():
    rng = np.random.default_rng(0)
    names = np.array(["no", "yes", "maybe"])
    group = rng.choice(["x", "y", "z"], 500)
    true, pred = names[rng.integers(3, size=500)], names[rng.integers(3, size=500)]
    weight = rng.random(500)
    found = GroupCounts.from_arrays(true, pred, sensitive_features=group, sample_weight=weight)
    table = found.to_frame().set_index(["sensitive_features", "y_true", "y_pred"])["count"]
    expected = slow_table(group, true, pred, weight)
    for key, value in table.items():
        assert value == pytest.approx(expected.get(key, 0.0))


def test_integer_weights_give_integers_and_their_squares():
    found = counts(sample_weight=np.array([1, 2, 200, 4, 5], dtype=np.uint8))
    assert found.values.tolist() == [[[2, 0], [0, 1]], [[0, 5], [200, 4]]]
    assert found.values.dtype == np.int64
    assert found.squared.tolist() == [[[4, 0], [0, 1]], [[0, 25], [40_000, 16]]]


def test_integer_weights_beyond_exact_sums_stay_floats():
    found = counts(sample_weight=[2**62] * 5)
    assert found.values.dtype == np.float64
    assert found.total == 5 * 2.0**62


@pytest.mark.parametrize(
    "weight",
    [
        [0.5, 1, 2, 3, 4],
        np.array([0.5, 1, 2, 3, 4], dtype=np.float16),
        np.array([0.5, 1, 2, 3, 4], dtype=np.float32),
        np.array([0.5, 1, 2, 3, 4], dtype=np.longdouble),
        np.array([0.5, 1, 2, 3, 4], dtype=">f8"),
        np.array([0.5, 1, 2, 3, 4], dtype=object),
        pd.Series([0.5, 1, 2, 3, 4], dtype="Float64"),
        pd.Series([0.5, 1, 2, 3, 4])[::-1],
    ],
    ids=lambda weight: str(getattr(weight, "dtype", "list")),
)
def test_weights_of_any_type(weight):
    given = {name: pd.Series(v) for name, v in (("y_true", TRUE), ("y_pred", PRED))}
    found = counts(**given, sensitive_features=pd.Series(GROUP), sample_weight=weight)
    assert found.values.tolist() == [[[1.0, 0.0], [0.0, 0.5]], [[0.0, 4.0], [2.0, 3.0]]]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, -1, 1, -1], "sample_weight holds 2 negative values; weights must be 0 or more"),
        ([1, 1, 1, 1, None], "sample_weight holds values that are missing or infinite"),
        (pd.array([1, 1, 1, 1, None], dtype="Int64"), "sample_weight holds values that are miss"),
        (pd.Series([1, 1, 1, 1, pd.NA], dtype=object), "sample_weight holds values that are mis"),
        (list("11111"), "sample_weight must hold numbers"),
        ([1j] * 5, "sample_weight must hold numbers"),
        (np.arange(5).astype("m8[s]"), "sample_weight must hold numbers"),
        (np.zeros((5, 2)), "sample_weight must be one-dimensional; got 2 columns"),
        ([1e160] * 5, r"sample_weight holds values as large as 1e\+160; divide all of them"),
        ([0] * 5, "sample_weight is zero in all rows"),
    ],
    ids=str,
)
def test_weights_that_are_refused(weight, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        counts(sample_weight=weight)


def test_a_group_without_weight_keeps_its_place_and_is_named():
    with pytest.warns(
        UndefinedMetricWarning,
        match="^sample_weight is 0 in all rows of group 'b'; their rates are undefined and left",
    ):
        found = counts(sample_weight=[1, 1, 0, 0, 0])
    assert found.groups.tolist() == ["a", "b"]
    assert found.values.tolist() == [TABLE[0], [[0, 0], [0, 0]]]


def test_a_declared_group_without_rows_is_no_group_without_weight():
    found = counts(sample_weight=[1] * 5, groups=["a", "b", "c"])
    assert found.values[2].sum() == 0


def test_warnings_point_to_the_line_of_the_caller():
    """Each is raised some calls below the public function."""
    calls = [
        lambda: counts(sensitive_features=["a", None, "b", "b", "b"], missing="drop"),
        lambda: counts(sample_weight=[1, 1, 0, 0, 0]),
        lambda: accuracy_difference(TRUE, PRED, sensitive_features=[None, *"abab"], missing="drop"),
        lambda: accuracy_difference(TRUE, PRED, sensitive_features=["a"] * 5),
        lambda: evaluate(counts(sensitive_features=["a"] * 5), "accuracy_difference"),
        lambda: bias_estimations(TRUE, PRED, sensitive_features=["a"] * 5),
        lambda: bias_estimation(
            TRUE, PRED, sensitive_features=["a"] * 5, method="erbs", y_score=TRUE
        ),
        lambda: ensemble_bias_estimation(TRUE, PRED, sensitive_features=["a"] * 5),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert {warning.filename for warning in caught} == {__file__}


def test_rows_left_out_are_counted():
    with pytest.warns(UserWarning, match="^left out 2 of 5 rows with a missing .*; 3 rows were"):
        found = counts(sensitive_features=["a", None, "b", "b", None], missing="drop")
    assert found.n_dropped == 2
    assert found.total == 3
    with (
        pytest.warns(UserWarning, match="left out"),
        pytest.raises(ValueError, match="sample_weight is zero in all rows with a protected value"),
    ):
        counts(
            sensitive_features=[None, "a", "a", "a", "a"],
            sample_weight=[1, 0, 0, 0, 0],
            missing="drop",
        )


# -- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("true", "pred"),
    [
        (np.array([1, 0], bool), np.array([1.0, 0.0])),
        (np.array([1, 0], np.int8), np.array([1, 0], np.uint64)),
        (pd.array([1, 0], dtype="Int64"), np.array([1, 0], bool)),
        (pd.Categorical([1, 0], categories=[0, 1, 2]), [1, 0]),
        ([1, 0], pd.array([1.0, 0.0], dtype="Float64")),
    ],
)
def test_equal_labels_of_other_types_are_one_class(true, pred):
    found = GroupCounts.from_arrays(true, pred, sensitive_features=["a", "a"])
    assert found.values.tolist() == [[[1, 0], [0, 1]]]


def test_classes_of_both_columns_are_joined_and_sorted():
    found = GroupCounts.from_arrays(["b", "d"], ["c", "a"], sensitive_features=[0, 0])
    assert found.classes.tolist() == ["a", "b", "c", "d"]
    assert found.values[0].tolist() == [
        [0, 0, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 0],
        [1, 0, 0, 0],
    ]


def test_classes_of_mixed_types_in_both_columns():
    found = GroupCounts.from_arrays([1, "b"], ["b", 1], sensitive_features=[0, 0])
    assert found.classes.tolist() == [1, "b"]
    assert found.values.tolist() == [[[0, 1], [1, 0]]]


@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ([0, 1], ["0", "1"], "y_true and y_pred have labels of different types: 0, 1 against '0'"),
        ([0, 1], [0.2, 1.0], "y_pred holds continuous values, as 0.2; pass class labels"),
        ([0, np.inf], [0, 1], "y_true holds infinite values; pass class labels"),
        ([0, None], [0, 1], "y_true: 1 of 2 values are missing; leave those rows out"),
        ([0, 1], [np.nan, np.nan], "y_pred: 2 of 2 values are missing; leave those rows out"),
        ([[0, 1], [1, 0]], [0, 1], "y_true must be one-dimensional; got 2 columns"),
        (None, [0, 1], "y_true is required; got None"),
    ],
)
def test_labels_that_are_refused(true, pred, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        GroupCounts.from_arrays(true, pred, sensitive_features=["a", "a"])


@pytest.mark.parametrize(
    "labels", [[0, 10**18], [2**63, 2**63 + 1], [-(2**70), 2**70], [10**17 + 1, 10**17 + 2]]
)
def test_huge_integers_as_labels(labels):
    true, pred = [labels[i] for i in TRUE], [labels[i] for i in PRED]
    found = counts(y_true=true, y_pred=pred)
    assert found.classes.tolist() == labels
    assert found.values.tolist() == TABLE


def test_identifiers_as_labels_make_too_large_a_table():
    names = np.arange(20_000)
    with pytest.raises(ValueError, match="20,000 groups and 20,000 classes make too large a table"):
        GroupCounts.from_arrays(names, names, sensitive_features=names)


def test_declared_labels_have_their_order():
    found = counts(groups=["c", "b", "a"], classes=[2, 1, 0])
    assert found.groups.tolist() == ["c", "b", "a"]
    assert found.classes.tolist() == [2, 1, 0]
    assert found.values[2].tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert found.values[0].sum() == 0


def test_many_more_labels_declared_than_found():
    found = counts(groups=[*map(str, range(300)), "a", "b"])
    assert found.values[300:].tolist() == TABLE
    assert found.total == 5


def test_declared_labels_must_be_labels():
    with pytest.raises(ValueError, match="groups must be a sequence of labels; got the text 'ab'"):
        counts(groups="ab")
    columns = {"sex": GROUP, "age": GROUP}
    with pytest.raises(ValueError, match=r"must be tuples of one value for each of \['sex', 'age'"):
        counts(sensitive_features=columns, groups=["a", "b"])


def test_labels_that_are_not_declared_are_refused():
    with pytest.raises(
        ValueError, match="the data hold groups that are not declared: 'b'; groups="
    ):
        counts(groups=["a"])
    with pytest.raises(
        ValueError, match="the data hold classes that are not declared: 1; classes="
    ):
        counts(classes=[0])
    with pytest.raises(ValueError, match="group 'a' occurs more than once"):
        counts(groups=["a", "b", "a"])


# -- from codes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", ">i4"])
def test_from_codes(dtype):
    group, true, pred = (np.array(c, dtype=dtype) for c in ([0, 0, 1, 1, 1], TRUE, PRED))
    found = GroupCounts.from_codes(group, true, pred, groups=["a", "b"], classes=[0, 1])
    assert found == counts()
    weighted = GroupCounts.from_codes(
        group, true, pred, groups=["a", "b"], classes=[0, 1], sample_weight=[1, 2, 3, 4, 5]
    )
    assert weighted == counts(sample_weight=[1, 2, 3, 4, 5])
    alone = GroupCounts.from_codes(group, true, groups=["a", "b"], classes=[0, 1])
    assert alone == counts().of_labels()


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (([0, 2], [0, 1]), r"group_codes must lie in 0 \.\. 1"),
        (([0, -1], [0, 1]), r"group_codes must lie in 0 \.\. 1"),
        (([0, 1], [0, 5]), r"true_codes must lie in 0 \.\. 1"),
        (([0.0, 1.0], [0, 1]), r"group_codes must be integers of shape \(2,\)"),
        (([0, 1], [0, 1, 1]), r"true_codes must be integers of shape \(2,\)"),
        (([[0, 1]], [[0, 1]]), r"group_codes must be integers of shape \(2,\)"),
        (([], []), "group_codes are empty: 0 rows; at least 1 is needed"),
    ],
)
def test_codes_that_are_refused(codes, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        GroupCounts.from_codes(*codes, groups=["a", "b"], classes=[0, 1])


def test_codes_and_weights_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="sample_weight has 1 rows; the codes have 2"):
        GroupCounts.from_codes(
            [0, 1], [0, 1], groups=["a", "b"], classes=[0, 1], sample_weight=[1.0]
        )


# -- from a table ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((2, 3)), r"values of shape \(2, 3\) do not end in \(2, 2, 2\): 2 groups, 2 cl"),
        (np.full((2, 2, 2), -1), "counts must be numbers that are finite and not negative"),
        (np.full((2, 2, 2), np.nan), "counts must be numbers that are finite and not negative"),
        (np.full((2, 2, 2), np.inf), "counts must be numbers that are finite and not negative"),
        (np.full((2, 2, 2), "1"), "counts must be numbers that are finite and not negative"),
    ],
)
def test_tables_that_are_refused(values, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        GroupCounts(values, groups=["a", "b"], classes=[0, 1])


def test_labels_must_be_unique_and_squares_fit():
    with pytest.raises(ValueError, match="class 0 occurs more than once"):
        GroupCounts(TABLE, groups=["a", "b"], classes=[0, 0])
    with pytest.raises(ValueError, match=r"squared has shape \(2,\); values have \(2, 2, 2\)"):
        GroupCounts(TABLE, groups=["a", "b"], classes=[0, 1], squared=[1, 1])


# -- views ----------------------------------------------------------------------------------------


def test_select_groups():
    for keep in ([False, True], [1], np.array([1])):
        found = counts().select(keep)
        assert found.groups.tolist() == ["b"]
        assert found.values.tolist() == TABLE[1:]


def test_collapse_columns():
    columns = {"sex": list("ffmmm"), "age": [1, 2, 1, 1, 2]}
    found = counts(sensitive_features=columns, sample_weight=[1, 2, 3, 4, 5])
    for name in columns:
        alone = counts(sensitive_features=columns[name], sample_weight=[1, 2, 3, 4, 5])
        assert found.collapse(name) == alone
        assert found.collapse(name).groups.name == name
        np.testing.assert_array_equal(found.collapse(name).squared, alone.squared)
    with pytest.raises(ValueError, match=r"no protected column 'race'; there are \['sex', 'age'\]"):
        found.collapse("race")


def test_drop_unused_and_declare():
    wide = counts(groups=["z", "a", "b"], classes=[5, 0, 1])
    assert wide.drop_unused() == counts()
    assert counts().declare_classes([0, 1, 7]).values.shape == (2, 3, 3)
    assert counts().declare_classes([0, 1, 7]).drop_unused() == counts()
    with pytest.raises(ValueError, match=r"hold classes that are not declared: 1$"):
        counts().declare_classes([0, 7])


def test_to_frame():
    frame = counts().to_frame()
    assert frame.columns.tolist() == ["sensitive_features", "y_true", "y_pred", "count"]
    assert frame["count"].sum() == 5
    assert len(frame) == 8


@pytest.mark.parametrize("name", ["y_true", "y_pred", "count"])
def test_to_frame_keeps_a_protected_column_of_a_taken_name(name):
    frame = counts(sensitive_features=pd.Series(GROUP, name=name)).to_frame()
    assert frame[f"group_{name}"].tolist() == ["a"] * 4 + ["b"] * 4
    assert frame.columns.is_unique


def test_replicates_have_no_single_table():
    stacked = GroupCounts([TABLE, TABLE], groups=["a", "b"], classes=[0, 1])
    assert stacked.total.tolist() == [5, 5]
    assert "(2,) replicates" in repr(stacked)
    with pytest.raises(ValueError, match="replicate axes have no single table"):
        stacked.to_frame()


# -- merging --------------------------------------------------------------------------------------


def test_merging_joins_the_labels():
    first = GroupCounts.from_arrays(["x"], ["x"], sensitive_features=["b"])
    second = GroupCounts.from_arrays(["w"], ["x"], sensitive_features=["a"])
    both = GroupCounts.from_arrays(["x", "w"], ["x", "x"], sensitive_features=["b", "a"])
    assert first + second == second + first == sum([first, second]) == both
    assert first != second


@pytest.mark.parametrize(
    "column",
    [
        ["b", None, "a", None, "c"],
        [1, "b", None, 2.5, "a"],
        pd.Series([True, None, False, True, None], dtype="boolean"),
        pd.to_datetime(["2021-01-01", None, "2020-01-01", "2021-01-01", "2022-01-01"]),
        pd.DataFrame({"sex": ["f", "m", None, "f", "m"], "age": [2, 1, 1, None, 3]}),
        pd.DataFrame({"a": [1, "b", "a", 2, 1], "b": [None, "x", 3, "x", 3]}),
        pd.Series([("a", 1), ("b", 2), ("a", 2), ("b", 2), ("a", 1)]),
    ],
    ids=["missing", "mixed", "boolean", "dates", "columns", "mixed columns", "tuples"],
)
def test_merging_parts_is_counting_the_whole(column):
    """In every order of the parts, with groups that the parts do not share."""
    column = column if isinstance(column, pd.DataFrame) else pd.Series(column)
    whole = counts(sensitive_features=column, missing="group")
    rows = [
        counts(
            y_true=TRUE[i : i + 1],
            y_pred=PRED[i : i + 1],
            sensitive_features=column.iloc[i : i + 1],
            missing="group",
        )
        for i in range(5)
    ]
    assert sum(rows) == whole
    assert sum(rows[::-1]) == whole
    assert sum(rows).groups.names == whole.groups.names


def test_merging_keeps_the_order_of_an_ordered_category():
    size = pd.Categorical(
        ["small", "big", "small", "big", "big"], categories=["small", "big"], ordered=True
    )
    whole = counts(sensitive_features=size)
    part = counts(y_true=TRUE[1:2], y_pred=PRED[1:2], sensitive_features=size[1:2])
    assert (part + whole).groups.tolist() == ["small", "big"]
    assert (whole + part).groups.tolist() == ["small", "big"]


def test_merging_true_and_one():
    first = counts(sensitive_features=[True, True, False, False, False])
    second = counts(sensitive_features=[1, 1, 0, 0, 0])
    np.testing.assert_array_equal((first + second).values, 2 * first.values)


def test_merging_weights_with_none():
    both = counts() + counts(sample_weight=[2, 2, 2, 2, 2])
    assert both.total == 15
    assert both.squared.sum() == 5 + 5 * 4


def test_merging_adds_what_was_left_out():
    with pytest.warns(UserWarning, match="left out"):
        part = counts(sensitive_features=["a", None, "b", "b", None], missing="drop")
    assert (part + part).n_dropped == 4
    assert (part + counts()).n_dropped == 2


def test_what_cannot_be_merged():
    with pytest.raises(ValueError, match="counts with predictions cannot be merged with counts w"):
        counts() + counts().of_labels()
    with pytest.raises(ValueError, match=r"counts by \[None\] cannot be merged with .*\['sex'\]"):
        counts() + counts(sensitive_features=pd.Series(GROUP, name="sex"))
    with pytest.raises(TypeError, match="unsupported operand"):
        counts() + 1
    assert counts() != 1


def test_numbers_are_not_merged_with_the_texts_they_look_like():
    numbers = counts(sensitive_features=[1, 1, 2, 2, 2])
    for texts in ("11222", "1122x"):
        with pytest.raises(ValueError, match=r"cannot merge counts of ., a int, with counts of '"):
            numbers + counts(sensitive_features=list(texts))
    with pytest.raises(ValueError, match="give both the same labels"):
        counts(y_true=list("10101"), y_pred=list("10101")) + counts()
    several = pd.DataFrame({"a": GROUP, "b": [1, 1, 2, 2, 2]})
    with pytest.raises(ValueError, match="give both the same labels"):
        counts(sensitive_features=several) + counts(sensitive_features=several.astype(str))
    both = counts(sensitive_features=[1, "1", 2, 2, 2])  # here they are told apart
    assert (both + numbers).groups.tolist() == [1, 2, "1"]


# -- values ---------------------------------------------------------------------------------------


def test_what_is_written_to_an_array_later_is_not_in_the_table():
    values, squared = np.array([[[3.0, 1], [0, 2]]]), np.array([[[5.0, 1], [0, 4]]])
    counts = GroupCounts(values, groups=["a"], classes=[0, 1], squared=squared)
    values[0, 0, 0] = squared[0, 0, 0] = -5
    assert counts.values[0, 0, 0] == 3
    assert counts.squared[0, 0, 0] == 5


def test_tables_are_equal_where_their_squares_are():
    labels = {"groups": ["a"], "classes": [0, 1]}
    values = [[[4, 0], [0, 4]]]
    plain = GroupCounts(values, **labels)
    one_heavy_row = GroupCounts(values, squared=[[[16, 0], [0, 16]]], **labels)
    assert plain != one_heavy_row
    assert one_heavy_row == GroupCounts(values, squared=[[[16, 0], [0, 16]]], **labels)
    assert one_heavy_row != GroupCounts(values, squared=[[[16, 0], [0, 8]]], **labels)
    assert plain == GroupCounts(values, squared=values, **labels)  # each row weighs 1
    weighted = GroupCounts.from_arrays(
        TRUE, PRED, sensitive_features=GROUP, sample_weight=np.ones(len(TRUE))
    )
    assert weighted == GroupCounts.from_arrays(TRUE, PRED, sensitive_features=GROUP)


# -- subclasses -----------------------------------------------------------------------------------


class OwnCounts(GroupCounts):
    """Counts of a user's own kind."""


PEOPLE = pd.DataFrame({"y": TRUE, "pred": PRED, "g": GROUP})
NAMED = {"y_true": "y", "y_pred": "pred", "sensitive_features": "g"}
CONSTRUCTORS = {
    "from_arrays": lambda cls, _: cls.from_arrays(TRUE, PRED, sensitive_features=GROUP),
    "from_codes": lambda cls, _: cls.from_codes([0, 1], [0, 1], groups=["a", "b"], classes=[0, 1]),
    "from_frame": lambda cls, _: cls.from_frame(PEOPLE, **NAMED),
    "from_parquet": lambda cls, folder: cls.from_parquet(parquet_file(folder), **NAMED),
    "from_batches": lambda cls, _: cls.from_batches([PEOPLE], **NAMED),
}
VIEWS = {
    "of_labels": lambda counts: counts.of_labels(),
    "of_predictions": lambda counts: counts.of_predictions(),
    "select": lambda counts: counts.select([0]),
    "collapse": lambda counts: counts.collapse(counts.groups.names[0]),
    "declare_classes": lambda counts: counts.declare_classes([0, 1, 2]),
    "drop_unused": lambda counts: counts.declare_classes([0, 1, 2]).drop_unused(),
    "+": lambda counts: counts + counts,
    "sum": lambda counts: sum([counts, counts]),
}


def parquet_file(folder):
    pytest.importorskip("pyarrow")
    PEOPLE.to_parquet(folder / "part.parquet")
    return folder / "part.parquet"


@pytest.mark.parametrize("name", [n for n in dir(GroupCounts) if n.startswith("from_")])
def test_a_subclass_constructs_its_own_kind(name, tmp_path):
    assert type(CONSTRUCTORS[name](OwnCounts, tmp_path)) is OwnCounts


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_of_a_subclass_is_of_its_kind(name):
    assert type(VIEWS[name](OwnCounts.from_frame(PEOPLE, **NAMED))) is OwnCounts


# -- size -----------------------------------------------------------------------------------------


def test_intersections_of_three_columns_of_120_levels():
    rng = np.random.default_rng(0)
    columns = pd.DataFrame(rng.integers(120, size=(5_000, 3)), columns=list("abc"))
    y = rng.integers(2, size=5_000)
    found = GroupCounts.from_arrays(y, y, sensitive_features=columns)
    assert found.n_groups == len(columns.drop_duplicates())
    assert found.total == 5_000


def test_twenty_thousand_groups():
    names = np.array([f"group {i:05d}" for i in range(20_000)], dtype=object)
    rng = np.random.default_rng(0)
    order = rng.permutation(20_000)
    y = rng.integers(2, size=20_000)
    found = GroupCounts.from_arrays(y, y, sensitive_features=names[order])
    assert found.groups.tolist() == names.tolist()
    np.testing.assert_array_equal(found.values[order, y, y], 1)
