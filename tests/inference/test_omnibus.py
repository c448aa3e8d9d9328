import numpy as np
import pytest
from scipy import stats

from skfairprop import GroupCounts
from skfairprop.inference import omnibus_test

VALUES = np.random.default_rng(1).integers(5, 60, size=(4, 3, 3))


def counts_of(values, **arguments):
    values = np.asarray(values)
    return GroupCounts(
        values, groups=range(len(values)), classes=range(values.shape[1]), **arguments
    )


def strata_of(values, null):
    if null == "independence":
        return [values.reshape(len(values), -1)]
    return list(values.transpose((1, 0, 2) if null == "separation" else (2, 0, 1)))


@pytest.mark.parametrize("null", ["independence", "separation", "sufficiency"])
def test_the_statistic_is_scipys_chi_square_summed(null):
    exact = [stats.chi2_contingency(s, correction=False) for s in strata_of(VALUES, null)]
    found = omnibus_test(counts_of(VALUES), null=null, n_draws=200, random_state=0)
    assert found.statistic == pytest.approx(sum(e.statistic for e in exact))
    assert found.degrees_of_freedom == sum(e.dof for e in exact)
    assert found.null == null
    assert found.n_draws == 200


def test_p_is_near_the_asymptotic_one():
    rng = np.random.default_rng(3)
    values = rng.multinomial(400, np.full(4, 0.25), size=5).reshape(5, 2, 2)
    found = omnibus_test(counts_of(values), n_draws=4000, random_state=0)
    asymptotic = stats.chi2.sf(found.statistic, found.degrees_of_freedom)
    assert found.p_value == pytest.approx(asymptotic, abs=0.03)


def test_many_small_differences_are_seen_together():
    rates = np.linspace(0.4, 0.6, 20)
    values = np.round(np.stack([np.c_[rates, 1 - rates]] * 2, axis=1) * 200)
    assert omnibus_test(counts_of(values), random_state=0).p_value < 0.01


def test_a_data_set_alone():
    table = VALUES.sum(2)
    found = omnibus_test(
        counts_of(table, predicted=False), null="independence", n_draws=99, random_state=0
    )
    assert found.statistic == pytest.approx(
        stats.chi2_contingency(table, correction=False).statistic
    )
    with pytest.raises(ValueError, match="needs predictions"):
        omnibus_test(counts_of(table, predicted=False))


@pytest.mark.parametrize(
    "values",
    [VALUES[:1], [[[9, 0], [4, 0]], [[3, 0], [8, 0]]], [[[9, 1], [0, 0]], [[0, 0], [8, 2]]]],
)
def test_nothing_to_compare(values):
    found = omnibus_test(counts_of(values))
    assert found.degrees_of_freedom == 0
    assert np.isnan(found.p_value)


def test_unknown_null():
    with pytest.raises(ValueError, match="null must be one of"):
        omnibus_test(counts_of(VALUES), null="swap")
