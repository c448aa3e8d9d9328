"""Protected columns become groups: missing values, intersections and alignment."""

import numpy as np
import pandas as pd
import pytest

from skfairprop.groups import MISSING_LABEL, Groups, align, label_texts, name_some

PEOPLE = pd.DataFrame({"sex": ["f", "m", "f", None], "age": ["old", "old", None, "young"]})


def pairs(groups):
    return [None if code < 0 else groups.labels[code] for code in groups.codes]


# -- missing values -------------------------------------------------------------------------------


def test_missing_values_are_refused_by_default():
    with pytest.raises(
        ValueError,
        match=r"^sensitive_features 'sex': 1 of 4 values are missing; pass missing='group' to "
        r"make them a group of their own, or missing='drop' to leave those rows out$",
    ):
        Groups.from_columns(PEOPLE)


def test_missing_values_can_be_a_group():
    groups = Groups.from_columns(PEOPLE["sex"], missing="group")
    assert groups.labels.tolist() == ["f", "m", MISSING_LABEL]
    assert groups.codes.tolist() == [0, 1, 0, 2]
    assert groups.n_dropped == 0
    both = Groups.from_columns(PEOPLE, missing="group")
    assert pairs(both) == [
        ("f", "old"),
        ("m", "old"),
        ("f", MISSING_LABEL),
        (MISSING_LABEL, "young"),
    ]


def test_rows_with_missing_values_can_be_left_out():
    groups = Groups.from_columns(PEOPLE, missing="drop")
    assert pairs(groups) == [("f", "old"), ("m", "old"), None, None]
    assert groups.n_dropped == 2


@pytest.mark.parametrize(
    "column",
    [
        pd.to_datetime(pd.Series(["2020", None])),
        pd.Series([1.5, None]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pd.Series(pd.PeriodIndex(["2020", None], freq="Y")),
        pd.Series(["a", None], dtype="category"),
    ],
    ids=lambda column: str(column.dtype),
)
def test_the_group_of_missing_values_stands_beside_any_type(column):
    groups = Groups.from_columns(column, missing="group")
    assert groups.codes.tolist() == [0, 1]
    assert groups.labels[1] == MISSING_LABEL


@pytest.mark.parametrize("size", [126, 127, 128, 129, 255, 256])
@pytest.mark.parametrize("kind", [str, float])
def test_the_group_of_missing_values_has_a_code_of_its_own(size, kind):
    """At the sizes where codes take a larger type."""
    column = [kind(i) for i in range(size)]
    for values in (column, pd.Categorical(column)):
        groups = Groups.from_columns(pd.Series([*values, None]), missing="group")
        assert groups.labels[groups.codes[-1]] == MISSING_LABEL
        assert groups.codes.max() == size
        assert len(np.unique(groups.codes)) == size + 1


def test_a_column_without_any_value_is_refused():
    for missing in ("raise", "drop"):
        with pytest.raises(ValueError, match="values are missing"):
            Groups.from_columns([None, None], missing=missing)
    with pytest.raises(ValueError, match=r"every row has a missing value in one of .* sex, age"):
        Groups.from_columns({"sex": ["f", None], "age": [None, "old"]}, missing="drop")


def test_the_label_of_missing_values_must_be_free():
    with pytest.raises(ValueError, match="holds both missing values and the value"):
        Groups.from_columns([MISSING_LABEL, None], missing="group")
    assert Groups.from_columns([MISSING_LABEL, "a"], missing="group").labels[0] == MISSING_LABEL


def test_the_policy_is_checked():
    with pytest.raises(ValueError, match=r"missing must be one of .*; got 'ignore'"):
        Groups.from_columns(["a"], missing="ignore")


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match=r"^sensitive_features is empty: 0 rows; at least 1"):
        Groups.from_columns([])
    with pytest.raises(ValueError, match=r"^prior is empty"):
        Groups.from_columns([], name="prior")


# -- intersections --------------------------------------------------------------------------------


def test_groups_of_several_columns_are_the_observed_combinations():
    groups = Groups.from_columns({"sex": list("mfm"), "age": [2, 1, 1]})
    assert groups.labels.tolist() == [("f", 1), ("m", 1), ("m", 2)]
    assert groups.labels.names == ["sex", "age"]
    assert groups.codes.tolist() == [2, 0, 1]
    assert groups.texts == ["f, 1", "m, 1", "m, 2"]


def test_columns_without_names_are_numbered():
    assert Groups.from_columns(pd.MultiIndex.from_arrays([[1], [2]])).labels.names == [0, 1]


def test_intersections_follow_the_rows_and_not_the_product_of_the_levels():
    """Three columns of 120 levels: 1.7 million combinations, at most 5,000 of them occur."""
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(120, size=5_000) for name in "abc"}
    groups = Groups.from_columns(columns)
    observed = sorted(set(zip(*columns.values(), strict=True)))
    assert groups.labels.tolist() == observed
    assert pairs(groups) == list(zip(*columns.values(), strict=True))


def test_intersections_too_many_to_tabulate():
    """Ten columns of 1,000 levels: their product has 31 digits."""
    rng = np.random.default_rng(0)
    columns = {f"c{i}": rng.integers(1_000, size=3_000) for i in range(10)}
    columns["c9"] = pd.array(columns["c9"], dtype="Int64")
    columns["c9"][7] = pd.NA
    groups = Groups.from_columns(columns, missing="drop")
    assert len(groups.labels) == 2_999
    assert groups.codes[7] == -1
    assert groups.labels.is_monotonic_increasing


