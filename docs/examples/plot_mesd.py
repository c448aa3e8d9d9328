"""
Are explanations equally stable for all groups?
===============================================

Nudge every row a little, explain it again, and see whose explanations move.
"""

# %%
# A model that treats the rows of one place erratically
# -----------------------------------------------------
#
# Group b lives in another place than a. There the second model reads the income through a
# fine-toothed function: small changes of the input turn its reasons around.

import numpy as np
import pandas as pd
from scipy.special import expit

from skfairprop import mesd
from skfairprop.inspection import ExplanationStabilityDisplay

rng = np.random.default_rng(0)
group = rng.choice(["a", "b"], 600)
X = pd.DataFrame(
    {
        "place": np.where(group == "a", -1, 1) + rng.normal(0, 0.2, 600),
        "income": rng.normal(size=600),
        "debt": rng.normal(size=600),
    }
)
y = (X["income"] - X["debt"] + rng.normal(size=600) > 0).astype(int)


def steady(rows):
    """Probabilities of a logistic model."""
    _, income, debt = np.asarray(rows).T
    return np.column_stack([expit(2 * debt - 2 * income), expit(2 * income - 2 * debt)])


def erratic(rows):
    """The same, with teeth in one place."""
    place, income, debt = np.asarray(rows).T
    teeth = np.where(place > 0, 3 * np.sign(np.sin(30 * income)), 0)
    score = 2 * income - 2 * debt + teeth
    return np.column_stack([expit(-score), expit(score)])


# %%
# Compare
# -------
#
# The same rows, the same nudges, the same draws for both models. *By chance* is what dealing the
# rows to the groups at random would show.

options = {"sensitive_features": group, "explainers": ("shap",), "random_state": 0}
found = {
    "steady": mesd(steady, X, y, **options),
    "erratic": mesd(erratic, X, y, **options),
}
pd.DataFrame(
    {
        name: {
            "MESD": result.value,
            "by chance": result.null_mean,
            "p": result.p_value,
            "instability of the worst group": result.worst_group_instability,
        }
        for name, result in found.items()
    }
).round(3)

# %%

display = ExplanationStabilityDisplay.from_result(found["erratic"])

# %%
# **When it misleads**: MESD is above 0 for a fair model and changes from draw to draw; stable is
# not the same as right. See :doc:`/guide/explanations`.
