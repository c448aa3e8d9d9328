"""The name that was meant."""

import pytest

from skfairprop._suggest import closest


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("SEX", ["age", "sex"], "sex"),
        ("prediction", ["region", "pred"], "pred"),  # "region" has more letters in common
        ("ages", ["sages", "age"], "age"),
        ("kredit", ["Credit", "age"], "Credit"),
        ("Sex", ["SEX", "sexes"], "SEX"),
    ],
)
def test_what_was_meant(name, known, meant):
    assert closest(name, known) == f"; did you mean {meant!r}?"


def test_names_that_differ_in_case_only_are_both_found():
    assert closest("sex", ["Sex", "SEX"]) == "; did you mean 'Sex'?"


@pytest.mark.parametrize("name", ["xyz", "", 3])
def test_else_the_names_that_there_are(name):
    assert closest(name, ["age", "sex"]) == "; there are 'age', 'sex'"
    assert closest(name, ["age", "sex"], limit=1) == "; there are 'age', ..."
