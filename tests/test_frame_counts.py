"""Counts of frames on every engine, against a loop over the rows."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import FairnessReport, GroupCounts, metrics
from skfairprop.inference import compare_counts
from tests.engines import DASK_MOVES, ENGINES

NAMES = {"y_true": "y", "y_pred": "pred"}
PROTECTED = ["sex", "age", "region"]


def people(n=300, seed=0) -> pd.DataFrame:
    """Texts, integers with nulls, categories of which one is unused, and weights."""
    rng = np.random.default_rng(seed)
    regions = rng.choice(["south", "north"], n).astype(object)
    regions[rng.random(n) < 0.05] = None
    table = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n).astype(object),
            "age": pd.array(rng.choice([20, 40, 60], n), dtype="Int64"),
            "region": pd.Categorical(regions, categories=["west", "south", "north"]),
            "y": rng.choice(["no", "yes"], n),
            "pred": rng.choice(["no", "yes", "perhaps"], n),
            "whole": rng.integers(0, 4, n),
            "weight": rng.integers(1, 9, n) / 4,
        }
    )
    table.loc[rng.random(n) < 0.1, "sex"] = None
    table.loc[rng.random(n) < 0.1, "age"] = pd.NA
    return table


def loop(table: pd.DataFrame, *, missing: str, weight: str | None = None, power: int = 1):
    """Group, true and predicted class of each row, added one at a time."""
    found: Counter = Counter()
    for row in table.to_dict("records"):
        group = tuple("(missing)" if pd.isna(row[name]) else row[name] for name in PROTECTED)
        if missing == "drop" and "(missing)" in group:
            continue
        found[group, row["y"], row["pred"]] += 1 if weight is None else row[weight] ** power
    return {key: value for key, value in found.items() if value}


def as_dict(counts: GroupCounts, values=None):
    values = counts.values if values is None else values
    return {
        (counts.groups[g], counts.classes[t], counts.classes[p]): values[g, t, p]
        for g, t, p in np.argwhere(values)
    }


@pytest.fixture(params=ENGINES)
def engine(request):
    return ENGINES[request.param]


on_every_engine = pytest.mark.filterwarnings(DASK_MOVES)


@on_every_engine
@pytest.mark.parametrize("missing", ["group", "drop"])
@pytest.mark.filterwarnings("ignore:left out:UserWarning")
def test_counts_are_those_of_a_loop(engine, missing):
    table = people()
    counts = GroupCounts.from_frame(
        engine(table), **NAMES, sensitive_features=PROTECTED, missing=missing
    )
    assert counts.values.dtype == np.int64
    assert counts.squared is None
    assert as_dict(counts) == loop(table, missing=missing)
    assert counts.groups.names == PROTECTED
    assert counts.total + counts.n_dropped == len(table)


@on_every_engine
def test_tables_are_those_of_arrays(engine):
    table = people()
    settings = {"sensitive_features": PROTECTED, "missing": "group", "sample_weight": "weight"}
    counts = GroupCounts.from_frame(engine(table), **NAMES, **settings)
    arrays = GroupCounts.from_arrays(
        table["y"],
        table["pred"],
        sensitive_features=table[PROTECTED],
        sample_weight=table["weight"],
        missing="group",
    )
    assert counts == arrays  # the weights are quarters: their sums are exact in any order
    np.testing.assert_array_equal(counts.squared, arrays.squared)


@on_every_engine
@pytest.mark.filterwarnings("ignore:sample_weight is 0 in all rows of group")
@pytest.mark.parametrize(("weight", "kind"), [("whole", "i"), ("weight", "f")])
def test_sums_of_weights_and_their_squares(engine, weight, kind):
    table = people()
    counts = GroupCounts.from_frame(
        engine(table),
        **NAMES,
        sensitive_features=PROTECTED,
        sample_weight=weight,
        missing="group",
    )
    assert counts.values.dtype.kind == kind
    assert as_dict(counts) == loop(table, missing="group", weight=weight)
    squares = loop(table, missing="group", weight=weight, power=2)
    assert as_dict(counts, counts.squared) == squares


@on_every_engine
def test_missing_values_are_counted_in_rows(engine):
    table = people()
    n = int(table["sex"].isna().sum())
    assert n > 9
    message = f"sensitive_features 'sex': {n} of 300 values are missing; pass missing='group'"
    with pytest.raises(ValueError, match=message):
        GroupCounts.from_frame(engine(table), **NAMES, sensitive_features="sex")
    with pytest.warns(UserWarning, match=f"left out {n} of 300 rows"):
        counts = GroupCounts.from_frame(
            engine(table), **NAMES, sensitive_features="sex", missing="drop"
        )
    assert counts.n_dropped == n
    assert counts.total == 300 - n


@on_every_engine
def test_missing_labels_are_refused(engine):
    table = people()
    table["pred"] = table["pred"].astype(object)
    table.loc[[4, 7, 9], "pred"] = None
    with pytest.raises(ValueError, match="y_pred 'pred': 3 of 300 values are missing; leave"):
        GroupCounts.from_frame(engine(table), **NAMES, sensitive_features="region", missing="group")


@pytest.mark.parametrize("name", ["polars", "duckdb", "pyarrow"])
def test_nan_and_null_are_one_group(name):
    table = pytest.importorskip("pyarrow").table(
        {"age": [1.0, None, float("nan"), 2.0], "y": [0, 1, 1, 1]}
    )
    counts = GroupCounts.from_frame(
        _from_arrow(name, table), y_true="y", sensitive_features="age", missing="group"
    )
    assert counts.groups.tolist() == [1.0, 2.0, "(missing)"]
    assert counts.values.tolist() == [[1, 0], [0, 1], [0, 2]]


def _from_arrow(name, table):
    if name == "pyarrow":
        return table
    if name == "polars":
        return pytest.importorskip("polars").from_arrow(table)
    return pytest.importorskip("duckdb").from_arrow(table)


@on_every_engine
def test_integers_beside_nulls_stay_exact(engine):
    high = 2**60
    table = pd.DataFrame(
        {"id": pd.array([high, high + 1, None, high], dtype="Int64"), "y": [0, 1, 0, 1]}
    )
    counts = GroupCounts.from_frame(
        engine(table), y_true="y", sensitive_features="id", missing="group"
    )
    assert counts.groups.tolist() == [high, high + 1, "(missing)"]


@on_every_engine
@pytest.mark.parametrize("dtype", ["Int8", "boolean", "string", "float32"])
@pytest.mark.parametrize("several", [False, True])
def test_tables_of_nullable_columns_are_those_of_arrays(engine, dtype, several):
    values = pd.Series([0, 1, 0, 1, 1, 0])
    values = (values.astype(str) if dtype == "string" else values).astype(dtype)
    table = pd.DataFrame({"g": values, "h": ["u", "v", "v", "u", "u", "u"], "y": values})
    columns = ["g", "h"] if several else ["g"]
    counts = GroupCounts.from_frame(engine(table), y_true="y", sensitive_features=columns)
    arrays = GroupCounts.from_arrays(table["y"], sensitive_features=table[columns])
    assert counts == arrays
    assert arrays == counts
    other = GroupCounts.from_arrays(table["y"][::-1], sensitive_features=table[columns][::-1])
    assert counts == other
    fewer = GroupCounts.from_arrays(table["y"][1:], sensitive_features=table[columns][1:])
    assert counts != fewer


@on_every_engine
def test_booleans_and_dates(engine):
    days = pd.to_datetime(["2026-01-02", "2026-01-01", "2026-01-02"])
    table = pd.DataFrame({"day": days, "y": [True, False, True]})
    counts = GroupCounts.from_frame(engine(table), y_true="y", sensitive_features="day")
    assert counts.groups.tolist() == [pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-02")]
    assert counts.classes.tolist() == [False, True]
    assert counts.values.tolist() == [[1, 0], [0, 2]]


@on_every_engine
def test_a_column_that_is_not_there(engine):
    with pytest.raises(ValueError, match="y_pred: no column 'predd'; did you mean 'pred'"):
        GroupCounts.from_frame(engine(people()), y_true="y", y_pred="predd", sensitive_features="y")


@on_every_engine
def test_scores_are_refused_before_they_are_counted(engine):
    table = people()
    table["score"] = np.linspace(0.25, 0.75, len(table))
    with pytest.raises(ValueError, match=re.escape("'score' holds continuous values, as 0.25")):
        GroupCounts.from_frame(engine(table), y_true="y", y_pred="score", sensitive_features="sex")


@on_every_engine
def test_too_many_values_are_counted_and_refused(engine, monkeypatch):
    monkeypatch.setattr("skfairprop._frame_query._MAX_CELLS", 100)
    table = people()
    table["id"] = np.arange(len(table))
    message = "y_pred 'id' holds 300 different values.*passed by mistake"
    with pytest.raises(ValueError, match=message):
        GroupCounts.from_frame(engine(table), y_true="y", y_pred="id", sensitive_features="sex")


@on_every_engine
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0, -2.0], "sample_weight holds 2 negative values"),
        ([1.0, None, 2.0], "sample_weight holds values that are missing or infinite"),
        ([1.0, float("inf"), 2.0], "sample_weight holds values that are missing or infinite"),
        ([1.0, 1e160, 2.0], "sample_weight holds values as large as 1e\\+160"),
        ([1e-160, 0.0, 1e-170], "sample_weight holds no value above 1e-160"),
        ([0.0, 0.0, 0.0], "sample_weight is zero in all rows"),
        (["1", "2", "3"], "sample_weight 'w' must hold numbers"),
    ],
)
def test_weights_that_are_refused(engine, weights, message):
    table = pd.DataFrame({"g": ["a", "b", "a"], "y": [0, 1, 1], "w": weights})
    with pytest.raises(ValueError, match=message):
        GroupCounts.from_frame(engine(table), y_true="y", sensitive_features="g", sample_weight="w")


@on_every_engine
def test_a_group_without_weight_is_named(engine):
    frame = engine(pd.DataFrame({"g": ["a", "b", "a"], "y": [0, 1, 1], "w": [1, 0, 2]}))
    with pytest.warns(UndefinedMetricWarning, match="sample_weight is 0 in all rows of group 'b'"):
        GroupCounts.from_frame(frame, y_true="y", sensitive_features="g", sample_weight="w")


@on_every_engine
def test_no_rows(engine):
    with pytest.raises(ValueError, match="there are no rows"):
        GroupCounts.from_frame(engine(people()[:0]), **NAMES, sensitive_features="sex")


def test_declared_labels_keep_their_order():
    counts = GroupCounts.from_frame(
        people(),
        **NAMES,
        sensitive_features="region",
        missing="group",
        groups=["west", "south", "north", "(missing)"],
        classes=["yes", "perhaps", "no"],
    )
    assert counts.groups.tolist() == ["west", "south", "north", "(missing)"]
    assert counts.classes.tolist() == ["yes", "perhaps", "no"]
    with pytest.raises(ValueError, match="classes that are not declared: 'perhaps'"):
        GroupCounts.from_frame(
            people(), **NAMES, sensitive_features="sex", missing="group", classes=["no", "yes"]
        )


def test_what_is_no_frame():
    with pytest.raises(TypeError, match=r"frame must be a data frame.*got ndarray.*from_arrays"):
        GroupCounts.from_frame(np.zeros((2, 2)), y_true="y", sensitive_features="sex")
    with pytest.raises(TypeError, match="sensitive_features must name a column; got Series"):
        GroupCounts.from_frame(people(), y_true="y", sensitive_features=people()["sex"])
    with pytest.raises(ValueError, match="'y' is named twice, as y_true and y_pred"):
        GroupCounts.from_frame(people(), y_true="y", y_pred="y", sensitive_features="sex")
    with pytest.raises(ValueError, match="sensitive_features names no column"):
        GroupCounts.from_frame(people(), y_true="y", sensitive_features=[])


def test_names_that_are_no_texts_or_are_repeated():
    numbered = people().rename(columns={"sex": 0})
    with pytest.raises(ValueError, match="the name of column 0 is no text; rename the columns"):
        GroupCounts.from_frame(numbered, y_true="y", sensitive_features="0")
    twice = pd.concat([people(), people()], axis=1)
    with pytest.raises(ValueError, match=r"from_frame: the frame cannot be read: .*'sex' 2 times"):
        GroupCounts.from_frame(twice, y_true="y", sensitive_features="sex")


def test_lists_are_no_labels():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"g": [["a"], ["b"]], "y": [0, 1]})
    with pytest.raises(ValueError, match="sensitive_features 'g' holds lists or records"):
        GroupCounts.from_frame(frame, y_true="y", sensitive_features="g")


def test_an_engine_that_fails_is_the_cause():
    pl = pytest.importorskip("polars")
    lazy = pl.LazyFrame({"y": ["1", "x"], "g": ["a", "b"]}).with_columns(pl.col("y").cast(pl.Int8))
    with pytest.raises(RuntimeError, match="from_frame: polars could not compute") as caught:
        GroupCounts.from_frame(lazy, y_true="y", sensitive_features="g")
    assert type(caught.value.__cause__).__name__ == "InvalidOperationError"  # of polars or narwhals
    assert "conversion from `str` to `i8` failed" in str(caught.value.__cause__)


def test_a_package_that_the_engine_lacks_is_named(monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    frame = duckdb.sql("select 'a' as g, 1 as y")

    def fails(*args, **kwargs):
        raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

    monkeypatch.setattr("narwhals.stable.v2.LazyFrame.collect", fails)
    with pytest.raises(ImportError, match="duckdb needs 'pyarrow', which is not installed: pip"):
        GroupCounts.from_frame(frame, y_true="y", sensitive_features="g")


def test_a_column_of_the_name_of_a_sum():
    table = people().rename(
        columns={"sex": "rows", "y": "key_1", "pred": "weight_", "age": "total"}
    )
    counts = GroupCounts.from_frame(
        table,
        y_true="key_1",
        y_pred="weight_",
        sensitive_features=["rows", "total"],
        sample_weight="weight",
        missing="group",
    )
    assert counts.groups.names == ["rows", "total"]
    assert counts.total == table["weight"].sum()


# -- what reads the counts ----------------------------------------------------------------------


def test_everything_reads_the_counts():
    table = people(2000)
    table["pred"] = table["pred"].replace("perhaps", "no")
    lazy = ENGINES["polars lazy"](table)
    settings = {"sensitive_features": "region", "missing": "group"}
    counts = GroupCounts.from_frame(lazy, **NAMES, **settings)
    value = metrics.evaluate(counts, "equal_opportunity_difference", pos_label="yes")
    region = table["region"].astype(object).where(table["region"].notna(), "none")
    positive = table["y"] == "yes"
    rates = (table["pred"] == "yes")[positive].groupby(region[positive]).mean()
    assert value == pytest.approx(rates.max() - rates.min())
    report = FairnessReport.from_counts(counts, pos_label="yes", bootstrap=0)
    assert report.by_group["count"].sum() == 2000


def test_what_reads_counts_refuses_rows():
    with pytest.raises(TypeError, match=r"counts must be GroupCounts; got DataFrame.*from_frame"):
        metrics.evaluate(people(), "cramers_v")
    with pytest.raises(TypeError, match=r"counts must be GroupCounts; got DataFrame.*from_frame"):
        FairnessReport.from_counts(people())


def test_two_windows_are_compared():
    march, april = people(3000, seed=1), people(3000, seed=2)
    april.loc[(april["sex"] == "f") & (april["y"] == "yes"), "pred"] = "no"
    windows = [
        GroupCounts.from_frame(frame, **NAMES, sensitive_features="sex", missing="group")
        for frame in (march, april)
    ]
    found = compare_counts(
        "equal_opportunity_difference", *windows, pos_label="yes", random_state=0, n_draws=200
    )
    assert found.excludes_zero()
    assert found.lower > 0.15
