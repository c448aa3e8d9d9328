"""
Reweight inside a pipeline, and search
======================================

A Pipeline cannot hand weights to its last step. A classifier around it can, and how much of the
reweighing to use becomes one more parameter of an ordinary search.
"""

import matplotlib.pyplot as plt
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfairprop import ReweightedClassifier, get_scorers
from skfairprop.datasets import load_adult

X, y = load_adult(return_X_y=True)
X = X.sample(4000, random_state=0)
y = y.loc[X.index]

# %%
# The protected column reaches the weights, not the model
# -------------------------------------------------------
#
# ``sex`` and ``race`` are dropped within the inner pipeline; the reweighter still finds them in X.

columns = make_column_transformer(
    ("drop", ["sex", "race"]),
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    (StandardScaler(), make_column_selector(dtype_include="number")),
)
model = ReweightedClassifier(
    make_pipeline(columns, LogisticRegression(max_iter=1000)), sensitive_features="sex"
)
scoring = {"balanced accuracy": "balanced_accuracy"} | get_scorers(
    ["demographic_parity_difference", "equal_opportunity_difference"],
    sensitive_features="sex",
    pos_label=">50K",
)
search = GridSearchCV(
    model,
    {"strength": [0.0, 0.25, 0.5, 0.75, 1.0]},
    scoring=scoring,
    refit="demographic_parity_difference",
    cv=3,
)
search.fit(X, y)

# %%
# What it costs
# -------------

figure, axes = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
strength = search.cv_results_["param_strength"].astype(float)
for ax, name in zip(axes, scoring, strict=True):
    value = abs(search.cv_results_[f"mean_test_{name}"])  # scores of bias are negated
    ax.plot(strength, value, "o-", color="#0072B2")
    ax.set(title=name.replace("_", " "), xlabel="strength", ylim=(0, 1.1 * value.max()))

# %%
# **When it misleads**: reweighing makes the *data* independent of the group, not the predictions.
# The gap need not fall, and where one falls another can rise. Folds of this size are noisy: judge
# the chosen model on rows the search has not seen.
