"""Text that shows what it holds: control and direction characters as escapes."""


def visible(text: object) -> str:
    r"""Text with control and direction characters made visible, as \x1b or \u202e."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text)
    )
