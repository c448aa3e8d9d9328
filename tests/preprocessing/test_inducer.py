"""BiasInducer: the counts of the paper's experiments, the draw, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from skfairprop.preprocessing import BiasInducer
from tests.protected import one_group

HERITAGE = json.loads((Path(__file__).parents[1] / "data" / "heritage_induction.json").read_text())
GROUPS = {"gender": ["F", "M"], "race": ["B", "EA", "LH", "ME", "W"]}
FACTORS = [-1.0, -0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


def heritage_rows(component):
    """Labels and groups of a balanced baseline with the sizes of the paper's."""
    sizes, groups = HERITAGE["baseline"][component], GROUPS[component]
    y = np.tile(np.repeat(HERITAGE["classes"], sizes), len(groups))
    return y, np.repeat(groups, sum(sizes))


def heritage_inducer(component, experiment, f, **options):
    target = GROUPS[component][-1]
    if experiment == "rep":
        return BiasInducer(target_group=target, f=f, **options)
    if experiment == "single":
        return BiasInducer(
            "stereotypical", target_group=target, target_classes=["happy"], f=f, **options
        )
    return BiasInducer("stereotypical", target_group=target, f={"angry": f, "sad": -f}, **options)


def table_of(y, groups, index, columns):
    return pd.crosstab(groups, y).reindex(index=index, columns=columns, fill_value=0).to_numpy()


def rows(sizes, groups=("f", "m"), classes=("a", "b")):
    """Shuffled rows with `sizes[g][k]` of each cell."""
    y = np.concatenate([np.repeat(classes, row) for row in sizes])
    g = np.repeat(groups, [sum(row) for row in sizes])
    order = np.random.default_rng(3).permutation(len(y))
    return np.arange(len(y))[:, None], y[order], g[order]


# -- the paper ----------------------------------------------------------------------------------


@pytest.mark.parametrize("experiment", ["rep", "single", "multi"])
@pytest.mark.parametrize("component", ["gender", "race"])
def test_the_66_configurations_of_the_paper(component, experiment):
    y, groups = heritage_rows(component)
    for f in FACTORS:
        inducer = heritage_inducer(component, experiment, f)
        expected = HERITAGE["counts"][f"{component}_{experiment}_f{f:+.1f}"]
        found = inducer.expected_counts(y, groups)
        assert found.columns.tolist() == HERITAGE["classes"]
        assert found.index.tolist() == GROUPS[component]
        np.testing.assert_array_equal(found, expected, err_msg=f"f={f}")


def test_factors_from_linspace_give_the_same_counts():
    y, groups = heritage_rows("gender")
    for f in np.linspace(-1, 1, 11):
        expected = HERITAGE["counts"][f"gender_rep_f{round(f, 1) + 0.0:+.1f}"]
        found = heritage_inducer("gender", "rep", f).expected_counts(y, groups)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("component", ["gender", "race"])
@pytest.mark.parametrize("experiment", ["rep", "single", "multi"])
def test_drawn_rows_have_the_counts_of_the_paper(component, experiment):
    y, groups = heritage_rows(component)
    inducer = heritage_inducer(component, experiment, 0.6, random_state=0)
    _, drawn = inducer.fit_resample(y, y, sensitive_features=groups)
    found = table_of(drawn, groups[inducer.sample_indices_], GROUPS[component], HERITAGE["classes"])
    np.testing.assert_array_equal(found, HERITAGE["counts"][f"{component}_{experiment}_f+0.6"])


def test_tables_3_and_4():
    """Shares and counts of the multi-class experiment by race at f = 1."""
    y, groups = heritage_rows("race")
    counts = heritage_inducer("race", "multi", 1.0).expected_counts(y, groups)
    table_4 = HERITAGE["table_4_counts"]
    np.testing.assert_array_equal(counts.T, table_4["rows_by_class"])
    np.testing.assert_array_equal(counts.sum(axis=1), table_4["totals"])
    # the same from the explicit table of shares
    shares = HERITAGE["table_3_shares"]
    table = pd.DataFrame(shares["rows"], index=HERITAGE["classes"], columns=shares["groups"]).T
    by_table = BiasInducer(proportions=table).expected_counts(y, groups)
    pd.testing.assert_frame_equal(by_table, counts)


