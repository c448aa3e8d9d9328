"""Rows and models whose use of the features is known."""

import itertools

import numpy as np
import pandas as pd

# Small and quick; the defaults are what the slow tests take.
FAST = {"n_init": 1, "max_steps": 90, "hidden_layers": (20, 20), "random_state": 0}


def binary_grid(repeats=38):
    """The synthetic data of the paper: all 8 combinations of three binary features."""
    grid = np.array(list(itertools.product([0, 1], repeat=3)) * repeats)
    return pd.DataFrame(grid, columns=["fair", "biased", "unused"])


def people(n=240, seed=0):
    """Mixed columns: text, category, boolean, number, number with missing values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "region": pd.Categorical(rng.choice(list("nsw"), n)),
            "age": rng.integers(18, 80, n),
            "member": rng.random(n) < 0.4,
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.normal(30, 5, n)),
        },
        index=pd.RangeIndex(100, 100 + n),
    )
    y = ((X["age"] > 45) ^ (X["sex"] == "m")).astype(int)
    return X, y
