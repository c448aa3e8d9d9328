"""Random tables and flags for the command line: mostly of use, each with something odd in it."""

import random

import numpy as np
import pandas as pd

HOSTILE = [
    "<img onerror=alert(1) src=x>", "</script><b>", "$x_1^{2}$", "$\\frac$", "a\x07b",
    "\u202egnp.exe", "x" * 10_000, "👩‍👩‍👧 é", "", " ", "a,b", 'q"q', "a;b", "=1+1", "@x",
    "line\nbreak", "tab\tx", "{{ 7*7 }}", "{% x %}", "%s %d", "\\", "'", "None", "NaN", "(missing)",
    "0", "1", "-1", "1e400", "inf", "True", "2020-01-01", "\x1b[31mred", "\ufeffbom", "a|b", "`x`",
    "[x]", "--help", "age:25", "x:1,2",
]  # fmt: skip
RULES = [
    "demographic_parity_difference > 0.1", "cramers_v.lower > 5%", "tpr[a] < 0.7", "nonsense > 1",
    "tpr[</script><b>] < 0.7", "equal_opportunity.q < 0.05", "cramers_v > ", "cramers_v > 1e999",
    "accuracy[a].n < 10 and cramers_v.p < .05", "selection_rate[0] <= 1", "cramers_v > nan", "",
    "[a] > 1", "équal > 1", "tpr[a, b].lower >= 10%", "count[1] < 5", "estimation_calibration > 0",
    "mesd > 0",
]  # fmt: skip
CLASSES = {
    "bits": lambda nr, n: nr.integers(0, 2, n),
    "letters": lambda nr, n: nr.choice(["a", "b"], n),
    "three": lambda nr, n: nr.choice(["a", "b", "c"], n),
    "bool": lambda nr, n: nr.random(n) < 0.5,
}
VALUES = CLASSES | {
    "hostile": lambda nr, n: nr.choice(np.array(HOSTILE, dtype=object)[nr.permutation(40)[:4]], n),
    "normal": lambda nr, n: nr.normal(size=n),
    "integers": lambda nr, n: nr.integers(-5, 60, n),
    "with missing": lambda nr, n: np.where(nr.random(n) < 0.1, np.nan, nr.integers(0, 3, n)),
    "dates": lambda nr, n: pd.date_range("2020", periods=n).strftime("%Y-%m-%d"),
    "missing": lambda nr, n: [None] * n,
    "constant": lambda nr, n: np.zeros(n, int),
    "infinite": lambda nr, n: np.where(nr.random(n) < 0.1, np.inf, nr.integers(0, 2, n)),
    "mixed": lambda nr, n: nr.choice(np.array([1, "a", 2.5, True, None], dtype=object), n),
    "huge": lambda nr, n: nr.random(n) * 10.0 ** nr.choice([15, 140, 300, 308]),
    "negative": lambda nr, n: -nr.random(n),
    "beyond int64": lambda nr, n: [str(2**70 + int(i)) for i in nr.integers(0, 2, n)],
}
ODD = {  # values that are refused, or at the edge of what is not
    "--confidence": ["0.9", "1", "0", "nan", "0.999999", "1e-9", "inf", "-.5"],
    "--cv": ["2", "3", "1", "0", "1000", "-3", "99999999999999999999"],
    "--seed": ["1", "-1", "4294967295", "4294967296", "99999999999999999999999"],
    "--min-count": ["0", "1", "1000000", "-1", "9999999999999999999999"],
    "--max-groups": ["0", "1", "2", "100000"],
    "--junit": ["d/j.xml", ".", " ", "x\x00y", "t.csv/x"],
    "--markdown": ["d/m.md", "."],
    "--out": ["o", "t.csv", ".", "\x00", "", "a" * 300],
    "--color": ["always", "never", "auto", "x"],
    "--sep": [";", "\\t", "", "::", "\x00", "|", "\\", '"', "\n", " "],
    "--encoding": ["UTF8", "latin-1", "utf-16", "cp1252", "rot13", "base64", "idna", "x", "", "\0"],
    "--model": ["nope.skops", "t.csv", "x.pkl", "."],
    "--bootstrap": ["-1", "x", "20", "1"],
}  # fmt: skip


