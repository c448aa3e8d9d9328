"""Metrics by name."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop.metrics import METRICS, Metric, evaluate, get_metric

COUNTS = GroupCounts([[[8, 2], [1, 9]], [[6, 4], [1, 9]]], groups=["a", "b"], classes=[0, 1])


def test_a_metric_by_name_or_as_it_is():
    record = get_metric("equal_opportunity")
    assert isinstance(record, Metric)
    assert get_metric(record) is record
    assert evaluate(COUNTS, record) == evaluate(COUNTS, "equal_opportunity")


def test_a_name_that_does_not_exist_suggests_one_that_does():
    with pytest.raises(ValueError, match="no metric 'demographic_paritty'; did you mean 'demograp"):
        get_metric("demographic_paritty")
    with pytest.raises(ValueError, match="no metric 'xyz'; there are 'ens_bias', "):
        get_metric("xyz")


def test_arguments_in_the_wrong_order_are_said():
    with pytest.raises(TypeError, match=r"metric must be a name, .* got a GroupCounts"):
        evaluate("equal_opportunity", COUNTS)


def test_the_names_of_the_estimations():
    estimations = [name for name in METRICS if name.startswith("estimation_")]
    assert len(estimations) == 21
    assert "ensemble_bias_estimation" in METRICS


def test_options_are_the_metric_s_own():
    assert evaluate(COUNTS, "equalized_odds_difference", agg="mean") == pytest.approx(0.1)
    with pytest.raises(
        ValueError, match="equalized_odds_difference has no option 'aggg'; it knows"
    ):
        evaluate(COUNTS, "equalized_odds_difference", aggg="mean")
    with pytest.raises(ValueError, match=r"equalized_odds_difference: agg must be one of .*'sum'"):
        evaluate(COUNTS, "equalized_odds_difference", agg="sum")
    with pytest.raises(ValueError, match=r"accuracy_difference has no option 'agg'$"):
        evaluate(COUNTS, "accuracy_difference", agg="mean")


def test_what_is_counted():
    assert evaluate(COUNTS, "cramers_v", of="y_true") == pytest.approx(0.0)
    assert evaluate(COUNTS, "cramers_v", of="y_pred") > 0.0
    assert evaluate(COUNTS.of_labels(), "cramers_v") == pytest.approx(0.0)
    with pytest.raises(ValueError, match=r"of must be one of \('y_true', 'y_pred'\); got 'y'"):
        evaluate(COUNTS, "cramers_v", of="y")
    with pytest.raises(ValueError, match="needs predictions; these counts describe the data set"):
        evaluate(COUNTS.of_labels(), "accuracy_difference")
    with pytest.raises(ValueError, match="needs predictions"):
        evaluate(COUNTS.of_labels(), "cramers_v", of="y_pred")
    with pytest.raises(ValueError, match="is no function of counts; it needs scores"):
        evaluate(COUNTS, "estimation_erbs")


def test_a_table_without_rows_is_undefined():
    empty = GroupCounts(np.zeros((2, 2, 2)), groups=["a", "b"], classes=[0, 1])
    with pytest.warns(UndefinedMetricWarning, match="it compares groups, and none has rows"):
        assert np.isnan(evaluate(empty, "accuracy_difference"))


def test_an_option_may_change_what_is_read():
    record = get_metric("demographic_parity")
    assert record.null == "separation"
    assert record.with_options({"normalization": "raw"}).null == "independence"
    assert record.with_options({"normalization": "balanced"}) is record
    inverted = get_metric("estimation_equal_opportunity").with_options({"convention": "paper"})
    assert inverted.best == 1.0
