"""Direct beside total, the training, and mitigation, as they are drawn."""

import numpy as np
import pandas as pd
import pytest

from skfairprop.inspection import (
    BENNLearningCurveDisplay,
    DirectTotalDisplay,
    MitigationDisplay,
)
from skfairprop.inspection import _style as style

EFFECTS = pd.DataFrame(
    {"direct": [0.3, 0.0, np.nan], "total": [0.35, 0.9, np.nan], "null": [0.05, 0.1, np.nan]},
    index=["race", "sex", "one"],
)


class Fitted:
    """What a fitted BENNEstimator has."""

    n_steps_ = 30
    loss_curve_ = pd.DataFrame(
        {"step": [15, 30], "change": [0.1, 0.2], "selection": [0.1, 0.15], "loss": [0.0, -0.1]}
    )

    def __init__(self, table):
        self.table = table

    def summary(self):
        return self.table


def discs(ax):
    return [
        (line.get_xdata()[0], line.get_ydata()[0], line.get_markerfacecolor() != "white")
        for line in ax.lines
        if line.get_marker() == "o"
    ]


def test_direct_is_hollow_and_total_filled_the_largest_total_first():
    display = DirectTotalDisplay.from_benn(Fitted(EFFECTS))
    assert display.frame_.index.tolist() == ["sex", "race", "one"]
    assert discs(display.ax_) == [
        *((0.0, 0, False), (0.9, 0, True)),
        *((0.3, 1, False), (0.35, 1, True)),
    ]
    assert [bar.get_width() for bar in display.ax_.patches] == [0.1, 0.05]
    assert [text.get_text().strip() for text in display.ax_.texts] == ["one value only"]


def test_of_many_features_the_largest_totals_are_drawn_and_it_is_said():
    many = pd.DataFrame({"direct": 0.0, "total": np.linspace(0, 1, 40), "null": 0.0})
    display = DirectTotalDisplay(many).plot()
    assert display.frame_["total"].tolist() == sorted(many["total"], reverse=True)[:30]
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert legend[-1] == "the 30 largest totals of 40 features"


def test_the_paper_has_no_direct_effect():
    with pytest.raises(ValueError, match="formulation='paper' has no direct and total effect"):
        DirectTotalDisplay.from_benn(Fitted(EFFECTS[["null"]]))


def test_every_part_of_the_loss_has_a_panel():
    display = BENNLearningCurveDisplay.from_benn(Fitted(None))
    titles = [ax.get_title(loc="left") for ax in display.axes_]
    assert titles == ["prediction change", "feature selection", "loss"]
    assert display.axes_[1].lines[0].get_ydata().tolist() == [0.1, 0.15]


def test_without_training_there_is_no_curve():
    fitted = Fitted(None)
    fitted.loss_curve_ = pd.DataFrame()
    fitted.n_steps_ = 0
    with pytest.raises(ValueError, match="no network was trained: nothing changed the output"):
        BENNLearningCurveDisplay.from_benn(fitted)
    fitted.n_steps_ = 14
    with pytest.raises(ValueError, match="stopped after 14 steps, before its first check"):
        BENNLearningCurveDisplay.from_benn(fitted)


BEFORE = pd.DataFrame({"estimate": [0.6, 0.5], "ensemble": [0.4, np.nan]}, index=["sex", "race"])
AFTER = pd.DataFrame({"estimate": [0.4, 0.55], "ensemble": [0.3, 0.2]}, index=["sex", "race"])


def test_a_feature_that_is_there_twice_is_named():
    twice = pd.concat([AFTER, AFTER.loc[["race"]]])
    with pytest.raises(ValueError, match="after has the feature 'race' twice"):
        MitigationDisplay.from_frames(BEFORE, twice)
    with pytest.raises(ValueError, match="before has the feature 'race' twice"):
        MitigationDisplay.from_frames(twice, AFTER)


def test_what_rose_is_orange():
    display = MitigationDisplay.from_frames(BEFORE, AFTER)
    assert [ax.get_title(loc="left") for ax in display.axes_] == ["BENN", "ensemble"]
    assert discs(display.axes_[0]) == [
        *((0.6, 0, False), (0.4, 0, True)),
        *((0.5, 1, False), (0.55, 1, True)),
    ]
    colours = [line.get_color() for line in display.axes_[0].lines if line.get_marker() == "o"]
    assert colours == [style.BLUE] * 2 + [style.ORANGE] * 2
    assert [text.get_text().strip() for text in display.axes_[1].texts] == ["undefined"]
    limits = {ax.get_xlim() for ax in display.axes_}
    assert len(limits) == 1


def test_frames_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="'gap' is not a column of both frames"):
        MitigationDisplay.from_frames(BEFORE, AFTER, estimators="gap")
    with pytest.raises(ValueError, match="before and after have no feature in common"):
        MitigationDisplay.from_frames(BEFORE, AFTER.rename(lambda name: name + "?"))
