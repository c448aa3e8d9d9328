"""The data of the benchmark, encoded as numbers, with a test split that no search sees."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NAMES = ("adult", "compas", "nc", "german")
_FILES = {
    "adult": "adult",
    "compas": "compas_two_years",
    "nc": "nc_recidivism_1980",
    "german": "german_credit",
}
ADULT_ROWS = 8_000
# Outcomes, scores of the audited tool, and columns that are known only after the outcome.
_DROPPED = {
    "adult": ["income", "fnlwgt"],
    "compas": [
        *("two_year_recid", "is_recid", "is_violent_recid", "propublica_filter", "age_cat"),
        *("decile_score", "score_text", "v_decile_score", "v_score_text", "c_charge_desc"),
        "days_b_screening_arrest",
    ],
    "nc": ["recid", "time_to_return", "follow_months", "sample"],
    "german": ["credit"],
}
_SMALLEST_GROUP = 100
AGE_CUTS = [0, 30, 45, 60, 200]


@dataclass
class Task:
    """Rows to search on (``dev``) and rows to test on.

    X are frames of float, y is 1 for the favourable class, and groups are texts.
    """

    name: str
    seed: int
    X: pd.DataFrame
    y: pd.Series
    group: pd.Series
    X_test: pd.DataFrame
    y_test: pd.Series
    group_test: pd.Series

    def folds(self, n: int = 3) -> list:
        """Folds that are the same for every method, with all groups and classes in each."""
        strata = self.group + self.y.astype(str)
        small = strata.map(strata.value_counts()) < n
        strata = strata.where(~small, self.y.astype(str))
        splitter = StratifiedKFold(n, shuffle=True, random_state=self.seed)
        return list(splitter.split(self.X, strata))


def load(name: str, folder: Path, seed: int, *, by: str | None = None, quick: bool = False) -> Task:
    """One task; ``by`` names another protected attribute of adult than sex."""
    path = folder / f"{_FILES[name]}.csv.gz"
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    if name == "compas":
        table = table[table["propublica_filter"] == 1]
    group = _group(name, table, by)
    kept = group.map(group.value_counts()) >= _SMALLEST_GROUP
    table, group = table[kept], group[kept]
    limit = 1_500 if quick else ADULT_ROWS if name == "adult" else None
    if limit is not None and len(table) > limit:
        table = table.sample(limit, random_state=seed)
    table = table.reset_index(drop=True)
    group = _group(name, table, by)
    y = _favourable(name, table)
    X = table.drop(columns=_DROPPED[name])
    strata = group + y.astype(str)
    dev, test = train_test_split(
        np.arange(len(X)), test_size=0.4, random_state=seed, stratify=strata
    )
    numeric = X.select_dtypes("number").columns
    encoder = make_column_transformer(
        (StandardScaler(), numeric),
        remainder=OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=20),
        sparse_threshold=0,
    ).fit(X.iloc[dev])
    parts = [
        (
            pd.DataFrame(encoder.transform(X.iloc[rows]), index=rows).rename(columns="x{}".format),
            y.iloc[rows],
            group.iloc[rows],
        )
        for rows in (np.sort(dev), np.sort(test))
    ]
    return Task(name, seed, *parts[0], *parts[1])


def _group(name: str, table: pd.DataFrame, by: str | None) -> pd.Series:
    if by == "age":
        ages = pd.cut(table["age"], AGE_CUTS, right=False, labels=["-29", "30-44", "45-59", "60-"])
        return ages.astype(str).rename("group")
    if by is not None:
        return table[by].rename("group")
    if name == "nc":
        return (table["race"] + ", " + table["sex"]).rename("group")
    return table["race" if name == "compas" else "sex"].rename("group")


def _favourable(name: str, table: pd.DataFrame) -> pd.Series:
    good = {
        "adult": ("income", ">50K"),
        "compas": ("two_year_recid", 0),
        "nc": ("recid", "not_returned"),
        "german": ("credit", "good"),
    }
    column, value = good[name]
    return (table[column] == value).astype(int).rename("y")
