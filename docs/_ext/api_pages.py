"""Write the pages of the API reference and the table of metrics: docs/api/*.rst, ignored by git.

A page has what its sub-package exports, no list is kept by hand; `PAGES` only groups the names.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import skfairprop
from skfairprop.metrics import METRICS

FAMILIES = {
    "dataset": "Bias of a data set",
    "disparity": "Bias of a model with any number of classes",
    "classical": "Classical measures, for one positive class",
    "estimation": "BENN's bias estimations",
    "amplification": "Bias amplification",
    "procedural": "Stability of explanations",
}
# Functions that compute a family and are not named after one of its metrics.
ALSO = {
    "bias_estimation": "estimation",
    "bias_estimations": "estimation",
    "predictability": "amplification",
    "multi_attribute_bias_amplification": "amplification",
    "explanation_stability": "procedural",
    "mesd_from_stability": "procedural",
    "MESDResult": "procedural",
}


def public_modules():
    """Names of the public modules of the package, in the order of the path from data to report."""
    order = "groups counts metrics inference scorers preprocessing meta model_selection"
    order += " neural_network benn explain inspection report automl datasets exceptions"
    found = {m.name for m in iter_modules(skfairprop.__path__) if not m.name.startswith("_")}
    known = [name for name in order.split() if name in found]
    return known + sorted(found - set(known))


def public_names(module):
    """What a module exports; without ``__all__`` the documented things it defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and getattr(thing, "__module__", None) == module.__name__
        and (inspect.isclass(thing) or inspect.isfunction(thing))
    ]


def heading(text, mark):
    """A heading in reStructuredText."""
    return [text, mark * len(text), ""]


def listing(names):
    """An autosummary with a page for each name."""
    return [".. autosummary::", "   :toctree: generated/", "", *(f"   {n}" for n in names), ""]


def sections(name, module, names):
    """Names by heading: metrics by family, the rest by what they are."""
    if name != "metrics":
        classes = [n for n in names if inspect.isclass(getattr(module, n))]
        functions = [n for n in names if inspect.isroutine(getattr(module, n))]
        return {"Classes": classes, "Functions": functions}
    family = {n: ALSO.get(n) or (METRICS[n].family if n in METRICS else None) for n in names}
    out = {title: [n for n in names if family[n] == key] for key, title in FAMILIES.items()}
    rest = [n for n in names if family[n] is None and n != "METRICS"]
    return {"The registry, and any metric by name": rest} | out


def module_page(name):
    """The page of a module."""
    module = import_module(f"skfairprop.{name}")
    lines = heading(f"skfairprop.{name}", "=")
    lines += [inspect.getdoc(module) or "", "", f".. currentmodule:: skfairprop.{name}", ""]
    if name == "metrics":
        lines += ["Every measure of the registry is in :doc:`metrics_table`.", ""]
        lines += [
            ".. py:data:: METRICS",
            "",
            "   The registry: a dict of name -> :class:`Metric`.",
            "",
        ]
        lines += [".. toctree::", "   :hidden:", "", "   metrics_table", ""]
    for title, names in sections(name, module, public_names(module)).items():
        if names:
            lines += heading(title, "-") + listing(names)
    return lines


def top_page():
    """The page of the whole: what can be imported from the package itself, and the modules."""
    lines = heading("API reference", "=")
    lines += ["Everything public, with its source. From ``skfairprop`` itself come:", ""]
    for name in skfairprop.__all__:
        thing = getattr(skfairprop, name)
        home = skfairprop._HOMES[name]
        role = "class" if inspect.isclass(thing) else "func"
        lines.append(f"- :{role}:`~{home}.{name}`: {first_line(thing)}")
    lines += ["", *heading("Modules", "-")]
    for name in public_modules():
        module = import_module(f"skfairprop.{name}")
        lines.append(f"- :doc:`{name} <skfairprop.{name}>`: {first_line(module)}")
    lines += ["", ".. toctree::", "   :hidden:", ""]
    return lines + [f"   {name} <skfairprop.{name}>" for name in public_modules()]


def first_line(thing):
    """The summary of a docstring, without its full stop."""
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ").rstrip(".")


