"""Draw the pictures of the guide: python docs/figures.py [NAME ...].

Those of how_sure.md are drawn by how_sure_figures.py. The report on the start page is photographed
where Chromium is installed; the propagation studies are read from benchmarks/results.
"""

import base64
import io
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skfairprop.datasets import load_adult, make_colored_digits
from skfairprop.inspection import CorrelationDisplay, RepresentationDisplay
from skfairprop.metrics import (
    directional_bias_amplification,
    directional_predictability_amplification,
)

DOCS = Path(__file__).parent
# A name, the header that pandas prints, and rows of numbers.
TABLE = r"^(\w[\w ]*)\nmetric +(.+)\nf *\n((?: *-?\d.*\n)+)"
CORRELATIONS = r"^Figure \d: (.+)\n +(TTEqOdds .+)\n((?:bias_\w+ .+\n)+)"
HERITAGE = {
    "bias_ENS": "ens_bias",
    "bias_DS_R": "dsap_representational_bias",
    "bias_SEI": "shannon_evenness_bias",
    "bias_DS_E": "dsap_evenness_bias",
    "bias_V": "cramers_v",
    "bias_DS_S": "dsap_stereotypical_bias",
    "TTEqOdds": "term_by_term_equalized_odds",
    "CEqOdds": "classwise_equalized_odds",
    "EqOpp": "equal_opportunity",
    "DemPar": "demographic_parity",
    "OD": "overall_disparity",
    "CEV": "combined_error_variance",
    "SDE": "symmetric_distance_error",
}
BLUE, ORANGE, GRAY = "#0072B2", "#B34700", "#444444"


def save(figure, name: str) -> None:
    """Write a picture with few colours: the lines stay sharp and the file small."""
    from PIL import Image

    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=130, bbox_inches="tight")
    plt.close(figure)
    Image.open(buffer).convert("RGB").quantize(96).save(DOCS / "images" / name, optimize=True)


