"""
Are explanations equally stable for all groups?
===============================================

Nudge every row a little, explain it again, and see whose explanations move.
"""

# %%
# A model that treats one group's rows erratically
# ------------------------------------------------
#
# For group b the model reads a column through a fine-toothed step function: small changes of the
# input turn its reasons around.

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from skfairprop import mesd
from skfairprop.datasets import make_biased_classification
from skfairprop.inspection import ExplanationStabilityDisplay

data = make_biased_classification(600, random_state=0)
X, y = data.data, data.target
group = data.sensitive_features["group"]
X = X.assign(group=(group == group.iloc[0]).astype(float))
steady = LogisticRegression().fit(X, y)


def erratic(rows):
    """The same probabilities for the first group; teeth for the other."""
    rows = pd.DataFrame(rows, columns=X.columns)
    first = steady.predict_proba(rows)[:, 1]
    teeth = 0.5 + 0.45 * np.sign(np.sin(40 * rows.iloc[:, 0]))
    probability = np.where(rows["group"] > 0.5, first, teeth)
    return np.column_stack([1 - probability, probability])


# %%
# Compare
# -------
#
# The same rows, the same nudges, the same draws for both models. *By chance* is what dealing the
# rows to the groups at random would show.

options = {"sensitive_features": group, "n_samples": 80, "explainers": ("lime",), "random_state": 0}
found = {
    "logistic regression": mesd(steady, X, y, **options),
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
