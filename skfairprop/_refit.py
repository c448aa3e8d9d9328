"""A second fit starts as the first one did."""

from typing import Any


def forget_fit(estimator: Any) -> None:
    """Take away what an earlier fit learned: all that ends in one underscore.

    What a fit always sets would be written anew, but not what it sets under some settings only, nor
    ``n_features_in_``, which scikit-learn leaves where the rows have no width.
    """
    learned = [name for name in vars(estimator) if name.endswith("_") and not name.endswith("__")]
    for name in learned:
        delattr(estimator, name)
