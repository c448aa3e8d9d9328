"""What each column is used as is said, and one column has one use."""

import pandas as pd
import pytest

QUICK = ("--bootstrap", "60")


@pytest.fixture
def table(tmp_path):
    frame = pd.DataFrame({"sex": ["f", "m"] * 40, "y": [0, 1, 1, 1] * 20, "p": [0, 1, 0, 1] * 20})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sensitive", "y", "--pred", "p"), "--sensitive 'y' is given as --target, too"),
        (("--sensitive", "y:0", "--pred", "p"), "--sensitive 'y' is given as --target, too"),
        (("--sensitive", "p", "--pred", "p"), "--sensitive 'p' is given as --pred, too"),
        (("--sensitive", "sex", "--pred", "y"), "--pred 'y' is given as --target, too"),
        (("--sensitive", "sex", "--weight", "y"), "--weight 'y' is given as --target, too"),
        (
            ("--sensitive", "sex", "--pred", "p", "--weight", "p"),
            "--weight 'p' is given as --pred, too",
        ),
    ],
)
def test_one_column_is_not_two_things(refused, table, options, said):
    assert said in refused(table, "--target", "y", *options)


def test_the_positive_class_is_named_where_the_labels_tell_it(run, table, tmp_path):
    pytest.importorskip("jinja2")
    status, text, _ = run(table, "--target", "y", "--sensitive", "sex", "--pred", "p", *QUICK)
    assert status == 0
    assert "t.csv  80 rows   positive: y = 1 (75%)" in text
    page = (tmp_path / "skfairprop-audit" / "report.html").read_text("utf-8")
    assert "<dt>Positive class</dt><dd>y = “1” (75% of rows)" in page


def test_no_class_is_positive_where_there_are_three(run, loans):
    options = ("--target", "stage", "--sensitive", "sex", "--pred", "guessed_stage")
    status, text, _ = run(loans[0], *options, *QUICK)
    assert status == 0
    assert "target: stage, 3 classes" in text
