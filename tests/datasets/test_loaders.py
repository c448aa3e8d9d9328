"""What every loader promises, whatever the data set."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest

from skfairprop.datasets import (
    load_adult,
    load_german_credit,
    load_nursery,
    load_penguins,
)

# rows, columns of X, sensitive_features, the columns of X that drop_sensitive takes away, pos_label
LOADERS = {
    load_adult: (48_842, 13, ["sex", "race"], ["sex", "race"], ">50K"),
    load_german_credit: (1_000, 21, ["sex", "age_group"], ["sex", "age"], "good"),
    load_nursery: (
        12_960,
        8,
        ["parents", "form", "finance"],
        ["parents", "form", "finance"],
        None,
    ),
    load_penguins: (344, 7, ["sex", "island"], ["sex", "island"], None),
}


@pytest.fixture(params=LOADERS, ids=lambda f: f.__name__)
def loader(request):
    return request.param


def test_bunch_with_frames(loader):
    n_samples, n_features, sensitive, _, pos_label = LOADERS[loader]
    bunch = loader()
    assert isinstance(bunch.data, pd.DataFrame)
    assert bunch.data.shape == (n_samples, n_features)
    assert isinstance(bunch.target, pd.Series)
    assert list(bunch.data) == bunch.feature_names
    assert list(bunch.frame) == [*bunch.feature_names, bunch.target.name]
    assert bunch.frame[bunch.target.name].equals(bunch.target)
    assert bunch.target_names == sorted(bunch.target.unique())
    assert list(bunch.sensitive_features) == sensitive
    assert bunch.pos_label == pos_label
    assert bunch.target.name not in bunch.feature_names
    pd.testing.assert_index_equal(bunch.data.index, bunch.target.index)
    pd.testing.assert_index_equal(bunch.data.index, bunch.sensitive_features.index)


def test_bunch_with_arrays(loader):
    frames, arrays = loader(), loader(as_frame=False)
    assert type(arrays.data) is np.ndarray
    assert arrays.data.dtype == object
    assert type(arrays.target) is np.ndarray
    assert arrays.frame is None
    # the same kind of object as with frames: the names of the attributes are part of the answer
    pd.testing.assert_frame_equal(arrays.sensitive_features, frames.sensitive_features)
    values = pd.DataFrame(arrays.data, columns=arrays.feature_names)
    for name in frames.feature_names:
        expected = frames.data[name].reset_index(drop=True)
        assert (values[name].isna() == expected.isna()).all()
        assert (values[name].dropna() == expected.dropna()).all()
    assert arrays.target.tolist() == frames.target.tolist()


def test_return_X_y_is_a_pair(loader):
    bunch = loader()
    X, y = loader(return_X_y=True)
    pd.testing.assert_frame_equal(X, bunch.data)
    pd.testing.assert_series_equal(y, bunch.target)
    X, y = loader(return_X_y=True, as_frame=False)
    assert type(X) is np.ndarray
    assert type(y) is np.ndarray
    assert X.shape == bunch.data.shape


def test_drop_sensitive_leaves_the_protected_columns_out(loader):
    full, bare = loader(), loader(drop_sensitive=True)
    dropped = LOADERS[loader][3]
    pd.testing.assert_frame_equal(bare.data, full.data.drop(columns=dropped))
    assert bare.feature_names == list(bare.data)
    assert not set(dropped) & set(bare.frame)
    pd.testing.assert_frame_equal(bare.sensitive_features, full.sensitive_features)


def test_drop_sensitive_with_arrays(loader):
    frames = loader(drop_sensitive=True)
    arrays = loader(drop_sensitive=True, as_frame=False)
    assert arrays.data.shape == frames.data.shape
    assert arrays.feature_names == frames.feature_names


def test_dtypes_are_numbers_or_the_default_strings(loader):
    default = pd.read_csv(StringIO("a\nb\n")).a.dtype
    frame = loader().frame
    for name in frame:
        assert frame[name].dtype in (np.dtype("int64"), np.dtype("float64"), default), name


def test_no_text_is_taken_for_a_missing_value_and_no_text_is_padded(loader):
    frame = loader().frame
    for name in frame.columns[[not pd.api.types.is_numeric_dtype(t) for t in frame.dtypes]]:
        texts = frame[name].dropna()
        assert (texts.str.strip() == texts).all()
        assert not texts.isin(["?", "", "NA", "nan"]).any()


def test_every_call_gives_data_of_its_own(loader):
    first = loader()
    first.data.iloc[:, 0] = first.data.iloc[0, 0]
    first.sensitive_features.iloc[:, 0] = first.sensitive_features.iloc[0, 0]
    second = loader()
    assert second.data.iloc[:, 0].nunique() > 1
    assert second.sensitive_features.iloc[:, 0].nunique() > 1


def test_parts_of_a_bunch_do_not_share_memory(loader):
    bunch = loader()
    name = bunch.sensitive_features.columns[0]
    before = bunch.data[name].copy()
    bunch.sensitive_features.loc[:, name] = before.iloc[0]
    bunch.frame.loc[:, name] = before.iloc[0]
    pd.testing.assert_series_equal(bunch.data[name], before)


def test_description_tells_source_and_licence(loader):
    text = loader().DESCR
    assert text.startswith("# ")
    assert "Licence" in text
    assert "doi" in text.lower()
    for name in loader().feature_names:
        assert f"`{name}`" in text


@pytest.mark.parametrize("option", ["return_X_y", "as_frame", "drop_sensitive"])
@pytest.mark.parametrize("value", ["yes", None, 2])
def test_switches_must_be_booleans(loader, option, value):
    with pytest.raises(ValueError, match=f"{option} must be True or False; got {value!r}"):
        loader(**{option: value})
