"""HTML from the page's data, by the templates of the package."""

from functools import lru_cache
from pathlib import Path

from skfairprop import __version__
from skfairprop._optional import import_optional

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"


def render_page(page: dict) -> str:
    """A page of its own: no script, no network."""
    return _environment().get_template("page.html.j2").render(page=page, version=__version__)


def render_notebook(page: dict, key: str) -> str:
    """A part of another page: scoped styles; `key` makes ids unique in a notebook."""
    template = _environment().get_template("notebook.html.j2")
    return template.render(page=page, version=__version__, key=key)


@lru_cache
def _environment():
    jinja2 = import_optional("jinja2", extra="report")
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
    )
