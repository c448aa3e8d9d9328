"""bias_propagation: what is fitted on which rows, the result, checkpoints, and what is refused."""

import json
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skfairprop.datasets import make_biased_classification
from skfairprop.inference import MetricCall
from skfairprop.meta import ReweightedClassifier
from skfairprop.metrics import METRICS, cramers_v, demographic_parity_difference
from skfairprop.model_selection import PropagationResult, bias_propagation
from skfairprop.preprocessing import BiasInducer, RowReplicator

FACTORS = [-0.5, 0.0, 0.5]


@pytest.fixture(scope="module")
def task():
    data = make_biased_classification(
        600, base_rates=(0.5, 0.5), proxy_strength=0.9, random_state=0
    )
    return data.data, data.target, data.sensitive_features


@pytest.fixture(scope="module")
def three_classes():
    data = make_biased_classification(
        900,
        base_rates=((0.3, 0.4, 0.3), (0.3, 0.3, 0.4)),
        recalls=(0.8, 0.7),
        random_state=0,
    )
    names = np.array(["low", "mid", "high"])
    return data.data, names[data.target], data.sensitive_features


def stereotypical(**options):
    return BiasInducer("stereotypical", target_group="g1", target_classes=[1], **options)


def study(task, **changes):
    X, y, people = task
    options = {
        "sensitive_features": people,
        "inducer": stereotypical(),
        "factors": FACTORS,
        "n_repeats": 2,
        "random_state": 0,
    }
    return bias_propagation(
        changes.pop("estimator", LogisticRegression()), X, y, **options | changes
    )


class Recorder(ClassifierMixin, BaseEstimator):
    """Keeps the rows that every fit and prediction saw, in a list of the class."""

    seen = []  # noqa: RUF012 - shared by all clones on purpose

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Recorder.seen.append(("fit", X.index, np.asarray(y), self.random_state))
        return self

    def predict(self, X):
        Recorder.seen.append(("predict", X.index, None, None))
        return self.classes_[np.arange(len(X)) % len(self.classes_)]


# -- what is fitted -------------------------------------------------------------------------------


def test_every_fit_has_induced_rows_and_one_untouched_test_set(task):
    X, y, people = task
    Recorder.seen.clear()
    result = study(task, estimator=Recorder(), test=0.25)
    fits = [entry for entry in Recorder.seen if entry[0] == "fit"]
    tests = [entry[1] for entry in Recorder.seen if entry[0] == "predict"]
    assert len(fits) == len(tests) == 6
    assert all(index.equals(tests[0]) for index in tests)
    # a quarter of every cell is tested on
    cells = pd.crosstab(people["group"], y)
    tested = pd.crosstab(people["group"].loc[tests[0]], y.loc[tests[0]])
    np.testing.assert_allclose(tested, cells / 4, atol=0.5)
    for (_, index, labels, seed), (_, run) in zip(fits, result.runs.iterrows(), strict=True):
        assert not index.isin(tests[0]).any()
        assert len(index) == run["n_rows"]
        inducer = stereotypical(f=run["f"])
        rest = X.index.difference(tests[0])
        expected = inducer.expected_counts(y.loc[rest], people.loc[rest])
        found = pd.crosstab(people["group"].loc[index], labels)
        np.testing.assert_array_equal(found, expected)
        assert isinstance(seed, int)
    assert len({seed for *_, seed in fits}) == 6
    rows = [tuple(index) for _, index, *_ in fits]
    assert len(set(rows)) == 6  # repeats draw other rows


