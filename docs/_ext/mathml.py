"""Formulas as MathML, which browsers draw themselves: no script, nothing from the network."""

from docutils.utils.math.latex2mathml import tex2mathml


def visit_math(self, node):
    """A formula in a line."""
    self.body.append(tex2mathml(node.astext(), as_block=False))
    raise_skip()


def visit_displaymath(self, node):
    """A formula on its own."""
    self.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise_skip()


def raise_skip():
    """Leave the node: its text has been written."""
    from docutils.nodes import SkipNode

    raise SkipNode


def setup(app):
    """Make it the way formulas are written."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(visit_math, None), block_renderers=(visit_displaymath, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
