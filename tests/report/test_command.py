"""The command line: what it prints, writes, refuses, and with which exit status."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from skfairprop._command import main

QUICK = ["--bootstrap", "100"]


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    """A table with a target, predictions, and protected columns."""
    rng = np.random.default_rng(0)
    n = 400
    sex = rng.choice(["female", "male"], n)
    frame = pd.DataFrame(
        {
            "sex": sex,
            "age": rng.integers(18, 70, n),
            "repaid": rng.choice(["yes", "no"], n, p=[0.6, 0.4]),
            "stage": rng.choice(["early", "mid", "late"], n),
        }
    )
    frame["guess"] = np.where(rng.random(n) < np.where(sex == "male", 0.8, 0.4), "yes", "no")
    frame["guessed_stage"] = rng.permutation(frame["stage"])
    frame["score"] = rng.random(n)
    frame["weight"] = rng.integers(1, 4, n)
    path = tmp_path_factory.mktemp("loans") / "loans.csv"
    frame.to_csv(path, index=False)
    return path, frame


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*args):
        status = main(["audit", *map(str, args)])
        out = capsys.readouterr()
        return status, out.out, out.err

    return run


def refused(run, *args):
    """The one-line error of a run that is refused."""
    status, out, err = run(*args)
    assert (status, out) == (2, "")
    assert err.startswith("skfairprop: error: ")
    return err


def test_the_default_audit_is_german_credit(run, tmp_path):
    status, out, err = run(*QUICK)
    assert (status, err) == (0, "")
    assert "german_credit  1,000 rows   wanted: credit = good (70%)" in out
    for line in ("female, 25 or under      105", "male, over 25            605"):
        assert line in out
    assert max(map(len, out.splitlines())) <= 80
    assert out.isascii()
    document = json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
    assert document["data"]["rows"] == 1000
    assert document["report"]["views"][0]["attributes"] == ["sex", "age"]
    assert document["report"]["views"][0]["groups"][0] == "female, 25 or under"


def test_predictions_in_the_file_give_the_metrics_of_the_table(run, loans, tmp_path):
    path, frame = loans
    status, _, _ = run(
        path, "--target", "repaid", "--pos-label", "yes", "--sensitive", "sex", "--pred", "guess", *QUICK
    )
    assert status == 0
    metrics = pd.read_csv(tmp_path / "skfairprop-audit" / "metrics.csv", index_col="metric")
    rates = (frame["guess"] == "yes").groupby(frame["sex"]).mean()
    found = metrics.loc["demographic_parity_difference"]
    assert found["value"] == pytest.approx(rates.max() - rates.min())
    assert (found["lowest"], found["highest"]) == ("female", "male")
    by_group = pd.read_csv(tmp_path / "skfairprop-audit" / "by_group.csv", index_col="group")
    assert by_group.loc["female", "selection_rate"] == pytest.approx(rates["female"])


def test_weights_are_used(run, loans, tmp_path):
    path, frame = loans
    run(
        path, "--target", "repaid", "--pos-label", "yes", "--sensitive", "sex", "--pred", "guess",
        "--weight", "weight", *QUICK,
    )  # fmt: skip
    by_group = pd.read_csv(tmp_path / "skfairprop-audit" / "by_group.csv", index_col="group")
    women = frame[frame["sex"] == "female"]
    expected = np.average(women["guess"] == "yes", weights=women["weight"])
    assert by_group.loc["female", "selection_rate"] == pytest.approx(expected)


def test_several_classes_need_no_positive_class(run, loans):
    path, _ = loans
    status, out, _ = run(
        path, "--target", "stage", "--sensitive", "sex", "--pred", "guessed_stage", *QUICK
    )
    assert status == 0
    assert "CLASSES" in out
    assert "Term by term equalized odds" in out
    assert "Demographic parity difference" not in out


def test_a_data_set_alone(run, loans, tmp_path):
    path, _ = loans
    status, out, _ = run(
        path, "--target", "repaid", "--pos-label", "yes", "--sensitive", "sex", *QUICK
    )
    assert status == 0
    assert "THE DATA SET" in out
    assert "GAP MEASURES" not in out
    document = json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
    assert document["report"]["predicted"] is False


@pytest.mark.parametrize("estimator", ["logistic", "boosting"])
def test_standard_models_out_of_fold(run, estimator):
    status, out, _ = run("german_credit", "--estimator", estimator, "--cv", "2", *QUICK)
    assert status == 0
    assert f"{estimator}, 2-fold out-of-fold" in out


def test_exit_status_and_files_of_checks(run, loans, tmp_path):
    path, _ = loans
    args = [
        path, "--target", "repaid", "--pos-label", "yes", "--sensitive", "sex", "--pred", "guess",
        "--junit", "out/junit.xml", "--markdown", "out/comment.md", *QUICK,
    ]  # fmt: skip
    over, under = "demographic_parity_difference > 0.1", "demographic_parity_difference > 0.9"
    status, out, _ = run(*args, "--fail-on", over, "--fail-on", under)
    assert status == 1
    assert "1 of 2 checks over their limit; exit status 1" in out
    suite = ET.fromstring((tmp_path / "out" / "junit.xml").read_text())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [c.find("failure") is not None for c in suite.iter("testcase")] == [True, False]
    comment = (tmp_path / "out" / "comment.md").read_text()
    assert "❌ over the limit" in comment
    assert "✅ under the limit" in comment
    assert run(*args, "--fail-on", under)[0] == 0


def test_a_check_that_cannot_be_computed_fails_unless_ignored(run, tmp_path):
    pd.DataFrame({"y": [0, 0, 0, 0, 1], "p": [0, 0, 0, 1, 0], "g": list("aabbb")}).to_csv(
        tmp_path / "t.csv", index=False
    )
    args = ["t.csv", "--target", "y", "--sensitive", "g", "--pred", "p", *QUICK]
    rule = ["--fail-on", "equal_opportunity_difference > 0.1"]
    assert run(*args, *rule)[0] == 1
    assert run(*args, *rule, "--undefined", "ignore")[0] == 0


def test_quiet_prints_the_checks_only(run):
    status, out, _ = run("-q", "--fail-on", "demographic_parity_difference > 0.9", *QUICK)
    assert status == 0
    assert out.splitlines()[0] == "CHECKS"
    assert "GROUPS" not in out


def test_the_same_seed_gives_the_same_files(run, tmp_path):
    run("--out", "one", *QUICK)
    run("--out", "two", *QUICK)
    for name in ("report.json", "metrics.csv", "by_group.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--target", "kredit"], "--target 'kredit': no such column; did you mean 'credit'?"),
        (["--pos-label", "Good"], "'Good': not among the values of 'credit' ('bad', 'good')"),
        (["--sensitive", "credit_amount"], "921 different values make 921 groups; cut them, as in"),
        (["--sensitive", "sex", "--sensitive", "sex"], "--sensitive 'sex' is given twice"),
        (["--sensitive", "Sex"], "--sensitive 'Sex': no such column; did you mean 'sex'?"),
        (["--weight", "w"], "--weight 'w': no such column"),
        (["--pred", "age"], "--pred 'age' and --target 'credit' have no value in common"),
        (["--confidence", "95"], "--confidence 95: must lie between 0 and 1"),
        (["--cv", "1"], "--cv 1: at least 2 folds are needed"),
        (["--bootstrap", "-1"], "--bootstrap -1: must be 0 or more"),
        (["--fail-on", "equal_odds > 0.1"], "no metric 'equal_odds'; did you mean"),
        (["--fail-on", "tpr[nobody] < 0.1"], "no group 'nobody'"),
        (["--fail-on", "cramers_v"], "write METRIC > NUMBER"),
    ],
)
def test_usage_errors_are_one_line_with_the_remedy(run, args, message):
    assert message in refused(run, *args, *QUICK if "--bootstrap" not in args else [])


def test_a_table_needs_a_target_and_protected_columns(run, loans):
    path, _ = loans
    assert "--target is missing" in refused(run, path)
    assert "--sensitive is missing" in refused(run, path, "--target", "repaid")


def test_two_classes_need_a_positive_one(run, loans):
    path, _ = loans
    err = refused(run, path, "--target", "repaid", "--sensitive", "sex")
    assert "has the values 'no', 'yes'; say which one is the positive class" in err


def test_scores_are_no_predictions(run, loans):
    path, _ = loans
    err = refused(
        run, path, "--target", "repaid", "--pos-label", "yes", "--sensitive", "sex", "--pred", "score"
    )
    assert "--pred 'score' holds scores" in err


def test_missing_protected_values_follow_the_policy(run, tmp_path):
    pd.DataFrame({"y": [0, 1] * 4, "p": [0, 1] * 4, "g": ["a", "b", None, "a"] * 2}).to_csv(
        tmp_path / "t.csv", index=False
    )
    args = ["t.csv", "--target", "y", "--sensitive", "g", "--pred", "p", *QUICK]
    assert "'g': 2 of 8 values are missing; pass --missing group" in refused(run, *args)
    assert "(missing)" in run(*args, "--missing", "group")[1]
    status, out, _ = run(*args, "--missing", "drop")
    assert status == 0
    assert "left out 2 of 8 rows" in out


def test_a_folder_that_cannot_be_written(run, tmp_path):
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refused(run, "--out", "file/audit", *QUICK)


def test_hostile_names_stay_text(run, tmp_path):
    hostile = ["<script>alert(1)</script>", "\x1b[31mred\u202e", "=1+1|`x`"]
    frame = pd.DataFrame({"y": [0, 1] * 30, "p": [1, 0, 0] * 20, "g\x07": hostile * 20})
    frame.to_csv(tmp_path / "t.csv", index=False)
    status, out, _ = run(
        "t.csv", "--target", "y", "--sensitive", "g\x07", "--pred", "p", "--markdown", "c.md", *QUICK
    )
    assert status == 0
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\x1b[31mred\\u202e" in out
    comment = (tmp_path / "c.md").read_text()
    assert "<script>" not in comment
    assert "=1+1\\|\\`x\\`" in comment
    cells = pd.read_csv(tmp_path / "skfairprop-audit" / "by_group.csv")["group"]
    assert "'=1+1|`x`" in cells.tolist()


def test_colour_only_when_asked_or_on_a_terminal(run, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b[" not in run(*QUICK)[1]
    assert "\x1b[" in run("--color", "always", *QUICK)[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run(*QUICK)[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run(*QUICK)[1]


def test_a_usage_error_is_answered_before_pandas_is_loaded():
    code = (
        "import sys; from skfairprop._command import main; "
        "status = main(['audit', '--confidence', '2']); "
        "sys.exit(status if not {'pandas', 'sklearn', 'numpy'} & set(sys.modules) else 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2


def test_python_m_skfairprop():
    done = subprocess.run(
        [sys.executable, "-m", "skfairprop", "audit", "--help"],
        capture_output=True, text=True, env=os.environ | {"COLUMNS": "80"},
    )  # fmt: skip
    assert done.returncode == 0
    assert "exit status: 0 fine" in done.stdout
