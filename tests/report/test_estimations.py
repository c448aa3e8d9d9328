"""The section on BENN: what was asked, beside the ensemble, and the caution."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from skfairprop import FairnessReport, fairness_report
from skfairprop.report import Estimations
from skfairprop.report._page._estimations import estimation_sentence, estimations_part

LOANS = ("--target", "guess", "--pos-label", "yes", "--sensitive", "sex", "--bootstrap", "0")


def estimations(estimate=0.4, null=0.05, direct=0.4, total=0.4, ensemble=0.3):
    """As if two features had been examined."""
    row = {
        "estimate": estimate, "sd": 0.01, "null": null, "direct": direct, "total": total,
        "mean": 0.2, "slice": "sex <f>", "slice_rows": 40, "ensemble": ensemble,
        "ensemble_method": "equal_fpr", "ensemble_null": 0.2, "ensemble_null_95": 0.35,
    }  # fmt: skip
    frame = pd.DataFrame([row, row], index=pd.Index(["<sex>", "age"], name="feature"))
    proxies = pd.DataFrame(
        {"feature": ["<sex>"] * 2, "proxy": ["x", "<y>"], "cramers_v": [0.3, 0.5], "z": [4.0, 9.0]}
    )
    return Estimations(frame, proxies, "The model", 200, ("a note",))


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"estimate": 0.08, "null": 0.06}, "That is a tie: nothing is found that chance does not"),
        ({"direct": 0.0}, "The column by itself moves 0.000: what moves the model goes with it"),
        ({"direct": 0.2}, "By itself it moves 0.200, the rest goes with it."),
        ({}, "“<sex>”: 0.400, where a placebo gives 0.050. The column by itself moves 0.400."),
        ({"estimate": np.nan}, "has one value in these rows: nothing can be compared."),
        ({"direct": np.nan}, "“<sex>”: 0.400, where a placebo gives 0.050."),
    ],
)
def test_what_the_estimate_says(numbers, said):
    assert said in estimation_sentence(estimations(**numbers), "<sex>")


@pytest.fixture
def report():
    made = fairness_report([0, 1] * 30, [1, 1, 0] * 20, sensitive_features=list("ab") * 30,
                           bootstrap=0)  # fmt: skip
    made.estimations = estimations()
    return made


def test_it_is_in_page_text_and_json(report):
    part = estimations_part(report)
    assert part["proxies"] == [{"name": "<sex>", "text": "<y> (0.50) and x (0.30)"}]
    assert "ESTIMATIONS (BENN)" in repr(report)
    assert max(map(len, repr(report).splitlines())) <= 80
    document = json.loads(report.to_json())["estimations"]
    assert document["features"]["age"]["ensemble_method"] == "equal_fpr"
    pytest.importorskip("jinja2")
    page = report.to_html().partition("data:application")[0]
    assert '<h2 id="estimations">Estimations of hidden bias</h2>' in page
    assert "A low estimate does not mean fair" in page
    assert "&lt;sex&gt;" in page
    assert "<sex>" not in page


def test_without_the_ensemble_its_columns_are_left_out(report):
    report.estimations.frame["ensemble"] = np.nan
    assert not estimations_part(report)["ensemble"]
    pytest.importorskip("jinja2")
    assert ">Ensemble</th>" not in report.to_html()


# -- that really asks -----------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_finds_the_column_that_decides(run, loans, tmp_path):
    pytest.importorskip("skorch")
    status, text, err = run(loans[0], *LOANS, "--estimator", "logistic", "--benn")
    assert (status, err) == (0, "")
    assert "ESTIMATIONS (BENN)" in text
    document = json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
    found = document["report"]["estimations"]
    assert found["n_rows"] == 60
    assert found["features"]["sex"]["estimate"] > 0.5  # men get most of the loans
    assert found["features"]["sex"]["ensemble"] > 0.2
    assert found["proxies"][0]["proxy"] == "height"


@pytest.mark.slow
def test_several_classes_have_no_ensemble():
    pytest.importorskip("skorch")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"sex": rng.integers(0, 2, 150), "x": rng.normal(0, 1, 150)})
    y = np.where(X["x"] > 0.7, "c", np.where(X["sex"] == 1, "b", "a"))
    found = FairnessReport.from_estimator(
        GaussianNB(), X, y, sensitive_features="sex", cv=3, benn=True, bootstrap=0, refit=False
    ).estimations
    assert found.frame["ensemble"].isna().all()
    assert any(note.startswith("no ensemble: ") for note in found.notes)
    assert found.frame.loc["sex", "estimate"] > 0.5


def test_what_the_model_does_not_see_cannot_be_examined(refused, loans):
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame({"x": rng.random(60)}), rng.integers(0, 2, 60)
    with pytest.raises(ValueError, match="X has none of the protected ones; name columns of X"):
        FairnessReport.from_estimator(
            LogisticRegression(), X, y, sensitive_features=rng.choice(list("ab"), 60), cv=2,
            benn=True, bootstrap=0,
        )  # fmt: skip
    assert "--benn needs a model to ask: pass --estimator or --model" in refused(
        loans[0], *LOANS, "--benn"
    )
