"""What an audit cannot use, or only with care: one clear line each."""

import json

import numpy as np
import pandas as pd
import pytest

from skfairprop._command import main

QUICK = ("--bootstrap", "60")
GIVEN = ("--target", "y", "--sensitive", "g", "--pred", "p")


def table(n=120, groups="ab", **columns):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "g": rng.choice(list(groups), n),
            "y": rng.integers(0, 2, n),
            "p": rng.integers(0, 2, n),
        }
    )
    return frame.assign(**columns)


@pytest.fixture
def write(tmp_path):
    def write(frame, name="t.csv", **options):
        path = tmp_path / name
        frame.to_csv(path, index=False, **options)
        return path

    return write


def page(tmp_path):
    return (tmp_path / "skfairprop-audit" / "report.html").read_text()


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [(["false", "true"], "true"), (["FALSE", "TRUE"], "True"), (["0.0", "1.0"], "1"), ("12", "2")],
)
def test_the_positive_class_as_it_is_spelled_in_the_file(run, write, tmp_path, labels, pos_label):
    frame = table()
    as_labels = {c: frame[c].map(dict(enumerate(labels))) for c in ("y", "p")}
    given = (*GIVEN, "--pos-label", pos_label, "--bootstrap", "0")
    status, _, error = run(write(frame.assign(**as_labels)), *given)
    assert (status, error) == (0, "")
    found = pd.read_csv(tmp_path / "skfairprop-audit" / "by_group.csv", index_col="group")
    expected = frame.groupby("g")["p"].mean()
    assert found["selection_rate"].to_dict() == pytest.approx(expected.to_dict())


def test_a_group_without_weight_is_as_if_it_were_not_there(run, write, tmp_path):
    frame = table(300, groups="abc")
    frame["town"] = np.random.default_rng(1).choice(list("uvwxyz"), 300)
    frame["w"] = (frame["g"] != "a").astype(int)  # the first one: the others have other places
    found = []
    for rows in (frame, frame[frame["w"] == 1]):
        status, _, error = run(write(rows), *GIVEN, *QUICK, "--weight", "w")
        assert (status, error) == (0, "")
        report = json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
        found.append((report["report"]["drivers"], report["data_to_model"]))
    assert found[0] == found[1]


def test_what_is_left_out_is_said_once(run, write):
    frame = table(300, groups="abc", w=1, x=np.random.default_rng(1).random(300))
    frame.loc[frame["g"] == "a", "w"] = 0
    frame.loc[:4, "g"] = None
    given = (*GIVEN[:4], *QUICK, "--weight", "w", "--missing", "drop", "--estimator", "logistic")
    status, text, error = run(write(frame), *given)
    assert (status, error) == (0, "")
    assert text.count("left out 5 of 300 rows") == 1
    assert text.count("sample_weight is 0 in all rows of group 'a'") == 1


def test_no_group_is_large_enough(run, write, tmp_path):
    status, text, _ = run(write(table(60)), *GIVEN, *QUICK)
    assert status == 0
    assert "no group has 50 rows or more: read the intervals, not the values" in " ".join(
        text.split()
    )
    assert "Every group rate rests on fewer than 50 rows" in page(tmp_path)


def test_a_class_that_no_group_has(run, write, refused):
    frame = table(p=np.resize([0, 1, 2], 120))
    assert "holds 2, which --target 'y' lacks; pass --pos-label" in refused(write(frame), *GIVEN)
    status, text, _ = run(write(frame), *GIVEN, "--pos-label", "1", *QUICK)
    assert status == 0
    said = " ".join(text.split())
    assert "class 2 is predicted and no row has it: its recall is undefined everywhere" in said
    assert "not among the values of 'y' (0, 1)" in refused(write(frame), *GIVEN, "--pos-label", "2")


def test_one_row(refused, write):
    assert "t.csv: 1 row; an audit needs at least 2" in refused(write(table(1)), *GIVEN)


def test_an_empty_file(refused, tmp_path):
    (tmp_path / "t.csv").write_text("")
    assert "t.csv: the file is empty" in refused("t.csv", *GIVEN)


def test_duplicate_column_names(refused, tmp_path):
    (tmp_path / "t.csv").write_text("y,p,g,g\n0,1,a,b\n1,1,b,a\n")
    assert "t.csv: several columns are named 'g'; rename them" in refused("t.csv", *GIVEN)


def test_a_byte_order_mark(run, write):
    assert run(write(table(), encoding="utf-8-sig"), *GIVEN, *QUICK)[0] == 0


