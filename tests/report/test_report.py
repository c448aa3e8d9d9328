"""The report as an object: its settings, and what it says of data that compare nothing."""

import pytest

from skfairprop import FairnessReport, GroupCounts, fairness_report

LABELS = [1, 0, 1, 0] * 30
GUESSES = [1, 0, 0, 0] * 30
GROUPS = list("aabb") * 30


@pytest.mark.parametrize(
    ("setting", "error", "message"),
    [
        ({"n_bootstrap": 5}, TypeError, "unexpected keyword argument 'n_bootstrap'"),
        ({"confidence": "0.9"}, ValueError, "confidence must be a number in .0, 1."),
        ({"confidence": 1}, ValueError, "confidence must be a number in .0, 1."),
        ({"bootstrap": 10.5}, ValueError, "bootstrap must be an integer of at least 0; got 10.5"),
        ({"bootstrap": True}, ValueError, "bootstrap must be an integer of at least 0; got True"),
        ({"min_count": -1}, ValueError, "min_count must be an integer of at least 0; got -1"),
        ({"undefined": "x"}, ValueError, "undefined must be one of"),
        ({"correction": "x"}, ValueError, "correction must be one of .'bh', 'by'."),
        ({"metrics": ["demographic_paritty"]}, ValueError, "did you mean 'demographic_parity'?"),
    ],
)
def test_settings_are_checked(setting, error, message):
    with pytest.raises(error, match=message.replace("?", r"\?")):
        fairness_report(LABELS, GUESSES, sensitive_features=GROUPS, **setting)
    counts = GroupCounts.from_arrays(LABELS, GUESSES, sensitive_features=GROUPS)
    with pytest.raises(error, match=message.replace("?", r"\?")):
        FairnessReport.from_counts(counts, **setting)


def test_one_group_compares_nothing_and_says_so():
    report = fairness_report(LABELS, GUESSES, sensitive_features=["a"] * 120, bootstrap=0)
    assert "there is only one group, 'a': nothing is compared" in report.notes
    compared = report.metrics[~report.metrics["family"].str.contains("data")]["value"]
    assert compared.isna().all()


def test_protected_columns_that_read_alike_are_refused():
    groups = {1: GROUPS, "1": GROUPS[::-1]}
    with pytest.raises(ValueError, match="several protected columns are called '1'; rename them"):
        fairness_report(LABELS, GUESSES, sensitive_features=groups, bootstrap=0)


def test_too_few_random_tables_for_q_are_said():
    said = [
        any("too coarse for q" in note for note in report(bootstrap=b).notes) for b in (60, 999, 0)
    ]
    assert said == [True, False, False]


def report(**settings):
    return fairness_report(
        LABELS, GUESSES, sensitive_features=GROUPS, metrics=["accuracy_difference"], **settings
    )


def test_no_metrics_are_refused():
    with pytest.raises(ValueError, match="metrics is empty; name at least one"):
        fairness_report(LABELS, GUESSES, sensitive_features=GROUPS, metrics=[])
