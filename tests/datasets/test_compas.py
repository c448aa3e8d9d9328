"""COMPAS must not ship, so most tests use made-up records in the shape of ProPublica's file."""

import hashlib
import os
import urllib.error
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skfairprop.datasets import _compas, fetch_compas

LEAKS = ["decile_score", "score_text", "v_decile_score", "v_score_text"]
LEAKS += ["is_recid", "is_violent_recid"]
REAL = "SKFAIRPROP_COMPAS_HOME"

# Made-up records with the columns that are read, and some of those that must not come through.
RECORDS = """\
name,sex,age,age_cat,race,juv_fel_count,juv_misd_count,juv_other_count,priors_count,\
days_b_screening_arrest,c_jail_in,c_jail_out,c_charge_degree,c_charge_desc,is_recid,\
is_violent_recid,decile_score,score_text,v_decile_score,v_score_text,two_year_recid
ann,Female,30,25 - 45,Other,0,0,0,1,\
-1,2013-08-13 06:03:42,2013-08-14 05:41:20,F,Battery,1,0,3,Low,1,Low,1
bob,Male,20,Less than 25,Caucasian,1,0,0,2,\
30,2013-01-26 03:45:27,2013-02-05 05:36:53,M,,0,0,8,High,6,Medium,0
cid,Male,50,Greater than 45,Asian,0,0,2,0,\
31,2013-01-01 00:00:00,2013-01-03 00:00:00,M,Theft,0,0,5,Medium,2,Low,0
dee,Female,41,25 - 45,Hispanic,0,1,0,0,\
,,,F,Fraud,1,1,9,High,9,High,1
eve,Female,33,25 - 45,Other,0,0,0,4,\
0,2013-05-01 10:00:00,2013-05-01 12:00:00,O,Parking,0,0,2,Low,2,Low,0
fay,Female,24,Less than 25,Hispanic,0,0,0,0,\
-2,2013-05-01 10:00:00,2013-05-09 09:00:00,F,Theft,-1,0,2,Low,2,Low,0
guy,Male,28,25 - 45,Caucasian,0,0,0,0,\
-3,2013-05-01 10:00:00,2013-05-09 11:00:00,F,Theft,0,0,-1,N/A,2,Low,0
"""
LENGTH_OF_STAY = [0, 10, 2, np.nan, 0, 7, 8]  # whole days, by hand
KEPT = [
    0,
    1,
]  # ann and bob pass ProPublica's filter; each other record breaks one condition


