"""Pages that lie elsewhere in the repository (changelog, benchmarks): their links, from here."""

import re

# Page of the site -> folder, from docs/, that its links are meant from.
FOLDERS = {"benchmarks": "../benchmarks/", "whats_new": "../", "contributing": "../"}
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)]+)\)")
DOCS = re.compile(r"^(?:\.\./)*docs/")


def read_from(folder, text):
    """The text with its relative links as they are from docs/."""

    def moved(found):
        target = found[1]
        if DOCS.match(target):
            return f"]({DOCS.sub('', target)})"
        return f"]({folder}{target})"

    return LINK.sub(moved, text)


def include_moved(app, relative_path, parent_docname, content):
    """Move the links of an included file."""
    folder = FOLDERS.get(parent_docname)
    if folder is not None:
        content[0] = read_from(folder, content[0])


def setup(app):
    """Listen."""
    app.connect("include-read", include_moved)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
