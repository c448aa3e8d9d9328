import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import kstest

from skfairprop.explain import Perturbation

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3)) * [1, 5, 0.1] + [0, 10, 0]
FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 50] * 25,
        "sex": ["f", "m", "f", "f"] * 25,
        "city": pd.Categorical(["x", "y", "z", "x"] * 25),
    }
)


def test_noise_has_the_spread_of_the_column():
    p = Perturbation(n_perturbations=50, sigma=0.3, mask_probability=0, random_state=0).fit(X)
    steps = (p.perturb(X) - np.repeat(X, 50, axis=0)) / (0.3 * X.std(axis=0))
    for column in steps.T:
        assert kstest(column, "norm").pvalue > 0.01
    assert np.abs(np.corrcoef(steps.T) - np.eye(3)).max() < 0.03


def test_masks_set_the_mean_and_carry_no_noise():
    p = Perturbation(n_perturbations=20, mask_probability=0.3, random_state=0).fit(X)
    assert np.allclose(p.baseline_, X.mean(axis=0))
    masked = p.perturb(X) == p.baseline_
    assert np.abs(masked.mean(axis=0) - 0.3).max() < 0.03


def test_noise_on_masked_is_the_printed_formula():
    options = {"n_perturbations": 20, "mask_probability": 0.3, "random_state": 0}
    p = Perturbation(**options).fit(X)
    plain = p.perturb(X)
    printed = Perturbation(noise_on_masked=True, **options).fit(X).perturb(X)
    noise = Perturbation(**{**options, "mask_probability": 0.0}).fit(X).perturb(X) - np.repeat(
        X, 20, axis=0
    )
    masked = plain == p.baseline_
    assert np.allclose(printed, np.where(masked, p.baseline_ + noise, plain))


def test_everything_masked():
    p = Perturbation(n_perturbations=2, mask_probability=1).fit(FRAME)
    out = p.perturb(FRAME[:3])
    assert out["age"].eq(35.0).all()
    assert out["sex"].eq("f").all()
    assert out["city"].eq("x").all()


def test_labels_get_no_noise():
    out = Perturbation(mask_probability=0, random_state=0).fit(FRAME).perturb(FRAME)
    assert out["sex"].tolist() == np.repeat(FRAME["sex"], 10).tolist()
    assert out["city"].dtype == FRAME["city"].dtype
    assert not out["age"].isin(FRAME["age"]).any()


def test_declared_labels_get_no_noise():
    p = Perturbation(categorical_features=["age"], mask_probability=0.5, random_state=0)
    out = p.fit(FRAME).perturb(FRAME)
    assert out["age"].dtype == FRAME["age"].dtype
    assert out["age"].isin(FRAME["age"]).all()


def test_resampled_labels_follow_the_background():
    p = Perturbation(
        n_perturbations=40, mask_probability=1, categorical="resample", random_state=0
    ).fit(FRAME)
    share = p.perturb(FRAME)["city"].value_counts(normalize=True)
    assert abs(share["x"] - 0.5) < 0.03
    assert abs(share["y"] - 0.25) < 0.03
    assert p.perturb(FRAME)["age"].eq(35.0).all()


def test_rows_come_in_order_with_the_original_first():
    p = Perturbation(n_perturbations=3, random_state=0).fit(FRAME)
    with_original = p.perturb(FRAME[:5], original=True)
    assert len(with_original) == 20
    pd.testing.assert_frame_equal(
        with_original[::4].reset_index(drop=True), FRAME[:5].astype({"age": float})
    )
    rest = with_original.drop(index=range(0, 20, 4)).reset_index(drop=True)
    pd.testing.assert_frame_equal(rest, p.perturb(FRAME[:5]))


def test_same_seed_same_neighbours_whatever_was_asked_before():
    one = Perturbation(random_state=3).fit(X)
    one.perturb(X[:7])
    assert (one.perturb(X) == Perturbation(random_state=3).fit(X).perturb(X)).all()


def test_more_rows_do_not_change_the_first_ones():
    p = Perturbation(random_state=0).fit(X)
    assert (p.perturb(X)[:50] == p.perturb(X[:5])).all()


def test_unseeded_draws_differ_but_each_is_repeated():
    one, two = Perturbation().fit(X), Perturbation().fit(X)
    assert (one.perturb(X) == one.perturb(X)).all()
    assert (one.perturb(X) != two.perturb(X)).any()


def test_missing_numbers_stay_missing_unless_masked():
    holes = X.copy()
    holes[::2, 0] = np.nan
    p = Perturbation(n_perturbations=20, mask_probability=0.25, random_state=0).fit(holes)
    assert np.isclose(p.baseline_[0], X[1::2, 0].mean())
    assert np.isclose(p.sd_[0], X[1::2, 0].std())
    out = p.perturb(holes)
    assert abs(np.isnan(out[:, 0]).mean() - 0.5 * 0.75) < 0.02
    assert not np.isnan(out[:, 1:]).any()


def test_constant_columns_stay():
    flat = np.column_stack([X[:, 0], np.full(300, 5.0)])
    assert (Perturbation().fit(flat).perturb(flat)[:, 1] == 5).all()


def test_column_that_is_all_missing():
    holes = X.copy()
    holes[:, 2] = np.nan
    assert np.isnan(Perturbation().fit(holes).perturb(holes)[:, 2]).all()


def test_containers_stay():
    assert Perturbation().fit(X).perturb(X.astype(np.float32)).dtype == np.float32
    out = Perturbation(random_state=0).fit(X).perturb(sparse.csr_array(X))
    assert sparse.issparse(out)
    assert np.allclose(out.toarray(), Perturbation(random_state=0).fit(X).perturb(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sigma": 0.0}, "sigma must be a number above 0; got 0.0"),
        ({"sigma": -1.0}, "sigma must be a number above 0; got -1.0"),
        ({"sigma": np.inf}, "sigma must be a finite number above 0"),
        ({"mask_probability": 1.5}, "mask_probability must be a number in .0, 1.; got 1.5"),
        ({"n_perturbations": 0}, "n_perturbations must be an integer of at least 1; got 0"),
        ({"categorical": "noise"}, "categorical must be"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        Perturbation(**options).fit(X)


def test_other_columns_are_refused():
    with pytest.raises(ValueError, match="X has 2 columns and the background 3"):
        Perturbation().fit(X).perturb(X[:, :2])
