"""The documentation: its code runs, its links lead somewhere, its reference is complete."""

import doctest
import importlib
import importlib.util
import pkgutil
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import sklearn

import skfairprop
from skfairprop import metrics
from skfairprop._command import build_parser

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
if not DOCS.exists():
    pytest.skip("the documentation is not part of the source distribution", allow_module_level=True)
GENERATED = ("api/", "auto_examples/")
PAGES = sorted(
    path
    for path in DOCS.rglob("*.md")
    if not path.relative_to(DOCS).as_posix().startswith(("_build", *GENERATED))
)
# Their code is made to be run with the reader's own data.
SHOWN = {"audit.md", "audits/compas.md", "automl.md"}  # the last runs in tests/automl
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def name(path):
    """A page, from docs/."""
    return path.relative_to(DOCS).as_posix()


def blocks(path, *languages):
    """Text of the code blocks of a page in a language."""
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", path.read_text("utf-8"), flags=re.M | re.S)
    return [match[2] for match in found if match[1] in languages]


def require(path):
    """Skip where a package that the page says it needs is not installed."""
    for line in re.findall(r"<!-- needs: (.*?) -->", path.read_text("utf-8")):
        for package in line.split(", "):
            pytest.importorskip(package)


@pytest.mark.filterwarnings("ignore:left out:UserWarning")  # as a page says that it will be
@pytest.mark.parametrize("path", [p for p in PAGES if blocks(p, "python")], ids=name)
def test_code(path, tmp_path, monkeypatch):
    code = blocks(path, "python")
    if name(path) in SHOWN:
        for block in code:
            compile(block, name(path), "exec")
        return
    require(path)
    if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9):
        pytest.skip("the outputs are those of newer versions")
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    for number, block in enumerate(code):
        if ">>>" not in block:
            exec(compile(block, f"{name(path)}, block {number}", "exec"), space)
            continue
        test = doctest.DocTestParser().get_doctest(block, {}, name(path), str(path), 0)
        test.globs = space
        said = []
        runner.run(test, out=said.append, clear_globs=False)
        assert not runner.failures, "".join(said)


@pytest.mark.parametrize("path", [p for p in PAGES if blocks(p, "console", "bash")], ids=name)
def test_commands(path):
    parser, _ = build_parser()
    for block in blocks(path, "console"):
        for line in re.findall(r"^\$ skfairprop (.*)$", block.replace("\\\n", " "), flags=re.M):
            parser.parse_args(shlex.split(line))
    for block in blocks(path, "bash"):
        for target in re.findall(r"^make (\w+)", block, flags=re.M):
            assert f"\n{target}:" in (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.parametrize("path", [p for p in PAGES if blocks(p, "toml")], ids=name)
def test_settings(path):
    for block in blocks(path, "toml"):
        assert tomllib.loads(block)


def exists(target, path):
    """Whether a relative link of a page leads somewhere, in the repository or on the site."""
    place = (path.parent / target).resolve()
    if not place.is_relative_to(DOCS):
        return place.exists()
    inside = place.relative_to(DOCS).as_posix()
    if inside.startswith("auto_examples/plot_"):
        return (DOCS / "examples" / f"{Path(inside).stem}.py").exists()
    if inside.startswith(GENERATED):
        return Path(inside).stem in {"index", "metrics_table"}
    return place.exists() or place.with_suffix(".md").exists()


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.M | re.S)
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    assert [target for target in targets if not exists(target, path)] == []


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_roles_name_public_things(path):
    for role, target in re.findall(r"\{(func|class|meth)\}`~?([\w.]+)`", path.read_text("utf-8")):
        parts = target.split(".")
        depth = len(parts) - (2 if role == "meth" else 1)
        thing = importlib.import_module(".".join(parts[:depth]))
        assert parts[depth] in getattr(thing, "__all__", dir(thing)), target
        for part in parts[depth:]:
            thing = getattr(thing, part)


def test_images_are_small_and_all_used():
    texts = "".join(p.read_text("utf-8") for p in PAGES)
    for image in (DOCS / "images").iterdir():
        assert image.stat().st_size < 100_000, image.name
        assert image.name in texts, f"{image.name} is on no page"


@pytest.fixture(scope="module")
def reference():
    """What writes the API reference."""
    spec = importlib.util.spec_from_file_location("api_pages", DOCS / "_ext" / "api_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def public():
    """Every public name, by the module that exports it."""
    for found in pkgutil.iter_modules(skfairprop.__path__):
        if not found.name.startswith("_"):
            module = importlib.import_module(f"skfairprop.{found.name}")
            for exported in getattr(module, "__all__", ()):
                yield found.name, exported


@pytest.mark.parametrize(("module", "exported"), list(public()))
def test_every_public_name_is_in_the_reference(module, exported, reference):
    text = "\n".join(reference.module_page(module))
    listed = rf"^   {exported}$" if exported != "METRICS" else r"^\.\. py:data:: METRICS$"
    assert len(re.findall(listed, text, flags=re.M)) == 1


def test_every_metric_is_in_the_table_with_what_it_misses(reference):
    text = "\n".join(reference.metrics_table())
    for metric in metrics.METRICS.values():
        assert metric.name in text
        assert reference.escaped(metric.misleads) in text
        assert reference.escaped(metric.formula) in text


@pytest.mark.parametrize("metric", [m.name for m in metrics.METRICS.values()])
def test_metrics_of_the_papers_are_among_the_equations(metric):
    family = metrics.METRICS[metric].family
    text = (DOCS / "equations.md").read_text("utf-8")
    if family in ("dataset", "disparity", "amplification"):
        assert f"{{func}}`~skfairprop.metrics.{metric}`" in text
    elif family == "procedural":
        assert metric.removeprefix("mesd_") in text
    elif family == "estimation":
        assert "{func}`~skfairprop.metrics.bias_estimations`" in text


def test_every_module_is_in_the_reference(reference):
    text = "\n".join(reference.top_page())
    for module in {module for module, _ in public()}:
        assert f"   {module} <skfairprop.{module}>" in text.split("\n")
    for exported in skfairprop.__all__:
        assert f".{exported}`:" in text


def test_links_of_included_pages_are_moved():
    spec = importlib.util.spec_from_file_location("links", DOCS / "_ext" / "repository_links.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = "[a](results/x.txt) [b](https://x.org/y) [c](#d) [e](docs/audit.md)"
    moved = module.read_from("../benchmarks/", text)
    assert moved == "[a](../benchmarks/results/x.txt) [b](https://x.org/y) [c](#d) [e](audit.md)"


@pytest.mark.parametrize(
    "path",
    sorted([*DOCS.glob("guide/[!i]*.md"), *DOCS.glob("examples/plot_*.py")]),
    ids=name,
)
def test_guide_and_gallery_say_when_a_measure_misleads(path):
    assert re.search(r"When (it|they) misleads?", path.read_text("utf-8"))
