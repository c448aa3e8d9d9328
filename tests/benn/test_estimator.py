"""BENNEstimator: what it finds on models that are known, what it takes and what it refuses."""

import pickle
import re
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

pytest.importorskip("skorch")
torch = pytest.importorskip("torch")

from skfairprop import BENNEstimator  # noqa: E402
from tests.benn.data import FAST, binary_grid, people  # noqa: E402

X, Y = people()
TREE = make_pipeline(
    make_column_transformer(
        (OneHotEncoder(), ["sex", "region"]), ("passthrough", ["age", "member", "income"])
    ),
    DecisionTreeClassifier(random_state=0),
).fit(X, Y)


def first_positive(X):
    """A function of any table of numbers."""
    return (np.asarray(X, dtype=float)[:, 0] > 0).astype(int)


@parametrize_with_checks(
    [
        BENNEstimator(LogisticRegression(), max_steps=15, n_init=1, hidden_layers=(4,)),
        BENNEstimator(DecisionTreeClassifier(random_state=0), max_steps=15, n_init=1,
                      hidden_layers=(4,)),
        BENNEstimator(LogisticRegression(), max_steps=15, n_init=1, hidden_layers=(4,),
                      formulation="paper"),
    ]
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:BENNEstimator. ")
@pytest.mark.filterwarnings("ignore:Estimator's parameters changed after fit")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# -- models that are known ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_synthetic_data_of_the_paper(seed):
    X = binary_grid()
    tree = DecisionTreeClassifier(random_state=0)
    found = BENNEstimator(tree, random_state=seed).fit(X, X["biased"]).bias_estimates_
    assert found["biased"] >= 0.95
    assert found["fair"] <= 0.05
    assert found["unused"] <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_both_features_of_an_exclusive_or(seed):
    X = binary_grid()
    tree = DecisionTreeClassifier(random_state=0)
    found = BENNEstimator(tree, random_state=seed).fit(X, X["fair"] ^ X["biased"])
    assert found.bias_estimates_[["fair", "biased"]].min() >= 0.9
    assert found.bias_estimates_["unused"] == 0


def test_a_model_of_a_proxy_has_a_total_and_no_direct_effect():
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 1000)
    X = pd.DataFrame({"sex": sex, "proxy": sex ^ (rng.random(1000) < 0.1)})
    benn = BENNEstimator(lambda X: X["proxy"], features="sex", **FAST).fit(X)
    gap = X.groupby("sex")["proxy"].mean().diff().iloc[-1]
    assert benn.direct_["sex"] == 0
    assert benn.total_["sex"] == pytest.approx(gap, abs=0.1)
    assert benn.bias_estimates_["sex"] == benn.total_["sex"]
    assert benn.null_["sex"] < 0.2
    assert benn.proxies_["proxy"].tolist() == ["proxy"]
    direct = BENNEstimator(lambda X: X["proxy"], features="sex", effect="direct", **FAST).fit(X)
    assert direct.bias_estimates_["sex"] == 0
    assert direct.total_["sex"] > 0.7


def test_the_closed_forms_are_those_of_the_model():
    grid = binary_grid(10)
    benn = BENNEstimator(lambda X: X["biased"], features=["biased"], **FAST).fit(grid)
    assert benn.flip_any_["biased"] == 1
    assert benn.flip_mean_["biased"] == 0.5  # one of the two values is the row's own
    assert benn.flip_best_["biased"] == 0.5


@pytest.mark.filterwarnings("ignore:BENNEstimator. the model says the same")
@pytest.mark.parametrize("formulation", ["targeted", "paper"])
def test_a_constant_model_has_no_bias_and_a_warning(formulation):
    benn = BENNEstimator(DummyClassifier(), formulation=formulation, **FAST)
    with pytest.warns(UserWarning, match="the model says the same of every row, changed or not"):
        benn.fit(X.drop(columns="income"), Y)
    assert (benn.bias_estimates_ == 0).all()
    assert not benn.transform(X.drop(columns="income")).any()


def test_constant_predictions_of_a_model_that_can_change_its_mind_are_no_constant_model():
    rows = pd.DataFrame({"a": [1, 2] * 20, "b": [1, 2] * 20})
    benn = BENNEstimator(lambda X: X["a"] != X["b"], **FAST).fit(rows)
    assert benn.direct_["a"] > 0.5


# -- what is published ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def benn():
    return BENNEstimator(TREE, **FAST).fit(X)


