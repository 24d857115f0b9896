"""The examples in docstrings run and print what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import hinge

PACKAGE = Path(hinge.__file__).parent


def module_name(path):
    return ".".join(["hinge", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")


WITH_EXAMPLES = sorted(
    module_name(path) for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
    assert result.attempted > 0


def test_there_are_examples():
    assert len(WITH_EXAMPLES) >= 30
