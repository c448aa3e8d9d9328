"""One line on the terminal that tells how far long work has come."""

import sys
import time


class Progress:
    """A line on stderr, rewritten in place.

    Parameters
    ----------
    what : str
        Name of the work.
    total : int
        Number of steps.
    unit : str, default="steps"
        What a step is called.
    done : int
        Steps that were done before.
    verbose : bool or None
        None: only if stderr is a terminal.
    """

    def __init__(
        self,
        what: str,
        total: int,
        *,
        unit: str = "steps",
        done: int = 0,
        verbose: bool | None = None,
    ) -> None:
        self.what, self.total, self.unit = what, total, unit
        self.done = self.before = done
        self.shown = sys.stderr.isatty() if verbose is None else bool(verbose)
        self.in_place = sys.stderr.isatty()
        self.start = time.monotonic()

    def step(self) -> None:
        """Count one step and show the line."""
        self.done += 1
        if not self.shown:
            return
        elapsed = time.monotonic() - self.start
        left = elapsed / (self.done - self.before) * (self.total - self.done)
        text = f"{self.what}: {self.done:,} of {self.total:,} {self.unit}, {_clock(elapsed)}"
        text += f", about {_clock(left)} left" if self.done < self.total else ""
        end = "" if self.in_place and self.done < self.total else "\n"
        start = "\r\x1b[K" if self.in_place else ""
        print(start + text, end=end, file=sys.stderr, flush=True)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
