"""Draw the three pictures of how_sure.md: python docs/how_sure_figures.py."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfairprop import GroupCounts
from skfairprop.datasets import load_german_credit
from skfairprop.inference import MetricCall, infer
from skfairprop.metrics import evaluate

BLUE, ORANGE = "#0072B2", "#B34700"
IMAGES = Path(__file__).parent / "images"
METRIC = "equalized_odds_difference"


def german_counts() -> GroupCounts:
    """Out-of-fold predictions of a plain model on German credit, by sex and age."""
    bunch = load_german_credit()
    columns = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    model = make_pipeline(columns, LogisticRegression(max_iter=1000))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    predicted = cross_val_predict(model, bunch.data, bunch.target, cv=folds)
    return GroupCounts.from_arrays(
        bunch.target, predicted, sensitive_features=bunch.sensitive_features
    )


def blind_tables(counts: GroupCounts, n: int, rng) -> list[GroupCounts]:
    """Tables of a model that treats the groups of these sizes alike: one row at a time."""
    out = []
    by_group = counts.of_labels().values
    pooled = counts.values.sum(0) / counts.values.sum(0).sum(1, keepdims=True)
    for _ in range(n):
        table = [
            [rng.multinomial(k, p) for k, p in zip(row, pooled, strict=True)] for row in by_group
        ]
        out.append(GroupCounts(np.array(table), groups=counts.groups, classes=counts.classes))
    return out


def calls() -> dict[str, MetricCall]:
    """The metric of the pictures, with its positive class."""
    return {METRIC: MetricCall(METRIC, pos_label="good")}


def draw_chance(counts: GroupCounts, rng) -> None:
    """What chance looks like."""
    blind = [evaluate(t, METRIC, pos_label="good") for t in blind_tables(counts, 2000, rng)]
    seen = evaluate(counts, METRIC, pos_label="good")
    figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
    ax.hist(blind, bins=40, color=BLUE, alpha=0.45, edgecolor="white")
    mean, top = float(np.mean(blind)), ax.get_ylim()[1]
    ax.set_ylim(0, 1.25 * top)
    ax.vlines(seen, 0, 1.05 * top, color=ORANGE, lw=2.5)
    ax.vlines(mean, 0, 1.05 * top, color="#444444", lw=1.5, ls="--")
    ax.text(seen, 1.08 * top, f" measured: {seen:.3f}", color=ORANGE, weight="bold")
    ax.text(mean, 1.08 * top, f"chance, mean: {mean:.3f} ", color="#444444", ha="right")
    ax.set(
        xlabel="equalized odds difference of models that treat the four groups alike",
        ylabel="of 2,000 simulated", xlim=(0, None),
    )  # fmt: skip
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(IMAGES / "chance.png", dpi=150)
    plt.close(figure)


def draw_bootstrap(counts: GroupCounts, rng) -> None:
    """Why the percentile bootstrap fails: 30 data sets without any gap."""
    tables = blind_tables(counts, 30, rng)
    figure, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True, layout="constrained")
    kinds = {"percentile": "percentile bootstrap", "tilted": "skfairprop"}
    for ax, (kind, title) in zip(axes, kinds.items(), strict=True):
        held = 0
        for i, table in enumerate(tables):
            found = infer(table, calls(), interval=kind, n_draws=400, random_state=i)[METRIC]
            holds = found.lower <= 0
            held += holds
            colour = BLUE if holds else ORANGE
            ax.plot(
                [found.lower, found.upper], [i, i], color=colour, lw=2, ls="-" if holds else "--"
            )
            ax.plot(found.value, i, "o" if holds else "s", color=colour, ms=4)
        ax.axvline(0, color="black", lw=1)
        ax.set(title=f"{title}: {held} of 30 hold the truth, 0", xlabel="equalized odds difference")
        ax.set_yticks([])
        ax.spines[["top", "right", "left"]].set_visible(False)
    figure.savefig(IMAGES / "bootstrap.png", dpi=150)
    plt.close(figure)


def draw_states() -> None:
    """How to read "not settled": four intervals beside a limit."""
    rows = [
        ("over the limit", 0.18, 0.13, 0.24, "fails, for sure"),
        ("over, not settled", 0.13, 0.06, 0.21, "fails on the value; .lower would pass"),
        ("under, not settled", 0.07, 0.0, 0.15, "passes; more rows could change that"),
        ("under the limit", 0.04, 0.0, 0.08, "passes, for sure"),
    ]
    figure, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
    for i, (state, value, lower, upper, remark) in enumerate(reversed(rows)):
        settled = "not" not in state
        ax.plot([lower, upper], [i, i], color=BLUE, lw=3, ls="-" if settled else (0, (2, 1)))
        ax.plot(value, i, "o", color=BLUE, ms=8, mfc=BLUE if settled else "white", mew=2)
        ax.text(-0.005, i, state, ha="right", va="center", weight="bold")
        ax.text(0.255, i, remark, va="center", color="#444444")
    ax.axvline(0.1, color=ORANGE, lw=2)
    ax.text(0.1, len(rows) - 0.25, "limit 0.1", color=ORANGE, ha="center", weight="bold")
    ax.set(xlim=(0, 0.25), ylim=(-0.6, len(rows) - 0.4), xlabel="demographic parity difference")
    ax.set_yticks([])
    ax.spines[["top", "right", "left"]].set_visible(False)
    figure.savefig(IMAGES / "states.png", dpi=150, bbox_inches="tight")
    plt.close(figure)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    table = german_counts()
    draw_chance(table, rng)
    draw_bootstrap(table, rng)
    draw_states()
