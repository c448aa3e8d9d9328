"""Rows with and without a gap, for the tests of this folder."""

import numpy as np


def rows(n=160, gap=0.0, seed=0, groups="abcd"):
    """Truth, prediction and group; TPR and FPR are spread over the groups by `gap`."""
    rng = np.random.default_rng(seed)
    code = np.arange(n) % len(groups)
    y_true = rng.integers(2, size=n)
    shift = gap * (code / (len(groups) - 1) - 0.5)
    y_pred = (rng.random(n) < np.where(y_true == 1, 0.7, 0.3) + shift).astype(int)
    return y_true, y_pred, np.array(list(groups))[code]


def loop_gap(y_true, y_pred, group, truth=None):
    """Largest minus smallest share of positive predictions, by a loop over groups."""
    shares = []
    for g in sorted(set(group)):
        of_group = [
            p
            for t, p, own in zip(y_true, y_pred, group, strict=True)
            if own == g and truth in (None, t)
        ]
        shares.append(sum(of_group) / len(of_group))
    return max(shares) - min(shares)


def shuffled_gaps(y_true, y_pred, group, truth=None, n=400, seed=1):
    """The same after shuffling the groups: all of them, or within the true classes."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        moved = group.copy()
        strata = [np.arange(len(group))]
        if truth is not None:
            strata = [np.flatnonzero(y_true == t) for t in (0, 1)]
        for rows_of in strata:
            moved[rows_of] = rng.permutation(group[rows_of])
        out.append(loop_gap(y_true, y_pred, moved, truth))
    return np.array(out)
