"""Whatever the command line is given, it ends with a status of the four, and no traceback."""

import copy
import csv
import json
import random
from collections import Counter
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from skfairprop._command import main
from tests.hardening.command_cases import HOSTILE, random_case

N_CASES = 160
BATCH = 20


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run a command in an empty folder, warnings being errors: exit status, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")

    def run(*args):
        try:
            status = main([str(a) for a in args])
        except SystemExit as end:  # of the parser
            status = end.code
        out = capsys.readouterr()
        return status, out.out, out.err

    return run


def check_end(status, text, error):
    """An exit status of the specification, and what is printed with it."""
    assert status in (0, 1, 2, 3)
    assert "Traceback" not in error
    if status in (0, 1):
        assert error == ""
        return
    assert text == ""
    first, *more = error.splitlines()
    assert first.startswith("skfairprop: error: ")
    assert all(line.startswith("  ") for line in more), error  # a rule and the caret below it
    assert not more or "--fail-on: cannot read the rule" in first


class Tags(HTMLParser):
    """The tags of a page, and the attributes that would run something."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.handlers = set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


# -- random tables and flags ----------------------------------------------------------------------


@pytest.mark.parametrize("start", range(0, N_CASES, BATCH))
def test_random_tables_and_flags(run, tmp_path, start):
    for seed in range(start, start + BATCH):
        data, flags = random_case(seed)
        (tmp_path / "t.csv").write_bytes(data)
        status, text, error = run("audit", "t.csv", *flags)
        check_end(status, text, error)
        out = tmp_path / "skfairprop-audit" / "report.html"
        if status < 2 and out.exists():
            found = Tags(out.read_text())
            assert not found.tags & {"img", "script", "iframe"}
            assert not found.handlers
            json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
            out.unlink()


def is_text(name):
    """Whether a cell of this name is a text for every reader of CSV, and one line of it."""
    try:
        float(name)
    except ValueError:
        return bool(name.strip()) and "\n" not in name and name not in ("None", "NaN", "True")
    return False


def slow_counts(path, columns, weight):
    """Sums of weights by the values of some columns, read with Python's own csv."""
    out = Counter()
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            out[tuple(row[c] for c in columns)] += float(row[weight]) if weight else 1
    return out


def slow_rates(counts):
    """Share of "yes" among truth and predictions, and accuracy, of every group."""
    out = {}
    for group in {key[:-2] for key in counts}:
        of = {key[-2:]: n for key, n in counts.items() if key[:-2] == group}
        total = sum(of.values())
        out[group] = {
            "base_rate": sum(n for (true, _), n in of.items() if true == "yes") / total,
            "selection_rate": sum(n for (_, pred), n in of.items() if pred == "yes") / total,
            "accuracy": sum(n for (true, pred), n in of.items() if true == pred) / total,
        }
    return out


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("seed", range(4))
def test_numbers_agree_with_a_slow_recomputation(run, tmp_path, seed, weight):
    rng = np.random.default_rng(seed)
    n, names = 200, rng.permutation([h for h in HOSTILE if is_text(h)])
    frame = pd.DataFrame(
        {
            "y": rng.choice(["no", "yes"], n),
            "p": rng.choice(["no", "yes"], n, p=[0.7, 0.3]),
            "g": rng.choice(names[:3], n),
            "h": rng.choice(names[3:5], n),
            "w": rng.integers(1, 5, n) / 4,
        }
    )
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    flags = ["--sensitive=g", "--sensitive=h", "--bootstrap=0"]
    flags += ["--weight=w"] if weight else []
    end = run("audit", "t.csv", "--target=y", "--pos-label=yes", "--pred=p", *flags)
    assert (end[0], end[2]) == (0, "")
    document = json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
    for view, columns in zip(document["report"]["views"], ("gh", "g", "h"), strict=True):
        expected = slow_rates(slow_counts(path, [*columns, "y", "p"], weight))
        labels = [tuple(v) if isinstance(v, list) else (v,) for v in view["group_labels"]]
        found = dict(zip(labels, view["by_group"], strict=True))
        assert found.keys() == expected.keys()
        for group, rates in expected.items():
            assert {k: found[group][k] for k in rates} == pytest.approx(rates)
        metrics = {row["metric"]: row["value"] for row in view["metrics"]}
        for name, rate in (
            ("demographic_parity_difference", "selection_rate"),
            ("accuracy_difference", "accuracy"),
        ):
            of_groups = [rates[rate] for rates in expected.values()]
            assert metrics[name] == pytest.approx(max(of_groups) - min(of_groups))


# -- what was found by many more such cases -------------------------------------------------------