def test_every_attribute_is_there(benn):
    names = list(X.columns)
    for name in ("bias_estimates", "mean_estimates", "change", "direct", "total", "null",
                 "estimate_sd", "flip_any", "flip_mean", "flip_best"):  # fmt: skip
        values = getattr(benn, f"{name}_")
        assert values.index.tolist() == names
        assert values.between(0, 1).all()
    assert benn.worst_slices_.columns.tolist() == ["name", "size"]
    assert (benn.worst_slices_["size"] >= 30).all()
    assert set(benn.proxies_.columns) == {"feature", "proxy", "cramers_v", "z"}
    assert benn.loss_curve_["step"].iloc[-1] == benn.n_steps_ == FAST["max_steps"]
    assert benn.n_queries_ > 0
    assert benn.n_features_in_ == 5
    assert benn.feature_columns_["sex"] == ["sex"]
    assert (benn.bias_estimates_ >= benn.mean_estimates_).all()


def test_the_summary_is_sorted_and_agrees(benn):
    summary = benn.summary()
    assert summary["estimate"].is_monotonic_decreasing
    for column in ("direct", "flip_any", "null"):
        expected = getattr(benn, f"{column}_").loc[summary.index]
        pd.testing.assert_series_equal(summary[column], expected)
    assert summary["sd"].equals(benn.estimate_sd_.loc[summary.index])


def test_features_that_nothing_looks_at_have_no_direct_effect(benn):
    rule = BENNEstimator(lambda X: X["sex"] == "m", **FAST).fit(X)
    assert rule.direct_["sex"] > 0.9
    assert (rule.direct_.drop("sex") == 0).all()


def test_vectors_have_a_column_a_feature(benn):
    vectors = benn.transform(X)
    assert vectors.shape == (len(X), 5)
    assert vectors.min() >= 0
    assert vectors.max() <= 1
    assert benn.get_feature_names_out().tolist() == list(X.columns)
    np.testing.assert_allclose(vectors.mean(axis=0), benn.mean_estimates_, atol=0.15)
    frame = clone(benn).set_output(transform="pandas").set_params(estimator=FrozenEstimator(TREE))
    frame = frame.fit(X).transform(X)
    assert frame.columns.tolist() == list(X.columns)
    assert frame.index.equals(X.index)


def test_groups_are_those_that_were_examined(benn):
    groups = benn.groups_of(X)
    assert (groups["sex"] == X["sex"]).all()
    assert len(set(groups["age"])) == 4
    assert (groups["region"] == X["region"].astype(str)).all()


def test_it_survives_pickle(benn):
    again = pickle.loads(pickle.dumps(benn))
    np.testing.assert_array_equal(again.transform(X), benn.transform(X))


def test_a_seed_gives_the_same_again():
    first, again = (BENNEstimator(TREE, **FAST).fit(X) for _ in range(2))
    pd.testing.assert_frame_equal(first.summary(), again.summary())
    other = BENNEstimator(TREE, **FAST | {"random_state": 1}).fit(X)
    assert not other.bias_estimates_.equals(first.bias_estimates_)


def test_no_global_generator_is_touched():
    torch.manual_seed(3)
    before = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    BENNEstimator(TREE, features="sex", **FAST | {"random_state": None}).fit(X)
    assert torch.equal(torch.get_rng_state(), before[0])
    np.testing.assert_array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002


# -- models and tables of all kinds ---------------------------------------------------------------


def test_ways_to_give_the_same_model():
    numbers = X[["age", "member"]].astype(float)
    y = (numbers["age"] > 45).astype(int)
    tree = DecisionTreeClassifier(random_state=0)
    fitted = clone(tree).fit(numbers, y)
    expected = BENNEstimator(fitted, **FAST).fit(numbers).bias_estimates_
    for model, labels in (
        (FrozenEstimator(fitted), None),
        (tree, y),
        (fitted.predict, None),
        (make_pipeline("passthrough", fitted), None),
    ):
        found = BENNEstimator(model, **FAST).fit(numbers, labels).bias_estimates_
        pd.testing.assert_series_equal(found, expected)


def test_a_model_that_is_not_fitted_is_cloned_and_needs_y():
    tree = DecisionTreeClassifier(random_state=0)
    numbers = X[["age"]]
    with pytest.raises(ValueError, match=r"DecisionTreeClassifier is not fitted; pass y, or fit"):
        BENNEstimator(tree, **FAST).fit(numbers)
    benn = BENNEstimator(tree, **FAST).fit(numbers, Y)
    assert benn.estimator_ is not tree
    with pytest.raises(NotFittedError):
        tree.predict(numbers)


