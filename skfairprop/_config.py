"""Options of a command from pyproject.toml: ``[tool.skfairprop.audit]``; flags win."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from skfairprop._suggest import closest


class ConfigError(Exception):
    """A table in pyproject.toml that cannot be used. One line with the remedy."""


def read_config(path: Path, command: str) -> dict[str, Any]:
    """The table ``[tool.skfairprop.<command>]`` of a file; empty where there is none.

    Raises
    ------
    ConfigError
        If the file cannot be read, or the table is none.
    """
    import tomllib

    try:
        with path.open("rb") as file:
            document = tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise ConfigError(f"{path.name} cannot be read: {exc}") from None
    table = document
    for key in ("tool", "skfairprop", command):
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise ConfigError(f"{path.name}: {key} of [tool.skfairprop.{command}] must be a table")
    return table


def config_arguments(
    table: dict[str, Any],
    argv: Sequence[str],
    *,
    known: Collection[str],
    exclusive: Sequence[Collection[str]] = (),
) -> list[str]:
    """The table as arguments to put before those of the user.

    Parameters
    ----------
    table : dict
        Names of options without the dashes in front, with "-" or "_". A list repeats an option;
        true gives a flag, false its "no-" form.
    argv : sequence of str
        What the user gave: an option given there is left out here.
    known : collection of str
        Names of the options, with "-".
    exclusive : sequence of collections of str
        Options of which only one may be given.

    Raises
    ------
    ConfigError
        If there is no such option, or its value is of no use.

    Examples
    --------
    >>> from skfairprop._config import config_arguments
    >>> config_arguments({"min_count": 20, "cv": 3}, ["--cv", "5"], known=["min-count", "cv"])
    ['--min-count=20']
    """
    given = {_option_name(word) for word in argv if word.startswith("--")}
    for group in exclusive:
        if given & set(group):
            given |= set(group)
    out: list[str] = []
    for key, value in table.items():
        name = key.replace("_", "-")
        if name not in known:
            raise ConfigError(f"no option {key!r}{closest(name, known)}")
        if name not in given:
            out += _as_arguments(name, value)
    return out


def _option_name(word: str) -> str:
    return word[2:].partition("=")[0].removeprefix("no-")


def _as_arguments(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(v, str | int | float) and not isinstance(v, bool) for v in values):
        raise ConfigError(f"{name} must be a string, a number, or a list of them; got {value!r}")
    return [f"--{name}={v}" for v in values]
