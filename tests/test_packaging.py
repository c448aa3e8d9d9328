"""What pyproject.toml promises: the versions that are tried, the extras that messages name."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Where they differ from the minimum: 2.4 of torch is not built for every machine.
NOT_TRIED_OLD = {"torch", "skorch"}
TRIED_EXTRAS = ("explain", "search", "report", "torch")
PEERS = {"fairlearn", "hypothesis", "imbalanced-learn", "polars", "pyarrow", "duckdb"}

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").exists(), reason="runs in a checkout only"
)


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def minimums(requirements) -> dict[str, str]:
    found = {}
    for requirement in requirements:
        match = re.fullmatch(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", requirement)
        if match:
            found[match[1]] = match[2]
    return found


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / ".ci" / name).read_text().splitlines()
    return dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))


def number(version: str) -> tuple[int, ...]:
    """The version without the zeros at its end: 1.26 and 1.26.0 are one."""
    parts = [int(part) for part in version.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def test_the_minimums_are_the_versions_that_are_tried():
    extras = project()["optional-dependencies"]
    wanted = minimums(project()["dependencies"])
    for extra in TRIED_EXTRAS:
        wanted |= minimums(extras[extra])
    wanted |= {k: v for k, v in minimums(extras["test"]).items() if k in PEERS}
    tried = pins("constraints-oldest.txt")
    for name, version in wanted.items():
        if name not in NOT_TRIED_OLD:
            assert number(tried[name]) == number(version), name


def test_every_requirement_has_an_exact_version_in_ci():
    newest = {name.lower().replace("_", "-") for name in pins("constraints.txt")}
    extras = project()["optional-dependencies"]
    named = minimums(project()["dependencies"])
    for extra in extras.values():
        named |= minimums(extra)
    assert not {name.lower() for name in named} - newest


def test_messages_name_extras_that_exist():
    named = set()
    for path in (ROOT / "skfairprop").rglob("*.py"):
        named |= set(re.findall(r"skfairprop\[([a-z]+)\]", path.read_text()))
        named |= set(re.findall(r"(?i:extra) ?= ?\"([a-z]+)\"", path.read_text()))
    assert named <= set(project()["optional-dependencies"])
    assert named  # the pattern still finds them
