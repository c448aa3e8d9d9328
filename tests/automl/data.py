"""Biased data as AutoML tools take them."""

import pandas as pd

from skfairprop.datasets import load_adult, make_biased_classification


def problem(n=600, seed=0) -> tuple[pd.DataFrame, pd.Series]:
    """Features with the protected column "sex" among them, and classes "no" and "yes"."""
    data = make_biased_classification(n, base_rates=(0.7, 0.3), random_state=seed)
    people = data.sensitive_features["group"].map({"g0": "m", "g1": "f"}).to_numpy()
    X = data.data.assign(sex=people)
    X.index = pd.RangeIndex(1000, 1000 + n)
    return X, pd.Series(data.target.map({0: "no", 1: "yes"}).to_numpy(), index=X.index)


def adult(n=2000) -> tuple[pd.DataFrame, pd.Series]:
    """Rows of Adult, with texts as categories."""
    frame = load_adult().frame.sample(n, random_state=0)
    texts = frame.select_dtypes(["object", "string", "category"]).columns.drop("income")
    X = frame.drop(columns="income").astype(dict.fromkeys(texts, "category"))
    return X, (frame["income"] == ">50K").astype(int)
