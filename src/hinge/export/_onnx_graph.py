"""A builder of ONNX graphs, node by node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge.exceptions import ExportError

if TYPE_CHECKING:
    from types import ModuleType

    import onnx
    from numpy.typing import ArrayLike

    Attribute = int | float | str | list[int] | list[str] | onnx.GraphProto

OPSET = 13  # from 2020: supported by old and new runtimes
MAX_BYTES = 2**31 - 2**20  # that fit into a protocol buffer file, with a reserve for everything but the constants
_ML_OPSET = 2  # of the domain ai.onnx.ml, from the same year
_IR_VERSION = 7  # likewise


def require_onnx() -> ModuleType:
    """Return the package onnx, which is imported only when it is needed."""
    try:
        import onnx  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("Writing ONNX graphs needs the package onnx; run pip install 'hinge-svm[onnx]'.") from error
    return onnx


class GraphBuilder:
    """An ONNX graph under construction.

    Every method that adds a node returns the name of its result, so that calls can be nested like formulas.
    """

    def __init__(self, prefix: str = "hinge") -> None:
        self._prefix = prefix
        self._onnx = require_onnx()
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._n_bytes = 0

    def input(self, name: str, kind: str, width: int) -> str:
        """Add an input with rows of `width` values; kind is float32, float64 or string."""
        self._inputs.append(self._describe(name, kind, ["N", width]))
        return name

    def output(self, name: str, kind: str, *shape: str | int) -> None:
        """Declare an output of the graph."""
        self._outputs.append(self._describe(name, kind, list(shape)))

    def constant(self, values: ArrayLike) -> str:
        """Add a constant array; plain numbers become float64, and strings must be an array of objects."""
        array = np.asarray(values)
        self._n_bytes += array.nbytes
        check_size(self._n_bytes)
        name = f"{self._prefix}/constant_{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def add(
        self, operator: str, *inputs: str, name: str | None = None, domain: str = "", **attributes: Attribute
    ) -> str:
        """Add a node with one result."""
        result = name or f"{self._prefix}/{operator.lower()}_{len(self._nodes)}"
        node = self._onnx.helper.make_node(operator, list(inputs), [result], domain=domain, **attributes)
        self._nodes.append(node)
        return result

    def add_first(self, operator: str, *inputs: str, **attributes: Attribute) -> str:
        """Add a node with two results, of which the first is wanted."""
        result = f"{self._prefix}/{operator.lower()}_{len(self._nodes)}"
        results = [result, f"{result}_unused"]
        self._nodes.append(self._onnx.helper.make_node(operator, list(inputs), results, **attributes))
        return result

    def cast(self, value: str, kind: str, name: str | None = None) -> str:
        """Add a type conversion."""
        return self.add("Cast", value, to=self._type(kind), name=name)

    def body(
        self, inputs: dict[str, tuple[str, list[int]]], result: str, kind: str, shape: list[str | int]
    ) -> onnx.GraphProto:
        """Return the nodes as the body of a loop; `inputs` maps names to kind and shape."""
        described = [self._describe(name, kind, list(shape)) for name, (kind, shape) in inputs.items()]
        body: onnx.GraphProto = self._onnx.helper.make_graph(
            self._nodes, "body", described, [self._describe(result, kind, shape)], self._constants
        )
        return body

    def model(self, description: str) -> onnx.ModelProto:
        """Return the finished graph as a checked model."""
        helper = self._onnx.helper
        graph = helper.make_graph(self._nodes, "hinge", self._inputs, self._outputs, self._constants)
        domains = {"": OPSET} | {node.domain: _ML_OPSET for node in self._nodes if node.domain}
        opsets = [helper.make_opsetid(domain, version) for domain, version in domains.items()]
        model: onnx.ModelProto = helper.make_model(
            graph, opset_imports=opsets, producer_name="hinge", doc_string=description
        )
        model.ir_version = _IR_VERSION
        self._onnx.checker.check_model(model)
        return model

    def _describe(self, name: str, kind: str, shape: list[str | int]) -> onnx.ValueInfoProto:
        info: onnx.ValueInfoProto = self._onnx.helper.make_tensor_value_info(name, self._type(kind), shape)
        return info

    def _type(self, kind: str) -> int:
        types = self._onnx.TensorProto
        known = {"float32": types.FLOAT, "float64": types.DOUBLE, "int64": types.INT64, "string": types.STRING}
        return int(known[kind])


def check_size(n_bytes: int) -> None:
    """Raise ExportError if constants do not fit into an ONNX file."""
    if n_bytes > MAX_BYTES:
        raise ExportError(
            f"An ONNX file holds at most 2 GB, and the dense support vectors need {n_bytes / 1e9:.1f} GB; "
            "train a smaller model with max_support, or with n_components of an approximate model."
        )