def number(x):
    """A bound of a range."""
    return {float("inf"): "∞", float("-inf"): "-∞"}.get(x, f"{x:g}")


def metrics_table():
    """Every metric of the registry: range, formula, source, and when it misleads."""
    lines = heading("Table of metrics", "=")
    lines += [
        "Made from the registry (:data:`skfairprop.metrics.METRICS`). A name here is also a name",
        "for :func:`~skfairprop.scorers.get_scorer`, the audit's checks, and",
        ":func:`~skfairprop.metrics.evaluate`. 0 is unbiased except for the ratios, where it is 1.",
        "*Null*: what is exchangeable between groups without bias, see :doc:`/how_sure`.",
        "",
    ]
    for family, title in FAMILIES.items():
        lines += heading(title, "-")
        lines += [
            ".. list-table::",
            "   :header-rows: 1",
            "   :class: metrics",
            "   :widths: auto",
            "",
        ]
        lines += row("Name", "Range", "Formula", "Misleads", "Null", "Source")
        for metric in METRICS.values():
            if metric.family == family:
                low, high = map(number, metric.range)
                lines += row(
                    linked(metric.name),
                    f"{low} to {high}",
                    escaped(metric.formula),
                    escaped(metric.misleads),
                    metric.null or "none",
                    escaped(metric.source),
                )
        lines.append("")
    return lines


def linked(name):
    """A metric's name, linked where a function has it."""
    from skfairprop import metrics

    return f":func:`~skfairprop.metrics.{name}`" if hasattr(metrics, name) else f"``{name}``"


def escaped(text):
    """Plain text: no substitutions, emphasis or references are read in it."""
    return "".join("\\" + c if c in "|*`_\\" else c for c in text)


def row(first, *others):
    """A row of a list-table."""
    return [f"   * - {first}", *(f"     - {cell}" for cell in others)]


def write_pages(app, config):
    """Write what has changed, so that the rest is not read again."""
    folder = Path(app.srcdir) / "api"
    pages = {"index": top_page(), "metrics_table": metrics_table()}
    pages |= {f"skfairprop.{name}": module_page(name) for name in public_modules()}
    # By name: Sphinx has not seen yet those that are new.
    config.autosummary_generate = [f"api/{name}.rst" for name in pages]
    folder.mkdir(exist_ok=True)
    for name, lines in pages.items():
        path = folder / f"{name}.rst"
        text = "\n".join(lines).rstrip() + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in folder.glob("*.rst"):
        if path.stem not in pages:
            path.unlink()
    exported = {
        f"skfairprop.{name}.{exported}"
        for name in public_modules()
        for exported in public_names(import_module(f"skfairprop.{name}"))
    }
    for path in (folder / "generated").glob("*.rst"):
        if path.stem not in exported:
            path.unlink()


CODE = re.compile(r"(``.+?``|`[^`]+`)")
FITTED = re.compile(r"(?<![\w`])([A-Za-z]\w*)_(?![\w`])")


def escape_marks(app, what, name, obj, options, lines):
    """Let |x| and classes_ in docstrings be themselves, not a substitution and a link."""
    session = False
    for i, line in enumerate(lines):
        session = line.lstrip().startswith(">>>") or (session and bool(line.strip()))
        if not session and ("|" in line or "_" in line):
            parts = CODE.split(line)
            parts[::2] = [FITTED.sub(r"\1\\_", part.replace("|", "\\|")) for part in parts[::2]]
            lines[i] = "".join(parts)


def resolve_short_name(app, env, node, contnode):
    """Lead ``skfairprop.mesd`` and the like to where the thing is documented."""
    package, _, rest = node.get("reftarget", "").partition(".")
    name, *member = rest.split(".")
    if package != "skfairprop" or name not in skfairprop._HOMES:
        return None
    target = ".".join([skfairprop._HOMES[name], name, *member])
    return env.domains["py"].resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], target, node, contnode
    )


def setup(app):
    """Write them before sources are looked for."""
    app.connect("autodoc-process-docstring", escape_marks)
    app.connect("missing-reference", resolve_short_name)
    app.connect("config-inited", write_pages, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