def random_case(seed: int) -> tuple[bytes, list[str]]:
    """The bytes of a CSV file, and flags for it."""
    rng = random.Random(seed)
    n = rng.choice([1, 2, 3, 5, 20, 60, 60, 60, 120, 120, 120])
    d = rng.randrange(1, 7)
    kinds = [rng.choice(list(VALUES if i > 2 else CLASSES)) for i in range(d)]
    if d > 2 and rng.random() < 0.6:
        kinds[1] = kinds[0]
    pool = rng.sample(HOSTILE, d)
    names = [pool[i] if rng.random() < 0.4 else f"c{i}" for i in range(d)]
    nr = np.random.default_rng(seed)
    frame = pd.DataFrame({i: np.asarray(VALUES[kind](nr, n)) for i, kind in enumerate(kinds)})
    frame.columns = names if rng.random() < 0.98 else [rng.choice(names) for _ in names]
    data = frame.to_csv(index=False).encode()
    if rng.random() < 0.15:
        data = _broken(rng, data)
    return data, _flags(rng, names, kinds, frame)


def _flags(rng, names, kinds, frame) -> list[str]:
    of_class = [i for i, kind in enumerate(kinds) if kind in CLASSES]

    def column():
        return rng.choice(names) if rng.random() < 0.95 else rng.choice([*HOSTILE, "nope", "\0"])

    target = rng.choice(of_class)
    out = [f"--target={names[target]}"] if rng.random() < 0.98 else []
    for _ in range(rng.choice([1, 1, 1, 1, 2, 3])):
        spec = names[rng.choice(of_class)] if rng.random() < 0.6 else column()
        if rng.random() < 0.1:
            spec += ":" + rng.choice(["25", "1,2", "2,1", "x", "", "nan", "inf", "1e400", "-1,0,1"])
        out.append(f"--sensitive={spec}")
    same = [names[i] for i in of_class if kinds[i] == kinds[target]]
    if rng.random() < 0.55:
        out.append(f"--pred={rng.choice(same) if rng.random() < 0.9 else column()}")
    elif rng.random() < 0.25:
        out += ["--estimator", rng.choice(["logistic", "logistic", "boosting"])]
    if rng.random() < 0.85:
        found = [str(v) for v in pd.unique(frame.iloc[:, target])]
        out.append(f"--pos-label={rng.choice([*found, *found, *found, 'zzz'])}")
    if rng.random() < 0.25:
        out.append(f"--weight={column()}")
    out += ["--missing", rng.choice(["group", "drop", "drop", "raise"])]
    if rng.random() < 0.3:
        out.append(f"--fail-on={rng.choice(RULES)}")
    out += ["--bootstrap", rng.choice(["0", "0", "40"])]
    for flag in rng.sample(list(ODD), rng.choice([0, 0, 0, 1, 1, 2])):
        out.append(f"{flag}={rng.choice(ODD[flag])}")
    for flag in ("--no-refit", "--reweight", "-q"):
        if rng.random() < 0.08:
            out.append(flag)
    return out


def _broken(rng, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    lines = data.split(b"\n")
    return rng.choice(
        [
            data[:at],
            data[:at] + b"\0" * rng.randrange(1, 4) + data[at:],
            data[:at] + b'"' + data[at:],
            data[:at] + bytes([rng.randrange(256)]) + data[at:],
            b"\n".join([*lines[:1], b"1,2,3,4,5,6,7,8,9", *lines[1:]]),
            rng.choice([b"", b"\n", b"  ", b"\xef\xbb\xbf", b",", b",,\n,,\n", b"\0" * 100]),
            lines[0],
            data.decode().encode("utf-16"),
            data.decode().encode("latin-1", "replace") + b"\xe9",
            b"\xef\xbb\xbf" + data,
            data.replace(b",", b";"),
            rng.randbytes(rng.randrange(2000)),
            data.replace(b"\n", b"\r\n"),
            data.replace(b"\n", b"\r"),
            data.replace(b"\n", b"\n\n"),
            b"\x1f\x8b" + data,
        ]
    )
