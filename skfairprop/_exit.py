"""Exit statuses of the command line, and how it says what went wrong."""

import sys

from skfairprop._visible import visible

PROG = "skfairprop"
EXIT_FINE, EXIT_OVER, EXIT_USAGE, EXIT_FAILED = 0, 1, 2, 3


def fail(message: str, status: int) -> int:
    """Print an error in one voice, and return the exit status."""
    lines = [visible(line) for line in message.splitlines()]
    print(f"{PROG}: error: " + "\n".join(lines), file=sys.stderr)
    return status
