"""The line that tells how far long work has come."""

import io

import pytest

from skfairprop import _progress
from skfairprop._progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Ten seconds pass between two looks at the clock."""
    ticks = iter(range(0, 100_000, 10))
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(ticks))


def run(monkeypatch, stream, steps, **options):
    monkeypatch.setattr(_progress.sys, "stderr", stream)
    progress = Progress("work", **options)
    for _ in range(steps):
        progress.step()
    return stream.getvalue()


def test_on_a_terminal_the_line_is_rewritten(monkeypatch, clock):
    text = run(monkeypatch, Terminal(), 2, total=2, unit="fits")
    assert text == (
        "\r\x1b[Kwork: 1 of 2 fits, 0:10, about 0:10 left\r\x1b[Kwork: 2 of 2 fits, 0:20\n"
    )


def test_elsewhere_nothing_is_shown_unless_asked_for(monkeypatch, clock):
    assert run(monkeypatch, io.StringIO(), 2, total=2) == ""
    text = run(monkeypatch, io.StringIO(), 1, total=2, verbose=True)
    assert text == "work: 1 of 2 steps, 0:10, about 0:10 left\n"
    assert run(monkeypatch, Terminal(), 2, total=2, verbose=False) == ""


def test_steps_that_were_done_before_do_not_count_as_fast(monkeypatch, clock):
    text = run(monkeypatch, io.StringIO(), 1, total=1000, done=499, verbose=True)
    assert text == "work: 500 of 1,000 steps, 0:10, about 1:23:20 left\n"