def test_something_that_is_no_model_is_refused():
    with pytest.raises(TypeError, match="estimator must be a classifier or a function of X; got 3"):
        BENNEstimator(3).fit(X)


@pytest.mark.parametrize("container", ["array", "float32", "polars", "list"])
def test_containers_of_the_same_numbers(container):
    numbers = X[["age", "member"]].astype(float)
    expected = BENNEstimator(first_positive, **FAST).fit(numbers.to_numpy() - 40)
    given = {
        "array": numbers.to_numpy() - 40,
        "float32": (numbers.to_numpy() - 40).astype(np.float32),
        "polars": pl.from_pandas(numbers - 40),
        "list": (numbers.to_numpy() - 40).tolist(),
    }[container]
    found = BENNEstimator(first_positive, **FAST).fit(given)
    np.testing.assert_array_equal(found.bias_estimates_, expected.bias_estimates_)
    names = ["age", "member"] if container == "polars" else ["x0", "x1"]
    assert found.get_feature_names_out().tolist() == names


def test_probabilities_are_compared_by_how_far_they_move():
    model = LogisticRegression().fit(X[["age"]], Y)
    benn = BENNEstimator(model, response_method="predict_proba", **FAST).fit(X[["age"]])
    p = model.predict_proba(X[["age"]])[:, 1]
    values = np.unique(np.quantile(X["age"], np.linspace(0, 1, 24), method="nearest"))
    other = model.predict_proba(pd.DataFrame({"age": values}))[:, 1]
    change = np.abs(other - p[:, None]).max(axis=1)
    direct = BENNEstimator(model, response_method="predict_proba", effect="direct", **FAST)
    assert direct.fit(X[["age"]]).flip_any_["age"] == pytest.approx(change.mean(), rel=1e-5)
    assert 0 < benn.bias_estimates_["age"] < 1


def test_missing_values_go_to_a_model_that_takes_them_and_are_refused_by_others():
    numbers = X[["age", "income"]]
    boosting = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(numbers, Y)
    assert BENNEstimator(boosting, **FAST).fit(numbers).direct_["age"] > 0.1
    logistic = LogisticRegression().fit(numbers.fillna(0), Y)
    with pytest.raises(ValueError, match="refuses the NaN or missing values in column 'income'"):
        BENNEstimator(logistic, **FAST).fit(numbers)


def test_skorch_nets_and_torch_modules():
    import skorch

    numbers = X[["age", "member"]].astype(float) / 40
    torch.manual_seed(0)
    net = skorch.NeuralNetClassifier(
        torch.nn.Linear(2, 2), criterion=torch.nn.CrossEntropyLoss, max_epochs=20, lr=0.5,
        verbose=0, train_split=None,
    )  # fmt: skip
    benn = BENNEstimator(net, **FAST).fit(numbers, np.asarray(Y, dtype=np.int64))
    assert benn.bias_estimates_.notna().all()
    module = torch.nn.Sequential(benn.estimator_.module_, torch.nn.Softmax(dim=1))
    found = BENNEstimator(module, **FAST).fit(numbers)
    assert found.bias_estimates_.notna().all()


def test_inside_a_pipeline_and_a_search():
    numbers = X[["age", "member"]].astype(float)
    steps = make_pipeline(
        StandardScaler(),
        BENNEstimator(DecisionTreeClassifier(max_depth=2, random_state=0), **FAST),
        LogisticRegression(),
    )
    search = GridSearchCV(steps, {"bennestimator__effect": ["total", "direct"]}, cv=2).fit(
        numbers, Y
    )
    assert search.best_estimator_[-2].bias_estimates_.index.tolist() == ["x0", "x1"]


# -- which features -------------------------------------------------------------------------------


