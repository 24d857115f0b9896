"""The code and the table of docs/guide/distributed.md are correct."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="distributed is not installed")

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "distributed.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_first_example_runs(tmp_path):
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    script = tmp_path / "first.py"
    script.write_text(block, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"accuracy (0\.\d+)", done.stdout)[1]) > 0.95
    assert "ask about rows" in done.stdout


def test_all_functions_are_listed():
    from hinge import distributed

    table = PAGE.split("## Functions")[1].split("###")[0]
    assert set(re.findall(r"\b(\w+)(?=\(|`)", table)) >= set(distributed.__all__)
