"""What metrics are called for people."""

_WORDS = {
    "auc": "AUC",
    "cramers": "Cramer's",
    "dsap": "DSAP",
    "ens": "ENS",
    "f1": "F1",
    "lr": "LR",
    "mesd": "MESD",
    "roc": "ROC",
    "v": "V",
}


def metric_title(name: str) -> str:
    """Title of a metric by its name, or of the predictions as a data set by "name[y_pred]".

    Examples
    --------
    >>> from skfairprop.inspection._titles import metric_title
    >>> metric_title("demographic_parity_difference"), metric_title("cramers_v[y_pred]")
    ('Demographic parity difference', "Cramer's V (predictions)")
    """
    base, _, of = name.partition("[")
    text = " ".join(_WORDS.get(word, word) for word in base.split("_"))
    return text[:1].upper() + text[1:] + (" (predictions)" if of else "")
