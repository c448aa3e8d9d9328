"""Every branch of the sentences of the page."""

import numpy as np
import pandas as pd
import pytest

from skfairprop.report._change import Change
from skfairprop.report._drivers import Drivers, ScoreParts
from skfairprop.report._page._data import change_sentence
from skfairprop.report._page._drivers import _parts_text, refit_sentence
from skfairprop.report._page._groups import Block
from skfairprop.report._page._numbers import MINUS
from skfairprop.report._page._short import (
    association_sentence,
    beyond_sentence,
    change_short,
    checks_sentence,
    class_sentence,
    gap_sentence,
    small_sentence,
)
from skfairprop.report._rates import RateColumn
from skfairprop.report._rules import Check

GROUPS = ["women", "men"]
NAN = float("nan")


def column(values, n=(100, 100), key="selection_rate", label="yes"):
    values, n = np.array(values, dtype=float), np.array(n, dtype=float)
    return RateColumn(
        key, label, values, values - 0.1, values + 0.1, n, n, float(np.nanmean(values))
    )


def measure(**changes):
    row = {"value": 0.2, "lower": 0.1, "upper": 0.3, "chance": 0.05, "chance_95": 0.09}
    return pd.Series(row | {"p": 0.001, "q": 0.01} | changes)


def gap(values=(0.5, 0.7), row=None, n=(100, 100), key="selection_rate"):
    return gap_sentence(column(values, n, key), GROUPS, row, 0.95, 50)


def test_a_gap_beyond_chance():
    assert gap(row=measure()) == (
        "The share predicted “yes” goes from 50% in “women” to 70% in “men”: a gap of 20.0 points "
        "(95% interval 10.0 to 30.0). Chance alone gives 5.0 points on average and 9.0 one time in "
        "twenty."
    )


def test_a_gap_that_chance_explains():
    text = gap(row=measure(p=0.3, q=0.5))
    assert text.endswith("one time in twenty: this sample cannot tell the gap from chance.")


def test_a_gap_beyond_chance_alone_but_not_after_many_looks():
    text = gap(row=measure(p=0.04, q=0.2))
    assert text.endswith(
        "alone the gap is more than chance, among all measures of this report it is not."
    )


def test_a_gap_without_inference():
    assert gap(row=None).endswith("a gap of 20.0 points.")
    assert gap(row=measure(lower=NAN, upper=NAN)).endswith("a gap of 20.0 points.")
    assert gap(row=measure(chance=NAN)).endswith("(95% interval 10.0 to 30.0).")


def test_no_gap_and_no_rate():
    assert gap((0.5, 0.5)) == "All groups have the same share predicted “yes”: 50%."
    assert gap((0.5, NAN)).startswith("Fewer than two groups have a rate")


def test_few_rows_are_named_beside_their_group():
    assert "50% in “women” (n = 8) to 70% in “men”:" in gap(n=(8, 100))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("base_rate", "The share that is “yes” goes"),
        ("accuracy", "The share predicted right goes"),
        ("tpr", "The share of the true “yes” that is found goes"),
    ],
)
def test_the_gap_of_other_rates(key, words):
    assert gap(key=key).startswith(words)


def class_blocks(values):
    everything = Block("All", [column((0.5, 0.6), key="accuracy", label=None)], 0)
    return [everything, Block("Class", [column(values, (4, 90), "tpr", "late")], 0)]


def test_the_class_with_the_widest_gap():
    assert class_sentence(class_blocks((0.0, 0.7)), GROUPS, 50) == (
        "Of 1 classes, “late” has the widest gap in how many are found: 0% in “women” (n = 4), "
        "70% in “men”."
    )
    assert class_sentence(class_blocks((0.0, NAN)), GROUPS, 50).startswith("No class occurs in two")
    assert class_sentence(class_blocks((0.0, 0.7))[:1], GROUPS, 50) == ""


def test_association():
    assert association_sentence(None, 0.95) == ""
    assert association_sentence(measure(value=NAN), 0.95) == ""
    assert association_sentence(measure(lower=NAN), 0.95).endswith("0.200 (0 none, 1 full).")
    assert association_sentence(measure(), 0.9) == (
        "Group and class go together with a Cramér's V of 0.200 (90% interval 0.100 to 0.300; "
        "0 none, 1 full). Chance alone gives 0.050 on average."
    )


def measures(*q):
    names = ["accuracy_difference", "overall_disparity", "precision_difference"][: len(q)]
    rows = [measure(value=0.1 * (i + 1), q=value) for i, value in enumerate(q)]
    return pd.DataFrame(rows, index=names)


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ((NAN,), ""),
        ((0.01,), "The Accuracy difference is larger than chance explains (q ≤ 0.05)."),
        ((0.01, 0.02), "All 2 gap measures are larger than chance explains (q ≤ 0.05)."),
        (
            (0.2, 0.3),
            "None of 2 gap measures is larger than chance explains (q ≤ 0.05). Overall disparity "
            "is 0.200, where chance alone gives 0.050 on average.",
        ),
        (
            (0.01, 0.3),
            "1 of 2 gap measures is larger than chance explains (q ≤ 0.05). Not so: Overall "
            "disparity is 0.200, where chance alone gives 0.050 on average.",
        ),
        (
            (0.01, 0.3, 0.02),
            "2 of 3 gap measures are larger than chance explains (q ≤ 0.05). Not so: Overall "
            "disparity is 0.200, where chance alone gives 0.050 on average.",
        ),
    ],
)
def test_how_many_measures_are_beyond_chance(q, expected):
    assert beyond_sentence(measures(*q)) == expected


