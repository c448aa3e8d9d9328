"""
A network that learns colours instead of digits
===============================================

Digits in colours: the more often a digit has a colour of its own, the more a small network trusts
the colour, and the worse it reads digits in other colours. A network of torch goes through
:func:`~skfairprop.model_selection.bias_propagation` as any other classifier does, in a wrapper of
skorch.
"""

# %%
# A network that is seeded
# ------------------------
#
# Networks draw from torch's global generator, so that a fit depends on what ran before it. With a
# ``random_state`` that seeds torch inside ``fit``, the study gives each fit a seed of its own, and
# can be repeated.

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.base import BaseEstimator
from skorch import NeuralNetClassifier

from skfairprop.datasets import make_colored_digits
from skfairprop.inspection import InductionCurveDisplay
from skfairprop.model_selection import bias_propagation


class SeededNet(NeuralNetClassifier):
    """A skorch classifier with a ``random_state``."""

    def __init__(self, *args, random_state=None, **options):
        super().__init__(*args, **options)
        self.random_state = random_state

    def fit(self, X, y, **params):
        with torch.random.fork_rng():
            torch.manual_seed(self.random_state)
            return super().fit(X, y, **params)


network = SeededNet(
    lambda: torch.nn.Sequential(torch.nn.Linear(192, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10)),
    criterion=torch.nn.CrossEntropyLoss,
    optimizer=torch.optim.Adam,
    lr=0.005,
    max_epochs=20,
    batch_size=64,
    train_split=None,
    verbose=0,
    device="cuda" if torch.cuda.is_available() else "cpu",
)

# %%
# Bias without losing an image
# ----------------------------
#
# Images can be dyed, so nothing needs to be dropped. Any sampler with a parameter ``f`` and
# ``sample_indices_`` can induce the bias: this one picks one of the ten colours of each image.


class OwnColor(BaseEstimator):
    """Give a share ``f`` of each digit's images the colour of that digit, the others any colour."""

    def __init__(self, f=0.1, random_state=0):
        self.f = f
        self.random_state = random_state

    def fit_resample(self, X, y):
        """Pick one of each ten rows, which are one image in the ten colours."""
        rng = np.random.default_rng(self.random_state)
        digits = y[::10]
        others = (digits + rng.integers(1, 10, len(digits))) % 10
        colors = np.where(rng.random(len(digits)) < self.f, digits, others)
        self.sample_indices_ = 10 * np.arange(len(digits)) + colors
        return X[self.sample_indices_], y[self.sample_indices_]


made = make_colored_digits(0.1, random_state=0)
gray = made.images.max(axis=3).reshape(len(made.target), -1, 1).astype(np.float32)
dyed = gray[:, None] * made.colors.astype(np.float32)[:, None]  # image x colour x pixel x RGB
X, y = dyed.reshape(-1, 192), np.repeat(made.target, 10)
color = np.tile(np.arange(10), len(made.target))
tested = np.repeat(np.arange(len(made.target)) % 10 < 3, 10)

figure, axes = plt.subplots(1, 10, figsize=(9, 1))
for ax, image in zip(axes, dyed[0].reshape(10, 8, 8, 3), strict=True):
    ax.imshow(image)
    ax.set_axis_off()

# %%
# The study
# ---------
#
# The test set has every image in every colour.

study = bias_propagation(
    network,
    X[~tested],
    y[~tested],
    sensitive_features=color[~tested],
    inducer=OwnColor(),
    test=(X[tested], y[tested], color[tested]),
    factors=[0.1, 0.5, 0.8, 0.95],
    n_repeats=2,
    dataset_metrics=["cramers_v", "dsap_representational_bias"],
    model_metrics=["demographic_parity", "equal_opportunity"],
    random_state=0,
    verbose=False,
)
display = InductionCurveDisplay.from_propagation(study, kind="model")

# %%
# What it costs is accuracy on digits in colours that are not their own:

study.summary().query("metric == 'balanced_accuracy'").set_index("f")["mean"].round(3)

# %%
# **When it misleads**: the factor of this sampler is a share, and 0.1 is balance. The test set is
# balanced by construction; on data dyed like the training data, the biased network would look
# accurate. See :doc:`/guide/more_bias`.