GIVEN = ("audit", "t.csv", "--target=y", "--sensitive=g", "--bootstrap=0")


def small(**columns):
    n = 40
    rng = np.random.default_rng(0)
    frame = {"y": np.arange(n) % 2, "p": rng.integers(0, 2, n), "g": rng.choice(["a", "b"], n)}
    return pd.DataFrame(frame | columns)


@pytest.fixture
def write(tmp_path):
    def write(frame=None, name="t.csv"):
        frame = small() if frame is None else frame
        if name.endswith(".csv"):
            frame.to_csv(tmp_path / name, index=False)
        else:
            frame.to_parquet(tmp_path / name)

    return write


@pytest.mark.parametrize("sep", ["", "::", '"', "\n", "\r", "\0", r"\s+"])
def test_a_separator_is_one_character(run, write, sep):
    write()
    status, text, error = run(*GIVEN, "--sep", sep)
    check_end(status, text, error)
    assert error == f"skfairprop: error: --sep {sep!r}: must be one character, as ';' or '\\t'\n"


def test_utf_16_is_recognised(run, write, tmp_path):
    write()
    (tmp_path / "t.csv").write_text((tmp_path / "t.csv").read_text(), encoding="utf-16")
    status, text, error = run(*GIVEN)
    check_end(status, text, error)
    assert "t.csv: not UTF-8; name the encoding, as in --encoding utf-16" in error
    assert run(*GIVEN, "--encoding", "utf-16")[0] == 0


@pytest.mark.parametrize(
    ("flag", "path", "reason"),
    [
        ("--out", "a" * 300, "File name too long"),
        ("--out", "x\0y", "null"),
        ("--junit", "x\0y", "null"),
        ("--junit", ".", "Is a directory"),
        ("--markdown", "a" * 300, "File name too long"),
        ("--markdown", "t.csv/x", "Not a directory"),
    ],
)
def test_places_that_cannot_be_written_are_found_first(run, write, tmp_path, flag, path, reason):
    write()
    status, text, error = run(*GIVEN, flag, path)
    check_end(status, text, error)
    assert status == 2
    assert "cannot be written: " in error
    assert reason in error
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_a_rate_that_the_report_of_a_data_set_lacks(run, write):
    write()
    status, text, error = run(*GIVEN, "--fail-on", "selection_rate[a] > 0.1")
    check_end(status, text, error)
    assert (status, "selection_rate is not in this report; it needs pred" in error) == (2, True)
    assert run(*GIVEN, "--fail-on", "base_rate[a] > 2")[0] == 0


def test_classes_and_groups_without_weight(run, write):
    weight = small()["y"].to_numpy()
    write(small(v=weight, w=(small()["g"] == "b").astype(int)))
    status, text, error = run(*GIVEN, "--weight=v", "--pos-label=0")
    check_end(status, text, error)
    assert "--target 'y': all rows that count have the same value, 1; the others" in error
    status, text, error = run(*GIVEN, "--weight=w")
    check_end(status, text, error)
    assert "there is only one group of any weight, 'b'; a comparison needs two" in error
    write(small(y=np.arange(40) % 3, v=np.arange(40) % 3))
    status, text, error = run(*GIVEN, "--weight=v", "--pos-label=0")
    check_end(status, text, error)
    assert "--pos-label '0': no row that counts has it; all of them have no weight" in error


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-1.0, "--weight 'w' holds 40 negative values"),
        (np.inf, "--weight 'w' holds values that are missing or infinite"),
        (1e308, "--weight 'w' holds values as large as 1e+308"),
        (0, "--weight 'w' is zero in all rows"),
        ("x", "--weight 'w': the column holds no numbers"),
    ],
)
def test_weights_of_no_use_name_the_flag(run, write, weight, message):
    write(small(w=weight))
    status, text, error = run(*GIVEN, "--weight=w")
    check_end(status, text, error)
    assert message in error


def test_too_many_groups_of_booleans(run, write):
    write(small(g=np.arange(40) < 9))
    status, text, error = run(*GIVEN, "--max-groups=1")
    check_end(status, text, error)
    assert "2 different values make 2 groups; merge them, or pass --max-groups 2" in error


def test_few_random_tables_are_warned_of_in_the_report_alone(run, write):
    write()
    status, text, error = run(*GIVEN[:-1], "--bootstrap=20", "--pred=p")
    check_end(status, text, error)
    assert status == 0
    assert "n_draws=20 gives no p-value below 0.0476" in " ".join(text.split())


# -- Parquet --------------------------------------------------------------------------------------