@pytest.mark.parametrize("n_groups", [2, 3, 5, 7])
def test_the_share_of_the_target_group(n_groups):
    y = np.zeros(n_groups * 1_000_000, dtype=np.int8)
    groups = np.repeat(np.arange(n_groups, dtype=np.int8), 1_000_000)
    for f, share in HERITAGE["p_of_f"][str(n_groups)].items():
        counts = BiasInducer(target_group=0, f=float(f)).expected_counts(y, groups)
        assert counts.loc[0, 0] == int(share * 1_000_000 + 1e-9)
        rest = (1 - share) / (n_groups - 1)
        assert (counts.iloc[1:, 0] == int(rest * 1_000_000 + 1e-9)).all()


# -- the draw -----------------------------------------------------------------------------------


def test_rows_are_kept_once_in_order_and_belong_to_their_cell():
    X, y, groups = rows([(30, 50), (40, 20)])
    inducer = BiasInducer(target_group="f", f=0.5, random_state=0)
    X_new, y_new = inducer.fit_resample(X, y, sensitive_features=groups)
    kept = inducer.sample_indices_
    assert (np.diff(kept) > 0).all()
    np.testing.assert_array_equal(X_new[:, 0], kept)
    np.testing.assert_array_equal(y_new, y[kept])
    np.testing.assert_array_equal(
        table_of(y_new, groups[kept], ["f", "m"], ["a", "b"]), inducer.expected_counts_
    )
    # share .75 of the smallest group of each class
    np.testing.assert_array_equal(inducer.expected_counts_, [[22, 15], [7, 5]])


def test_every_row_of_a_cell_has_the_same_chance():
    X, y, groups = rows([(10, 5), (5, 5)])
    hits = np.zeros(len(y))
    for seed in range(400):
        inducer = BiasInducer(random_state=seed)
        inducer.fit_resample(X, y, sensitive_features=groups)
        hits[inducer.sample_indices_] += 1
    cell = (groups == "f") & (y == "a")
    # 2 of 10 rows: binomial with p = .2, five standard deviations
    assert np.abs(hits[cell] / 400 - 0.2).max() < 5 * np.sqrt(0.2 * 0.8 / 400)


def test_random_state():
    X, y, groups = rows([(60, 60), (60, 60)])

    def draw(random_state):
        inducer = BiasInducer(random_state=random_state)
        inducer.fit_resample(X, y, sensitive_features=groups)
        return inducer.sample_indices_.tolist()

    assert draw(0) == draw(0) != draw(1)
    assert draw(np.random.RandomState(0)) == draw(np.random.RandomState(0))
    assert draw(np.random.default_rng(0)) == draw(0)
    assert draw(None) != draw(None)
    generator = np.random.default_rng(0)
    assert draw(generator) != draw(generator)
    np.random.seed(0)  # noqa: NPY002 - the global generator is what is looked at
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    draw(None)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_draws_of_one_seed_are_nested():
    X, y, groups = rows([(60, 60), (60, 60)])
    kept = []
    for f in (-0.2, -0.6):
        inducer = BiasInducer(target_group="f", f=f, random_state=0)
        inducer.fit_resample(X, y, sensitive_features=groups)
        kept.append(set(inducer.sample_indices_[groups[inducer.sample_indices_] == "f"]))
    assert kept[1] < kept[0]


def test_largest_remainder_keeps_the_size_of_every_class():
    _, y, groups = rows([(7, 11), (7, 11), (7, 11)], groups=("f", "m", "x"))
    for f in FACTORS:
        options = {"target_group": "f", "f": f}
        exact = BiasInducer(rounding="largest_remainder", **options).expected_counts(y, groups)
        floor = BiasInducer(**options).expected_counts(y, groups)
        assert exact.sum().tolist() == [7, 11]
        assert ((exact - floor).to_numpy() >= 0).all()
        assert ((exact - floor).to_numpy() <= 1).all()
    # 7/3 and 11/3: the first groups get the remainders
    exact = BiasInducer(rounding="largest_remainder").expected_counts(y, groups)
    assert exact.to_numpy().tolist() == [[3, 4], [2, 4], [2, 3]]


def test_groups_and_classes_restrict_the_table():
    X, y, groups = rows(
        [(8, 8, 1), (8, 8, 8), (1, 0, 1)], groups=("f", "m", "x"), classes=("a", "b", "c")
    )
    inducer = BiasInducer(groups=["m", "f"], classes=["b", "a"], random_state=0)
    _, y_new = inducer.fit_resample(X, y, sensitive_features=groups)
    assert inducer.expected_counts_.index.tolist() == ["m", "f"]
    assert inducer.expected_counts_.columns.tolist() == ["b", "a"]
    assert (inducer.expected_counts_ == 4).all(axis=None)
    assert set(y_new) == {"a", "b"}
    assert set(groups[inducer.sample_indices_]) == {"f", "m"}


