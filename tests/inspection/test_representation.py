"""The contingency table and its residuals, against scipy and a loop."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from scipy.stats import chi2_contingency, norm

from skfairprop import GroupCounts
from skfairprop.inference import benjamini_hochberg
from skfairprop.inspection import RepresentationDisplay

TABLE = np.array([[60, 30, 10], [20, 50, 30], [3, 4, 1]])
COUNTS = GroupCounts(TABLE, groups=["a", "b", "c"], classes=["x", "y", "z"], predicted=False)


def test_expected_counts_and_residuals_are_those_of_the_textbook():
    frame = RepresentationDisplay.from_counts(COUNTS).frame_
    np.testing.assert_allclose(frame["expected"], chi2_contingency(TABLE).expected_freq.ravel())
    total = TABLE.sum()
    for row, (i, j) in zip(frame.itertuples(), np.ndindex(3, 3), strict=True):
        a, c = TABLE[i].sum() / total, TABLE[:, j].sum() / total
        deviation = np.sqrt(total * a * c * (1 - a) * (1 - c))
        assert row.residual == pytest.approx((TABLE[i, j] - total * a * c) / deviation)


def test_of_two_by_two_every_residual_is_the_root_of_chi_square():
    table = np.array([[30, 10], [20, 40]])
    counts = GroupCounts(table, groups=["a", "b"], classes=[0, 1], predicted=False)
    frame = RepresentationDisplay.from_counts(counts).frame_
    chi = chi2_contingency(table, correction=False).statistic
    np.testing.assert_allclose(frame["residual"], np.sqrt(chi) * np.array([1, -1, -1, 1]))


def test_cells_hold_counts_and_signed_residuals():
    display = RepresentationDisplay.from_counts(COUNTS)
    residual = display.frame_["residual"].to_numpy()
    texts = [text.get_text().rstrip("\u2020").split("\n") for text in display.ax_.texts]
    assert [t[0] for t in texts] == [str(n) for n in TABLE.ravel()]
    assert [float(t[1].replace("\u2212", "-")) for t in texts] == pytest.approx(residual, abs=0.05)
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == [
        "a\nn = 100", "b\nn = 100", "c\nn = 8"
    ]  # fmt: skip


def test_frames_survive_and_daggers_have_few_expected():
    display = RepresentationDisplay.from_counts(COUNTS)
    frame = display.frame_
    p = 2 * norm.sf(frame["residual"].abs())
    survives = benjamini_hochberg(p) <= 0.05
    patches = [patch for patch in display.ax_.patches if isinstance(patch, Rectangle)]
    assert len(patches) == np.count_nonzero(survives) > 0
    marked = [text.get_text().endswith("\u2020") for text in display.ax_.texts]
    assert marked == (frame["expected"] < 5).tolist()
    assert sum(marked) == 3


def test_the_association_is_in_the_legend():
    display = RepresentationDisplay.from_counts(COUNTS)
    chi = chi2_contingency(TABLE, correction=False).statistic
    assert display.cramers_v == pytest.approx(np.sqrt(chi / TABLE.sum() / 2))
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert f"Cramer's V = {display.cramers_v:.2f}" in legend


def test_predictions_can_be_the_data_set():
    counts = GroupCounts(
        [[[5, 15], [10, 10]], [[8, 2], [12, 18]]], groups=["a", "b"], classes=[0, 1]
    )
    display = RepresentationDisplay.from_counts(counts, of="y_pred")
    assert display.frame_["count"].tolist() == [15, 25, 20, 20]
    with pytest.raises(ValueError, match="needs predictions"):
        RepresentationDisplay.from_counts(COUNTS, of="y_pred")
    with pytest.raises(ValueError, match=r"of must be one of \('y_true', 'y_pred'\); got 'X'"):
        RepresentationDisplay.from_counts(counts, of="X")


def test_equal_weights_change_no_residual():
    rng = np.random.default_rng(0)
    y, group = rng.choice(["x", "y"], 200), rng.choice(["a", "b"], 200)
    plain = RepresentationDisplay.from_predictions(y, sensitive_features=group).frame_
    weighted = RepresentationDisplay.from_predictions(
        y, sensitive_features=group, sample_weight=np.full(200, 3.0)
    ).frame_
    np.testing.assert_allclose(weighted["residual"], plain["residual"])
    np.testing.assert_allclose(weighted["count"], 3 * plain["count"])


def test_one_class_has_no_residuals():
    counts = GroupCounts([[5], [6]], groups=["a", "b"], classes=["x"], predicted=False)
    display = RepresentationDisplay.from_counts(counts)
    assert display.frame_["residual"].isna().all()
    assert [text.get_text() for text in display.ax_.texts] == ["5\n\u2013", "6\n\u2013"]


def test_of_many_groups_those_with_the_largest_residuals_are_drawn_in_order():
    rng = np.random.default_rng(0)
    counts = GroupCounts(rng.integers(10, 60, (20, 3)), groups=[f"g{i:02d}" for i in range(20)],
                         classes=list("xyz"), predicted=False)  # fmt: skip
    display = RepresentationDisplay.from_counts(counts)
    largest = np.abs(display.frame["residual"].to_numpy().reshape(20, 3)).max(1)
    expected = sorted(np.argsort(-largest)[:12])
    assert display.frame_["group"].unique().tolist() == [f"g{i:02d}" for i in expected]
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert "the 12 largest residuals of 20 groups" in legend