def test_results_are_the_metrics_of_the_counted_rows(task):
    _, y, people = task
    Recorder.seen.clear()
    result = study(task, estimator=Recorder())
    fits = [entry for entry in Recorder.seen if entry[0] == "fit"]
    index = next(entry[1] for entry in Recorder.seen if entry[0] == "predict")
    predicted = np.arange(len(index)) % 2
    table = result.results.set_index(["metric", "f", "repeat"])["value"]
    for (_, rows, labels, _), (_, run) in zip(fits, result.runs.iterrows(), strict=True):
        key = run["f"], run["repeat"]
        expected = cramers_v(labels, sensitive_features=people["group"].loc[rows].to_numpy())
        assert table["cramers_v", *key] == pytest.approx(expected)
        gap = demographic_parity_difference(
            y.loc[index], predicted, sensitive_features=people["group"].loc[index].to_numpy()
        )
        assert table["demographic_parity_difference", *key] == pytest.approx(gap)
        assert table["accuracy", *key] == np.mean(predicted == y.loc[index])


def test_results_are_tidy(task):
    result = study(task, inducer={"one": stereotypical(), "all": BiasInducer(target_group="g1")})
    frame = result.results
    assert frame.columns.tolist() == ["experiment", "f", "repeat", "kind", "metric", "value"]
    assert not frame.duplicated(["experiment", "f", "repeat", "metric"]).any()
    n_metrics = sum(m.counts_suffice for m in METRICS.values()) + 2
    assert len(frame) == 2 * 3 * 2 * n_metrics
    assert result.experiments == ["one", "all"]
    assert result.factors.tolist() == FACTORS
    assert result.metrics("dataset") == [m.name for m in METRICS.values() if m.inputs == "labels"]
    assert result.metrics("model") == [m.name for m in METRICS.values() if m.inputs == "counts"]
    assert result.metrics("score") == ["accuracy", "balanced_accuracy"]
    assert result.runs.columns.tolist() == [
        "experiment",
        "f",
        "repeat",
        "n_rows",
        "fit_time",
        "score_time",
    ]
    assert repr(result) == (
        "PropagationResult(12 fits: 2 experiments, 3 factors, 2 repeats; 6 data set metrics, "
        f"{len(result.metrics('model'))} model metrics)"
    )


def test_several_classes_have_no_classical_metrics_without_a_positive_one(three_classes):
    inducer = BiasInducer("stereotypical", target_group="g1", f={"low": 1, "high": -1})
    result = study(three_classes, inducer=inducer, n_repeats=1)
    assert "demographic_parity_difference" not in result.metrics("model")
    assert "demographic_parity" in result.metrics("model")
    assert "directional_bias_amplification" in result.metrics("model")
    # the factors of the classes go both ways
    counts = result.dataset_counts
    low, high = (counts.classes.tolist().index(c) for c in ("low", "high"))
    share = counts.values[:, 1] / counts.values.sum(1)
    np.testing.assert_allclose(share[:, low], [0.25, 0.5, 0.75], atol=0.01)
    np.testing.assert_allclose(share[:, high], [0.75, 0.5, 0.25], atol=0.01)
    one = study(three_classes, inducer=inducer, n_repeats=1, pos_label="low")
    assert "demographic_parity_difference" in one.metrics("model")


def test_string_classes_that_do_not_tell_the_positive_one(task):
    X, y, people = task
    named = (X, np.array(["no", "yes"])[y], people)
    inducer = BiasInducer(target_group="g1")
    with pytest.warns(UserWarning, match="the labels 'no' and 'yes' do not tell which one it is"):
        result = study(named, inducer=inducer, n_repeats=1)
    assert "demographic_parity_difference" not in result.metrics("model")
    result = study(named, inducer=inducer, n_repeats=1, pos_label="yes")
    assert "demographic_parity_difference" in result.metrics("model")


def test_metrics_of_ones_choice(task):
    result = study(
        task,
        dataset_metrics=["cramers_v"],
        model_metrics={
            "raw parity": MetricCall("demographic_parity", {"normalization": "raw"}),
            "V of the predictions": MetricCall("cramers_v", of="y_pred"),
            "odds": "equalized_odds_difference",
        },
    )
    assert result.metrics("dataset") == ["cramers_v"]
    assert result.metrics("model") == ["raw parity", "V of the predictions", "odds"]
    other = study(task, model_metrics=["demographic_parity_difference"])
    values = [
        r.results.loc[r.results["metric"] == name, "value"].to_numpy()
        for r, name in ((result, "raw parity"), (other, "demographic_parity_difference"))
    ]
    np.testing.assert_allclose(*values)  # the same for two classes


