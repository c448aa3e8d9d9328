"""Counts of batches and of Parquet files: as if all the rows had come at once."""

import importlib.util
from decimal import Decimal
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from skfairprop import GroupCounts
from tests.test_frame_counts import NAMES, people

SETTINGS = {**NAMES, "sensitive_features": ["sex", "region"], "missing": "group"}


def thirds(table: pd.DataFrame) -> list[pd.DataFrame]:
    cuts = [0, len(table) // 3, len(table) // 2, len(table)]
    return [table[a:b] for a, b in pairwise(cuts)]


def at_once(table: pd.DataFrame, **settings) -> GroupCounts:
    return GroupCounts.from_arrays(
        table["y"],
        table["pred"],
        sensitive_features=table[["sex", "region"]],
        missing="group",
        **settings,
    )


# -- batches ------------------------------------------------------------------------------------


def test_batches_of_frames():
    table = people()
    counts = GroupCounts.from_batches(iter(thirds(table)), **SETTINGS, sample_weight="weight")
    arrays = at_once(table, sample_weight=table["weight"])
    assert counts == arrays
    np.testing.assert_array_equal(counts.squared, arrays.squared)


def test_batches_of_arrays():
    table = people()
    batches = (
        {
            "y_true": part["y"],
            "y_pred": part["pred"],
            "sensitive_features": part[["sex", "region"]],
            "sample_weight": part["whole"],
        }
        for part in thirds(table)
    )
    counts = GroupCounts.from_batches(batches, missing="group")
    assert counts == at_once(table, sample_weight=table["whole"])
    assert counts.values.dtype == np.int64


def test_categories_are_merged_by_label():
    first = pd.DataFrame({"g": pd.Categorical(["a", "b"], categories=["a", "b"]), "y": [0, 1]})
    second = pd.DataFrame({"g": pd.Categorical(["b", "c"], categories=["c", "b"]), "y": [1, 1]})
    counts = GroupCounts.from_batches([first, second], y_true="y", sensitive_features="g")
    assert counts.groups.tolist() == ["a", "b", "c"]
    assert counts.values.tolist() == [[1, 0], [0, 2], [0, 1]]


def test_integers_and_floats_are_one_type():
    first = pd.DataFrame({"g": [1, 2], "y": [0, 1]})
    second = pd.DataFrame({"g": [1.0, np.nan], "y": [0.0, 1.0]})
    counts = GroupCounts.from_batches(
        [first, second], y_true="y", sensitive_features="g", missing="group"
    )
    assert counts.groups.tolist() == [1, 2, "(missing)"]
    assert counts.values.tolist() == [[2, 0], [0, 1], [0, 1]]


@pytest.mark.parametrize(
    ("column", "other", "message"),
    [
        ("g", ["1", "2"], "batch 3: sensitive_features 'g' holds texts, as '1', and in batch 1 it"),
        ("y", [True, False], "batch 3: y_true 'y' holds booleans, as True, and in batch 1 it"),
    ],
)
def test_another_type_in_a_batch_is_refused(column, other, message):
    first = pd.DataFrame({"g": [1, 2], "y": [0, 1]})
    unknown = first.assign(g=[None, None])
    batches = [first, unknown, first.assign(**{column: other})]
    with pytest.raises(ValueError, match=message):
        GroupCounts.from_batches(batches, y_true="y", sensitive_features="g", missing="group")


def test_moments_with_and_without_a_time_zone_are_two_types():
    first = pd.DataFrame({"g": pd.to_datetime(["2026-01-01"]), "y": [0]})
    second = first.assign(g=first["g"].dt.tz_localize("UTC"))
    message = (
        "batch 2: sensitive_features 'g' holds dates with a time zone, as .*it holds dates, as"
    )
    with pytest.raises(ValueError, match=message):
        GroupCounts.from_batches([first, second], y_true="y", sensitive_features="g")


@pytest.mark.parametrize("kind", ["float32", "decimal"])
def test_one_number_in_two_precisions_is_refused(kind):
    first = pd.DataFrame({"g": [1.1, 2.5, np.inf], "y": [0, 1, 1]})
    other = [Decimal("1.1")] * 3 if kind == "decimal" else np.full(3, 1.1, dtype="float32")
    message = "sensitive_features 'g' holds .*1.1.* and .*1.1.*, one number in two precisions"
    settings = {"y_true": "y", "sensitive_features": "g"}
    with pytest.raises(ValueError, match=message):
        GroupCounts.from_batches([first, first.assign(g=other)], **settings)
    exact = first.assign(g=np.array([2.5, 0.5, 3], dtype="float32"))  # the same in both
    counts = GroupCounts.from_batches([first, exact], **settings)
    assert counts.groups.tolist() == [0.5, 1.1, 2.5, 3, np.inf]


def test_batches_of_a_reader_of_arrow():
    arrow = pytest.importorskip("pyarrow")
    table = people()
    batches = arrow.Table.from_pandas(table).to_batches(max_chunksize=70)
    assert len(batches) == 5
    counts = GroupCounts.from_batches(iter(batches), **SETTINGS)
    assert counts == at_once(table)


def test_missing_values_are_said_once_and_of_all_batches():
    table = people()
    n = int(table["sex"].isna().sum())
    batches = partial(GroupCounts.from_batches, thirds(table), y_true="y", sensitive_features="sex")
    with pytest.raises(ValueError, match=f"'sex': {n} of 300 values are missing"):
        batches()
    with pytest.warns(UserWarning, match=f"left out {n} of 300 rows") as caught:
        counts = batches(missing="drop")
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert counts.n_dropped == n


def test_empty_batches_are_passed_over():
    table = people()
    counts = GroupCounts.from_batches([table[:0], table, table[:0]], **SETTINGS)
    assert counts == at_once(table)


@pytest.mark.parametrize(
    ("batches", "error", "message"),
    [
        ([], ValueError, "there are no batches"),
        ([people()[:0]], TypeError, "batch 1 is a DataFrame; name the columns of frames"),
        ({"y_true": [0]}, TypeError, "batches must be an iterable of frames or dicts; got dict"),
        ([{"y_true": [0, 1]}], ValueError, "batch 1: sensitive_features is missing"),
        (
            [{"y_true": [0], "sensitive_features": ["a"], "y_prd": [0]}],
            ValueError,
            "batch 1: no argument 'y_prd'; did you mean 'y_pred'",
        ),
        (
            [
                {"y_true": [0], "sensitive_features": {"sex": ["a"]}},
                {"y_true": [0], "sensitive_features": {"gender": ["a"]}},
            ],
            ValueError,
            r"batch 2: has y_true, sensitive_features \['gender'\], and batch 1 has y_true, sens",
        ),
        (
            [
                {"y_true": [0], "sensitive_features": ["a"], "sample_weight": [1]},
                {"y_true": [0], "sensitive_features": ["a"]},
            ],
            ValueError,
            "give all batches the same arguments and names",
        ),
        (
            [{"y_true": [0, 1], "sensitive_features": ["a"]}],
            ValueError,
            "inputs have different numbers of rows",
        ),
    ],
)
def test_batches_that_are_refused(batches, error, message):
    with pytest.raises(error, match=message):
        GroupCounts.from_batches(batches)


def test_frames_need_the_names_of_their_columns():
    with pytest.raises(ValueError, match="from_batches: sensitive_features is missing: name a"):
        GroupCounts.from_batches([people()], y_true="y")


def test_a_batch_without_a_column_is_named():
    table = people()
    with pytest.raises(ValueError, match="batch 2: y_pred: no column 'pred'"):
        GroupCounts.from_batches([table, table.drop(columns="pred")], **SETTINGS)


# -- files --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three files of one table; in each the categories have other codes."""
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("parquet")
    for i, part in enumerate(thirds(people())):
        part = part.assign(region=part["region"].cat.remove_unused_categories())
        part.to_parquet(folder / f"part-{i}.parquet")
    return folder


@pytest.fixture(params=["polars", "duckdb", "pyarrow"])
def engine(request):
    pytest.importorskip(request.param)
    return request.param


@pytest.mark.parametrize("path", ["folder", "pattern", "list"])
def test_files_are_merged(folder, engine, path):
    files = sorted(folder.glob("*.parquet"))
    given = {"folder": folder, "pattern": str(folder / "part-*.parquet"), "list": files}[path]
    counts = GroupCounts.from_parquet(given, **SETTINGS, sample_weight="weight", engine=engine)
    table = people()
    arrays = at_once(table, sample_weight=table["weight"])
    assert counts == arrays
    np.testing.assert_array_equal(counts.squared, arrays.squared)


def test_any_engine_that_is_installed_is_used(folder, monkeypatch):
    assert GroupCounts.from_parquet(folder, **SETTINGS) == at_once(people())
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "skfairprop._frame_counts.find_spec", lambda name: name == "pyarrow" and find(name)
    )
    assert GroupCounts.from_parquet(folder, **SETTINGS) == at_once(people())
    monkeypatch.setattr("skfairprop._frame_counts.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="needs one of duckdb, polars, pyarrow: pip install"):
        GroupCounts.from_parquet(folder, **SETTINGS)


def test_an_engine_that_is_not_installed_is_named(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(ImportError, match="'duckdb' is not installed; it comes with the extra"):
        GroupCounts.from_parquet(folder, **SETTINGS, engine="duckdb")
    with pytest.raises(ValueError, match=r"engine must be one of .* got 'spark'"):
        GroupCounts.from_parquet(folder, **SETTINGS, engine="spark")


def test_another_type_in_a_file_is_refused(folder, engine, tmp_path):
    table = pd.DataFrame({"g": [1, 2], "y": [0, 1]})
    table.to_parquet(tmp_path / "a.parquet")
    table.astype({"g": str}).to_parquet(tmp_path / "b.parquet")
    message = "b.parquet: sensitive_features 'g' holds texts, as '.', and in a.parquet it holds num"
    with pytest.raises(ValueError, match=message):
        GroupCounts.from_parquet(tmp_path, y_true="y", sensitive_features="g", engine=engine)


def test_a_file_without_the_column(folder, engine):
    names = {**SETTINGS, "y_pred": "predd"}
    message = "part-0.parquet: y_pred: no column 'predd'; did you mean 'pred'"
    with pytest.raises(ValueError, match=message):
        GroupCounts.from_parquet(folder, **names, engine=engine)


def test_a_file_that_is_broken(engine, tmp_path):
    path = tmp_path / "broken.parquet"
    path.write_bytes(b"PAR1 this is no table PAR1")
    with pytest.raises(RuntimeError, match=r"broken.parquet: .* could not") as caught:
        GroupCounts.from_parquet(path, **SETTINGS, engine=engine)
    assert caught.value.__cause__ is not None


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file '.*none.parquet'"):
        GroupCounts.from_parquet(tmp_path / "none.parquet", **SETTINGS)
    with pytest.raises(FileNotFoundError, match="no file matches"):
        GroupCounts.from_parquet(tmp_path / "part-*.parquet", **SETTINGS)
    with pytest.raises(FileNotFoundError, match=r"no file in folder '.*'"):
        GroupCounts.from_parquet(tmp_path, **SETTINGS)
    with pytest.raises(ValueError, match="path is an empty list; name at least one file"):
        GroupCounts.from_parquet([], **SETTINGS)
    with pytest.raises(ValueError, match="path is empty; name a file"):
        GroupCounts.from_parquet("", **SETTINGS)
    with pytest.raises(TypeError, match="path must be a path, a pattern or a list; got int"):
        GroupCounts.from_parquet(3, **SETTINGS)


@pytest.mark.parametrize("place", ["part[1].parquet", "part[1]", "p*rt?.parquet"])
def test_a_name_that_looks_like_a_pattern(engine, tmp_path, place):
    """Only the file or folder of that name is read, not those that match it."""
    pytest.importorskip("pyarrow")
    path, other = tmp_path / place, tmp_path / "part1.parquet"
    pd.DataFrame({"g": ["a"], "y": [1]}).to_parquet(other)
    if path.suffix:
        file = path
    else:
        path.mkdir()
        file = path / "it's[0].parquet"
        (tmp_path / "part1").mkdir()
        pd.DataFrame({"g": ["a"], "y": [1]}).to_parquet(tmp_path / "part1" / "it's0.parquet")
    pd.DataFrame({"g": ["b", "c"], "y": [0, 1]}).to_parquet(file)
    for given in (path, str(path), [path]):
        counts = GroupCounts.from_parquet(given, y_true="y", sensitive_features="g", engine=engine)
        assert counts.groups.tolist() == ["b", "c"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_pyspark():
    """In a process of its own: the Java machine would stay in this one."""
    import shutil
    import subprocess
    import sys

    pytest.importorskip("pyspark", exc_type=ImportError)
    if shutil.which("java") is None:
        pytest.skip("PySpark needs Java")
    code = """if True:
        from pyspark.sql import SparkSession
        from skfairprop import GroupCounts
        from tests.test_frame_counts import NAMES, people
        settings = {**NAMES, "sensitive_features": ["sex", "region"], "sample_weight": "weight"}
        settings["missing"] = "group"
        table = people()
        spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        spark = spark.config("spark.driver.host", "127.0.0.1").getOrCreate()
        rows = table.astype(object).where(table.notna(), None).values.tolist()
        kinds = "sex string, age long, region string, y string, pred string, whole long, "
        frame = spark.createDataFrame(rows, kinds + "weight double")
        counts = GroupCounts.from_frame(frame, **settings)
        expected = GroupCounts.from_frame(table, **settings)
        assert counts == expected and (counts.squared == expected.squared).all()
        print("equal", counts.total)
    """
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False
    )
    assert "equal " in found.stdout, found.stderr