def plain(ax) -> None:
    """Leave out the frame."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#dddddd", linewidth=0.7)
    ax.set_axisbelow(True)


def representation() -> None:
    """Occupations of Adult by sex."""
    X, y = load_adult(target="occupation", return_X_y=True)
    display = RepresentationDisplay.from_predictions(y, sensitive_features=X["sex"])
    save(display.figure_, "representation.png")


def amplification() -> None:
    """Coloured digits: measured amplification on its analytic curves."""
    alphas, betas = (0.1, 0.25, 0.5, 0.75, 0.9), np.linspace(0, 0.8, 9)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True, layout="constrained")
    fine = np.linspace(0, 0.8, 200)
    for i, alpha in enumerate(alphas):
        shade = plt.get_cmap("Blues")(0.95 - 0.13 * i)
        found = {"dpa": [], "ba": []}
        for beta in betas:
            digits = make_colored_digits(alpha, beta=beta, n_per_digit=170, random_state=0)
            rows = (digits.target, digits.prediction)
            who = {"sensitive_features": digits.sensitive_features}
            with warnings.catch_warnings(action="ignore"):  # the counts are exact, no sample
                found["dpa"].append(directional_predictability_amplification(*rows, **who))
            found["ba"].append(directional_bias_amplification(*rows, **who))
        curve = fine * (1 - alpha) / (2 * alpha + fine * (1 - alpha))
        axes[0].plot(fine, curve, color=shade, lw=1.5)
        axes[0].plot(betas, found["dpa"], "o", color=shade, ms=4)
        axes[0].text(0.815, curve[-1], f"alpha {alpha}", color=GRAY, va="center", fontsize=9)
        axes[1].plot(betas, found["ba"], "o-", color=shade, ms=4, lw=1.5)
        label = f"alpha {alpha}" + (": 0" if alpha == 0.1 else "")
        axes[1].text(0.815, found["ba"][-1], label, color=GRAY, va="center", fontsize=9)
    titles = ("DPA: dots measured, lines the formula", "directional BA, same predictions")
    for ax, title in zip(axes, titles, strict=True):
        plain(ax)
        ax.set_title(title, loc="left", fontsize=10)
        ax.set(xlabel="beta: share of the predictions that follow the colour", xlim=(0, 1))
        ax.set_xticks(np.linspace(0, 0.8, 5))
    save(figure, "amplification.png")


def study(title: str) -> dict[str, pd.DataFrame]:
    """The tables of a study by experiment, as bench_propagation.py printed them."""
    text = (DOCS.parent / "benchmarks" / "results" / "propagation.txt").read_text("utf-8")
    part = text[text.index(title) : text.index("Spearman's", text.index(title))]
    out = {}
    for match in re.finditer(
        r"^(\w[\w ]*)\nmetric +(.+)\nf *\n((?: *-?\d.*\n)+)", part, flags=re.M
    ):
        rows = [line.split() for line in match[3].splitlines()]
        columns = [name for name in match[2].split() if name != "+-"]
        table = pd.DataFrame([row[1 : len(columns) + 1] for row in rows], columns=columns)
        out[match[1]] = table.astype(float).set_axis([float(row[0]) for row in rows])
    return out


def propagation(title: str, name: str, xlabel: str) -> None:
    """Demographic parity and balanced accuracy against the bias induced."""
    looks = [
        {"marker": "o", "ls": "-", "color": GRAY},
        {"marker": "s", "ls": "--", "color": BLUE, "mfc": "white"},
        {"marker": "^", "ls": "-", "color": ORANGE},
    ]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for (experiment, table), look in zip(study(title).items(), looks, strict=False):
        for ax, column in zip(axes, ("DemPar", "balanced_accuracy"), strict=True):
            ax.plot(table.index, table[column], ms=4.5, lw=1.6, label=experiment, **look)
    for ax, what in zip(
        axes, ("demographic parity of the model", "balanced accuracy"), strict=True
    ):
        plain(ax)
        ax.set_title(what, loc="left", fontsize=10)
        ax.set_xlabel(xlabel)
        ax.set_ylim(bottom=0)
        ax.set_xticks(table.index[::2] if table.index[0] == 0 else [-1, -0.5, 0, 0.5, 1])
    if axes[0].get_ylim()[1] > 3:
        axes[0].set_yscale("log", subs=())
        axes[0].set(ylim=(0.05, 10), yticks=[0.1, 1, 10], yticklabels=["0.1", "1", "10"])
        axes[0].set_title("demographic parity of the model, log scale", loc="left", fontsize=10)
    axes[0].legend(frameon=False, fontsize=9)
    save(figure, name)


def propagation_adult() -> None:
    """Adult, occupation by sex."""
    xlabel = "bias factor f (women: -1 none, 0 balance, 1 only)"
    propagation("Adult: occupation by sex", "propagation_adult.png", xlabel)


def propagation_digits() -> None:
    """Digits in colours."""
    xlabel = "share of images in the biased colour"
    propagation("Digits: digit by colour", "propagation_digits.png", xlabel)


def heritage() -> None:
    """Figures 5 to 7 of "Biased Heritage", as bench_heritage.py printed them."""
    text = (DOCS.parent / "benchmarks" / "results" / "heritage.txt").read_text("utf-8")
    figure, axes = plt.subplots(
        3, 1, figsize=(8.2, 9), layout="constrained", height_ratios=[6, 4, 4]
    )
    for ax, match in zip(axes, re.finditer(CORRELATIONS, text, flags=re.M), strict=True):
        columns = [HERITAGE[name] for name in match[2].split()]
        rows = [line.split() for line in match[3].splitlines()]
        table = pd.DataFrame([row[1:] for row in rows], columns=columns).astype(float)
        long = table.assign(dataset_metric=[HERITAGE[row[0]] for row in rows]).melt(
            "dataset_metric", var_name="model_metric", value_name="rho"
        )
        CorrelationDisplay(long).plot(ax)
        ax.set_title(match[1], loc="left", fontsize=10, pad=8)
    for ax in axes[1:]:
        ax.set_xticks([])
    save(figure, "heritage.png")


def report() -> None:
    """The top of the audit's page, as a browser shows it."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("report: no Chromium is installed, the picture stays as it is")
        return
    sys.path.insert(0, str(DOCS.parent / "tests" / "report"))
    from chromium import Chromium
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        # the command of the README, so that a reader finds the same page
        command = [sys.executable, "-m", "skfairprop", "audit", "--quiet", "--out", folder]
        subprocess.run(command, check=True)
        page = Path(folder) / "report.html"
        chromium = Chromium(browser, Path(folder) / "profile")
        try:
            opened = chromium.open(page, width=1040)
            shot = opened.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                               clip=CLIP)  # fmt: skip
        finally:
            chromium.close()
    picture = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
    picture.quantize(64).save(DOCS / "images" / "report.png", optimize=True)


CLIP = {"x": 0, "y": 0, "width": 1040, "height": 852, "scale": 1}
FIGURES = (
    representation,
    amplification,
    propagation_adult,
    propagation_digits,
    heritage,
    report,
)

if __name__ == "__main__":
    wanted = sys.argv[1:]
    for draw in FIGURES:
        if not wanted or draw.__name__ in wanted:
            draw()
