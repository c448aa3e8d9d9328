"""Inputs are read and never written to, and whatever they come in, results are those of arrays."""

from functools import cache, partial

import joblib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeClassifier

from skfairprop import FairnessReport, GroupCounts, bias_propagation, fairness_report, inspection
from skfairprop import metrics as m
from skfairprop._rows import take_rows
from skfairprop.explain import LimeExplainer, ShapExplainer
from skfairprop.groups import Groups
from skfairprop.inference import compare_models, metric_interval, null_baseline, resample_rows
from skfairprop.meta import DirectionalClassifier, ResampledClassifier, ReweightedClassifier
from skfairprop.preprocessing import BiasInducer, Reweighter, RowReplicator
from skfairprop.scorers import DirectionalScorer, FairnessScorer, MESDScorer

N = 240


def data(n=N):
    """Everything that a function may read of some rows, as plain arrays."""
    rng = np.random.default_rng(0)
    group = np.arange(n) % 3
    X = rng.normal(size=(n, 3)).astype(np.float32).astype(float)  # exact in both
    score = 1 / (1 + np.exp(-X[:, 0] - 0.5 * (group == 1)))
    return {
        "X": X,
        "y": (rng.random(n) < score).astype(int),
        "pred": (score > 0.5).astype(int),
        "score": np.round(score * 4) / 4,
        "group": group,
        "weight": rng.integers(1, 4, n).astype(float),
    }


TREE, LOGISTIC = DecisionTreeClassifier(max_depth=2, random_state=0), LogisticRegression()


def rows(d, *names, **more):
    return [d[name] for name in names], {"sensitive_features": d["group"], **more}


def metric(function, *names, **more):
    def call(d):
        args, options = rows(d, *names, sample_weight=d["weight"], **more)
        return function(*args, **options)

    return call


def fitted(model, **fit_params):
    def call(d):
        own = {name: d[key] for name, key in fit_params.items()}
        return (
            clone(model)
            .fit(d["X"], d["y"], sensitive_features=d["group"], **own)
            .predict_proba(d["X"])
        )

    return call


def resampled(sampler):
    def call(d):
        return clone(sampler).fit_resample(d["X"], d["y"], sensitive_features=d["group"])[1]

    return call


def scored(make):
    def call(d):
        model = clone(LOGISTIC).fit(d["X"], d["y"])
        return make()(model, d["X"], d["y"], sensitive_features=d["group"])

    return call


def directional(d):
    model = DirectionalClassifier(LOGISTIC).fit(d["X"], d["y"], sensitive_features=d["group"])
    scorer = DirectionalScorer("directional_predictability_amplification")
    return scorer(model, d["X"], d["y"], sensitive_features=d["group"])


def mesd(d):
    model = clone(LOGISTIC).fit(d["X"], d["y"])
    found = m.mesd(
        model, d["X"], d["y"], sensitive_features=d["group"], explainers=("shap",), n_samples=20,
        n_perturbations=2, n_permutations=0, random_state=0,
    )  # fmt: skip
    return found.value


def explained(make):
    def call(d):
        model = clone(LOGISTIC).fit(d["X"], d["y"])
        return make().fit(d["X"]).attribute(model, take_rows(d["X"], np.arange(3)))

    return call


def propagated(d):
    inducer = BiasInducer(target_group=1)
    return bias_propagation(
        LOGISTIC, d["X"], d["y"], sensitive_features=d["group"], inducer=inducer, n_repeats=1,
        factors=[0, 0.5], pos_label=1, random_state=0,
    ).results["value"]  # fmt: skip


def displayed(display, *names):
    def call(d):
        args, options = rows(d, *names)
        found = display.from_predictions(*args, **options)
        plt.close(found.figure_)
        return 0.0

    return call


