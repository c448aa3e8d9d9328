"""Text that shows what it holds: control and direction characters as escapes."""

from collections.abc import Sequence

# Joins the parts of an emoji and the letters of some scripts.
_JOINERS = "\u200c\u200d"
_OPEN_BOX = "\u2423"


def visible(text: object) -> str:
    r"""Text with control and direction characters made visible, as \x1b or \u202e."""
    given = str(text)
    return "".join(
        c if c.isprintable() or _joins(given, i) else c.encode("unicode_escape").decode("ascii")
        for i, c in enumerate(given)
    )


def visible_name(text: object) -> str:
    """A name made visible, with open boxes for spaces at its ends: "A" and "A " are two names."""
    shown = visible(text)
    n_left = len(shown) - len(shown.lstrip(" "))
    core = shown.strip(" ")
    n_right = len(shown) - n_left - len(core)
    return _OPEN_BOX * n_left + core + _OPEN_BOX * n_right


def shorten(text: str, width: int, mark: str = "..") -> str:
    """Text of at most `width` characters, cut in the middle: names often differ at their ends."""
    if len(text) <= width:
        return text
    room = max(width - len(mark), 1)
    return text[: room - room // 2] + mark + text[len(text) - room // 2 :]


def shorten_all(texts: Sequence[str], width: int, mark: str = "..") -> list[str]:
    """Texts of at most `width` characters; those cut to the same are shown from where they differ.

    Examples
    --------
    >>> from skfairprop._visible import shorten_all
    >>> shorten_all(["Office, northern branch", "Office, southern branch", "Home"], 16)
    ['Offi..northern..', 'Offi..southern..', 'Home']
    """
    out = [shorten(text, width, mark) for text in texts]
    for short in {one for one in out if out.count(one) > 1}:
        same = [i for i, one in enumerate(out) if one == short]
        differ = _common_start([texts[i] for i in same])
        room = max(width - 2 * len(mark), 3)
        for i in same:
            rest = texts[i][differ : differ + room - room // 3]
            out[i] = texts[i][: room // 3] + mark + rest + mark
    return [_numbered(out, i, width) for i in range(len(out))]


def _numbered(names: list[str], i: int, width: int) -> str:
    """A name with a number where it is still that of another one."""
    if names.count(names[i]) == 1 or len(names[i]) < width - 2:
        return names[i]
    number = f"#{names[: i + 1].count(names[i])}"
    return names[i][: width - len(number)] + number


def _common_start(texts: Sequence[str]) -> int:
    """How many characters all of them begin with."""
    columns = enumerate(zip(*texts, strict=False))
    return next((i for i, column in columns if len(set(column)) > 1), min(map(len, texts)))


def _joins(text: str, i: int) -> bool:
    """Whether a joiner stands between two characters that it can join."""
    sides = text[i - 1 : i] + text[i + 1 : i + 2]
    return text[i] in _JOINERS and len(sides) == 2 and not sides.isascii()
