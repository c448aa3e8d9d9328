"""What drives a gap: stand-ins, refits, parts of a score."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats.contingency import association
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfairprop import GroupCounts
from skfairprop.groups import Groups
from skfairprop.report._drivers import associations, refit_without, score_parts
from skfairprop.report._errors import UsageError
from skfairprop.report._standard import fit_out_of_fold


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 400
    sex = rng.choice(["f", "m"], n)
    height = np.where(sex == "m", 178, 165) + rng.normal(0, 6, n)
    job = rng.choice(["a", "b", "c"], n)
    y = np.where((height - 171) / 6 + (job == "a") + rng.normal(0, 1, n) > 0.5, "yes", "no")
    frame = pd.DataFrame({"sex": sex, "height": height, "job": job, "noise": rng.random(n)})
    return frame, pd.Series(y, name="y")


def codes_of(frame):
    return (frame["sex"] == "m").to_numpy().astype(int)


# -- the standard model --------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 6])  # few encoded columns times classes, and many
def test_the_logistic_model_is_at_its_optimum(n_classes):
    """Short of it, rounding decides which predictions come out, and that is up to the machine."""
    rng = np.random.default_rng(0)
    n = 1500
    frame = pd.DataFrame({f"c{j}": rng.choice(list("abcdefghijklmnopqrst"), n) for j in range(3)})
    score = 4 * (frame["c0"] > "j") + rng.normal(0, 3, n)
    y = pd.Series(pd.qcut(score, n_classes, labels=False))
    fit = fit_out_of_fold(frame, y, "logistic", cv=2, seed=0)
    for fold in fit.folds:
        exact = LogisticRegression(solver="newton-cholesky", tol=1e-10)
        exact.fit(fold.X_train, y.to_numpy()[fold.train])
        assert np.abs(fold.model.coef_ - exact.coef_).max() < 1e-3
        assert (fold.model.predict(fold.X_test) == exact.predict(fold.X_test)).all()


# -- stand-ins -----------------------------------------------------------------------------------


def test_association_is_cramers_v(people):
    frame, _ = people
    found = associations(frame[["job"]], codes_of(frame), 2)
    expected = association(pd.crosstab(frame["sex"], frame["job"]).to_numpy())
    assert found.loc["job", "v"] == pytest.approx(expected)


def test_association_with_many_groups():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"town": rng.integers(0, 19, 3000).astype(str)})
    group = rng.integers(0, 100, 3000)
    groups = Groups.from_columns(group)  # codes of one byte: 100 x 19 cells must not overflow
    found = associations(frame, groups.codes, len(groups.labels))
    expected = association(pd.crosstab(group, frame["town"]).to_numpy())
    assert found.loc["town", "v"] == pytest.approx(expected)


def test_numbers_are_cut_into_fifths(people):
    frame, _ = people
    found = associations(frame[["height"]], codes_of(frame), 2)
    table = pd.crosstab(frame["sex"], pd.qcut(frame["height"], 5)).to_numpy()
    assert found.loc["height", "v"] == pytest.approx(association(table))


def test_chance_is_the_mean_over_shuffled_rows(people):
    frame, _ = people
    rng = np.random.default_rng(1)
    codes = codes_of(frame)
    found = associations(frame[["job"]], codes, 2).loc["job"]
    jobs = pd.factorize(frame["job"])[0]
    shuffled = [
        association(np.bincount(3 * rng.permutation(codes) + jobs).reshape(2, 3))
        for _ in range(400)
    ]
    assert found["chance"] == pytest.approx(np.sqrt(np.mean(np.square(shuffled))), rel=0.1)
    assert found["chance_95"] == pytest.approx(np.quantile(shuffled, 0.95), rel=0.1)


def test_the_strongest_stand_in_comes_first_and_a_constant_last(people):
    frame, _ = people
    found = associations(frame.assign(constant=1).drop(columns="sex"), codes_of(frame), 2)
    assert found.index[0] == "height"
    assert found.index[-1] == "constant"
    assert found.loc["constant"].isna().all()


def test_columns_of_any_kind_have_an_association():
    frame = pd.DataFrame(
        {
            "missing": [None, 1.5, None, 2.5] * 30,
            "text": pd.Series(["a", None, "b", "c"] * 30, dtype="string"),
            "flag": [True, False] * 60,
            "when": pd.date_range("2020-01-01", periods=120),
            "identifier": [f"id {i}" for i in range(120)],
            "nullable": pd.array([1, None, 3, 4] * 30, dtype="Int64"),
            "category": pd.Categorical(["x", "y"] * 60),
        }
    )
    found = associations(frame, np.tile([0, 1], 60), 2)
    assert found["v"].between(0, 1).all()
    assert found.loc["category", "v"] == pytest.approx(1.0)


def test_rows_without_a_group_are_left_out(people):
    frame, _ = people
    codes = codes_of(frame)
    codes[:100] = -1
    found = associations(frame[["job"]], codes, 2)
    expected = associations(frame[["job"]].iloc[100:], codes[100:], 2)
    pd.testing.assert_frame_equal(found, expected)


# -- refits --------------------------------------------------------------------------------------


def reference(frame, y, cv=3):
    """The same model as an ordinary pipeline."""
    numbers = frame.select_dtypes("number").columns
    pipeline = make_pipeline(
        make_column_transformer(
            (StandardScaler(), numbers), (OneHotEncoder(), frame.columns.difference(numbers))
        ),
        LogisticRegression(max_iter=1000),
    )
    folds = StratifiedKFold(cv, shuffle=True, random_state=0)
    return cross_val_predict(pipeline, frame, y, cv=folds)


@pytest.mark.parametrize("left_out", [[], ["sex"], ["job", "height"]])
def test_a_refit_is_the_model_on_a_table_without_the_columns(people, left_out):
    frame, y = people
    fit = fit_out_of_fold(frame, y, "logistic", cv=3, seed=0)
    found = fit.without(left_out) if left_out else fit.labels
    assert (found == reference(frame.drop(columns=left_out), y)).all()


def test_refits_name_what_was_left_out(people):
    frame, y = people
    fit = fit_out_of_fold(frame, y, "logistic", cv=3, seed=0)

    def count(labels):
        return GroupCounts.from_arrays(y, labels, sensitive_features=frame["sex"])

    table = refit_without(
        fit.without,
        ["sex", "height"],
        count(fit.labels),
        count,
        "demographic_parity_difference",
        "yes",
    )
    assert table.index.tolist() == ["nothing", "sex", "height", "sex, height"]
    without = reference(frame.drop(columns=["sex", "height"]), y)
    rates = pd.Series(without == "yes").groupby(frame["sex"]).mean()
    assert table.loc["sex, height", "gap"] == pytest.approx(rates.max() - rates.min())
    assert table.loc["sex, height", "accuracy"] == pytest.approx((without == y).mean())
    assert table.loc["sex, height", "gap"] < 0.5 * table.loc["nothing", "gap"]


def test_empty_and_odd_columns_can_be_learnt_from():
    rng = np.random.default_rng(0)
    n = 60
    frame = pd.DataFrame(
        {
            "empty": np.full(n, np.nan),
            0: rng.random(n),
            "text": pd.Series(rng.choice(["a", "b", None], n), dtype="string"),
            "many": [f"id {i}" for i in range(n)],
            "flag": rng.random(n) < 0.5,
        }
    )
    y = pd.Series(np.where(frame[0] > 0.5, 1, 0))
    fit = fit_out_of_fold(frame, y, "logistic", cv=3, seed=0)
    assert (fit.labels == y).mean() > 0.7
    assert set(fit.without([0]).unique()) <= {0, 1}


def test_without_any_column_everyone_gets_the_most_common_class(people):
    frame, y = people
    fit = fit_out_of_fold(frame[["sex"]], y, "logistic", cv=3, seed=0)
    assert fit.without(["sex"]).unique().tolist() == [y.mode()[0]]


def test_a_class_with_one_row_cannot_be_learnt():
    frame = pd.DataFrame({"x": range(10)})
    y = pd.Series(["a"] * 9 + ["b"])
    with pytest.raises(UsageError, match="the class 'b' has one row"):
        fit_out_of_fold(frame, y, "logistic", cv=3, seed=0)


def test_no_column_to_learn_from():
    with pytest.raises(UsageError, match="no column left to predict from"):
        fit_out_of_fold(
            pd.DataFrame(index=range(4)), pd.Series([0, 1, 0, 1]), "forest", cv=2, seed=0
        )


# -- parts of the score --------------------------------------------------------------------------


def mean_score_gap(fit, codes, positive):
    score = np.empty(len(codes))
    for fold in fit.folds:
        score[fold.test] = fold.model.decision_function(fold.X_test)
    if fit.folds[0].model.classes_[1] != positive:
        score = -score
    return score[codes == 1].mean() - score[codes == 0].mean()


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_the_parts_add_up_to_the_gap_in_the_score(people, positive):
    frame, y = people
    fit = fit_out_of_fold(frame, y, "logistic", cv=3, seed=0)
    codes = codes_of(frame)
    parts = score_parts(fit, codes, ["f", "m"], (1, 0), positive)
    assert parts.total == pytest.approx(mean_score_gap(fit, codes, positive))
    assert parts.table["part"].sum() + parts.intercepts == pytest.approx(parts.total)
    assert sorted(parts.table.index) == sorted(frame.columns)
    assert (parts.high, parts.low, parts.n_folds) == ("m", "f", 3)
    assert parts.table.index[0] == "height"
    assert (parts.table["lower"] <= parts.table["part"]).all()


def test_no_parts_for_other_models_or_several_classes(people):
    frame, y = people
    forest = fit_out_of_fold(frame.iloc[:60], y.iloc[:60], "forest", cv=2, seed=0)
    assert score_parts(forest, codes_of(frame)[:60], ["f", "m"], (1, 0), "yes") is None
    three = fit_out_of_fold(frame.drop(columns="job"), frame["job"], "logistic", cv=2, seed=0)
    assert score_parts(three, codes_of(frame), ["f", "m"], (1, 0), "a") is None
