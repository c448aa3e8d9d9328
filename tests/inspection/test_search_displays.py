"""Displays of a finished search: its scores become values, and its choice is marked."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from skfairprop.inspection import (
    HypervolumeDisplay,
    ParallelCoordinatesDisplay,
    ParetoDisplay,
)
from skfairprop.model_selection import UEFSearchCV

pytest.importorskip("pymoo")

X, Y = make_classification(300, 6, n_informative=4, random_state=0)
GROUP = pd.Series(np.where(X[:, 0] > 0, "a", "b"), name="sex")
X = pd.DataFrame(X)
NAMES = ["roc_auc", "demographic_parity_difference", "neg_log_loss"]
VALUES = ["roc_auc", "demographic_parity_difference", "log_loss"]
SIGNS = [1, -1, -1]


def make_search(**options):
    return UEFSearchCV(
        LogisticRegression(),
        {"C": [0.001, 0.01, 0.1, 1.0], "class_weight": [None, "balanced"]},
        objectives=NAMES,
        sensitive_features=GROUP,
        n_evaluations=8,
        cv=2,
        random_state=0,
        **options,
    )


@pytest.fixture(scope="module")
def search():
    return make_search(test_size=0.3).fit(X, Y)


def points(frame, **query):
    for column, value in query.items():
        frame = frame[frame[column] == value]
    return frame.pivot(index="point", columns="objective", values="value")[VALUES].to_numpy()


def test_the_front_is_drawn_in_values_and_not_in_scores(search):
    frame = ParetoDisplay.from_estimator(search).frame_
    scores = search.pareto_front_[NAMES].to_numpy()
    np.testing.assert_allclose(points(frame, on="search"), scores * SIGNS)
    greater = frame.groupby("objective")["greater_is_better"].first()
    assert greater.to_dict() == dict(zip(VALUES, [True, False, False], strict=True))
    chosen = points(frame, on="search", chosen=True)
    np.testing.assert_allclose(chosen, scores[[search.best_point_]] * SIGNS)


def test_its_test_split_is_shown_beside_it(search):
    frame = ParetoDisplay.from_estimator(search, view="transfer").frame_
    tested = frame[frame["on"] == "test"].set_index("objective")
    table = search.transfer_
    np.testing.assert_allclose(tested["value"][VALUES], table["test"] * SIGNS)
    # the lower end of a score is the upper end of a loss
    gap = table.loc["demographic_parity_difference"]
    assert tested["lower"]["demographic_parity_difference"] == pytest.approx(-gap["upper"])
    assert tested["upper"]["demographic_parity_difference"] == pytest.approx(-gap["lower"])
    assert tested["lower"]["roc_auc"] == pytest.approx(table.loc["roc_auc", "lower"])


def test_another_table_of_transfer_can_be_given(search):
    table = search.transfer(X, Y, n_draws=100)
    frame = ParetoDisplay.from_estimator(search, test=table).frame_
    tested = frame[frame["on"] == "test"].set_index("objective")["value"]
    np.testing.assert_allclose(tested[VALUES], table["test"] * SIGNS)
    with pytest.raises(TypeError, match="test must be the table that the search's transfer"):
        ParetoDisplay.from_estimator(search, test={"roc_auc": 0.8})
    with pytest.raises(ValueError, match="test has no objective 'roc_auc'"):
        ParetoDisplay.from_estimator(search, test=table.drop(index="roc_auc"))


def test_objectives_can_be_picked_and_others_overlaid(search):
    two = ["demographic_parity_difference", "log_loss"]
    plain = {"demographic_parity_difference": 0.3, "log_loss": 0.4}
    for display in (ParetoDisplay, ParallelCoordinatesDisplay):
        shown = display.from_estimator(search, objectives=two, others={"plain": plain})
        assert shown.frame_["objective"].unique().tolist() == two
        assert shown.frame_["method"].unique().tolist() == ["search", "plain"]
    with pytest.raises(ValueError, match="front has no objective 'neg_log_loss'; did you mean"):
        ParetoDisplay.from_estimator(search, objectives=["roc_auc", "neg_log_loss"])


def test_points_on_the_front_for_an_objective_that_is_not_drawn_are_explained(search):
    shown = ParetoDisplay.from_estimator(search, objectives=VALUES[:2])
    legend = [text.get_text() for text in shown.figure_.legends[0].get_texts()]
    assert "on it for another objective" in legend


def test_three_objectives_and_parallel_axes(search):
    assert ParetoDisplay.from_estimator(search, view="3d").ax_.name == "3d"
    lines = ParallelCoordinatesDisplay.from_estimator(search)
    assert len(lines.frame_) == 3 * len(search.pareto_front_)
    assert lines.frame_["chosen"].sum() == 3


def test_the_history_is_that_of_the_search(search):
    display = HypervolumeDisplay.from_estimator(search, name="UEF")
    table = search.hypervolume_
    assert display.frame_["method"].tolist() == ["UEF"] * len(table)
    np.testing.assert_allclose(display.frame_["mean"], table["hypervolume"])
    np.testing.assert_array_equal(display.frame_["n_evaluations"], table["n_evaluations"])


def test_a_search_without_a_choice_has_none_marked():
    search = make_search(refit=False).fit(X, Y)
    vars(search).pop("best_point_", None)
    assert not ParetoDisplay.from_estimator(search).frame_["chosen"].any()


@pytest.mark.parametrize(
    "display",
    [ParetoDisplay, ParallelCoordinatesDisplay, HypervolumeDisplay],
    ids=lambda d: d.__name__,
)
def test_what_is_no_fitted_search_is_refused(display):
    with pytest.raises(TypeError, match=f"{display.__name__} draws a UEFSearchCV; got Logistic"):
        display.from_estimator(LogisticRegression())
    with pytest.raises(NotFittedError):
        display.from_estimator(make_search())


def test_a_value_that_is_called_as_another_objective_stays_a_score():
    objectives = {"auc": "roc_auc", "neg_loss": "neg_log_loss", "loss": "f1"}
    search = make_search().set_params(objectives=objectives).fit(X, Y)
    frame = ParetoDisplay.from_estimator(search).frame_
    table = frame.pivot(index="point", columns="objective", values="value")
    scores = search.pareto_front_[list(objectives)]
    np.testing.assert_allclose(table[list(objectives)], scores)
    assert frame["greater_is_better"].all()


def test_what_is_undefined_on_test_data_stops_only_what_shows_it(search):
    table = search.transfer(X, Y, n_draws=100)
    table.loc["neg_log_loss", "test"] = np.nan
    with pytest.raises(ValueError, match="test: 'neg_log_loss' is NaN"):
        ParetoDisplay.from_estimator(search, test=table)
    drawn = ParetoDisplay.from_estimator(search, test=table, objectives=VALUES[:2])
    assert len(drawn.frame_.query("on == 'test'")) == 2
    kept = search.transfer_
    search.transfer_ = table
    try:
        ParallelCoordinatesDisplay.from_estimator(search)
        HypervolumeDisplay.from_estimator(search)
    finally:
        search.transfer_ = kept


@pytest.mark.parametrize("chosen", [True, 1.5, -1, 3])
def test_the_chosen_point_is_a_position(chosen):
    front = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1]})
    with pytest.raises(ValueError, match="chosen must be a position in the front, from 0 to 2"):
        ParetoDisplay.from_front(front, chosen=chosen)


def test_objectives_whose_names_clash_are_refused():
    front = pd.DataFrame({"chosen": [0.1, 0.2], "b": [0.3, 0.2]})
    with pytest.raises(ValueError, match="objective 'chosen' is a column of the display"):
        ParetoDisplay.from_front(front)
    with pytest.raises(ValueError, match="objective 'b' occurs twice"):
        ParallelCoordinatesDisplay.from_front(front, objectives=["b", "b"])
    with pytest.raises(ValueError, match=r"values\['a'\]: hypervolumes must be finite"):
        HypervolumeDisplay.from_values({"a": [(1, np.nan)]})
