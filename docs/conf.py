"""Settings of the documentation: ``make docs``, or ``sphinx-build -W docs docs/_build/html``.

Nothing is fetched, neither by the build nor by the pages: formulas become MathML, and the theme
brings its own fonts.
"""

import os
import sys
from pathlib import Path

import matplotlib as mpl

import skfairprop

mpl.use("Agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "skfairprop"
author = "The skfairprop developers"
copyright = "the skfairprop developers, BSD 3-Clause"
version = release = skfairprop.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    # ours
    "api_pages",
    "mathml",
    "offline",
    "repository_links",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_build", "_ext", "_templates", "examples"]
templates_path = ["_templates"]
default_role = "literal"
# References to our own things must lead somewhere; no other project's list is fetched.
nitpicky = True
nitpick_ignore_regex = [(r"py:.*", r"(?!skfairprop\.).*")]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # types are in the docstrings, in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template of a class has them
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "doc_module": ("skfairprop",),
    "backreferences_dir": "api/backreferences",
    "image_scrapers": ("matplotlib",),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "plot_gallery": "True",
    "write_computation_times": False,  # that page loads scripts from elsewhere
}

html_theme = "pydata_sphinx_theme"
html_title = "skfairprop"
html_static_path = ["_static"]
html_css_files = ["skfairprop.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 7,
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "secondary_sidebar_items": {"**": ["page-toc"], "api/metrics_table": [], "equations": []},
    "show_toc_level": 2,
    "navigation_with_keys": False,
}
# Wide tables and code side by side need the room.
html_sidebars = {
    page: []
    for page in (
        "benchmarks",
        "contributing",
        "deprecation",
        "equations",
        "migrate/**",
        "whats_new",
    )
}
