"""The stub of the native module says what is there: the same names, and the same parameters."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import hinge
from hinge import _core

TREE = ast.parse((Path(hinge.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}
ALIASES = {
    node.targets[0].id: node.value.id
    for node in TREE.body
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)
}
FUNCTIONS = {node.name: node for node in TREE.body if isinstance(node, ast.FunctionDef)}
FOR_TYPES_ONLY = {"Monitor"}


def public(owner):
    """Return the names that an object of the native module shows."""
    return {name for name in dir(owner) if not name.startswith("_")}


def declared(node):
    """Return what the stub says that a class has: functions by name, and the names of attributes."""
    functions = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    attributes = {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
    return functions, attributes


def parameters(function):
    """Return the names of the stub's parameters, and how many may be left out."""
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    return names, len(function.args.defaults)


def native_parameters(function):
    """Return the same of a native function, as nanobind describes it; names that it does not know are None."""
    (signature, *_), *others = function.__nb_signature__
    assert not others, "an overloaded function"
    inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter in "[(") - (letter in ")]")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    parts = [part.strip() for part in parts if part.strip() not in {"self", "/", ""}]
    names = [part.partition(":")[0] for part in parts]
    return [None if name.startswith("arg") else name for name in names], sum("= \\" in part for part in parts)


def assert_same_parameters(stub, native):
    names, n_optional = parameters(stub)
    native_names, n_native_optional = native_parameters(native)
    assert [
        name if native_name else None for name, native_name in zip(names, native_names, strict=True)
    ] == native_names
    assert n_optional == n_native_optional


def test_the_module_has_the_names_of_the_stub():
    assert public(_core) == (CLASSES.keys() | ALIASES.keys() | FUNCTIONS.keys()) - FOR_TYPES_ONLY


@pytest.mark.parametrize("name", sorted(CLASSES.keys() | ALIASES.keys()))
def test_classes_have_the_members_of_the_stub(name):
    native = getattr(_core, name)
    functions, attributes = declared(CLASSES[ALIASES.get(name, name)])
    assert public(native) == (functions.keys() | attributes) - {"__init__"}
    for each, stub in functions.items():
        assert_same_parameters(stub, getattr(native, each))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_have_the_parameters_of_the_stub(name):
    assert_same_parameters(FUNCTIONS[name], getattr(_core, name))
