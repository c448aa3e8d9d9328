"""Laws of the samplers, the weights and the estimators around them, on random tables of rows."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skfairprop.meta import DirectionalClassifier, ResampledClassifier, ReweightedClassifier
from skfairprop.preprocessing import BiasInducer, Reweighter, RowReplicator

GROUPS, CLASSES = list("abcd"), ["no", "yes", "maybe"]


def rows_of(sizes, seed=0):
    """Shuffled rows of a table of sizes, group x class: groups, classes and X."""
    sizes = np.asarray(sizes)
    group, y = (np.repeat(axis.ravel(), sizes.ravel()) for axis in np.indices(sizes.shape))
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    group, y = np.array(GROUPS)[group[order]], np.array(CLASSES)[y[order]]
    return group, y, np.column_stack([np.arange(len(y)), rng.normal(size=len(y))])


def tables(smallest=0, largest=12):
    """Sizes of cells: 2 to 4 groups x 2 or 3 classes."""
    shapes = st.tuples(st.integers(2, 4), st.integers(2, 3))
    return st.builds(
        lambda shape, seed: np.random.default_rng(seed).integers(smallest, largest + 1, shape),
        shapes,
        st.integers(0, 2**32 - 1),
    )


def count(group, y):
    return Counter(zip(np.asarray(group).tolist(), np.asarray(y).tolist(), strict=True))


def cells(frame):
    """A table of groups x classes as a Counter without its zeros."""
    return Counter(
        {(group, name): int(n) for name in frame for group, n in frame[name].items() if n}
    )


# -- BiasInducer ----------------------------------------------------------------------------------


@given(
    sizes=tables(smallest=4),
    f=st.floats(-1, 1),
    kind=st.sampled_from(["representational", "stereotypical"]),
    rounding=st.sampled_from(["floor", "largest_remainder"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_induced_rows_are_those_that_were_announced(sizes, f, kind, rounding, seed):
    group, y, X = rows_of(sizes, seed)
    biased = {"target_classes": ["yes"]} if kind == "stereotypical" else {}
    inducer = BiasInducer(
        kind, target_group="b", f=f, rounding=rounding, random_state=seed % 1000, **biased
    )
    expected = inducer.expected_counts(y, group)
    X_new, y_new = inducer.fit_resample(X, y, sensitive_features=group)
    kept = inducer.sample_indices_
    assert np.all(np.diff(kept) > 0)  # ascending, none twice
    assert len(kept) == 0 or (kept[0] >= 0 and kept[-1] < len(y))
    np.testing.assert_array_equal(X_new, X[kept])
    np.testing.assert_array_equal(y_new, y[kept])
    assert count(group[kept], y_new) == cells(expected)
    # the shares, cell by cell: of n rows, those of the smallest group of the class
    n_groups, smallest = len(sizes), Counter(sizes.min(0).tolist())
    share = ((f + 1) / 2) ** math.log2(n_groups)
    for name, column in expected.items():
        n = int(sizes[:, CLASSES.index(name)].min())
        here = share if kind == "representational" or name == "yes" else 1 / n_groups
        assert abs(column["b"] - here * n) <= 1 + 1e-6
        assert column.sum() <= n
        if rounding == "largest_remainder":
            assert column.sum() == n
    assert sum(smallest.values()) == len(expected.columns)


@given(sizes=tables(smallest=4), seed=st.integers(0, 999), fs=st.tuples(*[st.floats(0, 1)] * 2))
def test_more_bias_keeps_fewer_of_the_same_rows(sizes, seed, fs):
    group, y, X = rows_of(sizes, seed)
    kept = []
    for f in sorted(fs):
        inducer = BiasInducer(target_group="a", f=f, random_state=seed)
        inducer.fit_resample(X, y, sensitive_features=group)
        kept.append(set(inducer.sample_indices_))
    of_others = set(np.flatnonzero(group != "a"))
    assert kept[1] & of_others <= kept[0] & of_others
    assert kept[0] - of_others <= kept[1] - of_others


@given(sizes=tables(smallest=4), seed=st.integers(0, 999))
def test_names_do_not_matter_to_what_is_kept(sizes, seed):
    group, y, _ = rows_of(sizes, seed)
    expected = BiasInducer(target_group="a", f=0.5).expected_counts(y, group).to_numpy()
    names = dict(zip(GROUPS, ["p", "q", "r", "s"], strict=True))
    renamed = BiasInducer(target_group="p", f=0.5).expected_counts(
        y, pd.Series(group).map(names).to_numpy()
    )
    np.testing.assert_array_equal(renamed.to_numpy(), expected)


# -- Reweighter -----------------------------------------------------------------------------------


def weighted_table(group, y, weight):
    frame = pd.DataFrame({"group": group, "y": y, "w": weight})
    return frame.pivot_table(index="group", columns="y", values="w", aggfunc="sum").to_numpy()


@given(sizes=tables(smallest=1), seed=st.integers(0, 999), exponent=st.integers(-140, 140))
def test_reweighed_groups_and_classes_are_independent(sizes, seed, exponent):
    group, y, X = rows_of(sizes, seed)
    own = np.random.default_rng(seed).integers(1, 4, len(y)) * 10.0**exponent
    reweighter = Reweighter().fit(X, y, sensitive_features=group, sample_weight=own)
    weight = reweighter.sample_weight_ / 10.0**exponent
    table = weighted_table(group, y, weight)
    shares = table / table.sum()
    np.testing.assert_allclose(shares, np.outer(shares.sum(1), shares.sum(0)), atol=1e-12)
    assert weight.sum() == pytest.approx(own.sum() / 10.0**exponent)
    before = weighted_table(group, y, own / 10.0**exponent)
    np.testing.assert_allclose(table.sum(0), before.sum(0))  # the margins stay as well
    np.testing.assert_allclose(table.sum(1), before.sum(1))
    n = weight.sum() ** 2 / (weight**2).sum()
    assert reweighter.effective_sample_size_ == pytest.approx(n)


@given(sizes=tables(smallest=1), seed=st.integers(0, 999))
def test_weights_follow_the_rows(sizes, seed):
    group, y, X = rows_of(sizes, seed)
    weight = Reweighter().fit(X, y, sensitive_features=group).sample_weight_
    order = np.random.default_rng(seed).permutation(len(y))
    moved = pd.Series(group).iloc[order]  # with an index that tells where each row is
    by_index = Reweighter().fit(pd.DataFrame(X), pd.Series(y), sensitive_features=moved)
    np.testing.assert_array_equal(by_index.sample_weight_, weight)
    shuffled = Reweighter().fit(X[order], y[order], sensitive_features=group[order])
    np.testing.assert_allclose(shuffled.sample_weight_, weight[order])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", ["reweighing", "replication"])
@given(sizes=tables(), seed=st.integers(0, 999))
def test_weights_of_any_table_are_finite(method, sizes, seed):
    sizes[0, 0], sizes[-1, -1] = 3, 3
    group, y, X = rows_of(sizes, seed)
    options = {"empty_cells": "ignore", "pos_label": "yes" if "yes" in y else "maybe"}
    reweighter = Reweighter(method, **options)
    weight = reweighter.fit(X, y, sensitive_features=group).sample_weight_
    assert np.isfinite(weight).all()
    assert (weight >= 0).all()
    found = reweighter.weight_table_.notna()
    assert cells(found) == Counter(dict.fromkeys(count(group, y), 1))
    clipped = Reweighter(method, clip=2, **options)
    weight = clipped.fit(X, y, sensitive_features=group).sample_weight_
    assert (weight >= 0.5).all()
    assert (weight <= 2).all()


# -- RowReplicator --------------------------------------------------------------------------------


@given(sizes=tables(smallest=1), seed=st.integers(0, 999))
def test_cells_are_replicated_to_their_weight(sizes, seed):
    group, y, X = rows_of(sizes, seed)
    replicator = RowReplicator(random_state=seed)
    X_new, y_new = replicator.fit_resample(X, y, sensitive_features=group)
    rows = replicator.sample_indices_
    assert np.all(np.diff(rows) >= 0)
    np.testing.assert_array_equal(X_new, X[rows])
    np.testing.assert_array_equal(y_new, y[rows])
    weight = Reweighter().fit(X, y, sensitive_features=group).sample_weight_
    found, wanted = count(group[rows], y_new), Counter()
    for g, c, w in zip(group.tolist(), y.tolist(), weight, strict=True):
        wanted[g, c] += w
    assert all(abs(found[cell] - wanted[cell]) < 1 + 1e-6 for cell in wanted)
    times = np.bincount(rows, minlength=len(y))
    assert np.all(np.abs(times - weight) < 1 + 1e-6)
    assert abs(len(rows) - len(y)) <= 1


# -- estimators around estimators -----------------------------------------------------------------

INNER = [
    LogisticRegression(),
    GaussianNB(),
    DecisionTreeClassifier(random_state=0),
    SGDClassifier(loss="log_loss", random_state=0),
]
every_inner = pytest.mark.parametrize("inner", INNER, ids=lambda e: type(e).__name__)


def scores(model, X):
    return model.predict_proba(X)


@every_inner
@given(sizes=tables(smallest=3), seed=st.integers(0, 999))
def test_no_strength_is_the_plain_estimator(inner, sizes, seed):
    group, y, X = rows_of(sizes, seed)
    X = X[:, 1:]
    model = ReweightedClassifier(inner, strength=0).fit(X, y, sensitive_features=group)
    np.testing.assert_array_equal(scores(model, X), scores(inner.fit(X, y), X))
    own = np.random.default_rng(seed).random(len(y))
    model.fit(X, y, sensitive_features=group, sample_weight=own)
    np.testing.assert_array_equal(scores(model, X), scores(inner.fit(X, y, sample_weight=own), X))


@every_inner
@given(sizes=tables(smallest=3), seed=st.integers(0, 999))
def test_passthrough_is_the_plain_estimator(inner, sizes, seed):
    group, y, X = rows_of(sizes, seed)
    X = X[:, 1:]
    model = ResampledClassifier(inner, "passthrough").fit(X, y, sensitive_features=group)
    np.testing.assert_array_equal(scores(model, X), scores(inner.fit(X, y), X))


@every_inner
@given(sizes=tables(smallest=3), seed=st.integers(0, 999))
def test_the_task_of_a_directional_classifier_is_the_plain_estimator(inner, sizes, seed):
    group, y, X = rows_of(sizes, seed)
    X = X[:, 1:]
    model = DirectionalClassifier(inner).fit(X, y, sensitive_features=group)
    np.testing.assert_array_equal(scores(model, X), scores(inner.fit(X, y), X))
    codes = pd.Categorical(group).codes
    expected = np.array(sorted(set(group)))[inner.fit(X, codes).predict(X)]
    np.testing.assert_array_equal(model.predict_attribute(X), expected)


INNER_NB = GaussianNB()
WRAPPED = {
    "reweighted": lambda s: ReweightedClassifier(INNER_NB, sensitive_features=s),
    "by its reweighter": lambda s: ReweightedClassifier(INNER_NB, Reweighter(sensitive_features=s)),
    "induced": lambda s: ResampledClassifier(
        INNER_NB, BiasInducer(sensitive_features=s, random_state=0)
    ),
    "replicated": lambda s: ResampledClassifier(
        INNER_NB, RowReplicator(random_state=0), sensitive_features=s
    ),
    "directional": lambda s: DirectionalClassifier(INNER_NB, sensitive_features=s),
}


@pytest.mark.parametrize("wrap", WRAPPED)
@given(sizes=tables(smallest=4), seed=st.integers(0, 999))
def test_an_indexed_series_finds_its_rows_whatever_their_order(wrap, sizes, seed):
    group, y, X = rows_of(sizes, seed)
    rng = np.random.default_rng(seed)
    index = pd.Index(rng.permutation(10 * len(y))[: len(y)], name="id")
    X = pd.DataFrame({"x": X[:, 1]}, index=index)
    of_rows = pd.Series(group, index=index)
    elsewhere = pd.concat([of_rows, pd.Series(["b"], index=[-1])]).sample(frac=1, random_state=seed)
    expected = WRAPPED[wrap](of_rows).fit(X, y)
    found = WRAPPED[wrap](elsewhere).fit(X, y)
    np.testing.assert_array_equal(scores(found, X), scores(expected, X))
    if isinstance(found, DirectionalClassifier):
        np.testing.assert_array_equal(found.predict_attribute(X), expected.predict_attribute(X))