def gap_of_thirds(estimator, X, y):
    """A scorer of the user's own: between the first and the last third of the rows."""
    n = len(X) // 3
    return estimator.predict(X.iloc[:n]).mean() - estimator.predict(X.iloc[-n:]).mean()


@pytest.mark.parametrize(
    ("scoring", "names"),
    [
        ("roc_auc", ["roc_auc"]),
        (["roc_auc", "neg_log_loss"], ["roc_auc", "neg_log_loss"]),
        (gap_of_thirds, ["score"]),
        ({"auc": "roc_auc", "thirds": gap_of_thirds}, ["auc", "thirds"]),
    ],
)
def test_scorers(task, scoring, names):
    result = study(task, scoring=scoring)
    assert result.metrics("score") == ["accuracy", "balanced_accuracy", *names]
    found = result.results[result.results["metric"].isin(names)]
    assert np.isfinite(found["value"]).all()
    assert set(names) <= set(result.correlation_table(["cramers_v"]).columns)


def test_groups_by_name_callable_series_and_array(task):
    X, y, people = task
    wide = X.assign(group=people["group"])
    estimator = make_pipeline(
        sklearn.compose.make_column_transformer((StandardScaler(), list(X.columns))),
        LogisticRegression(),
    )
    specs = ["group", ["group"], lambda X: X["group"], people["group"].iloc[::-1]]
    specs.append(people["group"].to_numpy())
    specs.append(people["group"].tolist())
    results = [
        study((wide, y, people), estimator=estimator, sensitive_features=spec, n_repeats=1)
        for spec in specs
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(other.model_counts.values, results[0].model_counts.values)


def test_test_rows_of_ones_own(task):
    X, y, people = task
    rows = np.arange(len(X)) % 3 == 0
    own = (X[rows], y[rows], people[rows])
    result = study((X[~rows], y[~rows], people[~rows]), test=own)
    np.testing.assert_array_equal(
        result.model_counts.of_labels().values[0], pd.crosstab(people["group"][rows], y[rows])
    )
    by_index = study((X[~rows], y[~rows], people), test=own[:2])
    np.testing.assert_array_equal(by_index.model_counts.values, result.model_counts.values)


def test_groups_in_an_array_are_not_known_for_test_rows_of_ones_own(task):
    X, y, people = task
    groups = people["group"].to_numpy()
    with pytest.raises(ValueError, match=r"pass test=\(X, y, sensitive_features\)$"):
        study(task, sensitive_features=groups, test=(X, y))


@pytest.mark.parametrize("dtype", ["bool", "boolean", "Int64", "category"])
def test_the_dtype_of_the_classes_does_not_matter(task, dtype):
    """scikit-learn's classifiers predict 0.0 and 1.0 for nullable booleans."""
    X, y, people = task
    found = study((X, y.astype(dtype), people), pos_label=1)
    np.testing.assert_array_equal(found.model_counts.values, study(task).model_counts.values)


def test_images(task):
    _, y, people = task
    images = np.zeros((len(y), 3, 2, 2)) + y.to_numpy()[:, None, None, None]
    model = make_pipeline(sklearn.preprocessing.FunctionTransformer(flatten), LogisticRegression())
    arrays = images, y.to_numpy(), people["group"].to_numpy()
    result = study(arrays, estimator=model, n_repeats=1, model_metrics=["equal_opportunity"])
    assert (result.results.loc[result.results["metric"] == "accuracy", "value"] == 1).all()


def flatten(images):
    return images.reshape(len(images), -1)


def test_groups_and_classes_that_the_inducer_leaves_out(three_classes):
    X, y, people = three_classes
    people = people.copy()
    people.loc[people.index[:7], "group"] = "rare"
    inducer = BiasInducer(target_group="g1", groups=["g1", "g0"], classes=["low", "mid"])
    result = study((X, y, people), inducer=inducer, pos_label="mid", n_repeats=1)
    assert result.model_counts.groups.tolist() == ["g1", "g0"]
    assert result.model_counts.classes.tolist() == ["low", "mid"]
    assert result.dataset_counts.values.min() > 0


def test_another_sampler_with_a_factor(task):
    class Halves(BaseEstimator):
        """Keeps a share (f + 1) / 2 of the rows, the first ones."""

        def __init__(self, f=0.0):
            self.f = f

        def fit_resample(self, X, y):
            self.sample_indices_ = np.arange(round(len(X) * (self.f + 1) / 2))
            return X.iloc[self.sample_indices_], y.iloc[self.sample_indices_]

    result = study(task, inducer=Halves(), n_repeats=1)
    total = result.dataset_counts.values.sum((1, 2))
    np.testing.assert_allclose(total, [105, 210, 315], atol=2)


def test_seeds_of_the_estimator(task):
    Recorder.seen.clear()
    study(task, estimator=Recorder(random_state=5))
    assert {entry[3] for entry in Recorder.seen if entry[0] == "fit"} == {5}


def test_random_state(task):
    tree = DecisionTreeClassifier(max_features=1)

    def counts(random_state):
        options = {"random_state": random_state, "model_metrics": ["demographic_parity"]}
        return study(task, estimator=tree, **options).model_counts.values.tolist()

    assert counts(0) == counts(0) != counts(1)
    assert counts(np.random.default_rng(3)) == counts(np.random.default_rng(3))
    assert counts(None) != counts(None)


def test_the_result_does_not_depend_on_n_jobs(task):
    tree = DecisionTreeClassifier(max_features=1)
    one = study(task, estimator=tree)
    two = study(task, estimator=tree, n_jobs=2)
    pd.testing.assert_frame_equal(one.results, two.results)
    np.testing.assert_array_equal(one.model_counts.values, two.model_counts.values)


def test_reweighting_within_a_study(task):
    people = task[2]
    model = ReweightedClassifier(LogisticRegression(), sensitive_features=people)
    plain, weighed = study(task), study(task, estimator=model)
    np.testing.assert_array_equal(plain.dataset_counts.values, weighed.dataset_counts.values)
    same = (plain.model_counts.values == weighed.model_counts.values).all(axis=(1, 2, 3))
    # the weights are 1 where the table is balanced
    assert same.tolist() == [False, False, True, True, False, False]


# -- views ----------------------------------------------------------------------------------------


def test_summary_by_hand(task):
    result = study(task, n_repeats=4)
    summary = result.summary(confidence=0.9).set_index(["metric", "f"])
    frame = result.results
    for name in ("cramers_v", "equal_opportunity", "accuracy"):
        for f in FACTORS:
            chosen = (frame["metric"] == name) & (frame["f"] == f)
            values = frame.loc[chosen, "value"].to_numpy()
            row = summary.loc[(name, f)]
            assert row["n"] == 4
            assert row["mean"] == pytest.approx(values.mean())
            half = stats.t.ppf(0.95, 3) * values.std(ddof=1) / 2
            assert row["lower"] == pytest.approx(values.mean() - half)
            assert row["upper"] == pytest.approx(values.mean() + half)


def test_summary_of_one_repeat_has_no_interval(task):
    summary = study(task, n_repeats=1).summary()
    assert summary[["std", "lower", "upper"]].isna().all(axis=None)
    assert summary["mean"].notna().any()


@pytest.fixture(scope="module")
def stored():
    """Random counts of 2 experiments, 5 factors and 2 repeats, and their keys."""
    rng = np.random.default_rng(0)
    keys = [(e, f, r) for e in "ab" for f in (-1.0, -0.5, 0.0, 0.5, 1.0) for r in (0, 1)]
    data = rng.integers(1, 50, (20, 2, 3))
    model = rng.integers(1, 50, (20, 2, 3, 3))
    return keys, data, model


def from_stored(stored, **options):
    from skfairprop import GroupCounts

    keys, data, model = stored
    labels = {"groups": ["x", "y"], "classes": [0, 1, 2]}
    return PropagationResult.from_counts(
        GroupCounts(data, predicted=False, **labels),
        GroupCounts(model, **labels),
        experiment=[k[0] for k in keys],
        f=[k[1] for k in keys],
        repeat=[k[2] for k in keys],
        **options,
    )


def test_correlations_equal_scipys_on_the_means(stored):
    result = from_stored(stored)
    frame = result.results.groupby(["experiment", "f", "metric"])["value"].mean().unstack()
    for choice, rows in (
        ({}, slice(None)),
        ({"experiments": ["b"]}, frame.index.get_level_values("experiment") == "b"),
        (
            {"factors": [-0.5, 0, 0.49999999999]},
            np.abs(frame.index.get_level_values("f")) < 0.9,
        ),
    ):
        found = result.correlations(["cramers_v"], ["equal_opportunity", "accuracy"], **choice)
        chosen = frame.loc[rows]
        for row in found.itertuples():
            expected = stats.spearmanr(chosen["cramers_v"], chosen[row.model_metric]).statistic
            assert row.rho == pytest.approx(expected)
            assert row.n == len(chosen)
    table = result.correlation_table()
    assert table.shape == (6, len(result.metrics("model")) + 2)
    assert table.index.tolist() == result.metrics("dataset")


def test_constant_metrics_have_no_correlation(stored):
    keys, data, model = stored
    result = from_stored((keys, np.broadcast_to(data[:1], data.shape), model))
    with pytest.warns(UndefinedMetricWarning, match="no correlation .* do not vary: cramers_v$"):
        found = result.correlations(["cramers_v"], ["accuracy"])
    assert found[["rho", "lower", "upper"]].isna().all(axis=None)


def test_undefined_metrics_are_named_once(stored):
    keys, data, model = stored
    model = model.copy()
    model[3, 1] = 0  # one fit without rows of the second group
    with pytest.warns(UndefinedMetricWarning) as caught:
        result = from_stored((keys, data, model))
    assert len(caught) == 1
    assert "undefined (NaN) in some of the 20 fits: term_by_term_equalized_odds (1)" in str(
        caught[0].message
    )
    table = result.summary().set_index(["metric", "experiment", "f"])
    assert table.loc[("equal_opportunity", "a", -0.5), "n"] == 1


def test_a_study_can_be_analysed_again_from_its_counts(task):
    result = study(task)
    runs = result.runs
    again = PropagationResult.from_counts(
        result.dataset_counts,
        result.model_counts,
        f=runs["f"],
        repeat=runs["repeat"],
        experiment=runs["experiment"],
    )
    pd.testing.assert_frame_equal(again.results, result.results)


# -- checkpoints and progress ---------------------------------------------------------------------


class Dies(LogisticRegression):
    """Fails at a fit, as long as a file is there."""

    def __init__(self, path="", at=3, random_state=None):
        super().__init__(random_state=random_state)
        self.path, self.at = path, at

    def fit(self, X, y):
        count = Path(self.path)
        count.write_text(count.read_text() + "x" if count.exists() else "x")
        if count.stat().st_size == self.at:
            raise RuntimeError("the power went out")
        return super().fit(X, y)


def test_a_study_goes_on_where_it_was_stopped(task, tmp_path):
    count, path = tmp_path / "count", tmp_path / "study.jsonl"
    with pytest.raises(RuntimeError, match="power went out") as error:
        study(task, estimator=Dies(str(count)), checkpoint=path)
    assert "experiment 'study', f=0, repeat 0; finished fits are in the" in error.value.__notes__[0]
    assert len(path.read_text().splitlines()) == 1 + 2
    result = study(task, estimator=Dies(str(count)), checkpoint=path)
    assert count.stat().st_size == 3 + 4  # two fits were kept
    whole = study(task)
    pd.testing.assert_frame_equal(result.results, whole.results)
    again = study(task, estimator=Dies(str(count)), checkpoint=path)
    assert count.stat().st_size == 7  # nothing is left to fit
    pd.testing.assert_frame_equal(again.results, whole.results)


def test_a_checkpoint_goes_on_with_its_own_seed(task, tmp_path):
    path, count = tmp_path / "study.jsonl", tmp_path / "count"
    # whatever the seed, these are defined
    options = {"checkpoint": path, "random_state": None, "model_metrics": ["demographic_parity"]}
    with pytest.raises(RuntimeError):
        study(task, estimator=Dies(str(count)), **options)
    one = study(task, estimator=Dies(str(count)), **options)
    two = study(task, estimator=Dies(str(count)), **options)
    pd.testing.assert_frame_equal(one.results, two.results)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"estimator": LogisticRegression(C=2.0)}, "estimator__C was 1.0 and is 2.0"),
        ({"inducer": stereotypical(rounding="largest_remainder")}, "rounding was 'floor' and is"),
        ({"factors": [-0.5, 0.5]}, r"factors was \[-0.5, 0.0, 0.5\] and is \[-0.5, 0.5\]"),
        ({"n_repeats": 1}, "n_repeats was 2 and is 1"),
        ({"random_state": 1}, "random_state was"),
        ({"test": 0.2}, "test was 0.3 and is 0.2"),
        ({"scoring": "roc_auc"}, r"scoring was \[\] and is \['roc_auc'\]"),
    ],
)
def test_a_checkpoint_of_another_study_is_refused(task, tmp_path, changes, message):
    path = tmp_path / "study.jsonl"
    study(task, checkpoint=path)
    with pytest.raises(ValueError, match=f"is of another study: .*{message}"):
        study(task, checkpoint=path, **changes)


