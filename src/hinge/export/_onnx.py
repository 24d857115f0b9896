"""Models as ONNX graphs, which runtimes in many languages evaluate.

ONNX has an operator SVMClassifier, but it adds up in single precision and knows one machine a pair of classes only. The
decision is built from plain operators in double precision instead.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.params import choice
from hinge.export._errors import ExportError
from hinge.export._graph import Graph, check_kernel_size, whole_numbers
from hinge.export._onnx_inputs import plain_matrix, prepared_matrix
from hinge.export._onnx_outputs import add_label, add_probabilities, add_value
from hinge.export._view import Fourier, View, taken_apart
from hinge.io.atomic import replacing

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

_KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed")


def to_onnx(model: Any, path: str | os.PathLike[str] | None = None, *, dtype: str = "float32") -> onnx.ModelProto:
    """Return a model as an ONNX graph, and write it to a file if a path is given.

    The graph has an input `X` of shape (N, n_features) and the outputs `label` of shape (N,) and `scores`, which is
    what `decision_function` returns; a model with `predict_proba` has an output `probabilities` of shape (N, n_classes)
    besides. A regression has one output, `value` of shape (N,). The graph computes in double precision, whatever the
    precision of its input.

    A `PreparedClassifier` of named columns has an input of shape (N, 1) for each of them instead, called like the
    column: numbers, or texts where it holds categories, without blanks around them and empty where they are missing.
    Unknown categories make the evaluation fail, unless the preparation ignores them; missing numbers are NaN, and so
    are then the scores, unless the preparation fills them in.

    Parameters
    ----------
    model : estimator
        A fitted classifier of this package, or an `ApproximateSVR`, with any kernel but a function.
    path : path, default=None
        Name of the file, usually with the ending `.onnx`. An existing file is replaced, when the new one is complete.
    dtype : {"float32", "float64"}, default="float32"
        Type of `X` (or of the columns of numbers) and of the numbers that come out.

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
    labels = None if view.regression else _labels(view.classes)
    graph = Graph()
    if preparation is None:
        X = plain_matrix(graph, view.n_features, dtype)
    else:
        X = prepared_matrix(graph, preparation, dtype)
    answers = decisions(graph, view, X)
    if labels is None:
        add_value(graph, answers, dtype)
    else:
        add_label(graph, labels, answers, dtype)
    if hasattr(model, "predict_proba"):
        add_probabilities(graph, answers, dtype, len(view.classes))
    found = graph.model(_description(view))
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
    if view.fourier is not None:
        features = _cosines(graph, view, view.fourier, X)
        products = graph.add("MatMul", features, graph.constant(np.ascontiguousarray(view.coefficients.T)))
    elif name == "linear":
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


def _cosines(graph: Graph, view: View, fourier: Fourier, X: str) -> str:
    """Add sqrt(2 / d) cos(<frequency, x> + phase); runtimes have sines, but not all have cosines, in double."""
    if view.centre is not None:
        X = graph.add("Sub", X, graph.constant(view.centre))
    turned = fourier.phases.astype(np.float64) + np.pi / 2
    stored = graph.constant(fourier.frequencies)
    stored = stored if fourier.frequencies.dtype == np.float64 else graph.cast(stored, "float64")
    angles = graph.add("Add", graph.add("MatMul", X, stored), graph.constant(turned))
    return graph.add("Mul", graph.add("Sin", angles), graph.constant(np.sqrt(2.0 / len(turned))))


def _description(view: View) -> str:
    kind = "Regression" if view.regression else "Classifier"
    parts = "support vectors" if view.fourier is None else "Fourier features"
    return f"{kind} with kernel {view.kernel.describe()} and {view.n_support} {parts}."


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
    check_kernel_size(int(np.prod(vectors.shape, dtype=np.int64)) * vectors.dtype.itemsize)
    dense: NDArray[Any] = vectors.toarray() if view.sparse else vectors
    return dense
