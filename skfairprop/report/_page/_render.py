"""HTML from the page's data, by the templates of the package."""

import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from skfairprop import __version__
from skfairprop._optional import import_optional
from skfairprop._visible import shorten

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
CACHE = TEMPLATES / "__pycache__"


def render_page(page: dict) -> str:
    """A page of its own: no script, no network."""
    return _environment().get_template("page.html.j2").render(page=page, version=__version__)


def render_notebook(page: dict, key: str) -> str:
    """A part of another page: scoped styles; `key` makes ids unique in a notebook."""
    template = _environment().get_template("notebook.html.j2")
    return template.render(page=page, version=__version__, key=key)


@lru_cache
def _environment() -> Any:
    jinja2 = import_optional("jinja2", extra="report")
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        bytecode_cache=make_cache(jinja2),
    )
    made.filters["short"] = lambda text, width: shorten(str(text), width, "…")
    return made


def make_cache(jinja2: Any, folder: Path = CACHE) -> Any:
    """Where compiled templates are kept: beside them, as Python keeps compiled modules.

    Compiling them takes longer than all else that makes a page. Where the folder cannot be written
    to, or PYTHONDONTWRITEBYTECODE is set, nothing is kept. jinja2 compares the source.
    """

    class Beside(jinja2.FileSystemBytecodeCache):
        def __init__(self) -> None:
            super().__init__(str(folder), "%s.jinja")

        def load_bytecode(self, bucket: Any) -> None:
            with suppress(OSError):
                super().load_bytecode(bucket)

        def dump_bytecode(self, bucket: Any) -> None:
            if sys.dont_write_bytecode:
                return
            with suppress(OSError):
                folder.mkdir(exist_ok=True)
                super().dump_bytecode(bucket)

    return Beside()
