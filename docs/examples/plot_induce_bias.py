"""
Induce bias of a known kind
===========================

How would the data look, and what would the model make of them, if fewer people of one group were in
them: everywhere, or in one class only?
"""

# %%
# Before anything is drawn
# ------------------------
#
# ``f`` is 0 for balance, -1 without the target group, 1 with nobody else.

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skfairprop import BiasInducer, bias_propagation
from skfairprop.datasets import load_nursery
from skfairprop.inspection import InductionCurveDisplay
from skfairprop.metrics import cramers_v, dsap_representational_bias

X, y = load_nursery(return_X_y=True)
kept = y.isin(["not_recom", "priority", "spec_prior"]) & X["form"].isin(["complete", "foster"])
X, y = X[kept], y[kept]

everywhere = BiasInducer("representational", target_group="foster", f=-0.6, random_state=0)
one_class = BiasInducer(
    "stereotypical", target_group="foster", target_classes=["priority"], f=-0.6, random_state=0
)
everywhere.expected_counts(y, X["form"])

# %%

one_class.expected_counts(y, X["form"])

# %%
# The two kinds show in different measures
# ----------------------------------------

found = {}
for name, inducer in {"everywhere": everywhere, "one class": one_class}.items():
    X_biased, y_biased = inducer.fit_resample(X, y, sensitive_features=X["form"])
    who = {"sensitive_features": X_biased["form"]}
    found[name] = {
        "representation": dsap_representational_bias(y_biased, **who),
        "association (V)": cramers_v(y_biased, **who),
    }
pd.DataFrame(found).round(3)

# %%
# What a model makes of it
# ------------------------
#
# Training data with more and more bias, test rows that stay as they are.

study = bias_propagation(
    make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()),
    X,
    y,
    sensitive_features=X["form"].rename("family"),
    inducer={"everywhere": everywhere, "one class": one_class},
    factors=[-0.8, -0.4, 0.0, 0.4, 0.8],
    n_repeats=4,
    random_state=0,
    verbose=False,
)
display = InductionCurveDisplay.from_propagation(
    study, kind="model", metrics=["demographic_parity", "term_by_term_equalized_odds"]
)

# %%
# Who is rare hardly matters to this model; who is *what* does.
#
# **When it misleads**: the data shrink as the bias grows, and a fair model is not at 0. See
# :doc:`/guide/more_bias`.
