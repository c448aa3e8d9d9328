"""The file that a study goes on from."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skfairprop.model_selection._checkpoint import Checkpoint, describe_estimator, digest

STUDY = {"X": "array 3x2 abc", "factors": [0.0, 0.5], "estimator__C": "1.0"}


def test_records_come_back(tmp_path):
    path = tmp_path / "study.jsonl"
    first = Checkpoint(path, STUDY, seed=7)
    assert not path.exists()  # nothing to keep yet
    first.append({"f": 0.1, "value": float("nan")})
    first.append({"f": 1 / 3, "value": 2.0})
    again = Checkpoint(path, STUDY, seed=99)
    assert again.seed == 7
    assert [r["f"] for r in again.records] == [0.1, 1 / 3]
    assert np.isnan(again.records[0]["value"])
    again.append({"f": 0.5})
    assert len(Checkpoint(path, STUDY, seed=0).records) == 3


def test_a_line_that_was_cut_off_is_dropped(tmp_path):
    path = tmp_path / "study.jsonl"
    store = Checkpoint(path, STUDY, seed=7)
    store.append({"f": 0.1})
    store.append({"f": 0.2})
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    again = Checkpoint(path, STUDY, seed=7)
    assert again.records == [{"f": 0.1}]
    again.append({"f": 0.2})
    assert path.read_bytes() == whole


def test_another_study_is_refused_with_the_difference(tmp_path):
    path = tmp_path / "study.jsonl"
    Checkpoint(path, STUDY, seed=7).append({"f": 0.1})
    before = path.read_bytes()
    with pytest.raises(ValueError) as error:
        Checkpoint(path, STUDY | {"estimator__C": "10.0", "new": "x"}, seed=7)
    assert str(error.value) == (
        f"checkpoint {str(path)!r} is of another study: estimator__C was 1.0 and is 10.0; new was "
        "absent and is x; pass another path, or delete the file to start anew"
    )
    assert path.read_bytes() == before


def test_many_differences_are_counted(tmp_path):
    path = tmp_path / "study.jsonl"
    Checkpoint(path, dict.fromkeys("abcde", 1), seed=7).append({"f": 0.1})
    with pytest.raises(ValueError, match=r"a was 1 and is 2; b was .*; and 2 more; pass another"):
        Checkpoint(path, dict.fromkeys("abcde", 2), seed=7)


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "{}\n", "[1]\n", "no line end", '"text"\n'])
def test_other_files_are_refused_and_left_alone(tmp_path, text):
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match="is no file of bias_propagation; pass another path"):
        Checkpoint(path, STUDY, seed=7)
    assert path.read_text() == text


def test_folders_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "missing" / "study.jsonl"):
        with pytest.raises(ValueError, match="cannot be written: it is a folder, or lies in none"):
            Checkpoint(path, STUDY, seed=7)


# -- what a study is made of --------------------------------------------------------------------


def test_estimators_are_described_by_their_parameters():
    def shift(X):
        return X + 1

    pipe = make_pipeline(FunctionTransformer(shift), LogisticRegression(C=2.0))
    text = describe_estimator("estimator", pipe)
    assert text["estimator"] == "sklearn.pipeline.Pipeline"
    assert text["estimator__logisticregression__C"] == "2.0"
    assert "shift" in text["estimator__functiontransformer__func"]
    assert "0x" not in json.dumps(text)  # addresses change from process to process


def data():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    yield "array", np.arange(6.0).reshape(3, 2), np.arange(6.0).reshape(3, 2) + 1
    yield "objects", np.array(["a", None], dtype=object), np.array(["a", "b"], dtype=object)
    yield "list", [["a", 1], ["b", 2]], [["a", 1], ["b", 3]]
    yield "frame", frame, frame.assign(b=["x", "z"])
    yield "names", frame, frame.rename(columns={"b": "c"})
    yield "index", frame, frame.set_axis([1, 2])
    yield "sparse", sparse.eye(3).tocsr(), sparse.eye(3).tocsr() * 2
    yield "series", frame["b"], frame["a"]


@pytest.mark.parametrize(("one", "other"), [pytest.param(a, b, id=i) for i, a, b in data()])
def test_digests_tell_data_apart(one, other):
    assert digest(one) != digest(other)
    copy = one.copy() if hasattr(one, "copy") else list(one)
    assert digest(one) == digest(copy)


def test_digests_do_not_depend_on_the_identity_of_strings():
    parts = np.array(["".join(["a", "b"]), "".join(["a", "b"])], dtype=object)
    same = "ab"
    assert digest(parts) == digest(np.array([same, same], dtype=object))


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_digests_of_other_frames(library):
    module = pytest.importorskip(library)
    make = module.DataFrame if library == "polars" else module.table
    assert digest(make({"a": [1, 2]})) == digest(make({"a": [1, 2]}))
    assert digest(make({"a": [1, 2]})) != digest(make({"a": [1, 3]}))


def test_digests_of_tensors():
    torch = pytest.importorskip("torch")
    assert digest(torch.arange(3)) == digest(torch.arange(3))
    assert digest(torch.arange(3)) != digest(torch.arange(4))
