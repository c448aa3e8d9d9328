"""Tables as people have them: encodings, separators, cut points, wrong names."""

import io
import sys

import numpy as np
import pandas as pd
import pytest

from skfairprop.report._errors import UsageError
from skfairprop.report._table import cut_ranges, protected_column, read_table


def write(path, content, encoding="utf-8"):
    path.write_bytes(content.encode(encoding))
    return str(path)


def test_csv_gzip_and_parquet_hold_the_same(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    tables = [read_table(str(tmp_path / n)) for n in ("t.csv", "t.csv.gz", "t.parquet")]
    for table in tables:
        assert table.frame["a"].tolist() == [1, 2, 3]
        assert table.frame["b"].isna().tolist() == [False, True, False]
    assert len({t.sha256 for t in tables}) == 3


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    table = read_table(write(tmp_path / "bom.csv", "a,b\n1,2\n3,4\n", "utf-8-sig"))
    assert table.frame.columns.tolist() == ["a", "b"]


def test_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n3,4\n")))
    table = read_table("-")
    assert (table.name, len(table.frame)) == ("stdin", 2)


def test_a_shipped_data_set():
    assert len(read_table("german_credit").frame) == 1000


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        ("name\ncafé\nthé\n", "latin-1", "not UTF-8; name the encoding, as in --encoding latin-1"),
        ("a;b\n1;2\n3;4\n", "utf-8", "seems separated by ';': pass --sep ';'"),
        ("a\tb\n1\t2\n3\t4\n", "utf-8", r"seems separated by '\\t': pass --sep '\\t'"),
        ("", "utf-8", "the file is empty"),
        ("a,b\n1,2\n", "utf-8", "1 row; an audit needs at least 2"),
        ("a,a\n1,2\n3,4\n", "utf-8", "several columns are named 'a'"),
        ('a,b\n1,"2\n', "utf-8", "not a CSV table"),
    ],
)
def test_a_table_that_cannot_be_used_says_why(tmp_path, content, encoding, message):
    with pytest.raises(UsageError, match=message):
        read_table(write(tmp_path / "t.csv", content, encoding))


def test_no_file():
    with pytest.raises(UsageError, match=r"no file 'nowhere.csv'; the shipped data sets are"):
        read_table("nowhere.csv")


def test_not_parquet(tmp_path):
    with pytest.raises(UsageError, match="not a Parquet file"):
        read_table(write(tmp_path / "t.parquet", "a,b\n1,2\n"))


def test_ranges_are_named_in_words_and_keep_missing_values_missing():
    cut = cut_ranges(pd.Series([18.0, 25, 26, 45, 46, np.nan], name="age"), [25, 45])
    assert cut.tolist()[:5] == [
        "25 or under",
        "25 or under",
        "over 25 to 45",
        "over 25 to 45",
        "over 45",
    ]
    assert cut.isna().tolist() == [False] * 5 + [True]


def test_ranges_of_large_numbers_are_named_exactly():
    column = pd.Series([1234566.0, 1234568, 1234570, 1234572], name="income")
    assert cut_ranges(column, [1234567, 1234569, 1234571.5]).tolist() == [
        "1234567 or under", "over 1234567 to 1234569", "over 1234569 to 1234571.5",
        "over 1234571.5",
    ]  # fmt: skip


def test_a_colon_that_belongs_to_a_name_stays_with_it():
    frame = pd.DataFrame({"age:25": ["x", "y"]})
    assert protected_column(frame, "age:25", 10).tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("agge", "no such column; did you mean 'age'"),
        ("age:old", "cut points must be numbers, as in 'age:25'"),
        ("age:45,25", "cut points must rise"),
        ("age:nan", "cut points must rise"),
        ("name:25", "column 'name' holds no numbers; leave the cut points out"),
        ("age", r"30 different values make 30 groups; cut them, as in 'age:\d"),
        ("name", "30 different values make 30 groups; merge them, or pass --max-groups 30"),
    ],
)
def test_a_protected_column_that_cannot_be_used_says_why(spec, message):
    frame = pd.DataFrame({"age": range(30), "name": [f"n{i}" for i in range(30)]})
    with pytest.raises(UsageError, match=message):
        protected_column(frame, spec, 20)
