"""The page of a report: what it says, and its HTML."""

from skfairprop.report._page._build import build_page
from skfairprop.report._page._render import render_notebook, render_page

__all__ = ["build_page", "render_notebook", "render_page"]
