"""Models of no use to the command line, and backgrounds of no use to an explainer."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.preprocessing import StandardScaler

from skfairprop._command import main
from skfairprop.explain import LimeExplainer, Perturbation, ShapExplainer

N = 80
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": RNG.normal(size=N),
        "g": RNG.choice(["u", "v"], N),
        "y": RNG.integers(0, 2, N),
    }
)
X, Y = TABLE[["a", "b"]], TABLE["y"]
TEXTS = Y.map({0: "no", 1: "yes"})


@pytest.fixture
def audit(tmp_path, capsys, monkeypatch):
    """Audit the table with a model that is stored first: status and stderr."""
    skops_io = pytest.importorskip("skops.io")
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("t.csv", index=False)

    def audit(model):
        if isinstance(model, bytes):
            (tmp_path / "m.skops").write_bytes(model)
        else:
            skops_io.dump(model, tmp_path / "m.skops")
        given = ("--target=y", "--sensitive=g", "--pos-label=1", "--bootstrap=0")
        status = main(["audit", "t.csv", *given, "--model=m.skops"])
        return status, capsys.readouterr().err

    return audit


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LogisticRegression().fit(X, TEXTS), "str values, as 'no', and the target holds int"),
        (LogisticRegression().fit(X.assign(z=1), Y), "needs the column 'z', which the table does"),
        (LogisticRegression().fit(X.to_numpy(), Y), "2 columns without names; the table has 3"),
        (LogisticRegression(), "the model could not predict (NotFittedError: "),
        (LinearRegression().fit(X, Y), "the model returned float values, as '0."),
        (StandardScaler().fit(X), "the model, StandardScaler, cannot predict"),
        ([1, 2], "the model, list, cannot predict"),
        (
            MultiOutputClassifier(LogisticRegression()).fit(X, np.column_stack([Y, 1 - Y])),
            "the model returned an array of shape (80, 2) for 80 rows",
        ),
    ],
    ids=lambda v: v if isinstance(v, str) else type(v).__name__,
)
def test_a_model_that_fails_is_no_usage_error(audit, model, message):
    status, error = audit(model)
    assert status == 3
    assert error.startswith("skfairprop: error: ")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (b"", "--model 'm.skops' is no skops file: "),
        (b"PK\x03\x04 and no more", "--model 'm.skops' is no skops file: "),
        (RandomForestClassifier(2).fit(X, Y), "sklearn.tree._tree.Tree; if you know where the"),
    ],
    ids=["empty", "cut off", "untrusted"],
)
def test_a_file_that_is_not_read_is_one(audit, model, message):
    status, error = audit(model)
    assert (status, error.count("\n")) == (2, 1)
    assert message in error


def test_labels_of_clusters_are_taken_for_what_they_are(audit):
    assert audit(KMeans(2, n_init=1, random_state=0).fit(X)) == (0, "")


@pytest.mark.parametrize("make", [LimeExplainer, ShapExplainer, Perturbation])
@pytest.mark.parametrize(
    ("background", "message"),
    [
        (np.empty((0, 3)), r"the background must have at least one row .*; got shape \(0, 3\)"),
        (np.ones(3), "the background must be a table with rows and columns; got 1 dim"),
    ],
)
def test_the_background_is_named(make, background, message):
    with pytest.raises(ValueError, match=message):
        make().fit(background)


@pytest.mark.parametrize("make", [LimeExplainer, ShapExplainer])
def test_rows_to_explain_are_named(make):
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(ValueError, match=r"^X must have at least one row"):
        make().fit(X).attribute(model, X[:0])
