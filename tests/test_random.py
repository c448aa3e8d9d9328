import numpy as np
import pytest

from skfairprop._random import as_generator


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
