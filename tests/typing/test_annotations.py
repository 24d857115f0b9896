"""What users call is annotated all over, and the program that mypy checks uses every name of it."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

import hinge

PUBLIC = (
    "hinge",
    "hinge.active",
    "hinge.active.modal",
    "hinge.conformal",
    "hinge.datasets",
    "hinge.distributed",
    "hinge.export",
    "hinge.inspection",
    "hinge.io",
    "hinge.streaming",
)
OPTIONAL = {"hinge.active.skactiveml": "skactiveml", "hinge.river": "river", "hinge.web": "fastapi"}
PROGRAM = (Path(__file__).parent / "program.py").read_text(encoding="utf-8")


def imported(name):
    """Return a module, unless what it needs is not installed."""
    if package := OPTIONAL.get(name):
        pytest.importorskip(package)
    return importlib.import_module(name)


def own(module):
    """Return the functions and classes that a module offers and that are ours."""
    offered = {name: getattr(module, name) for name in module.__all__}
    return {name: each for name, each in offered.items() if getattr(each, "__module__", "").startswith("hinge")}


def functions_of(cls):
    """Return the public functions of a class that are ours, with its constructor."""
    for ancestor in cls.__mro__:
        if not ancestor.__module__.startswith("hinge"):
            continue
        for name, member in vars(ancestor).items():
            function = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "fn", None) or member)
            if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
                yield f"{ancestor.__name__}.{name}", function


def missing(function):
    """Return the parameters of a function, and "return", that have no type."""
    parameters = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    return [name for name in (*parameters, "return") if name not in function.__annotations__]


@pytest.mark.parametrize("module", [*PUBLIC, *OPTIONAL])
def test_everything_is_annotated(module):
    found = own(imported(module))
    functions = [(name, each) for name, each in found.items() if inspect.isfunction(each)]
    for each in (each for each in found.values() if inspect.isclass(each)):
        functions.extend(functions_of(each))
    assert functions
    assert [f"{name}: {gaps}" for name, function in functions if (gaps := missing(function))] == []


@pytest.mark.parametrize("module", [name for name in (*PUBLIC, *OPTIONAL) if name != "hinge.io"])
def test_the_checked_program_uses_every_name(module):
    last = module.rpartition(".")[2]
    prefix = r"\b" if last == "hinge" else rf"\b{last}\."
    assert [name for name in imported(module).__all__ if not re.search(rf"{prefix}{re.escape(name)}\b", PROGRAM)] == []


def test_the_types_come_with_the_package():
    assert (Path(hinge.__file__).parent / "py.typed").exists()