def test_an_ordered_category_keeps_its_order_in_an_intersection():
    size = pd.Categorical(["small", "big"], categories=["small", "big"], ordered=True)
    groups = Groups.from_columns({"size": size, "sex": ["m", "m"]})
    assert groups.labels.tolist() == [("small", "m"), ("big", "m")]


# -- values ---------------------------------------------------------------------------------------


def test_groups_are_equal_by_codes_and_labels():
    groups = Groups.from_columns(["a", "b", "a"])
    assert groups == Groups.from_columns(["a", "b", "a"])
    assert groups != Groups.from_columns(["a", "b", "b"])
    assert groups != Groups.from_columns(["a", "c", "a"])
    assert groups != Groups.from_columns(["a", "b"])
    assert groups != "a"
    assert Groups.from_columns(PEOPLE, missing="drop") == Groups.from_columns(
        PEOPLE, missing="drop"
    )
    with pytest.raises(TypeError, match="unhashable type: 'Groups'"):
        hash(groups)


# -- alignment ------------------------------------------------------------------------------------


def values(columns, name):
    return list(columns[name][0].values)


def test_series_follow_the_index_of_the_first():
    y = pd.Series([1, 2, 3], index=["a", "b", "c"])
    found = align(y_true=y, sensitive_features=y[::-1])
    assert list(found) == ["y_true", "sensitive_features"]
    assert values(found, "sensitive_features") == [1, 2, 3]


def test_columns_of_a_dict_are_aligned_with_each_other():
    first = pd.Series(["f", "m"], index=[0, 1])
    second = pd.Series(["old", "young"], index=[1, 0])
    groups = Groups.from_columns({"sex": first, "age": second})
    assert pairs(groups) == [("f", "young"), ("m", "old")]


def test_extension_arrays_are_aligned_too():
    y = pd.Series([1, 2, 3])
    for dtype in ("category", "string", "Int64"):
        found = align(y_true=y, sensitive_features=y.astype(dtype)[::-1])
        assert [int(v) for v in values(found, "sensitive_features")] == [1, 2, 3]


def test_one_index_and_arrays_go_by_position():
    y = pd.Series([1, 2], index=[7, 3])
    found = align(y_true=y, y_pred=np.array([5, 6]), sensitive_features=["a", "b"])
    assert values(found, "y_pred") == [5, 6]


def test_equal_indexes_may_repeat_labels():
    y = pd.Series([1, 2], index=[0, 0])
    assert values(align(y_true=y, sensitive_features=y + 1), "sensitive_features") == [2, 3]


REMEDY = "; give them the same index, or pass arrays if they belong together by position$"


@pytest.mark.parametrize(
    ("y_pred", "index", "message"),
    [
        ([1, 2], [1, 0], "and y_pred has none to tell which of them it follows"),
        (None, [0, 0], "and that of sensitive_features repeats labels"),
        (None, [0, 5], "that of sensitive_features has labels that y_true lacks: 5"),
        (None, ["x", "y"], "that of sensitive_features has labels that y_true lacks: 'x', 'y'"),
    ],
)
def test_indexes_that_differ_are_refused(y_pred, index, message):
    y = pd.Series([1, 2])
    said = f"^y_true and sensitive_features have different indexes[:,] {message}{REMEDY}"
    with pytest.raises(ValueError, match=said):
        align(
            y_true=y,
            **({} if y_pred is None else {"y_pred": y_pred}),
            sensitive_features=pd.Series(["a", "b"], index=index),
        )


def test_one_column_of_several_with_another_index_is_named():
    columns = {"sex": pd.Series([1, 2]), "age": pd.Series([1, 2], index=[8, 9])}
    said = "sensitive_features 'sex' and sensitive_features 'age' have different indexes"
    with pytest.raises(ValueError, match=said):
        Groups.from_columns(columns)


@pytest.mark.parametrize("name", ["y_true", "y_pred", "sensitive_features"])
def test_what_is_needed_may_not_be_none(name):
    given = {"y_true": [1, 0], "y_pred": [1, 0], "sensitive_features": ["a", "b"]}
    with pytest.raises(ValueError, match=f"{name} is required; got None"):
        align(**(given | {name: None}))
    assert list(align(**given, sample_weight=None, y_score=None)) == list(given)


def test_lengths_that_differ_are_refused():
    with pytest.raises(
        ValueError, match=r"^inputs .*: y_true has 2, sensitive_features has 1,000$"
    ):
        align(y_true=[1, 2], sensitive_features=np.zeros(1_000))


# -- texts ----------------------------------------------------------------------------------------


def test_labels_in_messages():
    assert name_some(["a", 1, 2.5, True, ("f", "old")]) == "'a', 1, 2.5, True, 'f, old'"
    assert name_some(list("abcdefgh")) == "'a', 'b', 'c', 'd', 'e' and 3 more"
    assert name_some(pd.Index([0, 1])) == "0, 1"
    assert label_texts([("f", 1), "m"]) == ["f, 1", "m"]
