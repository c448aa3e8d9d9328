"""RowReplicator: rows come as often as they weigh."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from skfairprop.preprocessing import Reweighter, RowReplicator
from tests.protected import one_group


def rows(sizes, groups=("f", "m"), classes=("a", "b")):
    y = np.concatenate([np.repeat(list(classes), row) for row in sizes])
    g = np.repeat(list(groups), [sum(row) for row in sizes])
    order = np.random.default_rng(3).permutation(len(y))
    return np.arange(len(y))[:, None], y[order], g[order]


@pytest.mark.parametrize("sizes", [[(30, 10), (10, 30)], [(31, 7), (13, 29), (5, 50)]])
def test_cells_have_the_rows_that_they_weigh(sizes):
    X, y, groups = rows(sizes, "fmx"[: len(sizes)])
    total = np.array(sizes)
    expected = total.sum(1, keepdims=True) * total.sum(0) / total.sum()
    for seed in range(20):
        replicator = RowReplicator(random_state=seed)
        X_new, y_new = replicator.fit_resample(X, y, sensitive_features=groups)
        kept = replicator.sample_indices_
        found = pd.crosstab(groups[kept], y_new).to_numpy()
        assert np.abs(found - expected).max() < 1
        np.testing.assert_array_equal(X_new[:, 0], kept)
        np.testing.assert_array_equal(y_new, y[kept])
        # every row as often as it weighs, rounded down or up
        times = np.bincount(kept, minlength=len(y))
        weights = replicator.reweighter_.sample_weight_
        assert (np.abs(times - weights) < 1).all()


def test_every_row_of_a_cell_has_the_same_chance():
    X, y, groups = rows([(30, 10), (10, 30)])
    times = np.zeros(80)
    for seed in range(400):
        replicator = RowReplicator(random_state=seed)
        replicator.fit_resample(X, y, sensitive_features=groups)
        times += np.bincount(replicator.sample_indices_, minlength=80)
    rare = ((groups == "f") & (y == "b")) | ((groups == "m") & (y == "a"))
    assert (times[rare] == 800).all()  # their weight is 2
    assert np.abs(times[~rare] / 400 - 2 / 3).max() < 5 * np.sqrt(2 / 9 / 400)


def test_the_reweighter_decides():
    X, y, groups = rows([(30, 10), (10, 30)], classes=(0, 1))
    replicator = RowReplicator(Reweighter("replication", threshold=0.0), random_state=0)
    _, y_new = replicator.fit_resample(X, y, sensitive_features=groups)
    kept = replicator.sample_indices_
    assert len(kept) > 80
    assert set(np.bincount(kept, minlength=80)) >= {1}
    share = pd.Series(y_new).groupby(groups[kept]).mean()
    np.testing.assert_allclose(share, 0.5, atol=0.02)


def test_columns_by_name_here_or_in_the_reweighter():
    X, y, groups = rows([(30, 10), (10, 30)])
    frame = pd.DataFrame({"u": X[:, 0], "sex": groups})
    results = [
        RowReplicator(sensitive_features="sex", random_state=0),
        RowReplicator(Reweighter(sensitive_features="sex"), random_state=0),
        RowReplicator(Reweighter(sensitive_features="u"), sensitive_features="sex", random_state=0),
    ]
    found = [r.fit_resample(frame, y)[0] for r in results]
    pd.testing.assert_frame_equal(found[0], found[1])
    pd.testing.assert_frame_equal(found[0], found[2])


def test_random_state():
    X, y, groups = rows([(30, 10), (10, 30)])

    def draw(random_state):
        replicator = RowReplicator(random_state=random_state)
        replicator.fit_resample(X, y, sensitive_features=groups)
        return replicator.sample_indices_.tolist()

    assert draw(0) == draw(0) == draw(np.random.default_rng(0)) != draw(1)
    assert draw(None) != draw(None)


def test_fitting_draws_nothing():
    X, y, groups = rows([(30, 10), (10, 30)])
    replicator = RowReplicator().fit(X, y, sensitive_features=groups)
    assert not hasattr(replicator, "sample_indices_")
    assert replicator.reweighter_.sample_weight_.shape == (80,)


@parametrize_with_checks([RowReplicator(sensitive_features=one_group)])
def test_estimator_checks(estimator, check):
    check(estimator)


def test_bad_input():
    X, y, groups = rows([(30, 10), (10, 0)])
    with pytest.raises(ValueError, match="there are no rows of class 'b' in group 'm'"):
        RowReplicator().fit_resample(X, y, sensitive_features=groups)
    with pytest.raises(ValueError, match="RowReplicator was not told the protected attribute"):
        RowReplicator().fit_resample(X, y)
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        RowReplicator().fit_resample(X, None, sensitive_features=groups)
