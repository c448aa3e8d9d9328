"""What an installed wheel does with one extra, and what it says of those that are missing.

Called with the name of the extra, "none" or "all"; exits with 1 and a reason where something is
wrong.
"""

import subprocess
import sys
import time
from importlib import import_module
from importlib.metadata import distribution
from importlib.util import find_spec

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import skfairprop
from skfairprop.datasets import load_german_credit

ROOMS = (
    "datasets explain inference inspection meta metrics model_selection neural_network "
    "preprocessing report scorers benn automl"
)
X, Y = load_german_credit(return_X_y=True)
SEX = X["sex"]
NUMBERS = X.select_dtypes("number")
MODEL = LogisticRegression(max_iter=2000)


def explain() -> None:
    """SHAP of a tree and the lime package, on five rows."""
    from skfairprop.explain import LimeExplainer, ShapExplainer

    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(NUMBERS, Y)
    for explainer in (ShapExplainer(), LimeExplainer(backend="lime", random_state=0)):
        values = explainer.fit(NUMBERS[:50]).attribute(model, NUMBERS[:5])
        assert values.shape == (5, NUMBERS.shape[1])


def torch() -> None:
    """BENN in a few steps."""
    from skfairprop.benn import BENNEstimator

    found = BENNEstimator(MODEL, max_steps=5, n_init=1, random_state=0).fit(NUMBERS[:200], Y[:200])
    assert len(found.bias_estimates_) == NUMBERS.shape[1]


def search() -> None:
    """A front of four evaluations."""
    from skfairprop.model_selection import UEFSearchCV

    objectives = ["balanced_accuracy", skfairprop.get_scorer(
        "demographic_parity_difference", sensitive_features=SEX, pos_label="good"
    )]  # fmt: skip
    found = UEFSearchCV(
        MODEL, {"C": [0.1, 1.0, 10.0]}, objectives=objectives, n_evaluations=4, cv=2, random_state=0
    )
    assert len(found.fit(NUMBERS, Y).pareto_front_)


def report() -> None:
    """A report as a page."""
    found = skfairprop.fairness_report(
        Y, np.where(X["duration"] > 24, "bad", "good"), sensitive_features=SEX, pos_label="good"
    )
    assert found.to_html().startswith("<!doctype html>")


def frames() -> None:
    """Counts of a lazy frame of polars."""
    import polars

    labels = Y.to_list()
    frame = polars.DataFrame({"y": labels, "guess": labels, "sex": SEX.astype(str).to_list()})
    counts = skfairprop.GroupCounts.from_frame(
        frame.lazy(), y_true="y", y_pred="guess", sensitive_features="sex"
    )
    assert counts.values.sum() == len(Y)


FEATURES = {
    "explain": (explain, "shap"),
    "torch": (torch, "torch"),
    "search": (search, "pymoo"),
    "report": (report, "jinja2"),
    "frames": (frames, "polars"),
}


def import_everything() -> float:
    """Seconds that all rooms take to import, whatever extra is there."""
    start = time.perf_counter()
    for room in ROOMS.split():
        for name in import_module(f"skfairprop.{room}").__all__:
            assert getattr(import_module(f"skfairprop.{room}"), name) is not None
    return time.perf_counter() - start


def import_time(code: str) -> float:
    """The least of three processes, in seconds."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main(extra: str) -> None:
    """Try what is installed; what is not must name its extra."""
    import_everything()
    for name, (feature, module) in FEATURES.items():
        if find_spec(module) is not None:
            feature()
        elif extra == name or (extra == "all" and name != "frames"):
            raise SystemExit(f"extra {name!r} does not bring {module!r}")
        elif name != "frames":  # which is used only on frames that the caller made
            try:
                feature()
            except ImportError as error:
                if f"skfairprop[{name}]" not in str(error):
                    raise
            else:
                raise SystemExit(f"{name} works without {module!r}: is it needed?")
    subprocess.run(
        [sys.executable, "-m", "skfairprop", "metrics"], check=True, stdout=subprocess.DEVNULL
    )
    spent = import_time(
        "import sklearn, pandas, skfairprop, skfairprop.metrics, skfairprop.scorers"
    )
    spent -= import_time("import sklearn, pandas")
    version = distribution("skfairprop").version
    print(
        f"skfairprop {version} with {extra}: works; imports {spent:.2f} s after sklearn and pandas"
    )


if __name__ == "__main__":
    main(sys.argv[1])
