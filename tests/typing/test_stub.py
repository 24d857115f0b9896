"""The stub of the native module is the one that nanobind makes of its bindings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import hinge

ROOT = Path(__file__).parents[2]
COMMAND = ["-m", "nanobind.stubgen", "-q", "-p", "bindings/stub.pat", "-m", "hinge._core", "-o"]


def test_the_stub_is_that_of_the_bindings(tmp_path):
    made, package = tmp_path / "_core.pyi", Path(hinge.__file__).parent
    path = os.pathsep.join([str(package.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    subprocess.run([sys.executable, *COMMAND, made], cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, check=True)
    again = f"make it again: python {' '.join(COMMAND)} src/hinge/_core.pyi"
    assert made.read_text(encoding="utf-8") == (package / "_core.pyi").read_text(encoding="utf-8"), again
