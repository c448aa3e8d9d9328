"""The command line: what it prints, writes, refuses, and with which exit status."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import skfairprop
from skfairprop._command import main

QUICK = ("--bootstrap", "60")
FILES = ("report.html", "report.json", "metrics.csv", "by_group.csv")
LOANS = ("--target", "repaid", "--pos-label", "yes", "--sensitive", "sex")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "skfairprop-audit"


def test_the_default_audit_is_german_credit(run, out):
    pytest.importorskip("jinja2")
    status, text, err = run(*QUICK, "--cv", "2")
    assert (status, err) == (0, "")
    assert "german_credit  1,000 rows   positive: credit = good (70%)" in text
    for line in ("female, 25 or under      105", "male, over 25            605"):
        assert line in text
    assert max(map(len, text.splitlines())) <= 80
    assert text.isascii()
    document = json.loads((out / "report.json").read_text())
    assert document["data"]["rows"] == 1000
    assert document["report"]["views"][0]["attributes"] == ["sex", "age"]
    assert document["report"]["views"][0]["group_labels"][0] == ["female", "25 or under"]
    assert list(document["report"]["drivers"]["refits"]) == ["nothing", "sex", "age", "sex, age"]
    page = (out / "report.html").read_text()
    assert "<h1>Fairness audit: German credit</h1>" in page
    assert len(page.encode()) <= 300_000


def test_predictions_in_the_file_give_the_metrics_of_the_table(audit_loans, loans, out):
    assert audit_loans()[0] == 0
    frame = loans[1]
    metrics = pd.read_csv(out / "metrics.csv", index_col="metric")
    rates = (frame["guess"] == "yes").groupby(frame["sex"]).mean()
    found = metrics.loc["demographic_parity_difference"]
    assert found["value"] == pytest.approx(rates.max() - rates.min())
    assert (found["lowest"], found["highest"]) == ("female", "male")
    by_group = pd.read_csv(out / "by_group.csv", index_col="group")
    assert by_group.loc["female", "selection_rate"] == pytest.approx(rates["female"])


def test_weights_are_used(audit_loans, loans, out):
    audit_loans("--weight", "weight")
    by_group = pd.read_csv(out / "by_group.csv", index_col="group")
    women = loans[1][loans[1]["sex"] == "female"]
    expected = np.average(women["guess"] == "yes", weights=women["weight"])
    assert by_group.loc["female", "selection_rate"] == pytest.approx(expected)


def test_several_classes_need_no_positive_class(run, loans, out):
    given = ("--target", "stage", "--sensitive", "sex", "--pred", "guessed_stage")
    status, text, _ = run(loans[0], *given, *QUICK)
    assert status == 0
    assert "CLASSES" in text
    assert "Term by term equalized odds" in text
    assert "Demographic parity difference" not in text


def test_a_data_set_alone(run, loans, out):
    status, text, _ = run(loans[0], *LOANS, *QUICK)
    assert status == 0
    assert "THE DATA SET" in text
    assert "GAP MEASURES" not in text
    assert json.loads((out / "report.json").read_text())["report"]["predicted"] is False


@pytest.mark.parametrize("estimator", ["logistic", "forest", "boosting"])
def test_standard_models_out_of_fold(run, loans, estimator):
    status, text, _ = run(
        loans[0], *LOANS, "--estimator", estimator, "--cv", "2", "--no-refit", *QUICK
    )
    assert status == 0
    assert ", 2-fold out-of-fold" in text


def test_exit_status_and_files_of_checks(audit_loans, tmp_path):
    args = ("--junit", "out/junit.xml", "--markdown", "out/comment.md")
    over, under = "demographic_parity_difference > 0.1", "demographic_parity_difference > 0.9"
    status, text, _ = audit_loans(*args, "--fail-on", over, "--fail-on", under)
    assert status == 1
    assert "1 of 2 checks over their limit; exit status 1" in text
    suite = ET.fromstring((tmp_path / "out" / "junit.xml").read_text())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [c.find("failure") is not None for c in suite.iter("testcase")] == [True, False]
    comment = (tmp_path / "out" / "comment.md").read_text()
    assert "❌ over the limit" in comment
    assert "✅ under the limit" in comment
    assert audit_loans(*args, "--fail-on", under)[0] == 0


def test_a_check_that_cannot_be_computed_fails_unless_ignored(run, tmp_path):
    pd.DataFrame({"y": [0, 0, 0, 0, 1], "p": [0, 0, 0, 1, 0], "g": list("aabbb")}).to_csv(
        tmp_path / "t.csv", index=False
    )
    args = ["t.csv", "--target", "y", "--sensitive", "g", "--pred", "p", *QUICK]
    rule = ["--fail-on", "equal_opportunity_difference > 0.1"]
    assert run(*args, *rule)[0] == 1
    assert run(*args, *rule, "--undefined", "ignore")[0] == 0


def test_quiet_prints_the_checks_only(audit_loans):
    status, text, _ = audit_loans("-q", "--fail-on", "demographic_parity_difference > 0.9")
    assert status == 0
    assert text.splitlines()[0] == "CHECKS"
    assert "GROUPS" not in text


def test_the_same_seed_gives_the_same_files(audit_loans, tmp_path):
    audit_loans("--out", "one")
    audit_loans("--out", "two")
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_without_jinja2_the_page_is_left_out_and_the_rest_is_there(audit_loans, out, monkeypatch):
    from skfairprop.report._page import _render

    _render._environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    status, text, err = audit_loans()
    assert status == 0
    assert "report.html was left out: 'jinja2' is not installed" in err
    assert "pip install 'skfairprop[report]'" in err
    assert "files: skfairprop-audit/report.json" in text
    assert sorted(p.name for p in out.iterdir()) == sorted(FILES[1:])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--target", "kredit"], "--target 'kredit': no such column; did you mean 'credit'?"),
        (["--pos-label", "Good"], "'Good': not among the values of 'credit' ('bad', 'good')"),
        (["--sensitive", "credit_amount"], "921 different values make 921 groups; cut them, as in"),
        (["--sensitive", "sex", "--sensitive", "sex"], "--sensitive 'sex' is given twice"),
        (["--sensitive", "Sex"], "--sensitive 'Sex': no such column; did you mean 'sex'?"),
        (["--weight", "w"], "--weight 'w': no such column"),
        (["--pred", "duration"], "--pred 'duration' and --target 'credit' have no value in common"),
        (["--confidence", "95"], "--confidence 95: must lie between 0 and 1"),
        (["--cv", "1"], "--cv 1: at least 2 folds are needed"),
        (["--bootstrap", "-1"], "--bootstrap -1: must be 0 or more"),
        (["--fail-on", "equal_odds > 0.1"], "no metric 'equal_odds'; did you mean"),
        (["--fail-on", "cramers_v"], "write METRIC > NUMBER"),
        (["--model", "model.pkl"], "--model 'model.pkl': only .skops files are read"),
    ],
)
def test_usage_errors_are_one_line_with_the_remedy(refused, args, message):
    assert message in refused("german_credit", *args)


def test_an_unknown_group_in_a_rule(run, loans):
    status, out, err = run(
        loans[0], *LOANS, "--pred", "guess", *QUICK, "--fail-on", "tpr[femal] < 0.1"
    )
    assert (status, out) == (2, "")
    assert "no group 'femal'; did you mean 'female'?" in err


def test_a_table_needs_a_target_and_protected_columns(refused, loans):
    assert "--target is missing" in refused(loans[0])
    assert "--sensitive is missing" in refused(loans[0], "--target", "repaid")


def test_two_classes_need_a_positive_one(refused, loans):
    err = refused(loans[0], "--target", "repaid", "--sensitive", "sex")
    assert "has the values 'no', 'yes'; say which one is the positive class" in err


def test_scores_are_no_predictions(refused, loans):
    assert "--pred 'score' holds scores" in refused(loans[0], *LOANS, "--pred", "score")


def test_missing_protected_values_follow_the_policy(run, refused, tmp_path):
    pd.DataFrame({"y": [0, 1] * 4, "p": [0, 1] * 4, "g": ["a", "b", None, "a"] * 2}).to_csv(
        tmp_path / "t.csv", index=False
    )
    args = ["t.csv", "--target", "y", "--sensitive", "g", "--pred", "p", *QUICK]
    assert "'g': 2 of 8 values are missing (an empty" in refused(*args)
    assert "(missing)" in run(*args, "--missing", "group")[1]
    status, out, _ = run(*args, "--missing", "drop")
    assert status == 0
    assert "left out 2 of 8 rows" in out


@pytest.mark.parametrize("flag", ["--out", "--junit", "--markdown"])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    refused, tmp_path, monkeypatch, flag
):
    from skfairprop.report import _commands

    monkeypatch.setattr(_commands, "run_audit", None)  # it would fail if it were called
    (tmp_path / "file").write_text("")
    err = refused(flag, "file/audit")
    assert "file' cannot be written: Not a directory; name another place" in err


def test_a_folder_without_permission(refused, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "cannot be written: Permission denied" in refused("--out", "audit")


def test_hostile_names_stay_text(run, tmp_path, out):
    hostile = ["<script>alert(1)</script>", "\x1b[31mred\u202e", "=1+1|`x`"]
    frame = pd.DataFrame({"y": [0, 1] * 30, "p": [1, 0, 0] * 20, "g\x07": hostile * 20})
    frame.to_csv(tmp_path / "t.csv", index=False)
    args = ("--target", "y", "--sensitive", "g\x07", "--pred", "p", "--markdown", "c.md", *QUICK)
    status, text, _ = run("t.csv", *args)
    assert status == 0
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31mred\\u202e" in text
    comment = (tmp_path / "c.md").read_text()
    assert "<script>" not in comment
    assert "=1+1\\|\\`x\\`" in comment
    assert "'=1+1|`x`" in pd.read_csv(out / "by_group.csv")["group"].tolist()


def test_colour_only_when_asked_or_on_a_terminal(audit_loans, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b[" not in audit_loans()[1]
    assert "\x1b[" in audit_loans("--color", "always")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in audit_loans()[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in audit_loans()[1]


def test_the_page_says_how_to_make_it_again(audit_loans, out):
    pytest.importorskip("jinja2")
    audit_loans("--seed", "7", "--no-refit", "--fail-on", "cramers_v.lower > 0.9", "-q")
    page = (out / "report.html").read_text()
    assert "--target repaid --sensitive sex --pos-label yes" in page
    assert "--seed 7" in page
    assert "--no-refit" in page
    assert "--fail-on &#39;cramers_v.lower &gt; 0.9&#39;" in page
    assert "1970-01-01 00:00 UTC" in page


def test_a_usage_error_is_answered_before_pandas_is_loaded():
    code = (
        "import sys; from skfairprop._command import main; "
        "status = main(['audit', '--confidence', '2']); "
        "sys.exit(status if not {'pandas', 'sklearn', 'numpy'} & set(sys.modules) else 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2


def test_an_audit_loads_neither_matplotlib_nor_skops(loans, tmp_path):
    code = (
        "import sys; from skfairprop._command import main; "
        f"status = main(['audit', {str(loans[0])!r}, *{LOANS!r}, '--pred', 'guess', "
        "'--bootstrap', '20']); "
        "sys.exit(9 if {'matplotlib', 'skops', 'torch', 'shap'} & set(sys.modules) else status)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path)
    assert done.returncode == 0


def test_python_m_skfairprop():
    done = subprocess.run(
        [sys.executable, "-m", "skfairprop", "audit", "--help"],
        capture_output=True, text=True, env=os.environ | {"COLUMNS": "80"},
    )  # fmt: skip
    assert done.returncode == 0
    assert "exit status: 0 fine" in done.stdout


def test_interruption_is_no_traceback(refused, loans, monkeypatch):
    from skfairprop.report import _commands

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(_commands, "run_audit", interrupt)
    assert refused(loans[0], status=3) == "skfairprop: error: interrupted\n"


def test_an_error_does_not_stand_behind_the_line_on_progress(run, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    status, out, err = run("nowhere.csv", *LOANS)
    assert (status, out) == (2, "")
    shown = [part.rpartition("\r\x1b[K")[2] for part in err.split("\n")]  # as a terminal does
    assert shown[0].startswith("skfairprop: error: ")


def test_abbreviated_flags_are_refused(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["audit", "--sens", "sex"])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert "unrecognized arguments: --sens" in err
    assert "repeat" not in err


def test_a_second_value_is_told_to_repeat_the_option(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["audit", "t.csv", "--sensitive", "sex", "age"])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert "unrecognized arguments: age; for several values repeat the option" in err
    assert err.count("\n") == 1


def test_quiet_without_checks_prints_nothing(audit_loans):
    assert audit_loans("-q") == (0, "", "")


def test_the_version(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"skfairprop {skfairprop.__version__}\n"


def test_weights_must_be_numbers(refused, loans):
    path, _ = loans
    err = refused(path, *LOANS, "--pred", "guess", "--weight", "stage")
    assert "--weight 'stage': the column holds no numbers" in err


def test_a_predicted_class_that_the_target_lacks_needs_the_positive_one(run, refused, tmp_path):
    frame = pd.DataFrame({"y": [0, 1] * 20, "p": [0, 1, 2, 1] * 10, "g": list("aabb") * 10})
    frame.to_csv(tmp_path / "t.csv", index=False)
    args = [str(tmp_path / "t.csv"), "--target", "y", "--sensitive", "g", "--pred", "p", *QUICK]
    assert "--pred 'p' holds 2, which --target 'y' lacks; pass --pos-label" in refused(*args)
    assert run(*args, "--pos-label", "1")[0] == 0


def test_integer_groups_beside_missing_values_stay_integers(run, refused, tmp_path):
    frame = pd.DataFrame({"y": [0, 1] * 20, "p": [0, 1, 1, 1] * 10, "g": [1, 2, None, 2] * 10})
    frame.to_csv(tmp_path / "t.csv", index=False)
    args = ["t.csv", "--target", "y", "--sensitive", "g", "--pred", "p", *QUICK]
    err = refused(*args)
    assert "10 of 40 values are missing (an empty field, NA, None, null and the like)" in err
    run(*args, "--missing", "group")
    by_group = pd.read_csv(tmp_path / "skfairprop-audit" / "by_group.csv")
    assert by_group["group"].tolist() == ["1", "2", "(missing)"]
