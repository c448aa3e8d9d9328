"""The section on explanations: numbers, wording, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from skfairprop import FairnessReport
from skfairprop.datasets import make_biased_classification
from skfairprop.metrics import mesd, mesd_from_stability
from skfairprop.report import Explanations
from skfairprop.report._encode import TableEncoder, encode
from skfairprop.report._page._explanations import explanation_sentence, explanations_part
from skfairprop.report._standard import fit_out_of_fold

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def stability_of(worst, n=120, **options):
    group = np.arange(n) % 3
    rng = np.random.default_rng(0)
    values = np.clip(0.9 + 0.01 * rng.normal(size=n) - worst * (group == 2), 0, 1)
    names = np.array(["a", "b", "<c>"])[group]
    return mesd_from_stability(
        values, np.ones(n), sensitive_features=names, random_state=0, **options
    )


@pytest.fixture(scope="module")
def data():
    made = make_biased_classification(240, random_state=0)
    return pd.DataFrame(made.data), np.asarray(made.target), np.asarray(made.sensitive_features)


@pytest.fixture(scope="module")
def report(data):
    X, y, groups = data
    return FairnessReport.from_estimator(
        LogisticRegression(), X, y, sensitive_features=groups, cv=FOLDS, explain=True,
        pos_label=1, bootstrap=50,
    )  # fmt: skip


def test_the_model_of_the_first_fold_explains_rows_that_it_has_not_seen(report, data):
    X, y, groups = data
    train, test = next(FOLDS.split(X, y))
    model = LogisticRegression().fit(X.iloc[train], y[train])
    expected = mesd(
        model, X.iloc[test].reset_index(drop=True), y[test], sensitive_features=groups[test],
        n_permutations=50, n_resamples=50, random_state=0,
    )  # fmt: skip
    found = report.explanations.result
    assert (found.value, found.p_value) == (expected.value, expected.p_value)
    assert found.interval == expected.interval
    assert found.n_rows == len(test)
    assert "LogisticRegression of the first fold" in report.explanations.model


def test_it_is_in_page_text_and_json(report):
    document = json.loads(report.to_json())["explanations"]
    assert document["value"] == report.explanations.result.value
    assert {g["group"] for g in document["groups"]} == set(report.counts.group_texts)
    assert sum(p["weight"] for p in document["pairs"]) == pytest.approx(1)
    assert "EXPLANATIONS" in repr(report)
    assert max(map(len, repr(report).splitlines())) <= 80
    pytest.importorskip("jinja2")
    page = report.to_html()
    assert '<h2 id="explanations">Explanations</h2>' in page
    assert '<a href="#explanations">Explanations</a>' in page


def test_the_sentence_says_when_it_is_not_more_than_chance():
    given = {"n_permutations": 199, "n_resamples": 50}
    alike = explanation_sentence(Explanations(stability_of(0.0, **given), "m"))
    assert alike.endswith("this sample cannot tell the difference from chance.")
    apart = explanation_sentence(Explanations(stability_of(0.3, **given), "m"))
    assert "most for “<c>” (" in apart
    assert apart.endswith("; p = 0.005.")
    assert explanation_sentence(Explanations(stability_of(0.3), "m")).endswith(".")


@pytest.mark.filterwarnings("ignore:mesd is undefined")
def test_the_sentence_says_when_there_is_nothing_to_compare():
    one = mesd_from_stability([0.9, 0.8], [1, 1], sensitive_features=["a", "a"])
    assert "only one group" in explanation_sentence(Explanations(one, "m"))


def test_the_pairs_behind_it_are_those_of_the_unstable_group(report):
    report = FairnessReport(report.views, settings=report.settings, pos_label=1)
    assert explanations_part(report) is None
    report.explanations = Explanations(stability_of(0.3, n_resamples=20), "The model", ("a note",))
    part = explanations_part(report)
    assert {p["second"] for p in part["pairs"]["rows"]} | {
        p["first"] for p in part["pairs"]["rows"]
    } == {"a", "b", "<c>"}
    assert all("<c>" in (p["first"], p["second"]) for p in part["pairs"]["rows"])
    assert part["rows"][0]["name"] == "<c>"
    pytest.importorskip("jinja2")
    page = report.to_html()
    assert "a note" in page
    assert "<c>" not in page.partition("data:application")[0]  # escaped


class Constant(ClassifierMixin, BaseEstimator):
    """Says the same of everybody."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


