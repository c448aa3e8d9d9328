"""Resampled rows: against the textbook, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skfairprop.inference import resample_rows

SEX = np.repeat(["f", "m"], [60, 90])


def scores(shift=0.5, seed=0):
    return np.random.default_rng(seed).normal(size=150) + shift * (SEX == "m")


def difference(score, sex):
    return score[sex == "m"].mean() - score[sex == "f"].mean()


def test_a_difference_of_means_has_its_textbook_interval():
    score = scores()
    found = resample_rows(difference, score, SEX, within=SEX, n_draws=2000, random_state=0)
    variances = [score[s == SEX].var() / np.sum(s == SEX) for s in "fm"]
    half = 1.96 * np.sqrt(sum(variances))
    assert found.value == pytest.approx(difference(score, SEX))
    assert found.value - found.lower == pytest.approx(half, rel=0.12)
    assert found.upper - found.value == pytest.approx(half, rel=0.12)
    assert (found.method, found.null, found.n_undefined) == ("rows", None, 0)
    assert np.isnan([found.p_value, found.corrected, found.null_mean]).all()


def test_every_draw_keeps_the_sizes_of_the_groups_and_the_rows_together():
    rows = np.arange(150)

    def check(row, sex):
        assert sex.tolist() == SEX.tolist()
        assert np.array_equal(SEX[row], sex)
        return float(len(set(row.tolist())))

    found = resample_rows(check, rows, SEX, within=SEX, n_draws=50, random_state=0)
    assert found.value == 150
    # 1 - 1/e of the rows are expected to occur
    assert found.lower == pytest.approx(95, abs=15)


def test_the_percentiles_miss_no_gap_and_are_the_shorter_interval():
    groups = np.repeat(np.arange(4), 50)
    score = np.random.default_rng(3).random(200)

    def gap(score):
        return np.ptp([score[groups == g].mean() for g in range(4)])

    given = {"within": groups, "n_draws": 200, "random_state": 0}
    percentile = resample_rows(gap, score, interval="percentile", **given)
    joined = resample_rows(gap, score, **given)
    assert 0 < percentile.lower <= percentile.value <= percentile.upper
    assert joined.lower < percentile.lower
    assert joined.upper >= percentile.upper


def test_the_same_for_the_same_seed():
    score = scores()
    first, again, other = (
        resample_rows(difference, score, SEX, within=SEX, n_draws=50, random_state=s)
        for s in (1, 1, 2)
    )
    assert repr(first) == repr(again) != repr(other)


def test_containers_come_back_in_their_kind():
    score = scores()
    found = []

    def keep(frame, matrix, values):
        found.append((frame, matrix, values))
        return frame["score"].sum() - matrix.sum() + sum(values) * 0

    resample_rows(
        keep,
        pd.DataFrame({"score": score}, index=range(150, 0, -1)),
        sparse.csr_matrix(score[:, None]),
        score.tolist(),
        within=pd.Series(SEX),
        n_draws=3,
        random_state=0,
    )
    for frame, matrix, values in found:
        assert isinstance(frame, pd.DataFrame)
        np.testing.assert_array_equal(matrix.toarray()[:, 0], values)
        np.testing.assert_array_equal(frame["score"], values)


def test_undefined_draws_are_counted():
    flag = np.zeros(150, dtype=int)
    flag[0] = 1  # drawn in 1 - (1 - 1/60)**60 = .635 of the samples of its group

    def rate(flag):
        return np.nan if flag.sum() == 0 else float(flag.mean())

    found = resample_rows(rate, flag, within=SEX, n_draws=1000, random_state=0)
    assert found.n_undefined == pytest.approx(365, abs=61)
    assert found.lower <= found.value <= found.upper


def test_infinite_draws_are_undefined():
    flag = np.zeros(150)
    flag[0] = 1.0  # drawn in .635 of the samples of its group

    def odds(flag):
        return np.inf if flag.sum() == 0 else float(1 / flag.sum())

    found = resample_rows(odds, flag, within=SEX, n_draws=1000, random_state=0)
    assert found.n_undefined == pytest.approx(365, abs=61)
    assert np.isfinite([found.lower, found.upper]).all()
    assert found.lower <= found.value <= found.upper


def test_an_infinite_value_has_no_interval():
    found = resample_rows(
        lambda row: np.inf if row[0] == 0 else 1.0,
        np.arange(150),
        within=np.arange(150),  # every group has one row, and never varies
        n_draws=10,
        random_state=0,
    )
    assert found.value == np.inf
    assert np.isnan([found.lower, found.upper]).all()
    assert not found.reliable
    assert found.reason == "the function is infinite"


def test_mostly_undefined_draws_leave_no_interval():
    row = np.arange(150)

    def only_as_they_are(row):
        return 1.0 if len(set(row.tolist())) == 150 else np.nan

    found = resample_rows(only_as_they_are, row, within=SEX, n_draws=20, random_state=0)
    assert found.value == 1
    assert np.isnan([found.lower, found.upper]).all()
    assert found.reason == "undefined on 20 of 20 replicates"
    assert not found.reliable
    nothing = resample_rows(lambda row: np.nan, row, within=SEX, n_draws=2, random_state=0)
    assert nothing.reason == "the function is undefined (NaN)"


def test_rows_without_a_group():
    within = SEX.astype(object)
    within[:10] = None
    with pytest.raises(ValueError, match="within: 10 of 150 values are missing"):
        resample_rows(np.mean, scores(), within=within)
    with pytest.warns(UserWarning, match="left out 10 of 150 rows"):
        found = resample_rows(
            np.mean, scores(), within=within, missing="drop", n_draws=20, random_state=0
        )
    assert found.value == pytest.approx(scores()[10:].mean())


@pytest.mark.parametrize(
    ("arrays", "changes", "message"),
    [
        ([], {}, "no arrays to resample"),
        ([np.arange(3)], {}, "different numbers of rows: array 0 has 3, within has 150"),
        ([np.arange(150)], {"confidence": 1}, "confidence must be a number in .0, 1."),
        ([np.arange(150)], {"n_draws": 0}, "n_draws must be an integer of at least 1"),
        ([np.arange(150)], {"interval": "tilted"}, "interval must be one of"),
        ([np.arange(150)], {"function": lambda x: x}, "return one number; it returned a ndarray"),
        ([np.arange(150)], {"function": lambda x: None}, "it returned a NoneType"),
    ],
)
def test_bad_input(arrays, changes, message):
    given = {"function": np.mean, "within": SEX} | changes
    function = given.pop("function")
    with pytest.raises(ValueError, match=message):
        resample_rows(function, *arrays, **given)
