import pandas as pd
import pytest

from skfairprop.datasets import load_adult


def test_counts():
    bunch = load_adult()
    assert (bunch.data.sex == "Female").sum() == 16_192
    assert (bunch.target == ">50K").sum() == 11_687
    missing = bunch.data.isna().sum()
    assert missing[missing > 0].to_dict() == {
        "workclass": 2_799,
        "occupation": 2_809,
        "native_country": 857,
    }
    assert bunch.data.notna().all(axis=1).sum() == 45_222
    assert (
        bunch.data[:32_561].notna().all(axis=1).sum() == 30_162
    )  # the rows of UCI's training file


def test_rates_by_sex():
    """Computed with numpy from UCI's files: .1092515 and .3037672."""
    bunch = load_adult()
    rates = (bunch.target == ">50K").groupby(bunch.sensitive_features.sex).mean()
    assert rates.to_dict() == pytest.approx({"Female": 0.1092515, "Male": 0.3037672}, abs=5e-8)


def test_first_row_is_the_one_of_the_original_file():
    bunch = load_adult()
    assert bunch.frame.iloc[0].to_dict() == {
        "age": 39,
        "workclass": "State-gov",
        "education": "Bachelors",
        "education_num": 13,
        "marital_status": "Never-married",
        "occupation": "Adm-clerical",
        "relationship": "Not-in-family",
        "race": "White",
        "sex": "Male",
        "capital_gain": 2174,
        "capital_loss": 0,
        "hours_per_week": 40,
        "native_country": "United-States",
        "income": "<=50K",
    }
    assert bunch.sample_weight.iloc[0] == 77_516


@pytest.mark.parametrize("target", ["income", "occupation"])
def test_fnlwgt_is_a_weight_and_no_feature(target):
    bunch = load_adult(target=target)
    assert "fnlwgt" not in bunch.frame
    assert bunch.sample_weight.name == "fnlwgt"
    assert (bunch.sample_weight > 0).all()
    pd.testing.assert_index_equal(bunch.sample_weight.index, bunch.data.index)


def test_weight_as_array():
    bunch = load_adult(as_frame=False)
    assert bunch.sample_weight.tolist() == load_adult().sample_weight.tolist()


def test_occupation_as_target():
    bunch = load_adult(target="occupation")
    assert bunch.data.shape == (46_033, 13)
    assert bunch.target.isna().sum() == 0
    assert len(bunch.target_names) == 14
    assert "occupation" not in bunch.feature_names
    assert "income" in bunch.feature_names
    assert bunch.pos_label is None


def test_rows_keep_their_number_whatever_the_target():
    income, occupation = load_adult(), load_adult(target="occupation")
    rows = occupation.data.index
    assert income.data.loc[rows, "occupation"].equals(occupation.target)
    assert income.target.loc[rows].equals(occupation.data.income)


def test_unknown_target():
    with pytest.raises(ValueError, match=r"must be one of \('income', 'occupation'\); got 'sex'"):
        load_adult(target="sex")
