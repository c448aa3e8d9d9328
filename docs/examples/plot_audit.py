"""
An audit in Python
==================

Which groups does a credit model treat how, how sure is that, and what would chance alone give?
"""

# %%
# Out-of-fold predictions of an ordinary model
# --------------------------------------------

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfairprop import GroupCounts, fairness_report
from skfairprop.datasets import load_german_credit
from skfairprop.inspection import GapNullDisplay, GroupRatesDisplay, PropagationDisplay

credit = load_german_credit()
columns = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    (StandardScaler(), make_column_selector(dtype_include="number")),
)
model = make_pipeline(columns, LogisticRegression(max_iter=1000))
predicted = cross_val_predict(model, credit.data, credit.target)
credit.sensitive_features.value_counts()

# %%
# Every measure, with its interval and its chance level
# -----------------------------------------------------
#
# In a notebook the report shows itself; here is its first table. *p* belongs to one measure, *q*
# to all of them together.

report = fairness_report(
    credit.target,
    predicted,
    sensitive_features=credit.sensitive_features,
    pos_label="good",
    random_state=0,
)
both = report.metrics.loc[report.views[0].name]
both.loc[both["family"] == "classical", ["value", "lower", "upper", "chance", "p", "q"]].round(3)

# %%
# The rates behind them
# ---------------------
#
# A dot is a rate, the bar its interval; rates on fewer than 50 rows are marked.

counts = GroupCounts.from_arrays(
    credit.target, predicted, sensitive_features=credit.sensitive_features
)
display = GroupRatesDisplay.from_counts(counts, pos_label="good")

# %%
# Which gaps are more than chance?
# --------------------------------
#
# The grey band is what a model that treats the groups alike shows on data of this size.

display = GapNullDisplay.from_report(report)

# %%
# Did the data have it already?
# -----------------------------

display = PropagationDisplay.from_counts(counts, pos_label="good")

# %%
# As a check
# ----------
#
# A rule fires when what it says is true of the field that it names; *state* says whether that is
# settled.

report.check("demographic_parity_difference > 15%")

# %%
# ``report.to_html("report.html")`` writes the page, and ``skfairprop audit`` does all of this from
# a terminal.
#
# **When it misleads**: gaps contradict each other when base rates differ, and which of them matters
# is no question of statistics; see :doc:`/how_sure`.