def test_features_and_blocks():
    frame = X.assign(old=X["age"] > 45)
    model = lambda X: X["old"]  # noqa: E731
    options = dict(FAST, max_steps=15)
    blocks = {"age, either way": ["age", "old"]}
    only = BENNEstimator(model, feature_blocks=blocks, **options).fit(frame)
    assert only.bias_estimates_.index.tolist() == ["age, either way"]
    assert only.flip_any_.item() > 0.5
    both = BENNEstimator(model, features=["sex"], feature_blocks=blocks, **options).fit(frame)
    assert both.bias_estimates_.index.tolist() == ["age, either way", "sex"]
    every = BENNEstimator(model, features="all", feature_blocks=blocks, **options).fit(frame)
    assert every.bias_estimates_.index.tolist() == [
        *both.bias_estimates_.index,
        *X.columns[[1, 3, 4]],
    ]
    by_position = BENNEstimator(model, features=[0, 2], **options).fit(frame)
    assert by_position.bias_estimates_.index.tolist() == ["sex", "age"]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"features": ["sexx"]}, "features: X has no column 'sexx'; did you mean 'sex'"),
        ({"features": [9]}, "features: X has no column 9"),
        ({"features": [True]}, "features: X has no column True"),
        ({"features": []}, "name nothing to examine"),
        ({"features": ["sex", "sex"]}, "name 'sex' twice"),
        ({"feature_blocks": {"a": []}}, r"feature_blocks\['a'\] names no column"),
        ({"feature_blocks": {"a": ["sex", "sex"]}}, r"feature_blocks\['a'\] names a column twice"),
        ({"feature_blocks": {"a": ["x"]}}, r"feature_blocks\['a'\]: X has no column 'x'"),
        ({"formulation": "both"}, "formulation must be one of .*; got 'both'"),
        ({"effect": "none"}, "effect must be one of"),
        ({"response_method": "score"}, "response_method must be one of"),
        ({"n_init": 0}, "n_init must be an integer of at least 1; got 0"),
        ({"max_steps": 1.5}, "max_steps must be an integer of at least 1; got 1.5"),
        ({"max_values": 1}, "max_values must be an integer of at least 2; got 1"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number above 0; got nan"),
        ({"hidden_layers": ()}, "hidden_layers must hold the width of each layer"),
        ({"hidden_layers": (4, 0)}, "hidden_layers must be an integer of at least 1; got 0"),
        ({"lambdas": (1, 0, 1)}, "lambdas must be a number above 0; got 0"),
        ({"lambdas": (1, 1)}, "lambdas must hold three numbers"),
        ({"max_queries": 500}, r"max_queries=500 allows \d+ rows at \d+ questions each, and 30"),
        ({"device": "gpu"}, "device must be 'auto', 'cpu', 'cuda' or another device of torch"),
        ({"random_state": -1}, "random_state must be None, an integer of at least 0"),
    ],
)
def test_what_does_not_exist_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        BENNEstimator(TREE, **FAST | options).fit(X)


def test_blocks_must_be_a_mapping():
    with pytest.raises(TypeError, match="feature_blocks must map a name to columns"):
        BENNEstimator(TREE, feature_blocks=["age"]).fit(X)


def test_cuda_where_there_is_none():
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    with pytest.raises(ValueError, match="torch finds no CUDA device here; pass device='auto'"):
        BENNEstimator(TREE, device="cuda").fit(X)


def test_columns_of_one_name_are_refused():
    twice = X[["sex", "age"]].set_axis(["a", "a"], axis=1)
    with pytest.raises(ValueError, match="X has several columns named 'a'; rename them"):
        BENNEstimator(lambda X: np.zeros(len(X)), **FAST).fit(twice)


# -- rows -----------------------------------------------------------------------------------------


def test_one_row_is_refused():
    with pytest.raises(ValueError, match="one row has no other values to take; got n_samples=1"):
        BENNEstimator(TREE, **FAST).fit(X.iloc[:1])


def test_two_rows_are_enough():
    rows = np.array([[0.0, 1.0], [1.0, 1.5]])
    benn = BENNEstimator(first_positive, **FAST).fit(rows)
    assert benn.bias_estimates_["x0"] > benn.bias_estimates_["x1"] == 0


def test_a_feature_of_one_value_is_undefined():
    rows = X.assign(sex="f")
    benn = BENNEstimator(TREE, **FAST)
    with pytest.warns(UserWarning, match="sex has a single value in X, so that nothing can be com"):
        benn.fit(rows)
    assert benn.bias_estimates_.isna().tolist() == [True, False, False, False, False]
    assert np.isnan(benn.transform(X)[:, 0]).all()


def test_a_model_that_fails_on_changed_rows_is_named():
    seen = set(zip(X["sex"], X["age"], strict=True))

    def strict(X):
        if not set(zip(X["sex"], X["age"], strict=True)) <= seen:
            raise ValueError("never seen")
        return (X["age"] > 45).astype(int)

    with pytest.raises(
        ValueError, match=r"failed on rows in which 'sex' took .*: never seen; exam"
    ):
        BENNEstimator(strict, **FAST).fit(X)


