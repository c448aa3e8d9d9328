"""The heat map of correlations: texts, frames and what may be missing."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from skfairprop.inspection import CorrelationDisplay

FRAME = pd.DataFrame(
    {
        "dataset_metric": ["cramers_v", "cramers_v", "ens_bias"],
        "model_metric": ["equal_opportunity", "demographic_parity", "equal_opportunity"],
        "rho": [0.6, -0.75, 0.1],
        "lower": [0.2, -0.9, -0.3],
        "upper": [0.8, -0.4, 0.5],
    }
)


def test_cells_hold_the_correlation_and_its_interval():
    display = CorrelationDisplay(FRAME).plot()
    assert [text.get_text() for text in display.ax_.texts] == [
        "+0.60\n0.20 to 0.80",
        "\u22120.75\n\u22120.90 to \u22120.40",
        "+0.10\n\u22120.30 to 0.50",
        "\u2013",
    ]
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["Cramer's V", "ENS bias"]
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == [
        "Equal opportunity", "Demographic parity"
    ]  # fmt: skip
    assert display.ax_.collections[0].get_clim() == (-1, 1)


def test_frames_mark_intervals_without_0():
    display = CorrelationDisplay(FRAME).plot()
    places = {(round(p.get_y() + 0.46), round(p.get_x() + 0.47)) for p in display.ax_.patches}
    assert places == {(0, 0), (0, 1)}
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert legend == ["Spearman's rank correlation, 95% interval", "interval excludes 0"]


def test_correlations_alone_can_be_drawn():
    display = CorrelationDisplay(FRAME.drop(columns=["lower", "upper"])).plot()
    assert [text.get_text() for text in display.ax_.texts] == [
        "+0.60",
        "\u22120.75",
        "+0.10",
        "\u2013",
    ]
    assert not display.ax_.patches


def test_a_study_gives_its_correlations(study):
    display = CorrelationDisplay.from_propagation(study, confidence=0.9)
    frame = display.frame_.set_index(["dataset_metric", "model_metric"])
    assert len(frame) == len(study.metrics("dataset")) * 7
    means = study.results.groupby(["experiment", "f", "metric"])["value"].mean().unstack()
    expected = spearmanr(means["cramers_v"], means["equal_opportunity"]).statistic
    assert frame.loc[("cramers_v", "equal_opportunity"), "rho"] == pytest.approx(expected)
    pd.testing.assert_frame_equal(
        frame, study.correlations(model_metrics=frame.loc["cramers_v"].index.tolist(),
                                  confidence=0.9).set_index(["dataset_metric", "model_metric"]),
    )  # fmt: skip


def test_configurations_can_be_chosen(study):
    display = CorrelationDisplay.from_propagation(
        study, dataset_metrics=["cramers_v"], model_metrics=["accuracy"], experiments=["one"]
    )
    assert display.frame_["n"].tolist() == [3]
    assert np.isnan(display.frame_["lower"].iloc[0])
    with pytest.raises(ValueError, match="'cramer' is not in the study"):
        CorrelationDisplay.from_propagation(study, dataset_metrics="cramer")