def test_semicolons(run, write, refused):
    path = write(table(), sep=";")
    assert "it seems separated by ';': pass --sep ';'" in refused(path, *GIVEN)
    assert run(path, *GIVEN, "--sep", ";", *QUICK)[0] == 0


def test_latin_1(run, write, refused):
    path = write(table(groups="éa"), encoding="latin-1")
    assert "t.csv: not UTF-8; name the encoding, as in --encoding latin-1" in refused(path, *GIVEN)
    status, text, _ = run(path, *GIVEN, "--encoding", "latin-1", *QUICK)
    assert status == 0
    assert "é" in text
    assert "no such encoding" in refused(path, *GIVEN, "--encoding", "latin-99")


def test_10_000_columns(run, write, tmp_path):
    rng = np.random.default_rng(0)
    many = pd.DataFrame(rng.integers(0, 3, (60, 10_000)), columns=[f"x{i}" for i in range(10_000)])
    path = write(pd.concat([table(60), many], axis=1))
    assert run(path, *GIVEN, *QUICK)[0] == 0
    html = page(tmp_path)
    assert "of 10,000 columns follow the groups" in html
    assert "9,976 more columns follow them less" in html
    assert len(html.encode()) < 300_000


def test_one_group(refused, write):
    err = refused(write(table(groups="a")), *GIVEN)
    assert "there is only one group, 'a'; a comparison needs two" in err


def test_too_many_groups(refused, write):
    err = refused(write(table(g=[f"id {i}" for i in range(120)])), *GIVEN, "--max-groups", "20")
    assert "120 different values make 120 groups; merge them, or pass --max-groups 120" in err


def test_a_target_that_is_no_class(refused, write):
    path = write(table(y=np.arange(120) / 7))
    assert "--target 'y': 120 different values; classes are needed" in refused(path, *GIVEN)
    path = write(table(y=1))
    assert "--target 'y': all rows have the same value" in refused(path, *GIVEN)
    path = write(table(y=[None, *[0, 1] * 59, 0]))
    assert "--target 'y': 1 of 120 values are missing" in refused(path, *GIVEN)


def test_negative_weights(refused, write):
    path = write(table(w=-1.0))
    assert "negative" in refused(path, *GIVEN, "--weight", "w")


@pytest.mark.parametrize(
    ("rule", "caret_under"),
    [("cramers_v >> 0.1", ">"), ("cramers_v > high", "h"), ("cramers_v[a > 0.1", "[")],
)
def test_a_rule_that_cannot_be_read_has_a_caret_and_an_example(refused, write, rule, caret_under):
    lines = refused(write(table()), *GIVEN, "--fail-on", rule).splitlines()
    assert lines[1].strip() == rule
    assert lines[1][lines[2].index("^")] == caret_under
    assert "as in 'demographic_parity_difference > 0.1'" in lines[3]


# -- options from pyproject.toml -----------------------------------------------------------------


def configure(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text(f"[tool.skfairprop.audit]\n{text}")


def test_options_from_pyproject_and_flags_that_win(run, write, tmp_path):
    write(table())
    configure(
        tmp_path,
        'table = "t.csv"\ntarget = "y"\nsensitive = ["g"]\npred = "p"\nbootstrap = 60\n'
        'fail-on = ["cramers_v > 0.9"]\nquiet = true\n',
    )
    status, text, _ = run()
    assert (status, text.splitlines()[0]) == (0, "CHECKS")
    assert run("--fail-on", "cramers_v >= 0")[0] == 1
    assert "logistic regression" in run("--estimator", "logistic", "--cv", "2", "--no-refit")[1] + (
        page(tmp_path)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("targte = 'y'\n", "in pyproject.toml: no option 'targte'; did you mean 'target'?"),
        ("cv = {a = 1}\n", "in pyproject.toml: cv must be a string, a number, or a list of them"),
    ],
)
def test_options_of_no_use_name_the_table(refused, tmp_path, text, message):
    configure(tmp_path, text)
    assert message in refused()


def test_values_that_argparse_refuses_name_the_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    configure(tmp_path, "cv = 'five'\n")
    with pytest.raises(SystemExit) as caught:
        main(["audit"])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert "with [tool.skfairprop.audit] of pyproject.toml: argument --cv: invalid int" in err


def test_a_fault_is_not_mistaken_for_a_check_over_its_limit(run, write, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("as if by a fault")

    monkeypatch.setattr("skfairprop.report._commands.run_audit", broken)
    status, text, error = run(write(table()), *GIVEN)
    assert (status, text) == (3, "")
    assert error.endswith("skfairprop: error: failed, through a fault of its own: RuntimeError\n")
    assert "as if by a fault" in error
