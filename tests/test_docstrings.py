"""The examples in docstrings run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import hinge

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(hinge.__path__, "hinge.")
    if not module.name.endswith(("__main__", "_core"))
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(found) >= 30
