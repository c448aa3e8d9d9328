"""Warn of pages that load a script, a style or a picture from the network."""

import re
from pathlib import Path

from sphinx.util import logging

LOADS = re.compile(r'<(?:script|img|source|iframe)[^>]+src="https?://|<link[^>]+href="https?://')


def remote_loads(text):
    """The tags of a page that load something from elsewhere."""
    return LOADS.findall(text)


def check_pages(app, exception):
    """Look through what was written."""
    if exception is None and app.builder.format == "html":
        for path in Path(app.outdir).rglob("*.html"):
            if remote_loads(path.read_text(encoding="utf-8")):
                logging.getLogger(__name__).warning("%s loads from the network", path.name)


def setup(app):
    """Look when all is written."""
    app.connect("build-finished", check_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
