"""What stops an audit."""


class UsageError(Exception):
    """Something the user can mend: a flag, a column, a file. One line with the remedy."""


class AuditError(Exception):
    """The audit could not run: a model or a computation failed. One line with the cause."""


def first_line(exc: BaseException) -> str:
    """What an exception says, in one line."""
    text = str(exc).strip()
    return text.splitlines()[0] if text else type(exc).__name__