def test_intersectional_groups():
    X, y, sex = rows([(40, 40), (40, 40)])
    race = np.resize(["b", "w"], len(y))
    people = pd.DataFrame({"sex": sex, "race": race})
    inducer = BiasInducer(target_group=("f", "w"), f=1.0, random_state=0)
    inducer.fit_resample(X, y, sensitive_features=people)
    kept = people.iloc[inducer.sample_indices_]
    assert set(kept.itertuples(index=False, name=None)) == {("f", "w")}
    assert inducer.groups_.tolist() == [("f", "b"), ("f", "w"), ("m", "b"), ("m", "w")]
    proportions = {c: {("f", "b"): 0.5, ("m", "w"): 0.5} for c in "ab"}
    by_dict = BiasInducer(groups=[("f", "b"), ("m", "w")], proportions=proportions).expected_counts(
        y, people
    )
    assert by_dict.index.tolist() == [("f", "b"), ("m", "w")]


def test_proportions_as_a_dict():
    _, y, groups = rows([(10, 10), (10, 10)])
    found = BiasInducer(
        proportions={"a": {"m": 0.2, "f": 0.8}, "b": {"m": 1.0, "f": 0.0}}
    ).expected_counts(y, groups)
    assert found.to_numpy().tolist() == [[8, 0], [2, 10]]


def test_proportions_as_an_array_follow_the_order_of_groups_and_classes():
    _, y, groups = rows([(10, 10), (10, 10)])
    table = [[0.2, 1.0], [0.8, 0.0]]
    found = BiasInducer(proportions=table, groups=["m", "f"]).expected_counts(y, groups)
    assert found.loc["m"].tolist() == [2, 10]
    assert found.loc["f"].tolist() == [8, 0]


def test_each_class_has_its_own_factor():
    _, y, groups = rows([(10, 10), (10, 10)])
    found = BiasInducer("stereotypical", target_group="f", f={"a": 1.0}).expected_counts(y, groups)
    assert found.to_numpy().tolist() == [[10, 5], [0, 5]]


# -- containers ---------------------------------------------------------------------------------


def containers():
    X = np.arange(80.0).reshape(40, 2)
    frame = pd.DataFrame(X, columns=["u", "v"], index=np.arange(40)[::-1])
    yield "array", X, lambda new: new
    yield "frame", frame, lambda new: new.to_numpy()
    yield "list", X.tolist(), lambda new: np.array(new)
    yield "images", np.broadcast_to(X[:, :, None, None], (40, 2, 3, 3)), lambda new: new[..., 0, 0]
    for kind in ("csr", "csc", "coo", "lil"):
        for make in (sparse.csr_array, sparse.csr_matrix):
            yield f"{make.__name__} as {kind}", make(X).asformat(kind), lambda new: new.toarray()


@pytest.mark.parametrize(
    ("X", "read"), [pytest.param(X, read, id=name) for name, X, read in containers()]
)
def test_any_indexable_X(X, read):
    y, groups = np.repeat(["a", "b"], 20), np.tile(["f", "m"], 20)
    inducer = BiasInducer(target_group="f", f=-0.5, random_state=0)
    X_new, y_new = inducer.fit_resample(X, y, sensitive_features=groups)
    assert len(y_new) == 18
    kept = inducer.sample_indices_
    np.testing.assert_array_equal(read(X_new), np.arange(80.0).reshape(40, 2)[kept])
    if isinstance(X, pd.DataFrame):
        assert X_new.index.equals(X.index[kept])


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_frames(library):
    module = pytest.importorskip(library)
    data = {"u": np.arange(40), "sex": ["f", "m"] * 20}
    X = module.DataFrame(data) if library == "polars" else module.table(data)
    y = module.Series(["a", "b"] * 20) if library == "polars" else module.array(["a"] * 40)
    y = np.repeat(["a", "b"], 20) if library == "pyarrow" else y.sort()
    inducer = BiasInducer(target_group="f", f=0.5, sensitive_features="sex", random_state=0)
    X_new, y_new = inducer.fit_resample(X, y)
    assert type(X_new) is type(X)
    assert type(y_new) is type(y)
    column = X_new["u"].to_numpy()
    np.testing.assert_array_equal(column, inducer.sample_indices_)


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    X = torch.arange(80.0).reshape(40, 2)
    y, groups = torch.arange(40) % 2, np.repeat(["f", "m"], 20)
    inducer = BiasInducer(target_group="f", f=0.5, random_state=0)
    X_new, y_new = inducer.fit_resample(X, y, sensitive_features=groups)
    assert torch.equal(X_new[:, 0], torch.as_tensor(2.0 * inducer.sample_indices_))
    assert torch.equal(y_new, torch.as_tensor(inducer.sample_indices_ % 2))


