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
    match = get_close_matches(str(name), names, n=1, cutoff=0.6)
    if match:
        return f"; did you mean {match[0]!r}?"
    more = ", ..." if len(names) > limit else ""
    return f"; there are {', '.join(repr(n) for n in names[:limit])}{more}"
