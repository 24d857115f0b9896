"""The pages of the API reference: one per public module, with every name of its `__all__`."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

MODULES = {  # what CONTRIBUTING.md calls public: the module, and when to look there
    "hinge": "Models, saving and loading, errors",
    "hinge.svm": "Replacements of scikit-learn's `SVC` and `OneClassSVM`",
    "hinge.model_selection": "Choosing `C` and `gamma`",
    "hinge.stream": "Streams that change",
    "hinge.conformal": "Prediction sets with a guarantee",
    "hinge.inspection": "Pictures of models: probabilities, prediction sets, suspicious labels",
    "hinge.active": "Active learning",
    "hinge.active.modal": "Active learning with modAL",
    "hinge.active.skactiveml": "Active learning with scikit-activeml",
    "hinge.tables": "Tables as people have them",
    "hinge.datasets": "Data sets and data files",
    "hinge.export": "Models for other programs",
    "hinge.distributed": "Training over partitions with dask",
    "hinge.river": "River's interfaces",
    "hinge.streaming": "For programs that train any estimator batch by batch",
    "hinge.web": "The labelling page",
}
KINDS = {"class": "Classes", "exception": "Errors and warnings", "function": "Functions", "data": "Constants and types"}


def write(folder: Path) -> None:
    """Write the pages into `folder`, those that have changed only."""
    folder.mkdir(exist_ok=True)
    lines = ["# API reference", "", "Every public name. What is not here may change without notice.", ""]
    lines += ["| module | for |", "| --- | --- |"]
    lines += [f"| [`{name}`]({name}.rst) | {purpose} |" for name, purpose in MODULES.items()]
    lines += ["", "```{toctree}", ":hidden:", "", *MODULES, "```", ""]
    _replace(folder / "index.md", "\n".join(lines))
    described: dict[int, str] = {}  # by the identity of an object: the name under which it is described
    for name, purpose in MODULES.items():
        _replace(folder / f"{name}.rst", _page(importlib.import_module(name), purpose, described))


def escape_shapes(_app: object, _what: str, _name: str, _value: object, _options: object, lines: list[str]) -> None:
    """Let shapes such as (n_features_in_,) be text: the last underscore would make them a link."""
    lines[:] = [re.sub(r"(?<=[(, ])(n_\w*[a-z])_(?=[,)])", r"\1\\_", line) for line in lines]


def _page(module: ModuleType, purpose: str, described: dict[int, str]) -> str:
    title = f"``{module.__name__}``"
    lines = [title, "=" * len(title), "", f"{purpose.replace('`', '``')}.", ""]
    lines += [f".. currentmodule:: {module.__name__}", ""]
    groups: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, ModuleType) or name == "__version__":
            continue
        if _kind(value) != "data" and id(value) in described:
            lines += [f"``{name}`` is :py:obj:`{described[id(value)]}`.", ""]
            continue
        described[id(value)] = f"{module.__name__}.{name}"
        groups[_kind(value)].append(name)
    for kind, names in groups.items():
        if names:
            lines += [KINDS[kind], "-" * len(KINDS[kind]), ""]
            lines += _listing(module, kind, sorted(names))
    return "\n".join(lines)


def _listing(module: ModuleType, kind: str, names: list[str]) -> list[str]:
    if kind == "data":
        return [line for name in names for line in (f".. py:data:: {name}", f"   :value: {_short(module, name)}", "")]
    template = ["   :template: class.rst"] if kind == "class" else []
    return [".. autosummary::", "   :toctree: generated", *template, "", *(f"   {name}" for name in names), ""]


def _short(module: ModuleType, name: str) -> str:
    text = " ".join(repr(getattr(module, name)).split())
    return text if len(text) <= 80 else text[:77] + "..."


def _kind(value: object) -> str:
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if inspect.isroutine(value) else "data"


def _replace(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
