import pandas as pd

from skfairprop.datasets import load_german_credit


def test_counts():
    bunch = load_german_credit()
    assert bunch.target.value_counts().to_dict() == {"good": 700, "bad": 300}
    assert bunch.data.sex.value_counts().to_dict() == {"male": 690, "female": 310}
    assert bunch.data.isna().sum().sum() == 0


def test_texts_that_look_like_missing_values_are_kept():
    data = load_german_credit().data
    assert (data.other_debtors == "none").sum() == 907  # UCI's code A101
    assert (data.installment_plans == "none").sum() == 814  # A143


def test_age_groups_are_cut_after_25():
    bunch = load_german_credit()
    young = bunch.sensitive_features.age_group == "25 or under"
    assert bunch.data.age[young].max() == 25
    assert bunch.data.age[~young].min() == 26
    assert set(bunch.sensitive_features.age_group) == {"25 or under", "over 25"}
    assert young.sum() == 190


def test_description_warns_about_sex():
    assert "not recoverable" in load_german_credit().DESCR
    assert "not recoverable" in load_german_credit.__doc__


def test_good_credit_by_sex():
    """Hand count: 499 of 690 men and 201 of 310 women."""
    bunch = load_german_credit()
    table = pd.crosstab(bunch.sensitive_features.sex, bunch.target)
    assert table.loc["male", "good"] == 499
    assert table.loc["female", "good"] == 201
