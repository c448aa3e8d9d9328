import pandas as pd

from skfairprop.datasets import load_penguins


def test_counts():
    bunch = load_penguins()
    assert bunch.target.value_counts().to_dict() == {
        "Adelie": 152,
        "Gentoo": 124,
        "Chinstrap": 68,
    }
    assert bunch.data.isna().sum().to_dict() == {
        "island": 0,
        "bill_length_mm": 2,
        "bill_depth_mm": 2,
        "flipper_length_mm": 2,
        "body_mass_g": 2,
        "sex": 11,
        "year": 0,
    }


def test_missing_sex_stays_missing():
    assert load_penguins().sensitive_features.sex.isna().sum() == 11
    assert load_penguins(as_frame=False).sensitive_features.sex.isna().sum() == 11


def test_species_that_live_on_one_island():
    bunch = load_penguins()
    table = pd.crosstab(bunch.target, bunch.sensitive_features.island)
    assert (table.loc["Chinstrap"] > 0).to_dict() == {
        "Biscoe": False,
        "Dream": True,
        "Torgersen": False,
    }
    assert (table.loc["Gentoo"] > 0).to_dict() == {
        "Biscoe": True,
        "Dream": False,
        "Torgersen": False,
    }
