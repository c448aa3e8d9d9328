"""Data sets with protected attributes: shipped, fetched, and made with a known bias."""

from ._adult import load_adult
from ._biased_classification import make_biased_classification
from ._colored_digits import make_colored_digits
from ._compas import fetch_compas
from ._german_credit import load_german_credit
from ._nursery import load_nursery
from ._penguins import load_penguins

__all__ = [
    "fetch_compas",
    "load_adult",
    "load_german_credit",
    "load_nursery",
    "load_penguins",
    "make_biased_classification",
    "make_colored_digits",
]
