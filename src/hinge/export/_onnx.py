"""Models as ONNX graphs, which runtimes in many languages evaluate.

ONNX has an operator SVMClassifier, but it adds up in single precision and knows one machine a pair of classes only. The
decision is built from plain operators in double precision instead.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._files import replacing
from hinge._params import choice
from hinge.export._errors import ExportError
from hinge.export._graph import Graph, require_size, whole_numbers
from hinge.export._onnx_inputs import plain_matrix, prepared_matrix
from hinge.export._view import View, taken_apart

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

_KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed")


def to_onnx(model: Any, path: str | os.PathLike[str] | None = None, *, dtype: str = "float32") -> onnx.ModelProto:
    """Return a model as an ONNX graph, and write it to a file if a path is given.

    The graph has an input `X` of shape (N, n_features) and the outputs `label` of shape (N,) and `scores`, which is
    what `decision_function` returns. It computes in double precision, whatever the precision of its input.

    A `PreparedClassifier` of named columns has an input of shape (N, 1) for each of them instead, called like the
    column: numbers, or texts where it holds categories, without blanks around them and empty where they are missing.
    Unknown categories make the evaluation fail, unless the preparation ignores them; missing numbers are NaN, and so
    are then the scores, unless the preparation fills them in.

    Parameters
    ----------
    model : estimator
        A fitted classifier of this package, with any kernel but a function.
    path : path, default=None
        Name of the file, usually with the ending `.onnx`. An existing file is replaced, when the new one is complete.
    dtype : {"float32", "float64"}, default="float32"
        Type of `X` (or of the columns of numbers) and of `scores`.

    Returns
    -------
    onnx.ModelProto
        The graph. Labels that are texts come out as texts; whole numbers of any type, and truth values as 0 and 1,
        come out as int64.

    Raises
    ------
    ExportError
        ONNX cannot express the model.
    ImportError
        The package onnx is missing: `pip install 'hinge[onnx]'`.

    Notes
    -----
    A laplacian kernel goes through the support vectors one by one, which takes longer than the products of the others.
    Sparse support vectors are written out with their zeros.

    Examples
    --------
    >>> from hinge import OnlineSVC
    >>> model = OnlineSVC(gamma=0.5).fit([[0.0], [2.0]], ["no", "yes"])
    >>> graph = to_onnx(model).graph
    >>> [value.name for value in graph.input], [value.name for value in graph.output]
    (['X'], ['label', 'scores'])
    """
    choice("dtype", dtype, ("float32", "float64"))
    model, preparation = taken_apart(model)
    view = View.of(model)
    view.require_kernel(_KERNELS, "ONNX here")
    labels = _labels(view.classes)
    graph = Graph()
    if preparation is None:
        X = plain_matrix(graph, view.n_features, dtype)
    else:
        X = prepared_matrix(graph, preparation, dtype)
    _outputs(graph, labels, decisions(graph, view, X), dtype)
    found = graph.model(f"Classifier with kernel {view.kernel.describe()} and {view.n_support} support vectors.")
    if path is not None:
        with replacing(path) as unfinished:
            unfinished.write_bytes(found.SerializeToString())
    return found


def decisions(graph: Graph, view: View, X: str) -> str:
    """Add the decision functions of examples in double precision: shape (N, machines).

    Parameters
    ----------
    graph : Graph
        The graph that grows.
    view : View
        The model.
    X : str
        Name of the examples.
    """
    name = view.kernel.name
    if name == "linear":
        weights = np.asarray(view.vectors.T @ view.coefficients.T, dtype=np.float64)
        products = graph.add("MatMul", X, graph.constant(weights))
    elif name == "laplacian":
        products = _laplacian(graph, view, X)
    else:
        values = _kernel_values(graph, view, X)
        products = graph.add("MatMul", values, graph.constant(np.ascontiguousarray(view.coefficients.T)))
    return graph.add("Add", products, graph.constant(view.intercepts))


def _kernel_values(graph: Graph, view: View, X: str) -> str:
    kernel = view.kernel
    if kernel.name == "precomputed":
        return graph.add("Gather", X, graph.constant(view.columns), axis=1)
    vectors = _dense(view)
    if kernel.name == "rbf":
        return _gaussian(graph, vectors, X, kernel.gamma)
    products = graph.add("MatMul", X, _columns(graph, vectors, factor=kernel.gamma))
    inner = graph.add("Add", products, graph.constant(kernel.coef0))
    if kernel.name == "sigmoid":
        return graph.add("Tanh", inner)
    return graph.add("Pow", inner, graph.constant(float(kernel.degree)))


def _gaussian(graph: Graph, vectors: NDArray[Any], X: str, gamma: float) -> str:
    """Add exp(-gamma (|x|^2 + |s|^2 - 2 <x, s>)); what x and s have in common goes first, or digits would be lost."""
    centre = vectors.mean(axis=0, dtype=np.float64)
    squares = np.square(vectors - centre).sum(axis=1)
    X = graph.add("Sub", X, graph.constant(centre))
    norms = graph.add("ReduceSum", graph.add("Mul", X, X), graph.constant(np.array([1])), keepdims=1)
    products = graph.add("MatMul", X, _columns(graph, vectors, centre, factor=2.0))
    distances = graph.add("Sub", graph.add("Add", norms, graph.constant(squares)), products)
    distances = graph.add("Max", distances, graph.constant(0.0))
    return graph.add("Exp", graph.add("Mul", distances, graph.constant(-gamma)))


def _columns(graph: Graph, vectors: NDArray[Any], centre: NDArray[np.float64] | None = None, *, factor: float) -> str:
    """Add the support vectors as columns in double precision; they are stored in the precision of the model.

    The factor comes before the product: after it, onnxruntime makes it a part of the product, in single precision.
    """
    offset = np.zeros(1) if centre is None else centre
    if vectors.dtype == np.float64:
        return graph.constant(np.ascontiguousarray(factor * (vectors - offset).T))
    wide = graph.cast(graph.constant(np.ascontiguousarray(vectors.T)), "float64")
    centred = wide if centre is None else graph.add("Sub", wide, graph.constant(centre[:, None]))
    return graph.add("Mul", centred, graph.constant(factor))


def _laplacian(graph: Graph, view: View, X: str) -> str:
    """Add the sum of exp(-gamma |x - s|_1), a loop over the support vectors that adds up as it goes."""
    vectors = _dense(view)
    stored = graph.constant(vectors)
    stored = stored if vectors.dtype == np.float64 else graph.cast(stored, "float64")
    body = Graph()
    distances = body.add("Abs", body.add("Sub", X, "vector"), name="differences")
    distances = body.add("ReduceSum", distances, body.constant(np.array([1])), keepdims=0)
    body.add("Exp", body.add("Mul", distances, body.constant(-view.kernel.gamma)), name="values")
    loop = body.body({"vector": ("float64", [view.n_features])}, "values", "float64", ["N"])
    values = graph.add("Scan", stored, body=loop, num_scan_inputs=1)  # (n_support, N)
    products = graph.add("MatMul", graph.constant(view.coefficients), values)
    return graph.add("Transpose", products, perm=[1, 0])


def _outputs(graph: Graph, labels: NDArray[Any], values: str, dtype: str) -> None:
    """Add labels, chosen in double precision, and scores."""
    several = len(labels) > 2
    if several:
        places = graph.add("ArgMax", values, axis=1, keepdims=0)
    else:
        values = graph.add("Squeeze", values, graph.constant(np.array([1])))
        places = graph.cast(graph.add("Greater", values, graph.constant(0.0)), "int64")
    graph.add("Gather", graph.constant(labels), places, axis=0, name="label")
    graph.cast(values, dtype, name="scores")
    graph.output("label", "string" if labels.dtype == object else "int64", "N")
    graph.output("scores", dtype, *(["N", len(labels)] if several else ["N"]))


def _labels(classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels as ONNX has them: int64, or texts in an array of objects."""
    if classes.dtype.kind == "U" or (classes.dtype == object and all(isinstance(label, str) for label in classes)):
        return classes.astype(object)
    numbers = whole_numbers(classes)
    if numbers is None:
        raise ExportError(
            f"Labels must be texts or whole numbers of 64 bits in an ONNX graph, got {classes.tolist()[:10]!r}; "
            "train with such labels."
        )
    return numbers


def _dense(view: View) -> NDArray[Any]:
    vectors = view.vectors
    require_size(int(np.prod(vectors.shape, dtype=np.int64)) * vectors.dtype.itemsize)
    dense: NDArray[Any] = vectors.toarray() if view.sparse else vectors
    return dense
