"""Stability of explanations by group: what is drawn is what was found."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skfairprop.datasets import make_biased_classification
from skfairprop.inspection import ExplanationStabilityDisplay
from skfairprop.inspection import _style as style
from skfairprop.metrics import mesd, mesd_from_stability


def result_of(n_groups=4, n=200, **options):
    """Groups of which the last is the least stable."""
    rng = np.random.default_rng(0)
    group = np.arange(n) % n_groups
    stability = np.clip(0.9 + 0.02 * rng.normal(size=n) - 0.1 * (group == n_groups - 1), 0, 1)
    return mesd_from_stability(
        stability, rng.integers(0, 2, n), sensitive_features=group, random_state=0, **options
    )


RESULT = result_of(n_permutations=99, n_resamples=99)


def legend_of(display):
    return [text.get_text() for text in display.figure_.legends[0].get_texts()]


def test_groups_come_from_the_least_stable_on_with_their_intervals():
    display = ExplanationStabilityDisplay.from_result(RESULT)
    expected = RESULT.to_frame().sort_values("stability")
    assert display.frame_["group"].tolist() == expected.index.tolist()
    dots = [line for line in display.ax_.lines if line.get_marker() == "o"]
    assert [dot.get_xdata()[0] for dot in dots] == expected["stability"].tolist()
    bars = [line.get_xdata() for line in display.ax_.lines if line.get_marker() == "None"]
    np.testing.assert_array_equal(bars, expected[["lower", "upper"]])
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == list(map(str, expected.index))


def test_pairs_that_make_mesd_are_drawn_heaviest_first():
    display = ExplanationStabilityDisplay.from_result(RESULT)
    heavy = RESULT.pairs[RESULT.pairs["weight"] > 0]
    assert len(display.pairs_) == len(heavy)
    assert set(display.pairs_["second"]) == {3}  # the group of the planted effect
    widths = [patch.get_width() for patch in display.axes_[1].patches]
    assert widths == display.pairs_["weight"].tolist() == sorted(heavy["weight"], reverse=True)
    recomputed = (display.pairs_["weight"] * display.pairs_["D"]).sum()
    assert recomputed == pytest.approx(RESULT.value)
    said = [t.get_text() for t in display.axes_[1].texts]
    assert said[0] == f"differ by {display.pairs_['D'][0]:.3f}"


def test_the_legend_says_what_chance_gives():
    found = legend_of(ExplanationStabilityDisplay.from_result(RESULT))
    assert found[0] == "95% interval"
    assert f"MESD {RESULT.value:.3f}, by chance {RESULT.null_mean:.3f}, p = 0.01" in found


def test_groups_of_few_rows_have_another_mark():
    display = ExplanationStabilityDisplay.from_result(RESULT, min_count=51)
    marks = {line.get_marker() for line in display.ax_.lines} - {"None"}
    assert marks == {"D"}
    assert display.ax_.lines[0].get_color() == style.ORANGE
    assert "n below 51" in legend_of(display)


def test_without_resamples_there_are_no_intervals():
    display = ExplanationStabilityDisplay.from_result(result_of())
    assert all(line.get_marker() == "o" for line in display.ax_.lines)
    assert legend_of(display) == [f"MESD {result_of().value:.3f}"]


def test_of_many_groups_the_extremes_are_drawn_and_it_is_said():
    display = ExplanationStabilityDisplay.from_result(result_of(30, 600))
    assert len(display.frame_) == 12
    assert display.frame_["group"][0] == 29
    assert len(display.pairs_) == 12
    found = legend_of(display)
    assert "the 6 lowest and 6 highest of 30 groups" in found
    assert "the 12 heaviest of 29 pairs" in found


@pytest.mark.filterwarnings("ignore:mesd is undefined")
def test_one_group_has_one_panel():
    display = ExplanationStabilityDisplay.from_result(result_of(1))
    assert len(display.axes_) == 1
    assert len(display.pairs_) == 0


def test_an_estimator_is_explained():
    made = make_biased_classification(120, random_state=0)
    model = LogisticRegression().fit(made.data, made.target)
    given = {"sensitive_features": made.sensitive_features, "n_samples": 30, "random_state": 0}
    given |= {"n_permutations": 19, "n_resamples": 39, "explainers": ("shap",)}
    display = ExplanationStabilityDisplay.from_estimator(model, made.data, made.target, **given)
    expected = mesd(model, made.data, made.target, **given)
    assert display.value == expected.value
    assert sorted(display.frame_["stability"]) == sorted(expected.group_stability)


def test_other_results_are_refused():
    with pytest.raises(TypeError, match="result must be what mesd returns; got float"):
        ExplanationStabilityDisplay.from_result(0.3)