CALLS = {
    "Groups": lambda d: Groups.from_columns(d["group"]).codes,
    "GroupCounts": metric(GroupCounts.from_arrays, "y", "pred"),
    "group_rates": lambda d: m.group_rates(metric(GroupCounts.from_arrays, "y", "pred")(d)),
    "cramers_v": metric(m.cramers_v, "y"),
    "equalized_odds_difference": metric(m.equalized_odds_difference, "y", "pred"),
    "combined_error_variance": metric(m.combined_error_variance, "y", "pred"),
    "bias_estimations": lambda d: metric(m.bias_estimations, "y", "pred", y_score=d["score"])(d),
    "directional": metric(m.directional_bias_amplification, "y", "pred"),
    "predictability": lambda d: m.predictability(d["group"], d["pred"]),
    "mesd_from_stability": lambda d: (
        m.mesd_from_stability(d["score"], d["y"], sensitive_features=d["group"]).value
    ),
    "metric_interval": metric(
        partial(metric_interval, "accuracy_difference"), "y", "pred", n_draws=40, random_state=0
    ),
    "null_baseline": metric(
        partial(null_baseline, "accuracy_difference"), "y", "pred", n_draws=40, random_state=0
    ),
    "compare_models": metric(
        partial(compare_models, "accuracy_difference"), "y", "pred", "y", n_draws=40, random_state=0
    ),
    "resample_rows": lambda d: resample_rows(
        lambda y, p: np.mean(np.asarray(y) == np.asarray(p)),
        d["y"],
        d["pred"],
        within=d["group"],
        n_draws=40,
        random_state=0,
    ),
    "fairness_report": metric(fairness_report, "y", "pred", bootstrap=0, pos_label=1),
    "Reweighter": lambda d: (
        Reweighter()
        .fit(d["X"], d["y"], sensitive_features=d["group"], sample_weight=d["weight"])
        .sample_weight_
    ),
    "BiasInducer": resampled(BiasInducer(target_group=1, f=0.5, random_state=0)),
    "RowReplicator": resampled(RowReplicator(random_state=0)),
    "ReweightedClassifier": fitted(ReweightedClassifier(LOGISTIC), sample_weight="weight"),
    "ResampledClassifier": fitted(
        ResampledClassifier(LOGISTIC, RowReplicator(random_state=0)), sample_weight="weight"
    ),
    "DirectionalClassifier": fitted(DirectionalClassifier(LOGISTIC), sample_weight="weight"),
    "FairnessScorer": scored(lambda: FairnessScorer("equalized_odds_difference")),
    "DirectionalScorer": directional,
    "MESDScorer": scored(
        lambda: MESDScorer(explainers=("shap",), n_samples=20, n_perturbations=2, random_state=0)
    ),
    "mesd": mesd,
    "ShapExplainer": explained(lambda: ShapExplainer(random_state=0)),
    "LimeExplainer": explained(lambda: LimeExplainer(n_samples=50, random_state=0)),
    "bias_propagation": propagated,
    "GroupRatesDisplay": displayed(inspection.GroupRatesDisplay, "y", "pred"),
    "GroupCurveDisplay": displayed(inspection.GroupCurveDisplay, "y", "score"),
    "RepresentationDisplay": displayed(inspection.RepresentationDisplay, "y"),
}


def numbers(found):
    """Whatever a call returns, as an array of numbers."""
    if isinstance(found, GroupCounts):
        return found.values
    if isinstance(found, FairnessReport):
        return found.metrics["value"].to_numpy(float)
    if isinstance(found, pd.DataFrame):
        return found.select_dtypes("number").to_numpy(float)
    parts = [getattr(found, name) for name in ("value", "lower", "upper") if hasattr(found, name)]
    return np.asarray(parts or found, dtype=float)


# -- containers -----------------------------------------------------------------------------------


def read_only(name, values):
    values = values.copy()
    values.setflags(write=False)
    return values


def in_pandas(name, values):
    index = pd.Index(np.arange(len(values)) * 3 + 1)
    if values.ndim == 2:
        return pd.DataFrame(values, columns=list("abc"), index=index)
    return pd.Series(values, name=name, index=index)


def nullable(name, values):
    return in_pandas(name, values).convert_dtypes()


def in_polars(name, values):
    pl = pytest.importorskip("polars")
    if values.ndim == 2:
        return pl.DataFrame(values, schema=list("abc"))
    return pl.Series(name, values)