@pytest.mark.parametrize("labels", [[0, 1], [False, True], ["no", "yes"], [1.0, 2.0], [10**12, -5]])
def test_any_labels_and_groups(labels):
    codes = np.repeat([0, 1], 20)
    y = np.array(labels)[codes]
    groups = np.array(labels)[np.tile([0, 1], 20)]
    for read in (np.asarray, list, pd.Series, pd.Categorical):
        inducer = BiasInducer(target_group=labels[1], f=1.0, random_state=0)
        _, y_new = inducer.fit_resample(codes[:, None], read(y), sensitive_features=read(groups))
        assert inducer.expected_counts_.loc[labels[1]].tolist() == [10, 10]
        assert len(y_new) == 20


def test_columns_by_name_callable_and_index():
    index = pd.Index(np.arange(40) + 100)
    X = pd.DataFrame({"u": np.arange(40), "sex": ["f", "m"] * 20}, index=index)
    y = pd.Series(np.repeat(["a", "b"], 20), index=index)
    specs = ["sex", lambda frame: frame["sex"], X["sex"].iloc[::-1]]
    results = [
        BiasInducer(target_group="f", f=0.6, sensitive_features=s, random_state=0).fit_resample(
            X, y
        )[0]
        for s in specs
    ]
    for found in results[1:]:
        pd.testing.assert_frame_equal(found, results[0])
    assert (results[0]["sex"] == "f").mean() == pytest.approx(0.8)
    # a Series at construction is found by the index of y
    by_index = BiasInducer(target_group="f", f=0.6, sensitive_features=specs[2])
    assert by_index.expected_counts(y).to_numpy().tolist() == [[8, 8], [2, 2]]


# -- scikit-learn and imbalanced-learn ------------------------------------------------------------


@parametrize_with_checks([BiasInducer(sensitive_features=one_group)])
def test_estimator_checks(estimator, check):
    check(estimator)


def test_clone_and_parameters():
    inducer = BiasInducer("stereotypical", target_group="f", f={"a": 0.5}, classes=["a", "b"])
    assert clone(inducer).get_params() == inducer.get_params()


def test_fitting_draws_nothing():
    X, y, groups = rows([(10, 10), (10, 10)])
    inducer = BiasInducer().fit(X, y, sensitive_features=groups)
    assert not hasattr(inducer, "sample_indices_")
    assert (inducer.expected_counts_ == 5).all(axis=None)
    assert inducer.n_features_in_ == 1


def test_step_of_an_imbalanced_learn_pipeline():
    pipeline = pytest.importorskip("imblearn.pipeline")
    from sklearn.dummy import DummyClassifier
    from sklearn.preprocessing import FunctionTransformer

    X = pd.DataFrame({"u": np.arange(40.0), "sex": ["f", "m"] * 20})
    y = np.repeat(["a", "b"], 20)
    inducer = BiasInducer(target_group="f", f={"a": 1.0, "b": -1.0}, kind="stereotypical")
    inducer.set_params(sensitive_features="sex", random_state=0)
    pipe = pipeline.Pipeline(
        [("induce", inducer), ("same", FunctionTransformer()), ("model", DummyClassifier())]
    ).fit(X, y)
    assert pipe["induce"].expected_counts_.to_numpy().tolist() == [[10, 0], [0, 10]]
    assert pipe["model"].class_prior_.tolist() == [0.5, 0.5]
    assert pipe.predict(X).shape == (40,)


def test_imbalanced_learn_routes_groups_to_it():
    pipeline = pytest.importorskip("imblearn.pipeline")
    import sklearn
    from sklearn.dummy import DummyClassifier

    X, y, groups = rows([(10, 10), (10, 10)])
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = pipeline.make_pipeline(BiasInducer(target_group="f", f=1.0), DummyClassifier())
        pipe.fit(X, y, sensitive_features=groups)
    assert pipe[0].expected_counts_.to_numpy().tolist() == [[10, 10], [0, 0]]


