"""Tables of responses, against loops over single rows and against what a coupling promises."""

import numpy as np
import pandas as pd
import pytest

from skfairprop.benn._cells import cut
from skfairprop.benn._effects import Block, Mover, plan_block, tabulate
from skfairprop.benn._examined import Examined
from skfairprop.explain._table import Table
from tests.benn.data import people

OPTIONS = {"min_rows": 10, "max_values": 24, "n_draws": 2, "z_min": 3.0}


def prepared(model, X, block):
    table = Table.of(X)
    Z = table.encode(X)
    examined = Examined(model, table)
    plan = plan_block(Z, table, block, **OPTIONS)
    return examined, Z, examined.ask(Z), plan


def rule(X):
    return ((X["age"] > 45) ^ (X["sex"] == "m")).astype(int).to_numpy()


def test_direct_responses_are_those_of_a_loop_over_rows_and_values():
    X, _ = people(60)
    examined, Z, base, plan = prepared(rule, X, Block("age", (2,)))
    found = tabulate(examined, Z, base, plan, np.random.default_rng(0))
    for i in range(0, 60, 7):
        for c, value in enumerate(plan.values[:, 0]):
            changed = X.iloc[[i]].assign(age=value)
            assert found.direct[i, c] == (rule(changed)[0] != rule(X.iloc[[i]])[0])


def test_a_number_is_tried_at_quantiles_of_its_values():
    X = pd.DataFrame({"a": np.arange(500.0), "b": 0.0})
    plan = plan_block(X.to_numpy(), Table.of(X), Block("a", (0,)), **OPTIONS)
    assert len(plan.values) == 24
    assert plan.values[0, 0] == 0
    assert plan.values[-1, 0] == 499
    assert np.isin(plan.values, X["a"]).all()


def test_a_block_takes_observed_tuples():
    X, _ = people(60)
    _, Z, _, plan = prepared(rule, X, Block("who", (0, 3)))
    pairs = {tuple(row) for row in Z[:, [0, 3]]}
    assert {tuple(row) for row in plan.values} == pairs


def test_columns_that_go_with_the_groups_are_proxies_and_others_are_not():
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 1000)
    X = pd.DataFrame({"sex": sex, "proxy": sex ^ (rng.random(1000) < 0.1)})
    X["noise"] = rng.normal(size=1000)
    table = Table.of(X)
    plan = plan_block(table.encode(X), table, Block("sex", (0,)), **OPTIONS)
    assert plan.proxies["column"].tolist() == [1]
    assert plan.proxies["cramers_v"].item() == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("seed", range(3))
def test_moved_rows_have_the_distribution_of_the_other_group_and_as_few_as_can_be_move(seed):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, 20_000)
    x = np.where(group == 0, rng.choice(5, 20_000, p=[0.4, 0.3, 0.1, 0.1, 0.1]),
                 rng.choice(5, 20_000, p=[0.1, 0.1, 0.2, 0.3, 0.3])).astype(float)  # fmt: skip
    Z = np.column_stack([group.astype(float), x])
    table = Table.of(Z)
    groups = cut(Z[:, 0], table.columns[0], 4)
    moved = Mover(Z, table, (0,), [1]).move(groups, 1, rng, block_too=True)
    assert (moved[:, 0] == 1).all()
    same = group == 1
    np.testing.assert_array_equal(moved[same], Z[same])
    wanted = np.bincount(x[same].astype(int), minlength=5) / same.sum()
    own = np.bincount(x[~same].astype(int), minlength=5) / (~same).sum()
    got = np.bincount(moved[~same, 1].astype(int), minlength=5) / (~same).sum()
    np.testing.assert_allclose(got, wanted, atol=0.02)
    share_moved = (moved[~same, 1] != x[~same]).mean()
    assert share_moved == pytest.approx(0.5 * np.abs(own - wanted).sum(), abs=0.02)


def test_the_block_is_taken_whole_from_one_row_of_the_other_group():
    X, _ = people(200)
    X["age_cat"] = np.where(X["age"] > 45, "old", "young")
    table = Table.of(X)
    Z = table.encode(X)
    groups = cut(Z[:, 5], table.columns[5], 4)
    mover = Mover(Z, table, (5, 2), [])
    for code in range(2):
        moved = mover.move(groups, code, np.random.default_rng(0), block_too=True)
        frame = table.decode(moved)
        assert ((frame["age"] > 45) == (frame["age_cat"] == "old")).all()


def test_the_total_effect_of_a_proxy_is_how_often_the_coupling_changes_it():
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 4000)
    X = pd.DataFrame({"sex": sex, "proxy": sex ^ (rng.random(4000) < 0.1)})
    examined, Z, base, plan = prepared(lambda X: X["proxy"].to_numpy(), X, Block("sex", (0,)))
    found = tabulate(examined, Z, base, plan, rng)
    assert not found.direct.any()
    other = found.total[np.arange(4000), 1 - sex]
    assert other.mean() == pytest.approx(0.8, abs=0.03)
    assert not found.total[np.arange(4000), sex].any()
    assert found.null.mean() < 0.05


def test_a_constant_block_is_not_asked_about():
    X = pd.DataFrame({"a": [1.0] * 20, "b": np.arange(20.0)})
    examined, Z, base, plan = prepared(lambda X: X["b"] > 5, X, Block("a", (0,)))
    before = examined.n_queries
    found = tabulate(examined, Z, base, plan, np.random.default_rng(0))
    assert plan.is_constant
    assert plan.n_queries == 0
    assert examined.n_queries == before
    assert not found.direct.any()


def test_no_more_is_asked_than_planned():
    X, _ = people(200)
    for block in (Block("sex", (0,)), Block("age", (2,)), Block("income", (4,))):
        examined, Z, base, plan = prepared(rule, X, block)
        before = examined.n_queries
        tabulate(examined, Z, base, plan, np.random.default_rng(0))
        assert examined.n_queries - before <= plan.n_queries * len(Z)
