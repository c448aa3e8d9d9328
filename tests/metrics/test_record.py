"""A new metric: the guide is followed, and what is wrong with a record is said."""

import pickle
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from skfairprop import FairnessReport, GroupCounts, metrics
from skfairprop.inference import infer
from skfairprop.metrics import METRICS, evaluate, get_metric, register_metric
from skfairprop.metrics._record import check_record
from skfairprop.scorers import get_scorer, get_scorer_names

ROOT = Path(__file__).parents[2]
COUNTS = GroupCounts(
    [[[80, 20], [20, 80]], [[60, 40], [40, 60]]], groups=["a", "b"], classes=[0, 1]
)
# 80 of 100 and 60 of 100 that are predicted to be negative are
NPV_GAP = 0.2


@pytest.fixture(scope="module")
def guide():
    """The file and the line of the guide."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text[text.index("## How to add a metric") :]
    file, line = re.findall(r"```python\n(.*?)```", section, flags=re.S)
    return file, line


@pytest.fixture
def npv_gap(guide, tmp_path, monkeypatch):
    """The metric, after the file was written and the line run as if they were in the library."""
    file, line = guide
    (tmp_path / "_npv_gap.py").write_text(file, "utf-8")
    monkeypatch.setattr(metrics, "__path__", [*metrics.__path__, str(tmp_path)])
    exec(line, {})
    yield METRICS["npv_gap"]
    del METRICS["npv_gap"]
    del sys.modules["skfairprop.metrics._npv_gap"], metrics._npv_gap


# -- the guide ------------------------------------------------------------------------------------


def test_a_new_metric_takes_less_than_30_lines(guide):
    file, line = guide
    assert len([text for text in file.splitlines() if text.strip()]) + line.count("\n") < 30
    assert line.count("\n") == 1


def test_it_is_evaluated_by_name(npv_gap):
    assert get_metric("npv_gap") is npv_gap
    assert evaluate(COUNTS, "npv_gap") == pytest.approx(NPV_GAP)
    with pytest.raises(ValueError, match=r"npv_gap is undefined: negative_predictive_value is 0/0"):
        evaluate(
            GroupCounts([[[0, 5], [0, 5]], [[4, 1], [1, 4]]], groups=["a", "b"], classes=[0, 1]),
            "npv_gap",
            undefined="raise",
        )


def test_it_has_intervals_and_a_p_value(npv_gap):
    found = infer(COUNTS, "npv_gap", random_state=0)["npv_gap"]
    assert found.value == pytest.approx(NPV_GAP)
    assert 0 < found.lower < NPV_GAP < found.upper
    assert found.p_value < 0.01
    assert found.null == "sufficiency"


def test_it_is_a_scorer(npv_gap):
    assert "npv_gap" in get_scorer_names()
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200), "sex": np.arange(200) % 2})
    y = (X["x"] + rng.normal(size=200) > 0).astype(int)
    scorer = get_scorer("npv_gap", sensitive_features="sex")
    scores = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3)
    assert np.all((scores <= 0) & (scores >= -1))


def test_it_is_in_a_report(npv_gap):
    report = FairnessReport.from_counts(COUNTS, metrics=["npv_gap"], bootstrap=50, random_state=0)
    assert report.views[0].metrics.loc["npv_gap", "value"] == pytest.approx(NPV_GAP)


def test_a_name_is_given_once(npv_gap):
    with pytest.raises(ValueError, match="npv_gap: the name is taken by <Metric npv_gap: gap of P"):
        register_metric(npv_gap)


# -- records --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(METRICS))
def test_the_records_of_the_library_are_sound(name):
    check_record(METRICS[name])


SOUND = METRICS["accuracy_difference"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "accuracy gap"}, "'accuracy gap' is no name of a function"),
        ({"family": "other"}, r"family must be one of \('dataset', .* got 'other'"),
        ({"inputs": "rows"}, r"inputs must be one of \('counts', .* got 'rows'"),
        ({"null": "parity"}, r"null must be one of .* got 'parity'"),
        ({"best": 0.5}, r"best must be one of \(0.0, 1.0\); got 0.5"),
        ({"rates": ("accuracy", "tpr")}, r"rates must be one of .* got 'tpr'"),
        ({"formula": "a\nb"}, r"formula must be one line of text; got 'a\\nb'"),
        ({"misleads": " "}, "misleads must be one line of text; got ' '"),
        ({"range": (-1.0, 1.0)}, r"range \(-1.0, 1.0\) must hold best=0, and begin below 0 where"),
        ({"range": (0.5, 1.0)}, r"range \(0.5, 1.0\) must hold best=0"),
        (
            {"variants": {"agg": {"mean": {"best": 1.0}}}},
            r"an option of variants must be one of \(\); got 'agg'",
        ),
        (
            {"options": {"agg": ("worst",)}, "variants": {"agg": {"mean": {"best": 1.0}}}},
            r"a value of variants\['agg'\] must be one of \('worst',\); got 'mean'",
        ),
        (
            {"options": {"agg": ("worst",)}, "variants": {"agg": {"worst": {"bst": 1.0}}}},
            "a field of variants must be one of .*; got 'bst'",
        ),
        ({"kernel": lambda rates: float(rates["accuracy"].max())}, r"\(2, 3\).*; got \(\)"),
        ({"kernel": lambda rates: rates["accuracy"]}, r"give values of this shape; got \(2, 3, 4"),
        (
            {"kernel": lambda rates: np.nan_to_num(rates["accuracy"][..., 0].std(-1))},
            r"the kernel must return NaN where only one group has rows; got 0 \(pass compares_gr",
        ),
        ({"kernel": lambda rates: 9 + SOUND.kernel(rates)}, r"the kernel returned 9\.\d+, outside"),
    ],
)
def test_what_a_record_cannot_be(changes, message):
    with pytest.raises(ValueError, match=message):
        register_metric(replace(SOUND, **({"name": "another"} | changes)))
    assert "another" not in METRICS


@pytest.mark.parametrize("inputs", ["scores", "attributions"])
def test_what_nothing_can_compute_is_not_registered(inputs):
    # get_scorer would find the name, and then say that there is no such measure
    unusable = replace(SOUND, name="another", inputs=inputs, rates=())
    with pytest.raises(ValueError, match=f"inputs='{inputs}' is for .* function of 'counts' or"):
        register_metric(unusable)
    assert "another" not in METRICS


def test_what_is_no_record():
    with pytest.raises(TypeError, match="metric must be a Metric; got a function"):
        register_metric(SOUND.kernel)


# -- what an option changes -----------------------------------------------------------------------

TWO_OPTIONS = replace(
    SOUND,
    name="another",
    options={"share": ("raw", "balanced"), "scale": ("raw", "root")},
    variants={
        "share": {"balanced": {"null": "separation"}},
        "scale": {"root": {"range": (0.0, 2.0)}, "raw": {}},
    },
)


def test_a_value_counts_for_its_own_option_alone():
    assert TWO_OPTIONS.with_options({"scale": "raw", "share": "raw"}).null == "independence"
    other = replace(TWO_OPTIONS, options={"share": ("raw",), "scale": ("raw", "balanced")})
    assert other.with_options({"scale": "balanced"}).null == "independence"
    assert TWO_OPTIONS.with_options({"share": "balanced"}).null == "separation"


def test_every_option_makes_its_changes():
    both = TWO_OPTIONS.with_options({"share": "balanced", "scale": "root"})
    assert (both.null, both.range) == ("separation", (0.0, 2.0))


def test_a_value_that_an_option_cannot_have():
    with pytest.raises(ValueError, match=r"another: share must be one of .*; got \['raw'\]"):
        TWO_OPTIONS.with_options({"share": ["raw"]})
    by_value_alone = replace(TWO_OPTIONS, variants={"balanced": {"null": "separation"}})
    with pytest.raises(ValueError, match="another: variants has 'balanced', which is no option"):
        by_value_alone.with_options({"share": "balanced"})
    with pytest.raises(ValueError, match=r"demographic_parity: normalization must be .* \['raw'\]"):
        evaluate(COUNTS, "demographic_parity", normalization=["raw"])


# -- records as values ----------------------------------------------------------------------------


def test_equal_records_have_one_hash():
    assert {SOUND: 1}[replace(SOUND)] == 1
    assert len({*METRICS.values(), *METRICS.values()}) == len(METRICS)
    assert replace(SOUND, formula="another") != SOUND


@pytest.mark.parametrize("name", sorted(METRICS))
def test_a_record_that_was_pickled_has_the_same_values(name):
    loaded = pickle.loads(pickle.dumps(METRICS[name]))
    assert repr(loaded) == repr(METRICS[name])
    if loaded.counts_suffice:
        assert evaluate(COUNTS, loaded) == evaluate(COUNTS, name)


def test_one_that_compares_no_groups_may_have_a_value_for_one():
    overall = replace(
        SOUND,
        name="overall_error",
        kernel=lambda rates: 1 - rates.correct.sum((-2, -1)) / rates.by_group.sum(-1),
        compares_groups=False,
        null=None,
    )
    check_record(overall)
    assert evaluate(COUNTS, overall) == pytest.approx(0.3)
