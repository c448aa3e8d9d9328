"""From the stored confusion tensors of "Biased Heritage" to its correlation tables.

    python benchmarks/bench_heritage.py --data FOLDER

FOLDER holds ``heritage_confusions.npz``: 264 confusion tensors of the paper's six experiments.
The induced training data are counted by BiasInducer from the sizes of the paper's baselines, the
tensors are analysed by PropagationResult.from_counts, and the mean of the correlations by gender
and by race is compared with tables that were computed elsewhere
(tests/data/heritage_correlations.json), cell by cell, and with what the paper says. Exits with 1
if a cell differs.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop.model_selection import PropagationResult
from skfairprop.preprocessing import BiasInducer

STORED = Path(__file__).parents[1] / "tests" / "data"
DATASET = {
    "bias_ENS": "ens_bias",
    "bias_DS_R": "dsap_representational_bias",
    "bias_SEI": "shannon_evenness_bias",
    "bias_DS_E": "dsap_evenness_bias",
    "bias_V": "cramers_v",
    "bias_DS_S": "dsap_stereotypical_bias",
}
MODEL = {
    "TTEqOdds": "term_by_term_equalized_odds",
    "CEqOdds": "classwise_equalized_odds",
    "EqOpp": "equal_opportunity",
    "DemPar": "demographic_parity",
    "OD": "overall_disparity",
    "CEV": "combined_error_variance",
    "SDE": "symmetric_distance_error",
}
# Experiment in the file -> component and kind of bias.
EXPERIMENTS = {
    "representational": ("gender", "rep"),
    "stereo-happy": ("gender", "single"),
    "multistereo-sa-female": ("gender", "multi"),
    "representational-white": ("race", "rep"),
    "stereo-h-white": ("race", "single"),
    "multistereo-sa-white": ("race", "multi"),
}
TRIMMED = np.round(np.arange(-8, 9, 2) / 10, 1)
TABLES = {
    "fig5_all": ("Figure 5: all experiments", {}),
    "fig6_rep_only": ("Figure 6: representational bias", {"experiments": ["rep"]}),
    "fig7_rep_trimmed": (
        "Figure 7: the same without f = -1 and 1",
        {"experiments": ["rep"], "factors": TRIMMED},
    ),
}
TOLERANCE = 0.04


def induced_counts(sizes: list[int], n_groups: int, classes: list[str], kind: str, f: float):
    """Group x class of the training data of one configuration, the target group last."""
    y = np.tile(np.repeat(classes, sizes), n_groups)
    groups = np.repeat(np.arange(n_groups), sum(sizes))
    inducer = {
        "rep": BiasInducer(f=f),
        "single": BiasInducer("stereotypical", target_classes=["happy"], f=f),
        "multi": BiasInducer("stereotypical", f={"angry": f, "sad": -f}),
    }[kind]
    return inducer.set_params(target_group=n_groups - 1).expected_counts(y, groups).to_numpy()


def read_component(stored, component: str, baseline: dict) -> PropagationResult:
    """The study of gender or race."""
    chosen = [EXPERIMENTS[e][0] == component for e in stored["experiment"].tolist()]
    kinds = [EXPERIMENTS[e][1] for e in stored["experiment"][chosen].tolist()]
    factors = stored["f"][chosen]
    n_groups = {"gender": 2, "race": 5}[component]
    sizes, classes = baseline["baseline"][component], baseline["classes"]
    induced = {
        key: induced_counts(sizes, n_groups, classes, *key)
        for key in set(zip(kinds, factors.tolist(), strict=True))
    }
    data = np.array([induced[key] for key in zip(kinds, factors.tolist(), strict=True)])
    tensors = stored[component][chosen][:, :n_groups]
    labels = {"groups": range(n_groups), "classes": classes}
    return PropagationResult.from_counts(
        GroupCounts(data, predicted=False, **labels),
        GroupCounts(tensors, **labels),
        experiment=kinds,
        f=factors,
        repeat=stored["rep"][chosen],
        dataset_metrics=list(DATASET.values()),
        model_metrics=list(MODEL.values()),
    )


def mean_table(studies: list[PropagationResult], rows: list[str], choice: dict) -> pd.DataFrame:
    """Correlations, averaged over the components, under the paper's names."""
    of_data, of_model = [DATASET[name] for name in rows], list(MODEL.values())
    tables = [study.correlation_table(of_data, of_model, **choice) for study in studies]
    table = sum(tables) / len(tables)
    return table.set_axis(rows, axis=0).set_axis(list(MODEL), axis=1)


