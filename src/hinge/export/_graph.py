"""A computation written down as an ONNX graph, one node after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.export._errors import ExportError

if TYPE_CHECKING:
    from types import ModuleType

    import onnx
    from numpy.typing import NDArray

OPSET = 13  # of 2020: old runtimes know it, new ones still do
LARGEST = 2**31 - 2**20  # bytes that fit into a file of protocol buffers, with some room for the rest
_EXTRA_OPSET = 2  # of ai.onnx.ml, and of the same age
_IR_VERSION = 7  # likewise


def require_onnx() -> ModuleType:
    """Return the package onnx, which is imported only when it is needed."""
    try:
        import onnx  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("Writing ONNX graphs needs the package onnx; run pip install 'hinge[onnx]'.") from error
    return onnx


class Graph:
    """An ONNX graph that grows.

    Every method that adds a node returns the name of its result, so that formulas read from the inside out.
    """

    def __init__(self) -> None:
        self._onnx = require_onnx()
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._bytes = 0

    def input(self, name: str, kind: str, width: int) -> str:
        """Add an input of rows of `width` values; kind is float32, float64 or string."""
        self._inputs.append(self._described(name, kind, ["N", width]))
        return name

    def output(self, name: str, kind: str, *shape: str | int) -> None:
        """Declare a result of the graph."""
        self._outputs.append(self._described(name, kind, list(shape)))

    def constant(self, values: Any) -> str:
        """Add an array of its own type, double precision for plain numbers; texts are an array of objects."""
        array = np.asarray(values)
        self._bytes += array.nbytes
        check_kernel_size(self._bytes)
        name = f"hinge/constant_{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, operator: str, *inputs: str, name: str | None = None, domain: str = "", **attributes: Any) -> str:
        """Add a node with one result."""
        result = name or f"hinge/{operator.lower()}_{len(self._nodes)}"
        node = self._onnx.helper.make_node(operator, list(inputs), [result], domain=domain, **attributes)
        self._nodes.append(node)
        return result

    def cast(self, value: str, kind: str, name: str | None = None) -> str:
        """Add a conversion."""
        return self.add("Cast", value, to=self._type(kind), name=name)

    def body(self, inputs: dict[str, tuple[str, list[int]]], result: str, kind: str, shape: list[str | int]) -> Any:
        """Return what was added so far as the body of a loop; inputs have a kind and a shape each."""
        described = [self._described(name, kind, list(shape)) for name, (kind, shape) in inputs.items()]
        return self._onnx.helper.make_graph(
            self._nodes, "body", described, [self._described(result, kind, shape)], self._constants
        )

    def model(self, description: str) -> onnx.ModelProto:
        """Return the graph as a checked model."""
        helper = self._onnx.helper
        graph = helper.make_graph(self._nodes, "hinge", self._inputs, self._outputs, self._constants)
        domains = {"": OPSET} | {node.domain: _EXTRA_OPSET for node in self._nodes if node.domain}
        opsets = [helper.make_opsetid(domain, version) for domain, version in domains.items()]
        model: onnx.ModelProto = helper.make_model(
            graph, opset_imports=opsets, producer_name="hinge", doc_string=description
        )
        model.ir_version = _IR_VERSION
        self._onnx.checker.check_model(model)
        return model

    def _described(self, name: str, kind: str, shape: list[str | int]) -> Any:
        return self._onnx.helper.make_tensor_value_info(name, self._type(kind), shape)

    def _type(self, kind: str) -> int:
        types = self._onnx.TensorProto
        known = {"float32": types.FLOAT, "float64": types.DOUBLE, "int64": types.INT64, "string": types.STRING}
        return int(known[kind])


def check_kernel_size(n_bytes: int) -> None:
    """Refuse what an ONNX file cannot hold."""
    if n_bytes > LARGEST:
        raise ExportError(
            f"An ONNX file holds at most 2 GB, and the support vectors need {n_bytes / 1e9:.1f} GB written out; "
            "max_support, or n_components of an approximate model, makes it smaller."
        )


def whole_numbers(labels: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return labels as 64-bit numbers, or None if they are not whole."""
    if labels.dtype.kind not in "biuf" or not np.isfinite(labels).all():
        return None
    if labels.dtype.kind == "u" and int(labels.max()) >= 2**63:
        return None
    if labels.dtype.kind == "f" and bool((np.abs(labels) >= 2**63).any() or (labels != np.round(labels)).any()):
        return None
    return labels.astype(np.int64)
