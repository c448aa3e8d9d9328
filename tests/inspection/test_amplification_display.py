"""Associations in the data and from the model, against loops over the pairs."""

import numpy as np
import pytest
from scipy.stats import binomtest

from skfairprop import GroupCounts
from skfairprop.inference import benjamini_hochberg
from skfairprop.inspection import AmplificationDisplay
from skfairprop.inspection import _style as style
from skfairprop.inspection._amplification import sign_test
from skfairprop.metrics import directional_bias_amplification

RNG = np.random.default_rng(0)
GROUP = RNG.choice(["a", "b", "c"], 500)
TRUE = RNG.choice(["x", "y", "z"], 500)
PRED = np.where(RNG.random(500) < 0.6, TRUE, np.where(GROUP == "a", "x", "y"))


def test_the_numbers_are_those_of_a_loop_over_the_pairs():
    frame = AmplificationDisplay.from_predictions(TRUE, PRED, sensitive_features=GROUP).frame
    assert len(frame) == 9
    for row in frame.to_dict("records"):
        mine, c = row["group"] == GROUP, row["class"]
        share = np.mean(c == TRUE)
        before, after = np.mean(TRUE[mine] == c), np.mean(PRED[mine] == c)
        assert row["data"] == pytest.approx(before - share)
        assert row["model"] == pytest.approx(after - share)
        sign = np.sign(np.mean(mine & (c == TRUE)) - np.mean(mine) * share)
        assert row["contribution"] == pytest.approx(sign * (after - before))
        gained = np.count_nonzero(mine & (c != TRUE) & (c == PRED))
        lost = np.count_nonzero(mine & (c == TRUE) & (c != PRED))
        assert row["p"] == pytest.approx(binomtest(gained, gained + lost).pvalue)
        assert row["n"] == mine.sum()
    np.testing.assert_allclose(frame["q"], benjamini_hochberg(frame["p"]))


def test_the_mean_contribution_is_the_metric():
    display = AmplificationDisplay.from_predictions(TRUE, PRED, sensitive_features=GROUP)
    value = directional_bias_amplification(TRUE, PRED, sensitive_features=GROUP)
    assert display.value == pytest.approx(value)
    assert display.frame["contribution"].mean() == pytest.approx(value)


def test_what_grows_is_an_orange_triangle_and_what_shrinks_a_blue_disc():
    display = AmplificationDisplay.from_predictions(TRUE, PRED, sensitive_features=GROUP)
    tips = [line for line in display.ax_.lines if line.get_marker() in "<>"
            or (line.get_marker() == "o" and line.get_markerfacecolor() != "white")]  # fmt: skip
    assert [line.get_xdata()[0] for line in tips] == display.frame_["model"].tolist()
    for line, row in zip(tips, display.frame_.itertuples(), strict=True):
        grows = row.contribution > 0
        ahead = ">" if row.model > row.data else "<"
        assert line.get_marker() == (ahead if grows else "o")
        assert line.get_color() == (style.ORANGE if grows else style.BLUE)
        assert line.get_alpha() == (1.0 if row.q <= 0.05 else 0.35)
    starts = [line.get_xdata()[0] for line in display.ax_.lines
              if line.get_markerfacecolor() == "white"]  # fmt: skip
    assert starts == display.frame_["data"].tolist()


def test_rows_are_named_and_the_strengthened_ones_come_first():
    display = AmplificationDisplay.from_predictions(TRUE, PRED, sensitive_features=GROUP)
    frame = display.frame_
    names = [t.get_text() for t in display.ax_.get_yticklabels()]
    assert names == [f"{a} \u00d7 {c}" for a, c in zip(frame["group"], frame["class"], strict=True)]
    assert frame["contribution"].is_monotonic_decreasing


def test_a_tie_in_the_data_contributes_nothing():
    counts = GroupCounts([[[10, 0], [5, 5]], [[10, 0], [0, 10]]], groups=["a", "b"], classes=[0, 1])
    frame = AmplificationDisplay.from_counts(counts).frame
    assert (frame["contribution"] == 0).all()
    assert frame["change"].abs().max() == 0.25


def test_of_many_pairs_the_20_of_smallest_p_are_drawn_and_it_is_said():
    values = np.random.default_rng(0).integers(1, 30, (4, 6, 6))
    counts = GroupCounts(values, groups=list("abcd"), classes=list("uvwxyz"))
    display = AmplificationDisplay.from_counts(counts)
    assert len(display.frame_) == 20
    assert display.frame_["p"].max() <= np.sort(display.frame["p"])[20]
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert "the 20 smallest p of 24 pairs" in legend


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (3, 3), (0, 8), (9, 2), (40, 70)])
def test_the_sign_test_is_binomial(gained, lost):
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert sign_test(np.array([gained]), np.array([lost]))[0] == pytest.approx(expected)
