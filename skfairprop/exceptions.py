"""Errors of the package."""

__all__ = ["ScorerSetupError"]


class ScorerSetupError(BaseException):
    """A scorer cannot work as it was set up; the message says what to change.

    Raised while scoring when the protected attribute cannot be found or matched with the rows,
    when it has missing values and no policy for them, or when the positive class is not known.

    Notes
    -----
    It is no :class:`Exception`, as :class:`KeyboardInterrupt` is none: scikit-learn turns every
    exception that a scorer raises into a score of NaN (``error_score=np.nan``, the default of
    ``cross_validate`` and of every search), so that a misspelt column name would end as a model
    chosen at random. A failure of the estimator itself stays what it is, and follows
    ``error_score``.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from skfairprop.exceptions import ScorerSetupError
    >>> from skfairprop.scorers import make_fairness_scorer
    >>> scorer = make_fairness_scorer("demographic_parity_difference", sensitive_features="sex")
    >>> classifier = DummyClassifier().fit([[0], [1]], [0, 1])
    >>> try:
    ...     scorer(classifier, [[0], [1]], [0, 1])
    ... except ScorerSetupError as error:
    ...     print(error)
    demographic_parity_difference scorer cannot read column 'sex': X is a list ...
    """
