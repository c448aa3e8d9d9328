"""The table of estimates: what its cells say, and which are framed."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from skfairprop.inspection import EstimatorMatrixDisplay

FRAME = pd.DataFrame(
    {
        "estimate": [0.1, 0.6, 0.04],
        "sd": [0.02, 0.01, 0.0],
        "null": [0.2, 0.1, 0.0],
        "ensemble": [0.3, np.nan, 0.5],
        "ensemble_method": ["a", None, "b"],
    },
    index=pd.Index(["race", "sex", "age"], name="feature"),
)


class Found:
    """What a fitted BENNEstimator and a comparison have."""

    frame = FRAME

    def summary(self):
        return FRAME


def texts(display):
    return [" ".join(text.get_text().split()) for text in display.ax_.texts]


def test_cells_hold_the_numbers_the_largest_estimate_first():
    display = EstimatorMatrixDisplay.from_comparison(Found())
    assert display.frame_.index.tolist() == ["sex", "race", "age"]
    assert texts(display) == [
        *("0.60 \u00b1 0.01", "0.10", "\u2013"),
        *("0.10 \u00b1 0.02", "0.20", "0.30"),
        *("0.04 \u00b1 0.00", "0.00", "0.50"),
    ]
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == [
        "BENN", "placebo", "ensemble of 21",
    ]  # fmt: skip


def test_an_estimate_above_its_placebo_is_framed_unless_it_is_a_tie_with_nothing():
    display = EstimatorMatrixDisplay.from_benn(Found())
    frames = [p for p in display.ax_.patches if isinstance(p, Rectangle)]
    assert [round(frame.get_y() + 0.46) for frame in frames] == [0]
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert legend[1] == "above its placebo, and 0.05 or more"


def test_a_frame_without_estimates_is_refused():
    with pytest.raises(ValueError, match="the frame has none of the columns estimate, mean"):
        EstimatorMatrixDisplay(pd.DataFrame({"x": [1.0]})).plot()