def test_a_checkpoint_of_other_data_is_refused(task, tmp_path):
    X, y, people = task
    path = tmp_path / "study.jsonl"
    study(task, checkpoint=path)
    with pytest.raises(ValueError, match=r"is of another study: X was DataFrame 600x\d+ "):
        study((X + 1, y, people), checkpoint=path)
    with pytest.raises(ValueError, match="another study: y was"):
        study((X, 1 - y, people), checkpoint=path)


def test_other_metrics_need_no_fits(task, tmp_path):
    path, count = tmp_path / "study.jsonl", tmp_path / "count"
    model = Dies(str(count), at=0)
    study(task, estimator=model, checkpoint=path, model_metrics=["equal_opportunity"])
    result = study(task, estimator=model, checkpoint=path, model_metrics=["demographic_parity"])
    assert count.stat().st_size == 6
    assert result.metrics("model") == ["demographic_parity"]


@pytest.mark.slow
def test_a_killed_process_loses_the_running_fit_at_most(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import time
        from sklearn.linear_model import LogisticRegression
        from skfairprop.datasets import make_biased_classification
        from skfairprop.model_selection import bias_propagation
        from skfairprop.preprocessing import BiasInducer

        class Slow(LogisticRegression):
            def fit(self, X, y):
                time.sleep(0.3)
                return super().fit(X, y)

        if __name__ == "__main__":
            data = make_biased_classification(300, random_state=0)
            result = bias_propagation(
                Slow(), data.data, data.target, sensitive_features=data.sensitive_features,
                inducer=BiasInducer(target_group="g1"), factors=[-0.5, 0, 0.5], n_repeats=4,
                checkpoint="study.jsonl", random_state=0,
            )
            print(result.model_counts.values.sum())
        """)
    )
    path = tmp_path / "study.jsonl"
    process = subprocess.Popen([sys.executable, str(script)], cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not path.exists() or path.read_text().count("\n") < 4:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert 3 <= len(kept) < 12
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().isdigit()
    after = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert after[: len(kept)] == kept
    assert len(after) == 12


def test_progress(task, capsys):
    study(task, n_repeats=1)
    assert capsys.readouterr().err == ""  # not a terminal
    study(task, n_repeats=1, verbose=True)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("bias_propagation: 1 of 3 fits, 0:0")
    assert ", about 0:0" in lines[0]
    assert lines[-1].startswith("bias_propagation: 3 of 3 fits")


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"factors": [0, 1.5]},
            r"bias_propagation: factors must be a number in \[-1, 1\]; got 1.5",
        ),
        ({"factors": []}, "factors must be distinct numbers, at least one"),
        ({"factors": [0, -0.0]}, "factors must be distinct numbers"),
        ({"n_repeats": 0}, "n_repeats must be an integer of at least 1; got 0"),
        ({"n_repeats": 1.5}, "n_repeats must be an integer of at least 1; got 1.5"),
        ({"test": 0.0}, r"test must be a share between 0 and 1, or a tuple \(X, y\); got 0.0"),
        ({"test": "a"}, "test must be a share between 0 and 1"),
        ({"test": (1,)}, "got a tuple of 1"),
        ({"inducer": StandardScaler()}, "the inducer 'study' has no fit_resample"),
        ({"inducer": RowReplicator()}, "RowReplicator has no parameter f to vary"),
        (
            {"inducer": {("a", 1): stereotypical()}},
            "experiments must be named by texts or i",
        ),
        (
            {"inducer": BiasInducer("stereotypical", target_group="g1", f={1: 2})}
            | {"factors": [0, 0.2, 1]},
            r"f\[1\] must be a number in \[-1, 1\]; got 2",
        ),
        ({"inducer": BiasInducer()}, "target_group is None; name the group whose share f sets"),
        ({"inducer": BiasInducer(target_group="g9")}, "target_group 'g9' does not occur"),
        ({"dataset_metrics": ["equal_opportunity"]}, "'equal_opportunity' needs predictions; name"),
        ({"model_metrics": ["cramers_v"]}, "'cramers_v' is of a data set; name it in dataset_me"),
        ({"model_metrics": ["cramer"]}, "no metric 'cramer'"),
        ({"model_metrics": ["estimation_erbs"]}, "estimation_erbs is no function of counts"),
        ({"pos_label": 7}, "pos_label=7 is not among the labels"),
        ({"scoring": {"cramers_v": "roc_auc"}}, "'cramers_v' names two metrics; name them"),
        ({"scoring": [gap_of_thirds]}, "scoring must be names, a callable or a dict"),
        ({"sensitive_features": np.ones(3)}, "sensitive_features as passed has 3 rows; X has 600"),
        ({"sensitive_features": "sex"}, "bias_propagation: X has no column 'sex'"),
    ],
)
def test_bad_arguments(task, changes, message):
    with pytest.raises(ValueError, match=message):
        study(task, **changes)


def test_labels_of_the_test_rows_must_be_known(task):
    X, y, people = task
    with pytest.raises(ValueError, match="test has groups that X and y lack: 'new'; leave them"):
        bias_propagation(
            LogisticRegression(),
            X,
            y,
            sensitive_features=people,
            inducer=ShiftOnly(),
            test=(X, y, ["new"] * len(X)),
        )


class ShiftOnly(BaseEstimator):
    """A sampler that keeps all rows."""

    def __init__(self, f=0.0):
        self.f = f

    def fit_resample(self, X, y):
        self.sample_indices_ = np.arange(len(X))
        return X, y


def test_test_rows_without_a_cell_warn(task):
    X, y, people = task
    few = np.flatnonzero((people["group"] == "g0").to_numpy() | (y == 0).to_numpy())
    own = (X.iloc[few], y.iloc[few], people.iloc[few])
    with pytest.warns(UserWarning, match="test has no rows of class '1' in group 'g1'; their rate"):
        study(task, test=own, n_repeats=1, model_metrics=["demographic_parity"])


@pytest.mark.parametrize(("label", "shown"), [(7, "7"), (np.nan, "a missing value")])
def test_predictions_must_be_classes(task, label, shown):
    class Odd(DummyClassifier):
        def predict(self, X):
            return np.full(len(X), label)

    model = Odd(strategy="prior")
    with pytest.raises(ValueError, match=f"the estimator predicts {shown}, which is none of the"):
        study(task, estimator=model)


def test_a_constant_model_is_studied_like_any_other(task):
    result = study(
        task,
        estimator=DummyClassifier(strategy="most_frequent"),
        n_repeats=1,
        model_metrics=["demographic_parity", "equal_opportunity"],
    )
    values = result.results[result.results["kind"] == "model"]["value"]
    assert (values == 0).all()


def test_one_name_needs_no_list(stored):
    study = from_stored(stored)
    one, listed = (study.correlations(name) for name in ("cramers_v", ["cramers_v"]))
    pd.testing.assert_frame_equal(one, listed)


def test_a_stored_fit_must_not_occur_twice(stored):
    keys, data, model = stored
    with pytest.raises(ValueError, match=r"the fit .*'f': -1.0, 'repeat': 0.* occurs twice; numb"):
        from_stored(([(e, f, 0) for e, f, _ in keys], data, model))


def test_stored_counts_must_belong_together(stored):
    from skfairprop import GroupCounts

    _, data, model = stored
    labels = {"groups": ["x", "y"], "classes": [0, 1, 2]}
    of_data = GroupCounts(data, predicted=False, **labels)
    of_model = GroupCounts(model, **labels)
    f = np.arange(20) / 20
    with pytest.raises(ValueError, match=r"dataset_counts must have values of shape \(n, G, K\)"):
        PropagationResult.from_counts(of_model, of_model, f=f)
    with pytest.raises(
        ValueError, match=r"model_counts must have values of shape .* got \(2, 3, 3"
    ):
        PropagationResult.from_counts(of_data, GroupCounts(model[0], **labels), f=f)
    with pytest.raises(ValueError, match="dataset_counts hold 19 fits, model_counts 20"):
        PropagationResult.from_counts(
            GroupCounts(data[:19], predicted=False, **labels), of_model, f=f
        )
    with pytest.raises(ValueError, match="must have the same groups and classes"):
        PropagationResult.from_counts(
            GroupCounts(data, groups=["x", "z"], classes=[0, 1, 2], predicted=False), of_model, f=f
        )
    with pytest.raises(ValueError, match="dataset_counts must be a GroupCounts; got ndarray"):
        PropagationResult.from_counts(data, of_model, f=f)
    with pytest.raises(ValueError, match="f has 3 values for the counts of 20 fits"):
        PropagationResult.from_counts(of_data, of_model, f=f[:3])
    for wrong in (np.where(f == 0.5, np.nan, f), ["a"] * 20):
        with pytest.raises(ValueError, match="f must hold one number for each fit; got "):
            PropagationResult.from_counts(of_data, of_model, f=wrong)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dataset_metrics": ["cramer"]}, "dataset_metrics: 'cramer' is not in the study; did you"),
        ({"model_metrics": ["cramers_v"]}, "model_metrics: 'cramers_v' is not in the study"),
        ({"experiments": ["c"]}, "experiments: 'c' is not in the study; there are 'a', 'b'"),
        ({"factors": [0.3]}, r"factors: 0.3 is not in the study; there are \[-1.0, -0.5"),
        ({"confidence": 95}, "confidence must be a number in .0, 1.; got 95"),
        ({"experiments": []}, "experiments is empty; name at least one of the study's"),
        ({"factors": []}, "factors is empty; name at least one of the study's"),
        ({"model_metrics": []}, "model_metrics is empty; name at least one of the study's"),
    ],
)
def test_bad_choices(stored, options, message):
    with pytest.raises(ValueError, match=message):
        from_stored(stored).correlations(**options)
