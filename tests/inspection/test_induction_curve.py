"""Metrics against the induced bias: the means and intervals of a study."""

from dataclasses import replace

import numpy as np
import pytest

from skfairprop.inspection import InductionCurveDisplay


def test_lines_lead_through_the_means_over_the_repeats(study):
    display = InductionCurveDisplay.from_propagation(study, metrics=["cramers_v", "ens_bias"])
    values = study.results.groupby(["metric", "experiment", "f"])["value"].mean()
    for ax, name in zip(display.axes_, ["cramers_v", "ens_bias"], strict=True):
        for line, experiment in zip(ax.lines, ["one", "two"], strict=True):
            assert list(line.get_xdata()) == [-0.5, 0.0, 0.5]
            np.testing.assert_allclose(line.get_ydata(), values[name, experiment])
    assert [ax.get_title(loc="left") for ax in display.axes_] == ["Cramer's V", "ENS bias"]


def test_bands_are_the_intervals_of_the_means(study):
    display = InductionCurveDisplay.from_propagation(study, metrics="cramers_v", confidence=0.9)
    summary = study.summary(0.9)
    summary = summary[(summary["metric"] == "cramers_v") & (summary["experiment"] == "one")]
    band = display.ax_.collections[0].get_paths()[0].vertices
    for row in summary.itertuples():
        inside = band[np.isclose(band[:, 0], row.f), 1]
        assert inside.min() == pytest.approx(row.lower)
        assert inside.max() == pytest.approx(row.upper)
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert legend == ["one", "two", "90% interval of the mean of 3 repeats"]


def test_experiments_differ_by_dashes_and_markers_and_come_as_asked_for(study):
    display = InductionCurveDisplay.from_propagation(
        study, metrics="cramers_v", experiments=["two", "one"]
    )
    assert display.frame_["experiment"].tolist() == ["two"] * 3 + ["one"] * 3
    looks = {(line.get_linestyle(), line.get_marker()) for line in display.ax_.lines}
    assert len(looks) == 2


def test_each_kind_has_its_metrics(study):
    of_data = InductionCurveDisplay.from_propagation(study)
    assert of_data.frame_["metric"].unique().tolist() == study.metrics("dataset")
    of_model = InductionCurveDisplay.from_propagation(study, kind="model")
    assert len(of_model.axes_) == 7
    assert "equal_opportunity" in of_model.frame_["metric"].tolist()
    assert "mals_bias_amplification" not in of_model.frame_["metric"].tolist()
    chosen = InductionCurveDisplay.from_propagation(
        study, kind="model", metrics=["mals_bias_amplification"]
    )
    assert chosen.frame_["metric"].nunique() == 1
    scores = InductionCurveDisplay.from_propagation(study, kind="score", metrics="accuracy")
    assert scores.ax_.get_title(loc="left") == "Accuracy"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "data"}, "kind must be one of .* got 'data'"),
        ({"metrics": "cramer"}, "the study has no metric 'cramer' of the kind 'dataset'; it has"),
        ({"metrics": []}, "to be told at least one metric"),
        ({"experiments": ["three"]}, "experiment 'three' is not in the study; it has"),
    ],
)
def test_what_the_study_lacks_is_refused(study, options, message):
    with pytest.raises(ValueError, match=message):
        InductionCurveDisplay.from_propagation(study, **options)


def test_more_than_four_experiments_are_refused(make_study):
    study = make_study(list("abcde"))
    with pytest.raises(ValueError, match="draws 4 experiments at most, and the study has 5; name"):
        InductionCurveDisplay.from_propagation(study)
    chosen = InductionCurveDisplay.from_propagation(study, experiments=list("ace"))
    assert chosen.frame_["experiment"].unique().tolist() == list("ace")


def test_one_repeat_has_no_band(study):
    display = InductionCurveDisplay(
        study.summary().query("metric == 'cramers_v'").assign(lower=np.nan, upper=np.nan)
    ).plot()
    assert not display.ax_.collections
    assert len(display.figure_.legends[0].get_texts()) == 2


def test_a_kind_without_metrics_is_refused(study):
    without = replace(study, results=study.results[study.results["kind"] != "score"])
    with pytest.raises(ValueError, match="the study has no metrics of the kind 'score'"):
        InductionCurveDisplay.from_propagation(without, kind="score")
