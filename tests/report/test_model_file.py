"""Models from skops files: trust, missing columns, failures."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

skops_io = pytest.importorskip("skops.io")

LOANS = ("--target", "repaid", "--pos-label", "yes", "--sensitive", "sex", "--bootstrap", "60")


def save(model, path):
    skops_io.dump(model, path)
    return str(path)


@pytest.fixture
def saved(loans, tmp_path):
    """Fit a model on the loans and save it."""

    def saved(model, columns=("age", "height"), target="repaid"):
        frame = loans[1]
        return save(model.fit(frame[list(columns)], frame[target]), tmp_path / "model.skops")

    return saved


def test_a_linear_model_needs_no_trust(run, loans, saved, tmp_path):
    encode = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    path = saved(make_pipeline(encode, LogisticRegression(max_iter=500)), ("sex", "age"))
    status, text, err = run(loans[0], *LOANS, "--model", path)
    assert (status, err) == (0, "")
    assert "ColumnTransformer" in text
    page = (tmp_path / "skfairprop-audit" / "report.html").read_text()
    assert "too good where it was trained on them" in page
    assert "Types trusted" not in page


@pytest.mark.parametrize(
    ("model", "type_name"),
    [
        (RandomForestClassifier(5, random_state=0), "sklearn.tree._tree.Tree"),
        (HistGradientBoostingClassifier(max_iter=3), "predictor.TreePredictor"),
    ],
)
def test_trees_are_trusted_by_name_only(run, refused, loans, saved, tmp_path, model, type_name):
    path = saved(model)
    err = refused(loans[0], *LOANS, "--model", path)
    assert type_name in err
    assert err.rstrip().endswith("pass --trust sklearn-trees")
    assert run(loans[0], *LOANS, "--model", path, "--trust", "sklearn-trees")[0] == 0
    page = (tmp_path / "skfairprop-audit" / "report.html").read_text()
    assert "Types trusted to read the model" in page
    assert type_name in page


def test_every_type_that_is_not_trusted_is_listed_with_its_flag(run, refused, loans, saved):
    search = GridSearchCV(RandomForestClassifier(3, random_state=0), {"max_depth": [1, 2]}, cv=2)
    path = saved(search)
    err = refused(loans[0], *LOANS, "--model", path)
    flags = err[err.index("pass ") + 5 :].split()
    assert flags[:2] == ["--trust", "sklearn-trees"]
    assert set(flags[::2]) == {"--trust"}
    assert len(flags) > 2  # which types beside the trees depends on the version of skops
    assert run(loans[0], *LOANS, "--model", path, *flags)[0] == 0


def test_a_pickle_is_never_opened(refused, loans, tmp_path):
    (tmp_path / "model.pkl").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    err = refused(loans[0], *LOANS, "--model", "model.pkl")
    assert "only .skops files are read, as a pickle runs any code when it is opened" in err


def test_a_file_that_is_none(refused, loans, tmp_path):
    (tmp_path / "model.skops").write_bytes(b"no zip")
    assert "is no skops file" in refused(loans[0], *LOANS, "--model", "model.skops")
    assert "cannot be read" in refused(loans[0], *LOANS, "--model", "nowhere.skops")


def test_without_skops_the_extra_is_named(refused, loans, saved, monkeypatch):
    import sys

    path = saved(LogisticRegression())
    monkeypatch.setitem(sys.modules, "skops.io", None)
    assert "pip install 'skfairprop[report]'" in refused(loans[0], *LOANS, "--model", path)


def test_a_column_that_the_table_lacks(refused, loans, tmp_path):
    frame = loans[1].rename(columns={"height": "heights", "age": "years"})
    model = LogisticRegression().fit(frame[["heights", "years"]], frame["repaid"])
    path = save(model, tmp_path / "model.skops")
    err = refused(loans[0], *LOANS, "--model", path, status=3)
    assert "the model needs the column 'heights' and 1 more, which the table does not have" in err
    assert "did you mean 'height'?" in err


def test_a_model_without_names_needs_as_many_columns(refused, loans, tmp_path):
    model = LogisticRegression().fit(np.eye(4), [0, 1, 0, 1])
    path = save(model, tmp_path / "model.skops")
    err = refused(loans[0], *LOANS, "--model", path, status=3)
    assert "the model was fitted on 4 columns without names" in err


def test_a_model_that_fails(refused, loans, saved):
    path = saved(LogisticRegression(), ("age", "height"))
    table = loans[1].assign(age="old")
    table.to_csv("strings.csv", index=False)
    err = refused("strings.csv", *LOANS, "--model", path, status=3)
    assert "the model could not predict (ValueError: could not convert string to float" in err


def test_a_model_that_returns_other_labels(refused, loans, tmp_path):
    frame = loans[1]
    model = DummyClassifier(strategy="constant", constant=1)
    path = save(model.fit(frame[["age"]], frame["repaid"] == "yes"), tmp_path / "model.skops")
    err = refused(loans[0], *LOANS, "--model", path, status=3)
    assert "they have no class in common" in err


def test_a_model_that_returns_strings_where_the_target_holds_numbers(refused, loans, tmp_path):
    frame = loans[1]
    frame.assign(repaid=(frame["repaid"] == "yes").astype(int)).to_csv("numbers.csv", index=False)
    model = LogisticRegression().fit(frame[["age"]], frame["repaid"])
    path = save(model, tmp_path / "model.skops")
    given = ("--target", "repaid", "--sensitive", "sex", "--model", path)
    err = refused("numbers.csv", *given, status=3)
    assert "the model returned str values, as" in err
    assert "the target holds int values" in err


def test_something_that_cannot_predict(refused, loans, tmp_path):
    encoder = OneHotEncoder().fit(pd.DataFrame({"sex": ["f", "m"]}))
    path = save(encoder, tmp_path / "model.skops")
    err = refused(loans[0], *LOANS, "--model", path, status=3)
    assert "the model, OneHotEncoder, cannot predict" in err
