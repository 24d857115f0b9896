"""Check the values of a state in a model file: kernel, storage and classes.

`_check_arrays` checks the arrays. The native code checks sizes and indices again, but its errors are less precise, and
it knows neither labels nor parameters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hinge._model.class_scheme import scheme_of
from hinge._model.first_examples import split
from hinge._model.params import KERNELS, check_kernel
from hinge.exceptions import quoted
from hinge.persistence import _json
from hinge.persistence._check_arrays import check_arrays
from hinge.persistence._decisions import split_decisions
from hinge.persistence._errors import ModelFileError, require
from hinge.persistence._first_examples import check_beginning
from hinge.tables import MAX_FEATURES

if TYPE_CHECKING:
    from hinge._model.options import NativeOptions, SolverOptions
    from hinge._model.types import Arrays, Values

MAX_EXAMPLES = 1 << 62
MAX_LABEL_BYTES = 1 << 26  # of all labels: NumPy pads strings to the length of the longest
LABEL_TYPES = re.compile(r"\|b1|\|[iu]1|[<>][iu][248]|[<>]f[248]|[<>]U\d{1,5}|\|O")

_STATE: dict[str, tuple[type, ...]] = {
    "kernel": (dict,),
    "dtype": (str,),
    "sparse": (bool,),
    "n_features": (int,),
    "n_seen": (int,),
    "classes": (list,),
    "class_type": (str,),
    "class_numbers": (list,),
}
_KERNEL: dict[str, tuple[type, ...]] = {"name": (str,), "gamma": (int, float), "coef0": (int, float), "degree": (int,)}


def check_state(arrays: Arrays, values: Values, options: SolverOptions, *, forgets: bool = False) -> None:
    """Raise `ModelFileError` unless arrays and values can have come from a `State` with such options.

    A model that `forgets` may have no class left, and have dropped some of its first examples.
    """
    plain = {name: value for name, value in values.items() if name not in ("beginning", "decisions")}
    check_values(plain)
    memory = cast("NativeOptions", options).memory
    n_binaries = scheme_of(options).n_binaries(len(plain["classes"]))
    arrays, values = split_decisions(arrays, values, n_binaries)
    first, own = split(arrays)
    check_arrays(own, plain, n_binaries, memory)
    check_beginning(first, plain, values.get("beginning"), all_kept=not forgets)


def check_values(values: Values) -> None:
    """Raise `ModelFileError` unless values can be those that every state has."""
    _json.fields(values, "its state", _STATE)
    require(values["dtype"] in ("float32", "float64"), "its numbers are neither float32 nor float64")
    features, seen = values["n_features"], values["n_seen"]
    require(1 <= features <= MAX_FEATURES, f"its number of features is not between 1 and {MAX_FEATURES}")
    require(0 <= seen <= MAX_EXAMPLES, "its number of examples is invalid")
    _check_kernel(values)
    check_classes(values["classes"], values["class_type"], values["class_numbers"])


def _check_kernel(values: Values) -> None:
    kernel = _json.fields(values["kernel"], "its kernel", _KERNEL)
    name, gamma, coef0 = kernel["name"], kernel["gamma"], kernel["coef0"]
    require(name in KERNELS, f"it has a kernel {quoted(name)}, which this version does not know")
    check_kernel(name, kernel["degree"], gamma, coef0)
    with np.errstate(over="ignore", under="ignore"):
        width, constant = np.array([gamma, coef0], dtype=np.float64).astype(values["dtype"])
    require(0 < width < np.inf and abs(constant) < np.inf, f"{values['dtype']} cannot hold the numbers of its kernel")
    if name == "precomputed":
        require(not values["sparse"], "a precomputed kernel cannot be sparse")
        require(values["n_seen"] <= values["n_features"], "it has seen more examples than it has columns")


def check_classes(classes: list[Any], class_type: str, numbers: list[Any]) -> None:
    """Raise `ModelFileError` unless labels are sorted, of the type given, and have one number each."""
    require(LABEL_TYPES.fullmatch(class_type) is not None, "its labels are of an unknown type")
    kind = np.dtype(class_type)
    require(kind.itemsize * len(classes) <= MAX_LABEL_BYTES, "its labels are too long")
    plain = {"O": str, "U": str, "b": bool, "f": float}.get(kind.kind, int)
    require(all(type(label) is plain for label in classes), "its labels do not match class_type")
    try:
        labels = np.array(classes, dtype=kind)
    except (OverflowError, ValueError):
        raise ModelFileError("its labels do not match class_type") from None
    require(labels.tolist() == classes, "its labels do not match class_type")
    require(kind.kind != "f" or bool(np.isfinite(labels).all()), "a label is not finite")
    require(bool((labels[:-1] < labels[1:]).all()), "its classes are not sorted, or repeated")
    whole = all(type(number) is int for number in numbers)
    require(whole and sorted(numbers) == list(range(len(classes))), "its class numbers do not match its classes")
