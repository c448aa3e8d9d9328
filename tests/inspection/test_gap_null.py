"""Gaps beside chance: the numbers of the inference, drawn where they belong."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from skfairprop import GroupCounts, fairness_report
from skfairprop.inference import MetricCall, benjamini_hochberg, infer
from skfairprop.inspection import GapNullDisplay
from skfairprop.inspection import _style as style

COUNTS = GroupCounts(
    [[[80, 20], [10, 90]], [[50, 50], [12, 88]], [[40, 8], [5, 30]]],
    groups=["a", "b", "c"],
    classes=[0, 1],
)
METRICS = ["demographic_parity_difference", "false_positive_rate_difference", "cramers_v"]


def draw(**options):
    return GapNullDisplay.from_counts(COUNTS, random_state=0, **options)


def bands(ax):
    return [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]


def values(ax):
    return [line for line in ax.lines if line.get_marker() in ("o", "D")]


def test_the_numbers_are_those_of_the_inference():
    display = draw(metrics=METRICS)
    found = infer(COUNTS, METRICS, random_state=0)
    q = benjamini_hochberg([found[name].p_value for name in METRICS])
    for i, name in enumerate(METRICS):
        row, one = display.frame_.loc[name], found[name]
        assert (row["value"], row["lower"], row["upper"]) == (one.value, one.lower, one.upper)
        assert (row["chance"], row["chance_95"]) == (one.null_mean, one.null_95)
        assert (row["p"], row["q"]) == (one.p_value, q[i])


def test_they_are_drawn_where_they_belong():
    display = draw(metrics=METRICS)
    frame, ax = display.frame_, display.ax_
    assert bands(ax) == [pytest.approx((0, end)) for end in frame["chance_95"]]
    assert [line.get_xdata()[0] for line in values(ax)] == frame["value"].tolist()
    strokes = [line for line in ax.lines if len(line.get_xdata()) == 2]
    flat = [tuple(line.get_xdata()) for line in strokes if np.ptp(line.get_ydata()) == 0]
    assert flat == list(zip(frame["lower"], frame["upper"], strict=True))
    upright = [line.get_xdata()[0] for line in ax.lines if np.ptp(line.get_ydata()) > 0]
    assert upright == frame["chance"].tolist()
    assert [t.get_text() for t in ax.get_yticklabels()] == [
        "Demographic parity difference",
        "False positive rate difference",
        "Cramer's V",
    ]


def test_what_chance_explains_is_hollow():
    display = draw(metrics=["false_positive_rate_difference", "false_negative_rate_difference"])
    filled = [to_hex(line.get_markerfacecolor()) for line in values(display.ax_)]
    assert (display.frame_["q"] <= 0.05).tolist() == [True, False]
    assert filled == [style.BLUE.lower(), "#ffffff"]


def test_values_and_q_are_written_beside():
    display = draw(metrics="demographic_parity_difference")
    row = display.frame_.iloc[0]
    texts = [text.get_text() for text in display.ax_.texts]
    assert texts == ["value", "q", f"{row['value']:.3f}", f"{row['q']:.3f}"]


def test_ratios_are_drawn_as_what_is_missing_to_1():
    display = draw(metrics="demographic_parity_ratio")
    ratio = infer(COUNTS, "demographic_parity_ratio", random_state=0)["demographic_parity_ratio"]
    row = display.frame_.iloc[0]
    assert (row["value"], row["lower"], row["upper"]) == pytest.approx(
        (1 - ratio.value, 1 - ratio.upper, 1 - ratio.lower)
    )
    assert row["chance_95"] == pytest.approx(1 - ratio.null_95)
    assert row["lower"] < row["value"] < row["upper"]
    assert display.ax_.get_yticklabels()[0].get_text() == "1 \u2212 demographic parity ratio"
    assert display.frame.iloc[0]["value"] == ratio.value


def test_signed_metrics_have_a_band_on_both_sides():
    display = draw(metrics="directional_bias_amplification")
    end = display.frame_["chance_95"].iloc[0]
    assert bands(display.ax_) == [pytest.approx((-end, end))]
    assert display.ax_.get_xlim()[0] < 0


def test_too_few_errors_are_marked_and_explained():
    counts = GroupCounts(
        [[[80, 2], [1, 90]], [[50, 1], [1, 88]]], groups=["a", "b"], classes=[0, 1]
    )
    display = GapNullDisplay.from_counts(counts, metrics="combined_error_variance", random_state=0)
    (mark,) = values(display.ax_)
    assert (mark.get_marker(), mark.get_color()) == ("D", style.ORANGE)
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert any("rests on" in text for text in legend)


def test_undefined_metrics_keep_their_row():
    counts = GroupCounts([[[8, 2], [0, 0]], [[5, 5], [0, 0]]], groups=["a", "b"], classes=[0, 1])
    display = GapNullDisplay.from_counts(
        counts,
        metrics=["equal_opportunity_difference", "demographic_parity_difference"],
        random_state=0,
    )
    texts = [text.get_text().strip() for text in display.ax_.texts]
    assert "undefined" in texts
    assert np.isnan(display.frame_.loc["equal_opportunity_difference", "value"])
    assert len(values(display.ax_)) == 1


@pytest.mark.parametrize(
    ("counts", "n"), [(COUNTS, 7), (COUNTS.of_labels(), 2)], ids=["predictions", "data alone"]
)
def test_the_default_is_on_one_scale(counts, n):
    display = GapNullDisplay.from_counts(counts, n_draws=999, random_state=0)
    assert len(display.frame_) == n
    assert display.frame_["upper"].max() <= 1


def test_without_a_positive_class_those_of_all_classes_are_drawn():
    counts = GroupCounts(COUNTS.values, groups=COUNTS.groups, classes=["no", "yes"])
    display = GapNullDisplay.from_counts(counts, random_state=0)
    assert "classwise_equalized_odds" in display.frame_.index
    assert "equal_opportunity_difference" not in display.frame_.index


def test_a_report_brings_its_own_q():
    names = ["demographic_parity_difference", "accuracy_difference"]
    report = fairness_report(
        np.repeat([0, 1, 0, 1], [50, 50, 60, 40]),
        np.tile([0, 1, 1, 0, 1], 40),
        sensitive_features=np.repeat(["a", "b"], 100),
        metrics=[
            "demographic_parity_difference",
            "accuracy_difference",
            "demographic_parity_ratio",
        ],
    )
    display = GapNullDisplay.from_report(report)
    assert display.frame_.index.tolist() == names
    table = report.metrics.loc["sensitive_features"].loc[display.frame_.index]
    for name in ("value", "lower", "upper", "chance", "chance_95", "p", "q"):
        np.testing.assert_array_equal(display.frame_[name], table[name])
    with pytest.raises(ValueError, match="the report has no metric 'cramers_v'; it has"):
        GapNullDisplay.from_report(report, metrics="cramers_v")


def test_a_report_without_intervals_is_refused():
    report = fairness_report([0, 1, 1, 0], [0, 1, 0, 0], sensitive_features=list("aabb"),
                             bootstrap=0)  # fmt: skip
    with pytest.raises(ValueError, match="the report has no intervals; make it with bootstrap"):
        GapNullDisplay.from_report(report)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ([], "metrics is empty; name at least one count metric"),
        ("demographic_party", "no metric 'demographic_party'"),
        ("estimation_calibration", "is no function of counts"),
    ],
)
def test_metrics_need_to_be_known_and_of_counts(metrics, message):
    with pytest.raises(ValueError, match=message):
        draw(metrics=metrics)


def test_a_call_holds_the_positive_class():
    display = GapNullDisplay.from_counts(
        COUNTS, metrics="equal_opportunity_difference", pos_label=0, random_state=0
    )
    call = MetricCall("equal_opportunity_difference", pos_label=0)
    expected = infer(COUNTS, {"m": call}, random_state=0)["m"].value
    assert display.frame_["value"].iloc[0] == expected == pytest.approx(40 / 48 - 0.5)
