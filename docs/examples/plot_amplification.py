"""
Does the model amplify bias?
============================

Coloured digits, where the right answer is known, and then people.
"""

# %%
# A model that follows the colour
# -------------------------------
#
# Each digit has a colour of its own in a share alpha of its images; a share beta of the predictions
# goes by the colour.

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfairprop.datasets import load_german_credit, make_colored_digits
from skfairprop.inspection import AmplificationDisplay
from skfairprop.metrics import directional_predictability_amplification

digits = make_colored_digits(0.75, beta=0.3, n_per_digit=170, random_state=0)
figure, axes = plt.subplots(2, 10, figsize=(9, 2))
for ax, image in zip(axes.flat, digits.images, strict=False):
    ax.imshow(image)
    ax.set_axis_off()

# %%
# Measured, and by the formula
# ----------------------------

rows = []
for alpha in (0.25, 0.5, 0.75):
    for beta in (0.1, 0.3):
        digits = make_colored_digits(alpha, beta=beta, n_per_digit=170, random_state=0)
        value = directional_predictability_amplification(
            digits.target,
            digits.prediction,
            sensitive_features=digits.sensitive_features,
            method="crossfit",
            random_state=0,
        )
        exact = beta * (1 - alpha) / (2 * alpha + beta * (1 - alpha))
        rows.append({"alpha": alpha, "beta": beta, "measured": value, "formula": exact})
pd.DataFrame(rows).round(3)

# %%
# People
# ------
#
# Arrows that lead away from 0 strengthen an association of the data; what chance explains is pale.

credit = load_german_credit()
columns = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    (StandardScaler(), make_column_selector(dtype_include="number")),
)
model = make_pipeline(columns, LogisticRegression(max_iter=1000))
predicted = cross_val_predict(model, credit.data, credit.target)
display = AmplificationDisplay.from_predictions(
    credit.target, predicted, sensitive_features=credit.sensitive_features
)

# %%
# Here everyone is predicted "good" more often than they are: a change of the class, not of its
# association with a group.
#
# **When it misleads**: DPA rewards any concentration of the predictions; see
# :doc:`/guide/amplification`.
