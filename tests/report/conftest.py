"""A small table of loans, and the command to audit it."""

import numpy as np
import pandas as pd
import pytest

from skfairprop._command import main

QUICK = ("--bootstrap", "60")


def make_loans(n=300):
    """A target, predictions that favour men, protected columns, and one that follows sex."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["female", "male"], n)
    frame = pd.DataFrame(
        {
            "sex": sex,
            "age": rng.integers(18, 70, n),
            "repaid": rng.choice(["yes", "no"], n, p=[0.6, 0.4]),
            "stage": rng.choice(["early", "mid", "late"], n),
            "height": np.where(sex == "male", 178, 165) + rng.normal(0, 6, n).round(1),
        }
    )
    frame["guess"] = np.where(rng.random(n) < np.where(sex == "male", 0.8, 0.4), "yes", "no")
    frame["guessed_stage"] = rng.permutation(frame["stage"])
    frame["score"] = rng.random(n)
    frame["weight"] = rng.integers(1, 4, n)
    return frame


@pytest.fixture(scope="session")
def loans(tmp_path_factory):
    """The path and the frame of the loans."""
    frame = make_loans()
    path = tmp_path_factory.mktemp("loans") / "loans.csv"
    frame.to_csv(path, index=False)
    return path, frame


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run ``skfairprop audit`` in an empty folder: exit status, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")

    def run(*args):
        status = main(["audit", *map(str, args)])
        out = capsys.readouterr()
        return status, out.out, out.err

    return run


@pytest.fixture
def audit_loans(run, loans):
    """Run it on the loans with the predictions of the table."""

    def audit_loans(*args):
        given = ("--target", "repaid", "--pos-label", "yes", "--sensitive", "sex")
        return run(loans[0], *given, "--pred", "guess", *QUICK, *args)

    return audit_loans


@pytest.fixture
def refused(run):
    """The one-line error of a run that is refused."""

    def refused(*args, status=2):
        found, out, err = run(*args)
        assert (found, out) == (status, "")
        assert err.startswith("skfairprop: error: ")
        assert "Traceback" not in err
        return err

    return refused