# -- bad input ----------------------------------------------------------------------------------


def refuse(message, inducer, sizes=((10, 10), (10, 10)), **changes):
    X, y, groups = rows(sizes)
    given = {"X": X, "y": y, "sensitive_features": groups} | changes
    with pytest.raises(ValueError, match=message):
        inducer.fit_resample(given["X"], given["y"], sensitive_features=given["sensitive_features"])


def test_cells_without_rows_are_named_with_the_remedy():
    message = (
        r"^BiasInducer: there are no rows of class 'b' in group 'm'; name those that have rows "
        r"with groups= and classes=$"
    )
    refuse(message, BiasInducer(), sizes=[(10, 10), (10, 0)])


def test_many_cells_without_rows_are_counted():
    y = np.array(list("abcdefg") + ["a"])
    groups = np.array(["f"] * 7 + ["m"])
    message = (
        "no rows of class 'b' in group 'm', class 'c' in group 'm', class 'd' in group 'm' and 3 "
        "more cells;"
    )
    refuse(message, BiasInducer(), X=y, y=y, sensitive_features=groups)


def test_too_few_rows_for_one_a_cell():
    message = (
        r"^BiasInducer: class 'b' has 1 rows of group 'm', too few for one a cell when 2 groups "
        r"are balanced; leave out that class with classes=, or groups with groups=$"
    )
    refuse(message, BiasInducer(), sizes=[(10, 10), (10, 1)])
    refuse(r"leave out such classes \('a', 'b'\)", BiasInducer(), sizes=[(10, 10), (1, 1)])


@pytest.mark.parametrize("f", [1.1, -1.0001, float("nan"), "0.5", None, True, [0.5]])
def test_factors_out_of_range(f):
    refuse(
        r"^BiasInducer: f must be a number in \[-1, 1\]; got ", BiasInducer(target_group="f", f=f)
    )


def test_factors_of_classes_out_of_range():
    inducer = BiasInducer("stereotypical", target_group="f", f={"a": 0.0, "b": 2})
    refuse(r"^BiasInducer: f\['b'\] must be a number in \[-1, 1\]; got 2$", inducer)


@pytest.mark.parametrize(
    ("inducer", "message"),
    [
        (
            BiasInducer(target_group="x", f=0.1),
            r"^BiasInducer: target_group 'x' does not occur; there are 'f', 'm'$",
        ),
        (BiasInducer(target_group="x"), "target_group 'x' does not occur"),
        (BiasInducer(groups=["f", "x"]), r"group 'x' does not occur; there are 'f', 'm'$"),
        (BiasInducer(classes=["a", "z"]), r"class 'z' does not occur; there are 'a', 'b'$"),
        (BiasInducer(groups=["f", "f"]), "groups names 'f' twice"),
        (BiasInducer(groups="fm"), "groups must list at least one label; got 'fm'"),
        (BiasInducer(classes=[]), r"classes must list at least one label; got \[\]"),
        (
            BiasInducer("stereotypical", target_group="f", f=0.2, target_classes=["z"]),
            r"class 'z' does not occur; there are 'a', 'b'$",
        ),
        (
            BiasInducer("stereotypical", target_group="f", f={"z": 0.2}),
            r"class 'z' does not occur; there are 'a', 'b'$",
        ),
        (
            BiasInducer(f=0.5),
            "^BiasInducer: target_group is None; name the group whose share f sets, one of 'f'",
        ),
        (
            BiasInducer("stereotypical", target_group="f", f=0.5),
            "must list the classes that kind='stereotypical' biases, out of 'a', 'b'; got None",
        ),
        (
            BiasInducer("stereotypical", target_group="f", f=0.5, target_classes="a"),
            "target_classes must list the classes",
        ),
        (
            BiasInducer("stereotypical", target_group="f", f={"a": 1}, target_classes=["b"]),
            "f names the classes 'a', and target_classes 'b'; give one of the two",
        ),
        (BiasInducer(target_group="f", f={"a": 1}), "go with kind='stereotypical'"),
        (BiasInducer(target_group="f", f=1, target_classes=["a"]), "go with kind='stereotypical'"),
        (
            BiasInducer("historical"),
            r"kind must be one of \('representational', 'stereotypical'\); got 'historical'",
        ),
        (
            BiasInducer(rounding="up"),
            r"rounding must be one of \('floor', 'largest_remainder'\); got 'up'",
        ),
        (BiasInducer(groups=["f"], target_group="f", f=0.5), "'f' is the only group"),
        (BiasInducer(random_state="x"), "random_state must be None, an integer"),
    ],
)
def test_bad_parameters(inducer, message):
    refuse(message, inducer)


