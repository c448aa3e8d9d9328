"""Audits of large Parquet files: counted, not read, and with the numbers of the rows."""

import json

import numpy as np
import pandas as pd
import pytest

from skfairprop.report import _large
from tests.report.conftest import QUICK, make_loans

pytest.importorskip("pyarrow")
LOANS = ("--target", "repaid", "--pos-label", "yes", "--pred", "guess", *QUICK)


@pytest.fixture
def parts(tmp_path):
    """A folder with the loans in three files."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for i, rows in enumerate(np.array_split(np.arange(300), 3)):
        make_loans().iloc[rows].to_parquet(folder / f"part-{i}.parquet")
    return folder


@pytest.fixture
def whole(tmp_path):
    path = tmp_path / "loans.parquet"
    make_loans().to_parquet(path)
    return path


def numbers(folder) -> dict:
    """Everything computed, and the facts that do not depend on how the table was read."""
    document = json.loads((folder / "report.json").read_text())
    report = document["report"]
    del report["notes"], report["drivers"]
    return {"report": report, "change": document["data_to_model"], "rows": document["data"]["rows"]}


@pytest.mark.parametrize(
    "options",
    [
        ("--sensitive", "sex"),
        ("--sensitive", "sex", "--sensitive", "age:30,45"),
        ("--sensitive", "sex", "--weight", "weight"),
    ],
)
@pytest.mark.parametrize("source", ["*.parquet", ""])
def test_the_numbers_are_those_of_the_rows(run, parts, whole, tmp_path, options, source):
    status, text, err = run(str(parts / source), *LOANS, *options, "--out", "a")
    assert (status, err) == (0, "")
    assert "300 rows" in text
    run(whole, *LOANS, *options, "--out", "b")
    assert numbers(tmp_path / "a") == numbers(tmp_path / "b")


def test_a_large_file_is_counted(run, whole, tmp_path, monkeypatch):
    monkeypatch.setattr(_large, "LARGE", 1000)
    monkeypatch.setattr(pd, "read_parquet", None)  # it would fail if it were called
    _, text, _ = run(whole, *LOANS, "--sensitive", "sex", "--fail-on", "selection_rate[male] > 0.1")
    assert "1 of 1 checks over their limit" in text
    document = json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
    import hashlib

    assert document["data"]["sha256"] == hashlib.sha256(whole.read_bytes()).hexdigest()
    assert (document["data"]["rows"], document["data"]["columns"]) == (300, 9)
    assert "counted and not read" in document["report"]["notes"][0]


def test_the_page_says_what_is_missing(run, parts, tmp_path):
    pytest.importorskip("jinja2")
    run(parts, *LOANS, "--sensitive", "sex")
    page = (tmp_path / "skfairprop-audit" / "report.html").read_text()
    assert "the rows were counted and not read" in page


def test_missing_values_follow_the_policy(run, refused, parts, tmp_path):
    path = parts / "part-1.parquet"
    frame = pd.read_parquet(path)
    frame["sex"] = frame["sex"].astype(object)
    frame.loc[frame.index[:7], "sex"] = None
    frame.to_parquet(path)
    err = refused(parts, *LOANS, "--sensitive", "sex")
    assert "--sensitive 'sex': 7 of 300 values are missing; pass --missing group to" in err
    status, _, _ = run(parts, *LOANS, "--sensitive", "sex", "--missing", "drop")
    assert status == 0
    document = json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
    assert document["data"]["rows_left_out"] == 7
    assert document["data"]["rows"] == 300
    run(parts, *LOANS, "--sensitive", "sex", "--missing", "group", "--out", "c")
    labels = json.loads((tmp_path / "c" / "report.json").read_text())["report"]["views"][0]
    assert labels["group_labels"] == [["female"], ["male"], ["(missing)"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "repayed"), "--target 'repayed': no such column; did you mean 'repaid'"),
        (("--pred", "score"), "--pred 'score' holds continuous values"),
        (("--pred", "stage"), "--pred 'stage' and --target 'repaid' have no value in common"),
        (("--target", "height"), "--target 'height' holds continuous values"),
        (("--sensitive", "sexx"), "--sensitive 'sexx': no such column; did you mean 'sex'"),
        (("--sensitive", "sex"), "--sensitive 'sex' is given twice"),
        (("--sensitive", "stage:3"), "column 'stage' holds no numbers; leave the cut points out"),
        (("--sensitive", "score"), "make 300 groups; name fewer columns"),
        (("--weight", "stage"), "--weight 'stage' must hold numbers"),
        (("--pos-label", "maybe"), "--pos-label 'maybe': not among the values of 'repaid'"),
        (("--explain", "--pred", "guess"), "--explain needs a model to explain"),
        (("--benn", "--pred", "guess"), "--benn needs a model to ask"),
    ],
)
def test_what_is_refused(refused, parts, options, message):
    assert message in refused(parts, *LOANS, "--sensitive", "sex", *options)


def test_files_that_are_not_there(refused, tmp_path):
    assert "no file matches" in refused(tmp_path / "p-*.parquet", *LOANS, "--sensitive", "sex")


def test_a_file_that_is_broken(refused, parts):
    (parts / "part-2.parquet").write_bytes(b"PAR1 this is no table PAR1")
    assert "part-2.parquet: " in refused(parts, *LOANS, "--sensitive", "sex")