def parquet_table():
    pytest.importorskip("pyarrow")
    bit = np.arange(40) // 2 % 2
    return small(
        nested=[[int(i), 1] for i in bit],
        records=[{"a": int(i)} for i in bit],
        category=pd.Categorical(np.array(["u", "v"])[bit], categories=["z", "v", "u"]),
        nullable=pd.array(np.where(np.arange(40) < 3, None, bit), dtype="Int64"),
        boolean=pd.array(bit == 1, dtype="boolean"),
        day=pd.Timestamp("2020-01-01") + pd.to_timedelta(bit, unit="D"),
        zoned=(pd.Timestamp("2020-01-01", tz="UTC") + pd.to_timedelta(bit, unit="D")),
        lapse=pd.to_timedelta(bit, unit="h"),
        half=bit.astype(np.float32) / 2,
        raw=[b"a" if i else b"b" for i in bit],
    )


@pytest.mark.parametrize(
    "group", ["category", "nullable", "boolean", "day", "zoned", "lapse", "half", "raw"]
)
def test_groups_of_any_type_of_parquet(run, write, tmp_path, group):
    write(parquet_table(), "t.parquet")
    flags = ("--target=y", "--pred=p", f"--sensitive={group}", "--missing=drop", "--bootstrap=0")
    status, text, error = run("audit", "t.parquet", *flags)
    check_end(status, text, error)
    assert status == 0
    assert "left out columns of lists or records: 'nested', 'records'" in " ".join(text.split())
    table = parquet_table().dropna(subset=group)
    expected = table["p"].groupby(table[group].astype(str).to_numpy()).mean()
    found = pd.read_csv(tmp_path / "skfairprop-audit" / "by_group.csv")["selection_rate"]
    assert sorted(found) == pytest.approx(sorted(expected))  # no group of the unused category


@pytest.mark.parametrize("name", ["nested", "records"])
@pytest.mark.parametrize("flag", ["--target", "--sensitive", "--pred", "--weight"])
def test_lists_and_records_are_no_values(run, write, flag, name):
    write(parquet_table(), "t.parquet")
    given = {"--target": "y", "--sensitive": "g"} | {flag: name}
    status, text, error = run("audit", "t.parquet", *(f"{k}={v}" for k, v in given.items()))
    check_end(status, text, error)
    assert f"{flag} '{name}': the column holds lists or records; one value a row" in error


def test_a_broken_parquet_file(run, write, tmp_path):
    write(parquet_table(), "t.parquet")
    data = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(data[: len(data) // 2])
    status, text, error = run("audit", "t.parquet", "--target=y", "--sensitive=g")
    check_end(status, text, error)
    assert "t.parquet: not a Parquet file (" in error


# -- two reports ----------------------------------------------------------------------------------


def paths_of(part, path=()):
    """The place of every part of a document."""
    yield path
    items = enumerate(part) if isinstance(part, list) else getattr(part, "items", list)()
    for key, value in items:
        yield from paths_of(value, (*path, key))


def damaged(document, rng):
    """The document with some part of it gone, or something else."""
    out = copy.deepcopy(document)
    *where, last = rng.choice([p for p in paths_of(out) if p])
    part = out
    for key in where:
        part = part[key]
    value = rng.choice([None, "x", -1, [], {}, True, "<b>", ["a"], {"a": 1}, 0, "gone"])
    if value == "gone":
        del part[last]
    else:
        part[last] = value
    return out


@pytest.mark.filterwarnings("default::RuntimeWarning")  # of numbers that no audit writes
def test_reports_that_were_changed_by_hand(run, write, tmp_path):
    write()
    assert run(*GIVEN, "--pred=p")[0] == 0
    document = json.loads((tmp_path / "skfairprop-audit" / "report.json").read_text())
    (tmp_path / "A.json").write_text(json.dumps(document))
    rng = random.Random(0)
    for _ in range(20):
        (tmp_path / "B.json").write_text(json.dumps(damaged(document, rng)))
        status, text, error = run("compare", *rng.sample(["A.json", "B.json"], 2))
        check_end(status, text, error)
        assert status in (0, 2)


@pytest.mark.parametrize("text", ["", "[]", "null", "[" * 100_000, "{}", "NaN", "\0"])
def test_no_report_at_all(run, tmp_path, text):
    (tmp_path / "A.json").write_text(text)
    status, out, error = run("compare", "A.json", "A.json")
    check_end(status, out, error)
    assert "'A.json' is no " in error


@pytest.mark.parametrize("name", ["<b>\x1b", "x" * 10_000, "\0", "zzz"])
def test_metrics_of_no_such_name(run, name):
    status, text, error = run("metrics", name)
    check_end(status, text, error)
    assert status == 2
