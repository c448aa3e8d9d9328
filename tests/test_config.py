"""Options from pyproject.toml."""

import pytest

from skfairprop._config import ConfigError, config_arguments, read_config

KNOWN = ("min-count", "cv", "pred", "model", "sensitive", "refit", "quiet")


def write(tmp_path, text):
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    return path


def test_the_table_is_read(tmp_path):
    path = write(tmp_path, "[tool.skfairprop.audit]\nmin-count = 20\n")
    assert read_config(path, "audit") == {"min-count": 20}


@pytest.mark.parametrize("text", ["", "[tool.other]\nx = 1\n", "[project]\nname = 'x'\n"])
def test_no_table_is_no_options(tmp_path, text):
    assert read_config(write(tmp_path, text), "audit") == {}
    assert read_config(tmp_path / "nowhere.toml", "audit") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.skfairprop]\naudit = 3\n", "must be a table"),
        ("tool = 3\n", "must be a table"),
        ("[tool\n", "cannot be read"),
    ],
)
def test_a_table_that_cannot_be_read(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        read_config(write(tmp_path, text), "audit")


@pytest.mark.parametrize(
    ("table", "argv", "expected"),
    [
        ({"min_count": 20}, [], ["--min-count=20"]),
        ({"sensitive": ["sex", "age:25"]}, [], ["--sensitive=sex", "--sensitive=age:25"]),
        ({"refit": False, "quiet": True}, [], ["--no-refit", "--quiet"]),
        ({"cv": 3}, ["--cv", "5"], []),
        ({"cv": 3}, ["--cv=5"], []),
        ({"refit": False}, ["--refit"], []),
        ({"refit": True}, ["--no-refit"], []),
        ({"model": "m.skops"}, ["--pred", "p"], []),
    ],
)
def test_flags_win(table, argv, expected):
    assert config_arguments(table, argv, known=KNOWN, exclusive=[("pred", "model")]) == expected


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"min-cuont": 1}, "no option 'min-cuont'; did you mean 'min-count'"),
        ({"cv": {"a": 1}}, "cv must be a string, a number, or a list of them"),
        ({"sensitive": [True]}, "sensitive must be"),
    ],
)
def test_options_of_no_use(table, message):
    with pytest.raises(ConfigError, match=message):
        config_arguments(table, [], known=KNOWN)