def in_arrow(name, values):
    pa = pytest.importorskip("pyarrow")
    if values.ndim == 2:
        return pa.table({c: values[:, j] for j, c in enumerate("abc")})
    return pa.array(values)


def as_float32(name, values):
    return values.astype(np.float32) if values.dtype.kind == "f" else values


def as_objects(name, values):
    return values.astype(object) if name in ("X", "group") else values


CONTAINERS = {
    "arrays": lambda name, values: values,
    "read-only": read_only,
    "pandas": in_pandas,
    "nullable": nullable,
    "polars": in_polars,
    "pyarrow": in_arrow,
    "float32": as_float32,
    "Fortran": lambda name, values: np.asfortranarray(values),
    "strided": lambda name, values: np.repeat(values, 2, axis=0)[::2],
    "objects": as_objects,
}


def content(values):
    """The values, types and labels of a container, to be compared."""
    types = str(getattr(values, "dtypes", getattr(values, "dtype", type(values))))
    array = values.toarray() if sparse.issparse(values) else np.asarray(values)
    labels = [] if not isinstance(values, pd.Series | pd.DataFrame) else values.axes
    return str([list(axis) for axis in labels]), types, repr(array.tolist())


def check_call(call, given, expected, rtol=1e-6):
    before = {name: content(values) for name, values in given.items()}
    found = numbers(call(given))
    assert {name: content(values) for name, values in given.items()} == before
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)


@cache
def expected(name):
    return numbers(CALLS[name](data()))


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", CALLS)
def test_inputs_stay_and_results_are_those_of_arrays(name, container):
    given = {key: CONTAINERS[container](key, values) for key, values in data().items()}
    check_call(CALLS[name], given, expected(name), 1e-3 if container == "float32" else 1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_memory_maps_are_read(name, tmp_path):
    given = {}
    for key, values in data().items():
        joblib.dump(values, tmp_path / key)
        given[key] = joblib.load(tmp_path / key, mmap_mode="r")
        assert isinstance(given[key], np.memmap)
    check_call(CALLS[name], given, expected(name))


WITH_SPARSE = [
    "Reweighter", "BiasInducer", "RowReplicator", "ReweightedClassifier", "ResampledClassifier",
    "DirectionalClassifier", "FairnessScorer", "DirectionalScorer", "ShapExplainer",
    "bias_propagation",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_matrix"])
@pytest.mark.parametrize("name", WITH_SPARSE)
def test_sparse_features_stay(name, kind):
    given = data()
    given["X"] = getattr(sparse, kind)(given["X"])
    check_call(CALLS[name], given, expected(name), 1e-4)  # solvers take other steps


@pytest.mark.skipif(pd.__version__ >= "3", reason="pandas 3 always copies on write")
@pytest.mark.parametrize("mode", [True, False])
def test_pandas_2_copies_on_write_or_not(mode):
    with pd.option_context("mode.copy_on_write", mode):
        for name, call in CALLS.items():
            given = {key: in_pandas(key, values) for key, values in data().items()}
            check_call(call, given, expected(name))


def test_large_arrays_are_mapped_by_joblib():
    given = data(60_000)  # more than the megabyte from which joblib maps arrays into processes
    assert given["X"].nbytes > 1 << 20
    group = pd.Series(given["group"])
    model = ReweightedClassifier(LOGISTIC, sensitive_features=group)
    X, y = pd.DataFrame(given["X"]), pd.Series(given["y"])
    scoring = {
        "accuracy": "accuracy",
        "gap": FairnessScorer("equalized_odds_difference", sensitive_features=group),
    }
    found, alone = (
        cross_validate(model, X, y, scoring=scoring, cv=2, n_jobs=n_jobs) for n_jobs in (2, 1)
    )
    for name in ("test_accuracy", "test_gap"):
        np.testing.assert_allclose(found[name], alone[name])
    plain = {"sensitive_features": given["group"]}
    model = ResampledClassifier(TREE, RowReplicator(random_state=0))
    assert model.fit(given["X"], given["y"], **plain).predict(given["X"]).shape == (60_000,)
