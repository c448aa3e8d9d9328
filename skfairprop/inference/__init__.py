"""How sure is it: intervals that cover, null baselines and p-values for every count metric."""

from skfairprop.inference._calls import MetricCall
from skfairprop.inference._comparison import Comparison, compare_counts, compare_models
from skfairprop.inference._infer import infer
from skfairprop.inference._multiple import benjamini_hochberg, benjamini_yekutieli
from skfairprop.inference._omnibus import OmnibusTest, omnibus_test
from skfairprop.inference._planning import SampleSize, required_sample_size
from skfairprop.inference._public import NullBaseline, metric_interval, null_baseline
from skfairprop.inference._rate_interval import rate_interval
from skfairprop.inference._rate_pairs import gap_interval, gap_p_value
from skfairprop.inference._reliability import Reliability, metric_reliability
from skfairprop.inference._result import Inference
from skfairprop.inference._rows import resample_rows

__all__ = [
    "Comparison",
    "Inference",
    "MetricCall",
    "NullBaseline",
    "OmnibusTest",
    "Reliability",
    "SampleSize",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "compare_counts",
    "compare_models",
    "gap_interval",
    "gap_p_value",
    "infer",
    "metric_interval",
    "metric_reliability",
    "null_baseline",
    "omnibus_test",
    "rate_interval",
    "required_sample_size",
    "resample_rows",
]
