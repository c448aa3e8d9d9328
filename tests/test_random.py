import re
from pathlib import Path

import numpy as np
import pytest

from skfairprop._random import as_generator, draw_seed, draw_wide_seed, own_seed

PACKAGE = Path(__file__).parents[1] / "skfairprop"
SEEDS = [draw_seed, draw_wide_seed, own_seed]


def test_a_generator_is_used_as_it_is():
    rng = np.random.default_rng(0)
    assert as_generator(rng) is rng


@pytest.mark.parametrize("make", [int, np.random.RandomState])
def test_the_same_state_gives_the_same_numbers(make):
    assert as_generator(make(3)).random() == as_generator(make(3)).random()


def test_a_random_state_moves_on():
    state = np.random.RandomState(0)
    assert as_generator(state).random() != as_generator(state).random()


def test_none_is_fresh_entropy():
    assert as_generator(None).random() != as_generator(None).random()


def test_the_global_generator_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - it is what is looked at
    as_generator(None).random(3)
    as_generator(1).random(3)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


@pytest.mark.parametrize("seed", [-1, "a", 0.5])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(ValueError, match=f"random_state must be None, .* got {seed!r}"):
        as_generator(seed)


# -- seeds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", [int, np.random.RandomState, np.random.default_rng])
def test_the_same_state_gives_the_same_seed(seed, make):
    assert type(seed(make(3))) is int
    assert seed(make(3)) == seed(make(3))
    assert seed(make(3)) != seed(make(4))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_state_that_gave_a_seed_has_moved_on(seed):
    for state in (np.random.default_rng(0), np.random.RandomState(0), None):
        assert seed(state) != seed(state)


def test_an_integer_is_its_own_seed_only_where_the_name_says_so():
    assert own_seed(3) == own_seed(np.uint8(3)) == 3
    assert draw_seed(3) == np.random.default_rng(3).integers(2**31 - 1) != 3
    assert draw_wide_seed(3) == np.random.default_rng(3).integers(2**32) != draw_seed(3)
    state = np.random.RandomState(3).randint(np.iinfo(np.int32).max)
    assert own_seed(np.random.RandomState(3)) == draw_seed(int(state))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("wrong", [-1, "a", 0.5])
def test_what_gives_no_seed_is_refused(seed, wrong):
    with pytest.raises(ValueError, match="random_state must be None, "):
        seed(wrong)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_leaves_the_global_generator_alone(seed):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    seed(None)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_seeds_are_drawn_in_one_place():
    drawn = re.compile(r"integers\(\s*(2 ?\*\* ?3|1 ?<< ?3|np\.iinfo)|def \w*seed\w*\(random_state")
    found = {p.name for p in PACKAGE.rglob("*.py") if drawn.search(p.read_text("utf-8"))}
    assert found == {"_random.py"}
