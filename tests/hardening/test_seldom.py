"""What is seldom run: the ends of a check, of a fallback, of a message."""

import math
import sys
import types

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop._optional import import_optional
from skfairprop.metrics import (
    Rates,
    directional_bias_amplification,
    evaluate,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)
from skfairprop.preprocessing import BiasInducer

SETS = np.array([[1, 0], [0, 1], [1, 1], [0, 1]])
GROUP = ["a", "a", "b", "b"]


def test_what_a_package_itself_lacks_is_not_blamed_on_the_package(monkeypatch, tmp_path):
    (tmp_path / "needs_more.py").write_text("import something_that_is_not_there")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'something_that_is_not_there'"):
        import_optional("needs_more", extra="explain")
    monkeypatch.setitem(sys.modules, "there", types.ModuleType("there"))
    assert import_optional("there", extra="explain") is sys.modules["there"]


def test_rates_of_a_positive_class_need_one():
    with pytest.raises(ValueError, match="this rate needs a positive class"):
        Rates([[[8, 2], [1, 9]]]).positive_rate("recall")


def test_weights_of_rows_that_are_left_out_do_not_count():
    group = pd.Series([None, "a", "b", "b"], dtype=object)
    message = "sample_weight is zero in all rows with a protected value"
    for y in (SETS, SETS[:, 0]):
        with (
            pytest.warns(UserWarning, match="left out 1 of 4 rows"),
            pytest.raises(ValueError, match=message),
        ):
            directional_bias_amplification(
                y, y, sensitive_features=group, sample_weight=[1, 0, 0, 0], missing="drop"
            )


def test_label_sets_without_a_label_are_undefined_or_refused():
    none = np.zeros_like(SETS)
    with pytest.warns(UndefinedMetricWarning, match="no row of y_true has a label"):
        assert math.isnan(mals_bias_amplification(none, SETS, sensitive_features=GROUP))
    with pytest.raises(ValueError, match="is undefined: no row of y_true has a label"):
        mals_bias_amplification(none, SETS, sensitive_features=GROUP, undefined="raise")
    with pytest.warns(UndefinedMetricWarning, match="no row of y_true has a label"):
        found = multi_attribute_bias_amplification(none, SETS, sensitive_features=GROUP)
    assert np.isnan(found).all()


def test_protected_columns_of_another_length_are_refused():
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]
    for shorter in (["a", "b", "a"], pd.Series(["a", "b", "a"])):
        with pytest.raises(ValueError, match=r"3 .*4|4 .*3"):
            BiasInducer().fit(X, y, sensitive_features=shorter)


def test_counts_of_a_class_that_is_never_predicted_name_it():
    counts = GroupCounts(
        [[[3, 0, 0], [1, 0, 0], [0, 0, 2]], [[1, 0, 1], [2, 0, 0], [0, 0, 2]]],
        groups=["a", "b"],
        classes=["x", "y", "z"],
    )
    with pytest.warns(UndefinedMetricWarning, match="leaves out: no row of y_pred has 'y'"):
        value = evaluate(counts, "mals_bias_amplification")
    # of class x: 3 of 5 rows in a, and 4 of 7 of those predicted; none is above 1/2 in class z
    assert value == pytest.approx((4 / 7 - 3 / 5) / 2)
    with pytest.warns(UndefinedMetricWarning, match=r"is undefined \(NaN\): no row of y_pred"):
        assert math.isnan(evaluate(counts, "mals_bias_amplification", undefined="nan"))
    with pytest.raises(ValueError, match="is undefined: no row of y_pred has 'y'"):
        evaluate(counts, "mals_bias_amplification", undefined="raise")
    # class y: 1 of 3 rows in a and 2 of 3 in b, the latter above 1/2 and then 0
    zero = evaluate(counts, "mals_bias_amplification", undefined="zero")
    assert zero == pytest.approx((4 / 7 - 3 / 5 + 0 - 2 / 3) / 3)