def test_a_constant_model_is_said_to_be_one(data):
    X, y, groups = data
    found = FairnessReport.from_estimator(
        Constant(), X, y, sensitive_features=groups, cv=FOLDS, explain=True, bootstrap=0
    )
    assert found.explanations.result.degenerate
    assert "all attributions are zero" in found.explanations.notes[0]
    assert "a constant model" in explanation_sentence(found.explanations)


# -- the standard models, as Pipelines ------------------------------------------------------------


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    n = 150
    frame = pd.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.1, np.nan, rng.normal(3, 2, n)),
            "flag": rng.random(n) < 0.5,
            "city": rng.choice(["u", "v", None], n),
            "kind": pd.Categorical(rng.choice(["p", "q"], n), categories=["p", "q", "never"]),
            "id": [f"id {i}" for i in range(n)],
        }
    )
    return frame, pd.Series(rng.choice(["no", "yes"], n))


@pytest.mark.parametrize("name", ["logistic", "boosting"])
def test_the_pipeline_of_a_fold_predicts_as_the_fold_did(mixed, name):
    frame, y = mixed
    fit = fit_out_of_fold(frame, y, name, cv=3, seed=0)
    for position, fold in enumerate(fit.folds):
        predicted = fit.model_of(position).predict(frame.iloc[fold.test])
        np.testing.assert_array_equal(predicted, fit.labels.iloc[fold.test])


def test_rows_are_encoded_one_by_one_as_all_together(mixed):
    frame, _ = mixed
    encoded = encode(frame)
    assert encoded.values.shape[1] == 1 + 1 + 3 + 2 + 50  # rare ids share the last of 50
    assert (encoded.values[:, 2:5].sum(1) == 1).all()
    scaling = encoded.scaling(np.arange(50))
    encoder = TableEncoder(encoded, scaling)
    whole = scaling.apply(encoded.values)
    for i in (0, 7, 149):
        np.testing.assert_array_equal(encoder.transform(frame.iloc[[i]]), whole[[i]])
    known = frame["x"][:50]
    filled = known.fillna(known.median())
    expected = (frame["x"].fillna(known.median()) - filled.mean()) / filled.std(ddof=0)
    np.testing.assert_allclose(whole[:, 0], expected)
    new = frame.iloc[[0]].assign(city="elsewhere")
    assert encoder.transform(new)[0, 2:5].sum() == 0


# -- the command ----------------------------------------------------------------------------------

LOANS = ("--target", "guess", "--pos-label", "yes", "--sensitive", "sex", "--bootstrap", "60")


def test_the_command_explains(run, loans, tmp_path):
    status, text, err = run(loans[0], *LOANS, "--estimator", "logistic", "--explain")
    assert (status, err) == (0, "")
    assert "EXPLANATIONS" in text
    document = json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
    found = document["report"]["explanations"]
    assert found["n_rows"] == 60  # a fold of 300 rows
    assert found["model"].startswith("The logistic regression of the first fold")
    assert "--explain" in (tmp_path / "skfairprop-audit" / "report.html").read_text()


@pytest.mark.parametrize("model", [("--pred", "guessed_stage"), ()])
def test_the_command_needs_a_model(refused, loans, model):
    assert "--explain needs a model to explain: pass --estimator or --model" in refused(
        loans[0], *LOANS, "--explain", *model
    )
