"""Population values against slow loops over the definitions, samples against the population."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from skfairprop.datasets import make_biased_classification

THREE = {
    "group_proportions": (0.5, 0.3, 0.2),
    "base_rates": [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.25, 0.25, 0.5]],
    "recalls": [[0.9, 0.8, 0.7], [0.6, 0.9, 0.8], [0.5, 0.5, 1.0]],
}


def sampled_table(bunch):
    groups = bunch.sensitive_features["group"]
    labels = sorted(groups.unique())
    table = np.zeros(bunch.population.shape)
    for group, label, predicted in zip(groups, bunch.target, bunch.prediction, strict=True):
        table[labels.index(group), label, predicted] += 1
    return table


def test_binary_population_by_hand():
    bunch = make_biased_classification(
        group_proportions=(0.75, 0.25),
        base_rates=(0.6, 0.2),
        recalls=([0.9, 0.8], [0.7, 0.5]),
        random_state=0,
    )
    expected = [
        [[0.75 * 0.4 * 0.9, 0.75 * 0.4 * 0.1], [0.75 * 0.6 * 0.2, 0.75 * 0.6 * 0.8]],
        [[0.25 * 0.8 * 0.7, 0.25 * 0.8 * 0.3], [0.25 * 0.2 * 0.5, 0.25 * 0.2 * 0.5]],
    ]
    np.testing.assert_allclose(bunch.population, expected, rtol=1e-15)
    np.testing.assert_array_equal(bunch.population, bunch.unbiased_population)
    # selection rates .4*.1 + .6*.8 = .52 and .8*.3 + .2*.5 = .34
    assert bunch.true_metrics == pytest.approx(
        {
            "cramers_v": math.sqrt(0.75 * 0.25 * 0.4**2 / (0.5 * 0.5)),
            "base_rate_difference": 0.4,
            "demographic_parity_difference": 0.18,
            "equal_opportunity_difference": 0.3,
            "false_positive_rate_difference": 0.2,
            "equalized_odds_difference": 0.3,
        }
    )


def test_label_bias_by_hand():
    bunch = make_biased_classification(
        base_rates=(0.5, 0.5), recalls=(1.0, 1.0), label_bias=(0.0, 0.4), random_state=0
    )
    # group 1: .5 stays 0, .2 is 1 recorded as 0 but predicted 1, .3 is recorded and predicted 1
    expected = [[[0.25, 0.0], [0.0, 0.25]], [[0.25, 0.1], [0.0, 0.15]]]
    np.testing.assert_allclose(bunch.population, expected, atol=1e-15)
    np.testing.assert_allclose(bunch.unbiased_population, [[[0.25, 0], [0, 0.25]]] * 2, atol=1e-15)
    known = bunch.true_metrics
    assert known["base_rate_difference"] == pytest.approx(0.2)
    assert known["demographic_parity_difference"] == pytest.approx(0.0)
    # a perfect model seems to select 2/7 of the negatives of group 1 wrongly
    assert known["equalized_odds_difference"] == pytest.approx(2 / 7)


def test_label_bias_moves_rows_to_class_0_only():
    bunch = make_biased_classification(5_000, **THREE, label_bias=(0.0, 0.5, 1.0), random_state=0)
    changed = bunch.target != bunch.unbiased_target
    assert set(bunch.target[changed]) == {0}
    groups = bunch.sensitive_features["group"]
    could = bunch.unbiased_target > 0
    assert not changed[groups == "g0"].any()
    assert changed[(groups == "g1") & could].mean() == pytest.approx(0.5, abs=0.05)
    assert changed[(groups == "g2") & could].all()


def test_three_groups_three_classes():
    bunch = make_biased_classification(**THREE, random_state=0)
    for g in range(3):
        for y in range(3):
            for p in range(3):
                recall = THREE["recalls"][g][y]
                share = recall if p == y else (1 - recall) / 2
                expected = THREE["group_proportions"][g] * THREE["base_rates"][g][y] * share
                assert bunch.population[g, y, p] == pytest.approx(expected, abs=1e-15)
    table = bunch.population.sum(axis=2)
    chi2 = 0.0
    for g in range(3):
        for y in range(3):
            independent = table[g].sum() * table[:, y].sum()
            chi2 += (table[g, y] - independent) ** 2 / independent
    assert bunch.true_metrics == {"cramers_v": pytest.approx(math.sqrt(chi2 / 2))}
    assert bunch.target_names == ["0", "1", "2"]


@pytest.mark.parametrize("options", [{}, THREE, {**THREE, "label_bias": (0.1, 0.2, 0.0)}])
def test_sample_agrees_with_population(options):
    n = 40_000
    bunch = make_biased_classification(n, **options, random_state=1)
    shares = sampled_table(bunch) / n
    error = np.sqrt(bunch.population * (1 - bunch.population) / n)
    assert (np.abs(shares - bunch.population) <= 4.5 * error).all()


@pytest.mark.parametrize("n", [1, 7, 100, 1_001])
def test_exact_sample_is_the_rounded_population(n):
    bunch = make_biased_classification(n, **THREE, exact=True, random_state=0)
    assert len(bunch.data) == n
    assert (np.abs(sampled_table(bunch) - n * bunch.population) < 1).all()


def test_exact_sample_has_the_known_metrics():
    """Every share is a multiple of 1/400, so the sample is the population."""
    bunch = make_biased_classification(
        400, base_rates=(0.6, 0.4), recalls=(0.9, 0.8), exact=True, random_state=0
    )
    groups = bunch.sensitive_features["group"]
    rates = bunch.prediction.groupby(groups).mean()
    known = bunch.true_metrics
    assert rates.max() - rates.min() == pytest.approx(known["demographic_parity_difference"])
    base = bunch.target.groupby(groups).mean()
    assert base.to_dict() == pytest.approx({"g0": 0.6, "g1": 0.4})
    recall = bunch.prediction[bunch.target == 1].groupby(groups[bunch.target == 1]).mean()
    assert recall.to_dict() == pytest.approx({"g0": 0.9, "g1": 0.8})


@pytest.mark.parametrize("strength", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("proportions", [(0.5, 0.5), (0.8, 0.1, 0.1), (0.1, 0.2, 0.3, 0.4)])
def test_proxy_strength_is_its_cramers_v(strength, proportions):
    n, k = 20_000, len(proportions)
    bunch = make_biased_classification(
        n,
        group_proportions=proportions,
        base_rates=[0.5] * k,
        recalls=[0.9] * k,
        proxy_strength=strength,
        random_state=3,
    )
    table = pd.crosstab(bunch.sensitive_features["group"], bunch.data["proxy"]).to_numpy()
    independent = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    v = math.sqrt(((table - independent) ** 2 / independent).sum() / n / (k - 1))
    assert v == pytest.approx(strength, abs=0.02)
    # the proxy depends on the class through the group alone
    np.testing.assert_allclose(table.sum(axis=0) / n, proportions, atol=0.015)


def test_largest_signal_is_the_prediction():
    bunch = make_biased_classification(500, **THREE, random_state=0)
    signals = bunch.data[["signal_0", "signal_1", "signal_2"]].to_numpy()
    assert bunch.prediction.tolist() == signals.argmax(axis=1).tolist()
    assert signals.mean() == pytest.approx(0.0, abs=0.1)
    assert signals.std() == pytest.approx(1.0, abs=0.1)


def test_a_model_of_the_signals_finds_the_prediction():
    bunch = make_biased_classification(
        4_000,
        base_rates=(0.5, 0.5),
        recalls=(0.95, 0.95),
        proxy_strength=0.0,
        random_state=0,
    )
    predicted = LogisticRegression().fit(bunch.data, bunch.target).predict(bunch.data)
    assert (predicted == bunch.prediction).mean() > 0.98


def test_columns_and_containers():
    options = {"n_noise": 3, "random_state": 0}
    bunch = make_biased_classification(50, **options)
    names = ["signal_0", "signal_1", "proxy", "noise_0", "noise_1", "noise_2"]
    assert list(bunch.data) == bunch.feature_names == names
    assert list(bunch.frame) == [*names, "target"]
    assert list(bunch.sensitive_features) == ["group"]
    assert (bunch.data.dtypes == "float64").all()
    X, y = make_biased_classification(50, **options, return_X_y=True)
    pd.testing.assert_frame_equal(X, bunch.data)
    pd.testing.assert_series_equal(y, bunch.target)
    arrays = make_biased_classification(50, **options, as_frame=False)
    np.testing.assert_array_equal(arrays.data, bunch.data)
    np.testing.assert_array_equal(arrays.target, bunch.target)
    np.testing.assert_array_equal(arrays.prediction, bunch.prediction)
    np.testing.assert_array_equal(arrays.unbiased_target, bunch.unbiased_target)
    pd.testing.assert_frame_equal(arrays.sensitive_features, bunch.sensitive_features)
    assert type(arrays.data) is type(arrays.target) is type(arrays.prediction) is np.ndarray
    assert arrays.frame is None


def test_without_noise_columns():
    assert make_biased_classification(10, n_noise=0).feature_names[-1] == "proxy"


def test_random_state():
    first = make_biased_classification(100, random_state=7)
    again = make_biased_classification(100, random_state=7)
    pd.testing.assert_frame_equal(first.frame, again.frame)
    other = make_biased_classification(100, random_state=8)
    assert not first.frame.equals(other.frame)
    for seed in (np.random.default_rng(0), np.random.RandomState(0), None):
        assert len(make_biased_classification(100, random_state=seed).data) == 100


@pytest.mark.parametrize("seed", [np.random.default_rng, np.random.RandomState])
def test_generators_are_used_up(seed):
    one, two = seed(0), seed(0)
    first = make_biased_classification(100, random_state=one).frame
    pd.testing.assert_frame_equal(first, make_biased_classification(100, random_state=two).frame)
    assert not first.equals(make_biased_classification(100, random_state=one).frame)


def test_rows_are_shuffled():
    bunch = make_biased_classification(200, exact=True, random_state=0)
    assert not bunch.sensitive_features["group"].is_monotonic_increasing
    assert bunch.target.head(100).nunique() == 2


@pytest.mark.filterwarnings("error")
def test_certain_classes_leave_rates_undefined_without_a_warning():
    bunch = make_biased_classification(100, base_rates=(1.0, 0.5), recalls=(1.0, 0.5))
    known = bunch.true_metrics
    assert known["equal_opportunity_difference"] == 0.5
    assert math.isnan(known["false_positive_rate_difference"])  # one group has negatives
    assert known["equalized_odds_difference"] == 0.5
    constant = make_biased_classification(100, base_rates=(1.0, 1.0))
    assert constant.true_metrics["cramers_v"] == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "n_samples must be an integer of at least 1; got 0"),
        ({"n_samples": 10.5}, "n_samples must be an integer of at least 1; got 10.5"),
        ({"n_noise": -1}, "n_noise must be an integer of at least 0; got -1"),
        (
            {"group_proportions": (0.5, 0.6)},
            r"group_proportions must sum to 1; got 1\.1",
        ),
        ({"group_proportions": (1.2, -0.2)}, "group_proportions must lie in"),
        (
            {"group_proportions": [1.0]},
            "group_proportions must have one value for each of at least",
        ),
        ({"group_proportions": [1.0, 0.0]}, "every group needs a share above 0"),
        (
            {"base_rates": (0.5, 0.5, 0.5)},
            r"base_rates must have shape \(2,\) or \(2, n_classes\)",
        ),
        ({"base_rates": (0.5, 1.5)}, "base_rates must lie in"),
        ({"base_rates": (0.5, float("nan"))}, "base_rates must lie in"),
        (
            {"base_rates": [[0.5, 0.4], [0.5, 0.5]]},
            "every row of base_rates must sum to 1",
        ),
        ({"base_rates": [[1.0], [1.0]]}, "at least two classes"),
        ({"recalls": (0.5, "high")}, "recalls must hold numbers"),
        ({"recalls": [[0.5] * 3] * 2}, r"recalls must have shape \(2,\) or \(2, 2\)"),
        ({"label_bias": (0.5,)}, r"label_bias must have shape \(2,\)"),
        ({"proxy_strength": 1.1}, "proxy_strength must be a number in"),
        ({"exact": "yes"}, "exact must be True or False"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        make_biased_classification(**options)