def test_categories_that_come_later():
    rows = X[["sex", "age"]]
    model = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["sex"]), remainder="passthrough"
        ),
        DecisionTreeClassifier(random_state=0),
    ).fit(rows, Y)
    benn = BENNEstimator(model, **FAST).fit(rows)
    vectors = benn.transform(rows.assign(sex="another"))
    assert np.isfinite(vectors).all()
    with pytest.raises(ValueError, match="feature names should match"):
        benn.transform(rows.rename(columns={"sex": "gender"}))


def test_the_questions_are_bounded_by_examining_fewer_rows():
    with pytest.warns(UserWarning, match=r"max_queries=4,000 allows \d+ of 240 rows") as caught:
        benn = BENNEstimator(TREE, max_queries=4000, **FAST).fit(X)
    assert caught[0].filename == __file__
    assert benn.n_queries_ <= 4000
    assert 30 <= len(benn.row_indices_) < len(X)
    assert len(set(benn.row_indices_)) == len(benn.row_indices_)
    (enough,) = re.findall(r"raise it to about ([\d,]+),", str(caught[0].message))
    benn.set_params(max_queries=2 * int(enough.replace(",", ""))).fit(X)  # about: plans differ
    assert len(benn.row_indices_) == len(X)


@pytest.mark.parametrize("formulation", ["targeted", "paper"])
def test_how_far_it_has_come_is_told_where_wanted(capsys, formulation):
    options = FAST | {"formulation": formulation, "max_steps": 30, "features": ["sex", "age"]}
    BENNEstimator(TREE, **options).fit(X)
    assert capsys.readouterr().err == ""
    BENNEstimator(TREE, verbose=True, **options).fit(X)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("BENNEstimator trains: 2 of 2 times 15 steps")
    asked = [line.split(",")[0] for line in lines if " asks" in line]
    if formulation == "targeted":  # each ends at its total
        n = len(asked)
        assert asked == [f"BENNEstimator asks: {i + 1} of {n} questions" for i in range(n)]
        assert n == 1 + 2 * 3 + 1 + 4 * 3  # the values at once; 2 sexes and 4 ages, 3 draws


def test_classes_that_only_a_change_brings():
    rows = pd.DataFrame({"a": [0, 1] * 30, "b": [0, 1] * 30})
    odd = lambda X: np.where(X["a"] != X["b"], "odd", np.where(X["a"] > 0, "one", "none"))  # noqa: E731
    benn = BENNEstimator(odd, **FAST).fit(rows)
    assert np.isfinite(benn.transform(rows)).all()
    assert np.isfinite(benn.transform(rows.assign(a=0))).all()


def test_groups_that_a_part_of_the_rows_lacks():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.integers(0, 9, 3000), "b": rng.normal(size=3000)})
    rows.loc[:39, "a"] = 100
    for seed in range(5):
        benn = BENNEstimator(first_positive, max_queries=3500, **FAST | {"random_state": seed})
        with pytest.warns(UserWarning, match="of 3,000 rows, drawn at random"):
            assert benn.fit(rows).n_queries_ <= 3500


def test_cells_that_cannot_be_compared_are_refused():
    rows = np.array([[{"a": 1}, 2], [{"b": 1}, 3]], dtype=object)
    with pytest.raises(TypeError, match="cells that cannot be compared"):
        BENNEstimator(first_positive, **FAST).fit(rows)


