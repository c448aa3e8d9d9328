"""Compiled templates: kept beside their source where possible, and never a reason to fail."""

import sys

import pytest

from skfairprop.report._page._render import make_cache

jinja2 = pytest.importorskip("jinja2")


@pytest.fixture
def render(tmp_path):
    """Render a template in an environment of its own."""
    source = tmp_path / "source"
    source.mkdir()

    def render(text, folder):
        (source / "a.j2").write_text(text)
        cache = make_cache(jinja2, folder)
        loader = jinja2.FileSystemLoader(source)
        return jinja2.Environment(loader=loader, bytecode_cache=cache).get_template("a.j2").render()

    return render


def test_it_is_kept_and_another_source_is_compiled_again(render, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder = tmp_path / "cache"
    assert render("{{ 1 + 1 }}", folder) == "2"
    (kept,) = folder.iterdir()
    before = kept.read_bytes()
    assert render("{{ 1 + 1 }}", folder) == "2"
    assert kept.read_bytes() == before
    assert render("{{ 1 + 2 }}", folder) == "3"


def test_nothing_is_kept_where_python_keeps_nothing(render, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert render("{{ 1 + 1 }}", tmp_path / "cache") == "2"
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_cannot_be_written_to_is_no_reason_to_fail(render, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "file").write_text("")
    assert render("{{ 1 + 1 }}", tmp_path / "file" / "cache") == "2"
