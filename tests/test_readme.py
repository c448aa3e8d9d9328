"""The code of the README runs as it is written there."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_the_code_of_the_readme_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 2
    space: dict = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), space)  # each goes on from the one before
    assert {"test_accuracy", "test_overall_disparity"} <= set(space["scores"])
    assert space["scores"]["test_overall_disparity"].max() <= 0
    assert "GAP MEASURES" in capsys.readouterr().out