# -- torch ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["torch", "skorch"])
def test_without_torch_the_extra_is_named(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    benn = BENNEstimator(TREE)  # made without it
    with pytest.raises(ImportError, match=f"'{package}' is not installed; .*the extra 'torch'"):
        benn.fit(X)


def test_an_interrupted_training_keeps_what_it_has(monkeypatch):
    from skfairprop.benn import _training

    plain = _training.Batches._next

    def interrupted(self):
        if self.n_done == 40:
            raise KeyboardInterrupt
        return plain(self)

    monkeypatch.setattr(_training.Batches, "_next", interrupted)
    benn = BENNEstimator(TREE, **FAST)
    with pytest.warns(ConvergenceWarning, match="training was stopped after 40 of 90 steps"):
        benn.fit(X)
    assert benn.n_steps_ == 40
    assert benn.loss_curve_["step"].tolist() == [15, 30]
    assert benn.bias_estimates_.notna().all()


@pytest.mark.parametrize("formulation", ["targeted", "paper"])
def test_before_its_first_step_an_interrupted_training_has_nothing_to_keep(
    monkeypatch, formulation
):
    from skfairprop.benn import _training

    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(_training.Batches, "_next", interrupted)
    with pytest.raises(KeyboardInterrupt):
        BENNEstimator(TREE, formulation=formulation, **FAST).fit(X)


def test_a_model_that_answers_at_random_is_named():
    rng = np.random.default_rng(0)
    dice = lambda X: rng.integers(0, 2, len(X))  # noqa: E731
    with pytest.warns(
        UserWarning, match=r"answers at random: of 30 rows .* \d+ got another answer"
    ):
        BENNEstimator(dice, **FAST).fit(X)
    noise = lambda X: 0.5 + 1e-6 * rng.random((len(X), 1)) * np.array([1, -1])  # noqa: E731
    BENNEstimator(noise, **FAST).fit(X)  # no more than rounding


# -- the paper ------------------------------------------------------------------------------------


PAPER = {"formulation": "paper", "random_state": 0, "n_init": 2}
WORKING = PAPER | {"l0": "smooth", "loss_scale": "normalized", "lambdas": (1, 1, 0.1)}


@pytest.mark.parametrize("gradient", ["finite_differences", "evolution"])
def test_the_smooth_loss_finds_the_biased_feature(gradient):
    grid = binary_grid()
    benn = BENNEstimator(lambda X: X["biased"] > 0.5, gradient=gradient, **WORKING).fit(grid)
    assert benn.bias_estimates_["biased"] >= 0.95
    assert benn.bias_estimates_[["fair", "unused"]].max() <= 0.1
    assert benn.summary().columns.tolist() == ["estimate", "sd", "mean", "slice", "slice_rows"]
    assert not hasattr(benn, "direct_")
    assert benn.transform(grid).shape == (len(grid), 3)


def test_what_the_printed_loss_finds_depends_on_the_start():
    benn = BENNEstimator(lambda X: X["biased"] > 0.5, **PAPER).fit(binary_grid())
    assert benn.bias_estimates_["biased"] < 0.95
    assert benn.estimate_sd_["biased"] > 0.1
    assert benn.loss_curve_["change"].iloc[0] == 0  # too small a vector to flip anything


def test_an_exact_gradient_of_a_torch_module():
    module = torch.nn.Linear(3, 2)
    with torch.no_grad():
        module.weight.copy_(torch.tensor([[0.0, -4, 0], [0, 4, 0]]))
        module.bias.copy_(torch.tensor([2.0, -2]))
    model = torch.nn.Sequential(module, torch.nn.Softmax(dim=1))
    grid = binary_grid().to_numpy(float)
    benn = BENNEstimator(model, **WORKING | {"lambdas": (1, 0.1, 0.1)}).fit(grid)
    assert benn.n_queries_ == 8  # the distinct rows themselves, and no other
    assert benn.bias_estimates_["x1"] >= 0.9
    assert benn.bias_estimates_[["x0", "x2"]].max() < 0.5


def test_an_exact_gradient_of_a_tree_is_refused():
    with pytest.raises(ValueError, match="gradient='exact' needs a torch module or skorch net"):
        BENNEstimator(TREE, gradient="exact", **PAPER).fit(X)


def test_categories_move_by_their_largest_coordinate():
    rows = X[["sex", "region"]]
    benn = BENNEstimator(lambda X: X["sex"] == "m", **WORKING).fit(rows)
    assert benn.bias_estimates_["sex"] > 0.5 > benn.bias_estimates_["region"]


def test_only_wanted_features_move():
    benn = BENNEstimator(lambda X: X["biased"] > 0.5, features=["fair"], **WORKING)
    found = benn.fit(binary_grid())
    assert found.bias_estimates_.index.tolist() == ["fair"]
    assert found.bias_estimates_["fair"] <= 0.1


def test_the_questions_of_the_paper_are_bounded():
    grid = binary_grid(10)
    model = lambda X: X["biased"] > 0.5  # noqa: E731
    benn = BENNEstimator(model, max_queries=100_000, **PAPER | {"max_steps": 60}).fit(grid)
    assert benn.n_queries_ <= 100_000
    with pytest.raises(ValueError, match=r"max_queries=1,000 allows batches of \d rows, and 8 are"):
        BENNEstimator(model, max_queries=1000, **PAPER).fit(grid)
