"""
Accuracy against fairness: a front, and a choice
================================================

Which models can be had, and what does each cost? And does the chosen one keep on new data what it
promised in the search?
"""

from scipy.stats import loguniform, uniform
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfairprop import ReweightedClassifier
from skfairprop.datasets import load_adult
from skfairprop.inspection import ParetoDisplay
from skfairprop.metrics import demographic_parity_difference
from skfairprop.model_selection import UEFSearchCV

X, y = load_adult(return_X_y=True)
X, X_test, y, y_test = train_test_split(
    X, y, train_size=3000, test_size=6000, random_state=0, stratify=y
)
columns = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    (StandardScaler(), make_column_selector(dtype_include="number")),
)
plain = make_pipeline(columns, LogisticRegression(max_iter=1000))

# %%
# The space has a fairness lever
# ------------------------------
#
# ``strength`` says how much of the reweighing to use. Thresholds need not be in the space: they are
# swept inside every evaluation.

search = UEFSearchCV(
    ReweightedClassifier(plain, sensitive_features="sex"),
    {"strength": uniform(0, 1), "estimator__logisticregression__C": loguniform(1e-3, 10)},
    objectives=["balanced_accuracy", "demographic_parity_difference"],
    sensitive_features="sex",
    pos_label=">50K",
    n_evaluations=24,
    cv=3,
    random_state=0,
    verbose=False,
).fit(X, y)
search.pareto_front_.head().round(3)

# %%
# On rows that the search never saw
# ---------------------------------
#
# Scores, as everywhere in a search: a gap of .2 is -.2.

test = search.transfer(X_test, y_test, random_state=0)
test.round(3)

# %%
# The front, the chosen point, and the plain model
# ------------------------------------------------

predicted = plain.fit(X, y).predict(X_test)
unsearched = {
    "balanced_accuracy": balanced_accuracy_score(y_test, predicted),
    "demographic_parity_difference": demographic_parity_difference(
        y_test, predicted, sensitive_features=X_test["sex"], pos_label=">50K"
    ),
}
display = ParetoDisplay.from_estimator(
    search, test=test, others={"plain model, test rows": unsearched}
)

# %%
# **When it misleads**: the front is made of the luckiest candidates. The hollow diamond is the one
# to believe. See :doc:`/guide/trade_off`.
