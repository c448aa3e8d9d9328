"""Before and after reweighting: the numbers, where they stand, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skfairprop import FairnessReport
from skfairprop.datasets import make_biased_classification
from skfairprop.inference import compare_models
from skfairprop.preprocessing import Reweighter

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def data():
    """Groups with very different base rates, and a model that sees the group."""
    made = make_biased_classification(600, base_rates=(0.75, 0.3), random_state=0)
    groups = np.asarray(made.sensitive_features).ravel()
    X = np.column_stack([made.data, groups == groups[0]])
    return X.astype(float), np.asarray(made.target), groups


def by_hand(X, y, groups):
    """The same without our estimators: weights P(a) P(y) / P(a, y) of the training rows."""
    out = np.empty_like(y)
    for train, test in FOLDS.split(X, y):
        a, b = groups[train], y[train]
        cell = {(g, c): np.mean((a == g) & (b == c)) for g in set(a) for c in set(b)}
        weight = [np.mean(a == g) * np.mean(b == c) / cell[g, c] for g, c in zip(a, b, strict=True)]
        fitted = LogisticRegression().fit(X[train], b, sample_weight=weight)
        out[test] = fitted.predict(X[test])
    return out


@pytest.fixture(scope="module")
def report(data):
    X, y, groups = data
    return FairnessReport.from_estimator(
        LogisticRegression(), X, y, sensitive_features=groups, cv=FOLDS, reweight=True,
        pos_label=1, bootstrap=200,
    )  # fmt: skip


def test_the_predictions_after_are_those_of_reweighted_folds(report, data):
    X, y, groups = data
    after = by_hand(X, y, groups)
    rates = [np.mean(after[groups == g] == 1) for g in np.unique(groups)]
    measures = report.before_after.measures
    found = measures.loc["demographic_parity_difference"]
    assert found["after"] == pytest.approx(max(rates) - min(rates))
    assert found["before"] == report.views[0].metrics["value"]["demographic_parity_difference"]
    assert found["change"] == pytest.approx(found["after"] - found["before"])
    np.testing.assert_allclose(report.before_after.by_group["selection_rate"], rates)


def test_changes_are_those_of_two_models_on_the_same_rows(report, data):
    X, y, groups = data
    before = cross_val_predict(LogisticRegression(), X, y, cv=FOLDS)
    measures = report.before_after.measures
    for metric in ("demographic_parity_difference", "accuracy_difference"):
        expected = compare_models(
            metric, y, before, by_hand(X, y, groups), sensitive_features=groups, n_draws=200,
            random_state=0, pos_label=1 if "parity" in metric else None,
        )  # fmt: skip
        found = measures.loc[metric]
        assert found["p"] == expected.p_value
        assert (found["lower"], found["upper"]) == (expected.lower, expected.upper)
    gap = measures.loc["demographic_parity_difference"]
    assert gap["upper"] < 0  # a planted effect: 45 points in the base rates
    before_row = report.views[0].metrics.loc["demographic_parity_difference"]
    assert (gap["before_lower"], gap["before_upper"]) == (before_row["lower"], before_row["upper"])


def test_right_predictions_are_paired(report, data):
    X, y, groups = data
    first = cross_val_predict(LogisticRegression(), X, y, cv=FOLDS) == y
    second = by_hand(X, y, groups) == y
    found = report.before_after.accuracy
    assert (found["before"], found["after"]) == (first.mean(), second.mean())
    gained, lost, n = (second & ~first).sum() + 0.5, (first & ~second).sum() + 0.5, len(y) + 2
    margin = 1.959964 * np.sqrt((gained + lost - (gained - lost) ** 2 / n) / n**2)
    assert found["upper"] - found["change"] == pytest.approx(margin, rel=1e-6)
    assert found["lower"] <= found["change"] <= found["upper"]


def test_it_is_in_page_text_and_json(report):
    assert "BEFORE AND AFTER REWEIGHTING" in repr(report)
    assert max(map(len, repr(report).splitlines())) <= 80
    document = json.loads(report.to_json())["before_after"]
    assert set(document) == {"measures", "accuracy", "counts", "by_group"}
    assert document["measures"]["demographic_parity_difference"]["change"] < 0
    pytest.importorskip("jinja2")
    page = report.to_html()
    assert '<h2 id="before_after">Before and after reweighting</h2>' in page
    assert '<a href="#before_after">Before and after</a>' in page
    assert "Kamiran and Calders 2012" in page
    assert "Fitted with reweighted rows, the same model has a demographic parity difference" in page


def test_without_it_there_is_no_section(data):
    pytest.importorskip("jinja2")
    X, y, groups = data
    plain = FairnessReport.from_estimator(
        GaussianNB(), X, y, sensitive_features=groups, cv=2, pos_label=1, bootstrap=0
    )
    assert plain.before_after is None
    assert "before_after" not in plain.to_html().partition("data:application")[0]
    assert plain.to_dict()["before_after"] is None


def test_no_random_tables_no_intervals(data):
    X, y, groups = data
    found = FairnessReport.from_estimator(
        GaussianNB(), X, y, sensitive_features=groups, cv=2, reweight=True, bootstrap=0
    ).before_after
    assert found.measures[["before", "after", "change"]].notna().all().all()
    assert found.measures[["lower", "upper", "p", "q", "after_lower"]].isna().all().all()


@pytest.mark.parametrize("routing", [False, True])
def test_a_pipeline_with_metadata_routing_off_and_on(data, routing):
    X, y, groups = data
    model = make_pipeline(StandardScaler(), LogisticRegression())
    with sklearn.config_context(enable_metadata_routing=routing):
        found = FairnessReport.from_estimator(
            model,
            X,
            y,
            sensitive_features=groups,
            cv=FOLDS,
            reweight=True,
            pos_label=1,
            bootstrap=0,
        ).before_after
    # scaling does not change an unpenalised model; the penalty moves a few rows
    after = by_hand(X, y, groups)
    expected = np.ptp([np.mean(after[groups == g]) for g in np.unique(groups)])
    gap = found.measures.loc["demographic_parity_difference", "after"]
    assert gap == pytest.approx(expected, abs=0.05)
    assert gap < found.measures.loc["demographic_parity_difference", "before"]


@pytest.mark.filterwarnings("ignore:left out")
def test_several_classes_weights_and_missing_groups():
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b", "c"], 240)
    groups = pd.Series(rng.choice(["f", "m"], 240)).mask(rng.random(240) < 0.1)
    X = pd.DataFrame({"x": rng.normal(0, 1, 240) + (y == "a"), "z": rng.normal(0, 1, 240)})
    for missing in ("group", "drop"):
        found = FairnessReport.from_estimator(
            GaussianNB(), X, y, sensitive_features=groups, cv=3, reweight=True, bootstrap=50,
            missing=missing, sample_weight=rng.integers(1, 4, 240),
        )  # fmt: skip
        assert found.before_after.measures.index[0] == "accuracy_difference"
        assert found.before_after.counts.n_groups == (3 if missing == "group" else 2)
        pytest.importorskip("jinja2")
        assert "Before and after" in found.to_html()


def test_a_reweighter_of_ones_own(data):
    X, y, groups = data
    given = {"sensitive_features": groups, "cv": FOLDS, "pos_label": 1, "bootstrap": 0}
    clipped = FairnessReport.from_estimator(
        LogisticRegression(), X, y, reweight=Reweighter(clip=1.0), **given
    )
    assert clipped.before_after.measures["change"].eq(0).all()  # all weights are 1
    with pytest.raises(TypeError, match="reweight must be True, False or a Reweighter; got str"):
        FairnessReport.from_estimator(LogisticRegression(), X, y, reweight="yes", **given)
    with pytest.raises(ValueError, match="ResampledClassifier"):
        FairnessReport.from_estimator(KNeighborsClassifier(), X, y, reweight=True, **given)


# -- the command --------------------------------------------------------------------------------

LOANS = ("--target", "guess", "--pos-label", "yes", "--sensitive", "sex", "--bootstrap", "60")


def test_the_command_shows_both(run, loans, tmp_path):
    status, text, err = run(loans[0], *LOANS, "--estimator", "logistic", "--reweight")
    assert (status, err) == (0, "")
    assert "BEFORE AND AFTER REWEIGHTING" in text
    document = json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
    gap = document["report"]["before_after"]["measures"]["demographic_parity_difference"]
    assert gap["after"] < gap["before"]
    pytest.importorskip("jinja2")
    page = (tmp_path / "skfairprop-audit" / "report.html").read_text()
    assert " --reweight" in page
    run(loans[0], *LOANS, "--estimator", "logistic")
    page = (tmp_path / "skfairprop-audit" / "report.html").read_text()
    assert "eweight" not in page.partition("data:application")[0]


@pytest.mark.parametrize("model", [("--pred", "guessed"), ()])
def test_the_command_needs_a_model_to_fit(refused, loans, model):
    given = ("--target", "guess", "--sensitive", "sex", "--pos-label", "yes", "--reweight")
    assert "--reweight fits the model again, so it needs --estimator" in refused(
        loans[0], *given, *model
    )
