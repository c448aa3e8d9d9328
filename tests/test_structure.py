"""How the package is built: short functions and files, layers, and no import that goes round."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.public import public_modules

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "skfairprop"
FILES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FILE = 500
LONGEST_FUNCTION = 50
# The parts of the package from the bottom to the top. A part imports parts of the lines above its
# own; those of one line know nothing of each other.
LAYERS = (
    (
        "__init__",
        "_checks",
        "_optional",
        "_progress",
        "_random",
        "_refit",
        "_scores",
        "_suggest",
        "_typing",
        "_visible",
    ),
    ("_columns", "_config", "_exit", "_metadata", "_rows", "datasets", "exceptions"),
    ("_resolve", "explain", "groups"),
    ("_labels", "_tables"),
    ("_counting", "_frame_query"),
    ("_frame_counts",),
    ("_frame_constructors",),
    ("counts",),
    ("metrics",),
    ("inference", "preprocessing"),
    ("meta", "neural_network", "scorers"),
    ("benn", "model_selection"),
    ("inspection",),
    ("report",),
    ("automl",),
    ("_command",),
    ("__main__",),
)
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}
# The one place that needs what scikit-learn does not promise: the base of its searches.
PRIVATE_SKLEARN = {"sklearn.model_selection._search"}
# What scikit-learn's scorers keep under private names, and the files that may read it.
PRIVATE_OF_SCORERS = {
    "_score_func",
    "_sign",
    "_kwargs",
    "_response_method",
    "_accept_sample_weight",
}
READERS_OF_SCORERS = {"scorers/_sklearn.py", "scorers/_group_scorer.py"}


@cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def shown(path):
    return path.relative_to(PACKAGE).as_posix()


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


def part_of(module):
    """The part of the package that a module belongs to."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def code_lines(function):
    """Lines of a function without its docstring; parameters of public ones do not count.

    A public signature lists its parameters, one a line, as scikit-learn's do.
    """
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body:
        return 0
    public = not function.name.startswith("_") or function.name == "__init__"
    signature = 0 if public else function.body[0].lineno - function.lineno
    return body[-1].end_lineno - body[0].lineno + 1 + signature


def imports(path, *, when_loaded=False):
    """The modules of the package that a module imports: all, or those that its loading loads."""
    tree = parsed(path)
    left_out = set()
    for node in ast.walk(tree):
        typing_only = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if typing_only or (when_loaded and inside):
            left_out.update(ast.walk(node))
    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = module_name(path.parent / "__init__.py") if node.level else ""
            source = ".".join(filter(None, [base, node.module]))
            for alias in node.names:
                member = f"{source}.{alias.name}"
                yield member if member in MODULES else source


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_files_are_short(path):
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_functions_are_short(path):
    functions = [n for n in ast.walk(parsed(path)) if isinstance(n, ast.FunctionDef)]
    assert {f.name: code_lines(f) for f in functions if code_lines(f) > LONGEST_FUNCTION} == {}


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_nothing_imports_upwards(path):
    own = part_of(module_name(path))
    used = {part_of(m) for m in imports(path) if m.split(".")[0] == "skfairprop"} - {own}
    assert [part for part in used if RANK[part] >= RANK[own]] == []


def test_no_import_goes_round():
    graph = {
        name: {m for m in imports(path, when_loaded=True) if m in MODULES and m != name}
        for name, path in MODULES.items()
    }
    done, on_the_way = set(), []

    def visit(name):
        assert name not in on_the_way, " -> ".join([*on_the_way, name])
        if name in done:
            return
        on_the_way.append(name)
        for other in sorted(graph[name]):
            visit(other)
        done.add(on_the_way.pop())

    for name in sorted(graph):
        visit(name)
    assert done == set(MODULES)


def test_scikit_learn_s_private_modules_are_left_alone_but_for_one():
    found = [
        (module, shown(path))
        for path in FILES
        for module in imports(path)
        if module.startswith("sklearn.") and "._" in module
    ]
    assert {module for module, _ in found} <= PRIVATE_SKLEARN
    assert len(found) <= 1
    for path in FILES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                assert [a.name for a in node.names if a.name.startswith("_")] == [], shown(path)


def test_every_public_module_says_what_it_exports():
    for module in public_modules():
        exported = module.__all__
        assert len(exported) == len(set(exported))
        assert all(hasattr(module, name) and not name.startswith("_") for name in exported)


def test_the_checks_see_what_they_look_for():
    long = ast.parse("def f(\n    a,\n):\n    '''Text.'''\n" + "    a = 1\n" * 51).body[0]
    assert code_lines(long) == 51
    long.name = "_f"
    assert code_lines(long) == 54
    assert list(imports(PACKAGE / "counts.py")).count("skfairprop.groups") >= 1


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_scorers_of_scikit_learn_are_read_in_one_place(path):
    if shown(path) in READERS_OF_SCORERS:
        return
    read = {node.attr for node in ast.walk(parsed(path)) if isinstance(node, ast.Attribute)}
    read |= {
        node.value
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert not read & PRIVATE_OF_SCORERS