def change(data=0.2, lower=-0.1, upper=0.1, label=None):
    moved = (lower + upper) / 2
    return Change("men", "women", label, data, data + moved, moved, lower, upper)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (change(lower=0.05, upper=0.15), "The model widens the gap (+10.0 points, 95% interval"),
        (change(lower=-0.15, upper=-0.05), f"The model narrows the gap ({MINUS}10.0 points"),
        (change(lower=-0.5, upper=-0.3), f"The model turns the gap round ({MINUS}40.0 points"),
        (change(), "This sample cannot tell whether the model widens or narrows the gap (0.0"),
    ],
)
def test_what_the_model_does_to_the_gap(found, words):
    assert words in change_short(found, 0.95)
    assert words in change_sentence(found, 0.95, "“yes”")


def test_where_the_gap_starts():
    assert change_short(None, 0.95) == ""
    assert change_sentence(None, 0.95, "“yes”") == ""
    assert change_short(change(), 0.95).startswith("A gap of 20.0 points is already in the data.")
    assert change_short(change(label="late"), 0.95).startswith(
        "A gap of 20.0 points in the share of “late” is already in the data."
    )
    assert change_short(change(data=0.0), 0.95).startswith("There is no gap in the data.")
    assert change_sentence(change(data=0.0, label="late"), 0.95, "“yes”").startswith(
        "In the data the groups have the same share of “late”."
    )
    assert change_sentence(change(), 0.95, "“yes”").startswith(
        "In the data “men” and “women” are 20.0 points apart in the share of “yes”; in "
        "the predictions 20.0 points."
    )


def check(state, fired):
    return Check("x > 1", fired, state, 0.5, 0.4, 0.6, 0.1)


def test_checks_by_verdict():
    assert checks_sentence([]) == ""
    checks = [
        check("over", True), check("over", True), check("not settled", True),
        check("not settled", False), check("under", False), check("undefined", False),
    ]  # fmt: skip
    assert checks_sentence(checks) == (
        "Checks: 2 over the limit, 1 over, not settled, 1 under, not settled, 1 under the limit, "
        "1 could not be computed."
    )


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        ((100, 50), "Every group rate rests on 50 rows or more."),
        (
            (10, 20),
            "Every group rate rests on fewer than 50 rows: read the intervals, not the values.",
        ),
        (
            (10, 90),
            "1 of 2 group rates rests on fewer than 50 rows (marked †; “women” in every rate).",
        ),
    ],
)
def test_rates_on_few_rows(n, expected):
    assert small_sentence([column((0.5, 0.6), n)], GROUPS, 50) == expected


def test_rates_on_few_rows_in_some_columns():
    columns = [column((0.5, 0.6), (10, 90)), column((0.5, 0.6), (90, 90))]
    assert small_sentence(columns, GROUPS, 50) == (
        "1 of 4 group rates rests on fewer than 50 rows (marked †)."
    )


def refits(*gaps):
    index = ["nothing", "sex", "sex, age"][: len(gaps)]
    return Drivers(refits=pd.DataFrame({"gap": gaps, "accuracy": 0.7}, index=index))


@pytest.mark.parametrize(
    ("drivers", "end"),
    [
        (refits(0.2, 0.19, 0.18), "from 20.0 to 18.0 points: other columns carry most of it."),
        (
            refits(0.2, 0.19, 0.06),
            "from 20.0 to 6.0 points: they carry most of it, other columns the rest.",
        ),
        (refits(0.2, 0.19, 0.01), "from 20.0 to 1.0 points: hardly any of it stays."),
        (refits(0.2, 0.19, 0.3), "from 20.0 to 30.0 points: it grows without them."),
    ],
)
def test_leaving_protected_columns_out(drivers, end):
    assert (
        refit_sentence(drivers) == f"Leaving “sex” and “age” out of the model moves the gap {end}"
    )


def test_leaving_protected_columns_out_may_change_nothing():
    assert refit_sentence(refits(0.2, 0.2, 0.2)) == (
        "Leaving “sex” and “age” out of the model does not move the gap (20.0 points): other "
        "columns carry it."
    )


@pytest.mark.parametrize(
    "drivers", [None, Drivers(), refits(0.2), refits(0.0, 0.1), refits(0.1, NAN)]
)
def test_nothing_to_say_without_refits(drivers):
    assert refit_sentence(drivers) == ""


def parts(total, intercepts):
    table = pd.DataFrame(
        {"part": [total - intercepts], "lower": [0.0], "upper": [1.0]}, index=["age"]
    )
    return ScoreParts("men", "women", table, intercepts, total, 5)


def test_parts_of_the_score_that_add_up_and_that_do_not():
    near = _parts_text(parts(1.0, 0.02))
    assert "+0.02 of it is in the intercepts of the 5 models" in near
    far = _parts_text(parts(1.0, -0.3))
    assert f"do not add up to it: {MINUS}0.30 is in the intercepts of the 5 models" in far
    assert "Read the parts with that much doubt." in far
    assert "although the first is predicted so more often" in _parts_text(parts(-0.2, 0.0))
