"""Suggestions for names that do not exist, for error messages."""

from collections.abc import Iterable
from difflib import get_close_matches


def closest(name: object, known: Iterable[object], limit: int = 6) -> str:
    """The end of a message: "; did you mean 'sex'?", or the names there are.

    Examples
    --------
    >>> from skfairprop._suggest import closest
    >>> closest("kredit", ["credit", "age"])
    "; did you mean 'credit'?"
    """
    names = [str(n) for n in known]
    match = _nearest(str(name).casefold(), {n.casefold(): n for n in reversed(names)})
    if match is not None:
        return f"; did you mean {match!r}?"
    more = ", ..." if len(names) > limit else ""
    return f"; there are {', '.join(repr(n) for n in names[:limit])}{more}"


def _nearest(name: str, known: dict[str, str]) -> str | None:
    """The known name that is the same but for case or a letter, begins it, or is alike."""
    if name in known:
        return known[name]
    begun = [n for n in known if len(n) > 2 and name.startswith(n)]
    match = get_close_matches(name, known, n=1, cutoff=0.9)  # "sex_cod" is "sex_code", not "sex"
    if not match:
        match = [max(begun, key=len)] if begun else get_close_matches(name, known, n=1, cutoff=0.6)
    return known[match[0]] if match else None
