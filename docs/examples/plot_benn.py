"""
What does each feature do to a black box?
=========================================

A model that never sees the group, and a column that gives it away.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from skfairprop.benn import BENNEstimator

# %%
# The group is dropped, its district is not
# -----------------------------------------
#
# Nine of ten people of a group live in its district.

rng = np.random.default_rng(0)
group = rng.integers(0, 2, 1200)
X = pd.DataFrame(
    {
        "group": group,
        "district": np.where(rng.random(1200) < 0.9, group, 1 - group),
        "skill": rng.normal(size=1200),
        "shoe_size": rng.normal(size=1200),
    }
)
hired = (X["skill"] + 1.5 * X["district"] + rng.normal(0, 0.3, 1200) > 0.75).astype(int)
blind = make_column_transformer(("drop", ["group"]), remainder="passthrough")
model = make_pipeline(blind, DecisionTreeClassifier(max_depth=4, random_state=0)).fit(X, hired)

# %%
# Ask the model, without labels
# -----------------------------

benn = BENNEstimator(model, n_init=2, max_steps=150, device="cpu", random_state=0).fit(X)
benn.summary()[["estimate", "sd", "direct", "total", "flip_any", "null"]].round(2)

# %%
# Direct and total effect
# -----------------------
#
# Direct: the feature alone is changed. Total: what goes along with it is changed as well. The group
# has no direct effect, and a total one: a proxy.

benn.proxies_.round(2)

# %%

table = benn.summary().loc[["group", "district", "skill", "shoe_size"]].iloc[::-1]
figure, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
place = np.arange(len(table))
ax.hlines(place, table["direct"], table["total"], color="#bbbbbb", lw=2)
ax.plot(table["direct"], place, "o", color="#0072B2", mfc="white", label="direct")
ax.plot(table["total"], place, "o", color="#0072B2", label="total")
ax.set_yticks(place, table.index)
ax.set(xlim=(-0.03, 1.03), xlabel="how far answers can be moved")
legend = ax.legend(frameon=False, loc="lower center")

# %%
# **When it misleads**: total is association, not causation, and no labels are used: gaps in error
# rates are invisible. See :doc:`/guide/features`.
