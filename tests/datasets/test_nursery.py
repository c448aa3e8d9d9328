from skfairprop.datasets import load_nursery


def test_counts():
    bunch = load_nursery()
    assert bunch.target.value_counts().to_dict() == {
        "not_recom": 4_320,
        "priority": 4_266,
        "spec_prior": 4_044,
        "very_recom": 328,
        "recommend": 2,
    }
    assert bunch.data.isna().sum().sum() == 0


def test_rows_are_the_full_factorial():
    data = load_nursery().data
    assert not data.duplicated().any()
    assert data.nunique().tolist() == [3, 5, 4, 4, 3, 2, 3, 3]
    assert len(data) == 3 * 5 * 4 * 4 * 3 * 2 * 3 * 3


def test_number_of_children_reads_as_in_the_original():
    bunch = load_nursery()
    assert set(bunch.data.children) == {"1", "2", "3", "more"}
    # the two 'recommend' rows of the original have one child
    assert set(bunch.data.children[bunch.target == "recommend"]) == {"1"}
