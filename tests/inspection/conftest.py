"""Pictures are drawn without a screen, and closed."""

import warnings

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    """Close what a test drew, and see that it left the settings of matplotlib alone."""
    import matplotlib.pyplot as plt

    before = dict(matplotlib.rcParams)
    yield
    plt.close("all")
    assert dict(matplotlib.rcParams) == before


@pytest.fixture(scope="session")
def make_study():
    """A function that makes a propagation study from random counts."""
    from skfairprop import GroupCounts
    from skfairprop.model_selection import PropagationResult

    def make(experiments=("one", "two"), factors=(0.5, -0.5, 0.0)):
        rng = np.random.default_rng(0)
        n = 3 * len(factors) * len(experiments)
        labels = {"groups": ["a", "b"], "classes": ["x", "y", "z"]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some random tables leave a metric undefined
            return PropagationResult.from_counts(
                GroupCounts(rng.integers(5, 40, (n, 2, 3)), predicted=False, **labels),
                GroupCounts(rng.integers(5, 40, (n, 2, 3, 3)), **labels),
                f=np.tile(np.repeat(factors, 3), len(experiments)),
                repeat=np.tile([0, 1, 2], len(factors) * len(experiments)),
                experiment=np.repeat(experiments, 3 * len(factors)),
            )

    return make


@pytest.fixture(scope="session")
def study(make_study):
    """A study of two experiments, three factors and three repeats."""
    return make_study()