def print_interval(studies, choice: dict, data: str, model: str) -> str:
    """The intervals of one correlation, by component."""
    parts = []
    for name, study in zip(("gender", "race"), studies, strict=True):
        row = study.correlations([DATASET[data]], [MODEL[model]], **choice).iloc[0]
        parts.append(f"{name} {row.rho:.2f} [{row.lower:.2f}, {row.upper:.2f}]")
    return ", ".join(parts)


def statements(tables: dict[str, pd.DataFrame]) -> list[tuple[str, str, float, bool, bool]]:
    """What the paper says, our value, whether it holds as said, and within the tolerance."""
    five, six, seven = (tables[name] for name in TABLES)
    representational = ["bias_ENS", "bias_DS_R", "bias_SEI", "bias_DS_E"]
    odds = ["TTEqOdds", "CEqOdds"]
    new = ["TTEqOdds", "CEqOdds", "EqOpp", "DemPar"]
    uneven = ["CEV", "SDE"]
    out = []

    def near(figure, text, value, said):
        close = abs(value - said) <= TOLERANCE
        out.append((figure, f"{text} = {said:.2f}", value, round(value, 2) == said, close))

    def bound(figure, text, value, said, *, above):
        sign = 1 if above else -1
        text = f"{text} {'>' if above else '<'} {said:.2f}"
        out.append(
            (figure, text, value, sign * (value - said) > 0, sign * (value - said) > -TOLERANCE)
        )

    near("5", "weakest of V", five.loc["bias_V"].min(), 0.53)
    near("5", "weakest of DS_S", five.loc["bias_DS_S"].min(), 0.48)
    near("5", "V with DemPar", five.loc["bias_V", "DemPar"], 0.70)
    near("5", "V with SDE", five.loc["bias_V", "SDE"], 0.67)
    near("5", "V with CEqOdds", five.loc["bias_V", "CEqOdds"], 0.66)
    largest = five.loc[representational].abs().to_numpy().max()
    bound("5", "strongest of a representational metric", largest, 0.15, above=False)
    near("6", "DS_R with OD", six.loc["bias_DS_R", "OD"], 0.83)
    weakest = six.loc[["bias_ENS", "bias_DS_R"], odds].to_numpy().min()
    bound("6", "weakest of ENS and DS_R with equalized odds", weakest, 0.67, above=True)
    evenness = six.loc[["bias_SEI", "bias_DS_E"], uneven].to_numpy().max()
    bound("6", "SEI and DS_E with CEV and SDE, largest", evenness, 0.0, above=False)
    bound("7", "weakest of OD", seven["OD"].min(), 0.68, above=True)
    bound("7", "weakest of the other new metrics", seven[new].to_numpy().min(), 0.34, above=True)
    bound("7", "CEV and SDE, largest", seven[uneven].to_numpy().max(), 0.0, above=False)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the stored tensors")
    folder = parser.parse_args().data
    baseline = json.loads((STORED / "heritage_induction.json").read_text())
    expected = json.loads((STORED / "heritage_correlations.json").read_text())["tables"]
    with np.load(folder / "heritage_confusions.npz") as file:
        stored = dict(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # f = -1 and 1 take groups away
        studies = [read_component(stored, name, baseline) for name in ("gender", "race")]
        n_fits = sum(len(study.runs) for study in studies)
        print(f"{n_fits} stored fits, {len(EXPERIMENTS)} experiments\n")
        tables, differing, total = {}, 0, 0
        for name, (title, choice) in TABLES.items():
            goal = pd.DataFrame(expected[name]).T
            tables[name] = mean_table(studies, list(goal.index), choice)
            wrong = tables[name].loc[goal.index, goal.columns].round(4) != goal
            differing, total = differing + int(wrong.to_numpy().sum()), total + wrong.size
            print(f"{title}\n{tables[name].round(4).to_string()}\n")
        print(f"equal to the expected tables to 4 digits: {total - differing} of {total} cells\n")
        print("Intervals of 95 % (Bonett and Wright):")
        for name, data, model in (
            ("fig5_all", "bias_V", "DemPar"),
            ("fig6_rep_only", "bias_DS_R", "OD"),
        ):
            choice = TABLES[name][1]
            print(f"  {data[5:]} with {model}: {print_interval(studies, choice, data, model)}")
    print(f"\nWhat the paper says, and what its stored tensors give (tolerance {TOLERANCE}):")
    for figure, text, value, exactly, closely in statements(tables):
        verdict = (
            "holds" if exactly else "holds within the tolerance" if closely else "DOES NOT HOLD"
        )
        print(f"  Figure {figure}: {text:<55} {value:7.4f}  {verdict}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