HALVES = pd.DataFrame(0.5, index=["f", "m"], columns=["a", "b"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"proportions": HALVES * 1.1}, "proportions of class 'a' sum to 1.1; those of every"),
        (
            {"proportions": HALVES - np.array([[1, 0], [-1, 0]])},
            r"proportions must be numbers in \[0, 1\]",
        ),
        ({"proportions": HALVES * np.nan}, r"proportions must be numbers in \[0, 1\]"),
        (
            {"proportions": HALVES[["a"]]},
            "proportions have no class 'b'; add it, or leave its rows out with classes=",
        ),
        ({"proportions": HALVES.loc[["f"]]}, "proportions have no group 'm'"),
        (
            {"proportions": HALVES.rename(index={"f": "F"})},
            "proportions have no group 'f'; add it, or leave its rows out with groups=",
        ),
        (
            {"proportions": pd.concat([HALVES, HALVES.rename(index=str.upper)])},
            "group in proportions: 'F' does not occur",
        ),
        (
            {"proportions": pd.concat([HALVES, HALVES.loc[["f"]]])},
            "^BiasInducer: proportions name group 'f' twice; give it once$",
        ),
        (
            {"proportions": HALVES[["a", "b", "a"]]},
            "^BiasInducer: proportions name class 'a' twice; give it once$",
        ),
        (
            {"proportions": [[0.5, 0.5]]},
            r"must be a DataFrame of groups x classes, an array of shape \(2, 2\), or .* got list",
        ),
        ({"proportions": {"a": 0.5}}, "or a dict of class -> dict of group -> share; got dict"),
        ({"proportions": [["x", 0.5], [0.5, 0.5]]}, "proportions must be numbers"),
        ({"proportions": HALVES, "target_group": "f"}, "give one or the other"),
        ({"proportions": HALVES, "f": 0.2}, "give one or the other"),
    ],
)
def test_bad_proportions(options, message):
    refuse(message, BiasInducer(**options))


def test_labels_of_another_type_are_told_apart():
    y, groups = np.tile([0, 1], 10), np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match=r"'1' does not occur as str '1'; there it is int 1$"):
        BiasInducer(target_group="1", f=0.2).expected_counts(y, groups)


def test_missing_groups_are_refused():
    _, _, groups = rows([(10, 10), (10, 10)])
    broken = groups.astype(object)
    broken[[1, 5]] = [None, np.nan]
    refuse(
        r"^BiasInducer: sensitive_features: 2 of 40 values are missing; make them a group of their "
        r"own, as with \.fillna\('\(missing\)'\), or leave those rows out$",
        BiasInducer(),
        sensitive_features=broken,
    )
    named = pd.DataFrame({"age": np.resize([1.0, 2.0], 40), "sex": broken})
    refuse("sensitive_features 'sex': 2 of 40", BiasInducer(), sensitive_features=named)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "BiasInducer requires y to be passed, but the target y is None"),
        ([0, None] * 20, "BiasInducer: y: 20 of 40 values are missing; leave"),
        ([0.0, np.nan] * 20, "y: 20 of 40 values are missing"),
        ([0.0, np.inf] * 20, "y holds infinite values; pass class labels"),
        ([0.5, 1.0] * 20, "y holds continuous values, as 0.5; pass class labels"),
        ([0, 1] * 10, "X has 40 rows; y has 20"),
        (np.zeros((40, 2)), "y must be one-dimensional; got 2 columns"),
        ([], "y is empty"),
    ],
)
def test_bad_labels(y, message):
    refuse(message, BiasInducer(), y=y)


def test_groups_of_other_rows_are_refused():
    refuse(
        "sensitive_features as passed has 3 rows; X has 40",
        BiasInducer(),
        sensitive_features=[0, 1, 0],
    )
    X, _, groups = rows([(10, 10), (10, 10)])
    series = pd.Series(groups)
    refuse(
        "does not have the index of the data",
        BiasInducer(),
        X=pd.DataFrame(X, index=np.arange(40) + 7),
        sensitive_features=series,
    )
    refuse("was not told the protected attribute", BiasInducer(), sensitive_features=None)