@pytest.fixture
def raw(monkeypatch):
    """Bytes of a made-up raw file, which the fetcher takes for the real one."""
    frame = pd.read_csv(BytesIO(RECORDS.encode()), keep_default_na=False, dtype=str)
    frame.insert(1, "dob", "1990-01-01")
    frame["c_case_number"] = "-"
    # the real file repeats two columns under the same name
    text = frame.assign(a=frame.decile_score, b=frame.priors_count).to_csv(index=False)
    head, body = text.split("\n", 1)
    head = head.removesuffix(",a,b") + ",decile_score,priors_count"
    content = f"{head}\n{body}".encode()
    monkeypatch.setattr(_compas, "SHA256", hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(_compas, "N_RECORDS", len(frame))
    return content


@pytest.fixture
def offline(monkeypatch):
    """No download gets through; the list holds the addresses that were asked for."""
    calls = []

    def urlopen(url, timeout):
        calls.append(url)
        raise urllib.error.URLError("no route to host")

    monkeypatch.setattr(_compas, "urlopen", urlopen)
    return calls


@pytest.fixture
def online(monkeypatch, raw):
    calls = []

    def urlopen(url, timeout):
        calls.append(url)
        return BytesIO(raw)

    monkeypatch.setattr(_compas, "urlopen", urlopen)
    return calls


@pytest.fixture
def home(tmp_path, raw, offline):
    """A folder with the raw file in it."""
    (tmp_path / "compas-scores-two-years.csv").write_bytes(raw)
    return tmp_path


def test_raw_file_in_data_home(home, offline):
    bunch = fetch_compas(data_home=home)
    assert offline == []
    assert bunch.data.shape == (7, 12)
    assert bunch.target.tolist() == [1, 0, 0, 1, 0, 0, 0]
    assert bunch.target.name == "two_year_recid"
    np.testing.assert_array_equal(bunch.data.length_of_stay, LENGTH_OF_STAY)
    assert bunch.data.c_charge_desc.isna().tolist() == [False, True] + [False] * 5
    assert bunch.data.days_b_screening_arrest.isna().sum() == 1
    assert list(bunch.sensitive_features) == ["sex", "race", "age_cat"]
    assert bunch.pos_label == 0
    assert bunch.target_names == ["no recidivism", "recidivism"]


def test_no_personal_data_and_no_leak_comes_through(home):
    bunch = fetch_compas(data_home=home)
    assert not {"name", "dob", "c_case_number", "c_jail_in", "c_jail_out"} & set(bunch.frame)
    assert not set(LEAKS) & set(bunch.frame)
    assert bunch.leak_names == LEAKS


def test_leaks_on_request(home):
    bunch = fetch_compas(data_home=home, drop_leaks=False)
    assert set(LEAKS) < set(bunch.feature_names)
    assert bunch.data.score_text.tolist() == [
        "Low",
        "High",
        "Medium",
        "High",
        "Low",
        "Low",
        "N/A",
    ]


def test_subset_of_propublica(home):
    everyone, subset = (
        fetch_compas(data_home=home),
        fetch_compas(data_home=home, subset="propublica"),
    )
    pd.testing.assert_frame_equal(subset.data, everyone.data.iloc[KEPT])
    pd.testing.assert_frame_equal(subset.sensitive_features, everyone.sensitive_features.iloc[KEPT])


def test_drop_sensitive(home):
    bunch = fetch_compas(data_home=home, drop_sensitive=True)
    assert not {"sex", "race", "age", "age_cat"} & set(bunch.frame)
    assert bunch.sensitive_features.shape == (7, 3)


def test_arrays_and_pairs(home):
    X, y = fetch_compas(data_home=home, return_X_y=True, as_frame=False)
    assert X.shape == (7, 12)
    assert X.dtype == object
    assert y.tolist() == [1, 0, 0, 1, 0, 0, 0]
    X, y = fetch_compas(data_home=home, return_X_y=True)
    assert isinstance(X, pd.DataFrame)
    assert isinstance(y, pd.Series)


def test_download_keeps_only_the_reduced_table(tmp_path, online, offline_after):
    first = fetch_compas(data_home=tmp_path)
    assert online == [_compas.URL]
    assert [p.name for p in tmp_path.iterdir()] == ["compas_two_years.csv.gz"]
    offline_after()
    second = fetch_compas(data_home=tmp_path)
    pd.testing.assert_frame_equal(second.frame, first.frame)
    pd.testing.assert_frame_equal(
        fetch_compas(data_home=tmp_path, subset="propublica").frame,
        first.frame.iloc[KEPT],
    )


@pytest.fixture
def offline_after(monkeypatch):
    def cut():
        def urlopen(url, timeout):
            raise AssertionError("asked the network again")

        monkeypatch.setattr(_compas, "urlopen", urlopen)

    return cut


def test_reduced_file_without_compression(tmp_path, online, offline_after):
    first = fetch_compas(data_home=tmp_path)
    table = pd.read_csv(tmp_path / "compas_two_years.csv.gz", keep_default_na=False, na_values=[""])
    (tmp_path / "compas_two_years.csv.gz").unlink()
    table.to_csv(tmp_path / "compas_two_years.csv", index=False)
    offline_after()
    pd.testing.assert_frame_equal(fetch_compas(data_home=tmp_path).frame, first.frame)


def test_offline_says_what_to_do(tmp_path, raw, offline):
    with (
        pytest.warns(UserWarning, match="fetch_compas: trying again"),
        pytest.raises(OSError, match="no route to host") as error,
    ):
        fetch_compas(data_home=tmp_path, n_retries=2, delay=0)
    assert len(offline) == 3
    message = str(error.value)
    assert "\n" not in message
    assert _compas.URL in message
    assert str(tmp_path) in message
    assert "data_home" in message
    assert list(tmp_path.iterdir()) == []


def test_second_try_succeeds(tmp_path, raw, monkeypatch):
    answers = [TimeoutError("timed out"), BytesIO(raw)]

    def urlopen(url, timeout):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(_compas, "urlopen", urlopen)
    with pytest.warns(UserWarning, match="timed out"):
        bunch = fetch_compas(data_home=tmp_path, delay=0)
    assert len(bunch.data) == 7


def test_retry_warning_points_at_the_caller(tmp_path, raw, offline):
    with pytest.warns(UserWarning, match="trying again") as caught, pytest.raises(OSError):
        fetch_compas(data_home=tmp_path, n_retries=1, delay=0)
    assert [w.filename for w in caught] == [__file__]


def test_interrupted_save_leaves_nothing(tmp_path, online, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(pd.DataFrame, "to_csv", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fetch_compas(data_home=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_download_if_told_so(tmp_path, raw, offline):
    with pytest.raises(OSError, match="download_if_missing=True"):
        fetch_compas(data_home=tmp_path, download_if_missing=False)
    assert offline == []


def test_download_with_other_content_is_refused(tmp_path, online, monkeypatch):
    monkeypatch.setattr(_compas, "SHA256", "0" * 64)
    with pytest.raises(OSError, match=r"SHA-256 .* instead of 0{64}"):
        fetch_compas(data_home=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_raw_file_with_other_content_is_refused(home):
    path = home / "compas-scores-two-years.csv"
    path.write_bytes(path.read_bytes().replace(b"ann", b"amy"))
    with pytest.raises(ValueError, match=r"compas-scores-two-years\.csv.*SHA-256") as error:
        fetch_compas(data_home=home)
    assert "delete" in str(error.value)


def test_reduced_file_without_a_column_is_refused(tmp_path, offline):
    pd.DataFrame({"sex": ["Male"], "race": ["Other"]}).to_csv(
        tmp_path / "compas_two_years.csv.gz", index=False
    )
    with pytest.raises(ValueError, match=r"lacks the columns 'age', 'age_cat', .*; delete it"):
        fetch_compas(data_home=tmp_path)


def test_reduced_file_cut_short_is_refused(tmp_path, online):
    fetch_compas(data_home=tmp_path)
    path = tmp_path / "compas_two_years.csv.gz"
    pd.read_csv(path, keep_default_na=False).iloc[:5].to_csv(path, index=False)
    with pytest.raises(ValueError, match="has 5 rows instead of 7; delete it"):
        fetch_compas(data_home=tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"subset": "filtered"},
            "subset must be one of .'all', 'propublica'.; got 'filtered'",
        ),
        ({"drop_leaks": "no"}, "drop_leaks must be True or False; got 'no'"),
        ({"n_retries": -1}, "n_retries must be an integer of at least 0; got -1"),
        ({"delay": -1.0}, "delay must be a number of at least 0; got -1.0"),
    ],
)
def test_bad_options(home, options, message):
    with pytest.raises(ValueError, match=message):
        fetch_compas(data_home=home, **options)


def test_description():
    assert "`priors_count`" in _compas.read_descr("compas")


@pytest.fixture
def real_home():
    folder = os.environ.get(REAL)
    if folder is None:
        pytest.skip(
            f"COMPAS has no licence to ship: set {REAL} to a folder that holds "
            "compas-scores-two-years.csv or compas_two_years.csv.gz"
        )
    return Path(folder)


def test_real_counts(real_home):
    bunch = fetch_compas(data_home=real_home, download_if_missing=False)
    assert bunch.data.shape == (7_214, 12)
    assert bunch.target.sum() == 3_251
    assert bunch.sensitive_features.race.nunique() == 6
    subset = fetch_compas(data_home=real_home, subset="propublica", download_if_missing=False)
    assert len(subset.data) == 6_172
    both = subset.sensitive_features.race.isin(["African-American", "Caucasian"])
    table = pd.crosstab(subset.sensitive_features.race[both], subset.target[both])
    assert table.to_numpy().tolist() == [[1_514, 1_661], [1_281, 822]]


def test_real_rates_by_race(real_home):
    bunch = fetch_compas(data_home=real_home, download_if_missing=False)
    rates = (bunch.target == 0).groupby(bunch.sensitive_features.race).mean()
    assert rates.to_dict() == pytest.approx(
        {
            "African-American": 0.485660,
            "Asian": 0.718750,
            "Caucasian": 0.606357,
            "Hispanic": 0.635793,
            "Native American": 0.444444,
            "Other": 0.647215,
        },
        abs=5e-7,
    )
    assert rates.max() - rates.min() == pytest.approx(0.2743056, abs=5e-8)
