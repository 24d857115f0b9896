"""Models as ONNX graphs, which runtimes in many languages evaluate.

ONNX has an operator SVMClassifier, but it sums in single precision and supports only one-vs-one. Decision functions are
built from plain operators in double precision instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import is_regressor

from hinge._model.params import choice
from hinge.export._exported_model import ExportedModel, FourierFeatures
from hinge.export._model_access import split_preparation
from hinge.export._onnx_calibration import add_calibrated, add_confidences
from hinge.export._onnx_graph import GraphBuilder, check_size
from hinge.export._onnx_inputs import add_input, add_prepared_inputs
from hinge.export._onnx_outputs import add_label, add_probabilities, add_value, add_vote, as_onnx_labels
from hinge.io.atomic import replacing

if TYPE_CHECKING:
    import os

    import onnx
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

_OUTLIER_OR_NORMAL = np.array([-1, 1])
_KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed")


def to_onnx(
    model: BaseEstimator, path: str | os.PathLike[str] | None = None, *, dtype: str = "float32"
) -> onnx.ModelProto:
    """Convert a model to an ONNX graph, and write it to a file if a path is given.

    The graph has an input `X` of shape (N, n_features) and the outputs `label` of shape (N,) and `scores`, which are
    the values of `decision_function`. A model with `predict_proba` also has an output `probabilities` of shape
    (N, n_classes). A regression has one output, `value` of shape (N,). The graph computes in double precision, whatever
    the precision of its input.

    A `PreparedClassifier` with named columns has one input of shape (N, 1) per column instead, with the name of the
    column. Inputs are numbers, or strings for categories; strip blanks from these. Missing ones are empty, or a word
    such as NA.
    Evaluation fails for unknown categories, unless the preparation ignores them. Missing numbers are NaN and make the
    scores NaN, unless the preparation fills them in.

    Parameters
    ----------
    model : estimator
        A fitted model of this package with any kernel except a function. Labels of one-class models are 1 for normal
        examples and -1 for outliers.
    path : path, default=None
        Name of the file, usually ending in `.onnx`. An existing file is replaced when the new one is complete.
    dtype : {"float32", "float64"}, default="float32"
        Type of `X` (or of the numeric columns) and of the numeric outputs.

    Returns
    -------
    onnx.ModelProto
        The graph. String labels stay strings; integers of any type, and booleans as 0 and 1, become int64.

    Raises
    ------
    ExportError
        ONNX cannot express the model.
    ImportError
        The package onnx is missing: `pip install 'hinge-svm[onnx]'`.

    Notes
    -----
    The laplacian kernel loops over the support vectors, which is slower than the matrix products of other kernels.
    Sparse support vectors become dense.

    Examples
    --------
    >>> from hinge import OnlineSVC
    >>> model = OnlineSVC(gamma=0.5).fit([[0.0], [2.0]], ["no", "yes"])
    >>> graph = to_onnx(model).graph
    >>> [value.name for value in graph.input], [value.name for value in graph.output]
    (['X'], ['label', 'scores'])
    """
    choice("dtype", dtype, ("float32", "float64"))
    model, preparation = split_preparation(model)
    exported = ExportedModel.of(model, None if preparation is None else preparation.answers)
    exported.require_kernel(_KERNELS, "ONNX export")
    classes = _OUTLIER_OR_NORMAL if exported.is_one_class else exported.classes
    labels = None if exported.is_regression else as_onnx_labels(classes)
    graph = GraphBuilder()
    if preparation is None:
        X = add_input(graph, exported.n_features, dtype)
    else:
        X = add_prepared_inputs(graph, preparation, dtype)
    decisions = _add_decision_functions(graph, exported, X)
    if labels is None:
        add_value(graph, decisions, dtype)
    else:
        numbers = (add_vote if exported.is_one_vs_one else add_label)(graph, labels, decisions, dtype)
        if exported.calibration is not None:
            scores = add_confidences(graph, decisions, len(labels)) if exported.is_one_vs_one else decisions
            add_calibrated(graph, exported.calibration, scores, numbers, dtype, len(labels))
    if exported.has_log_odds:
        add_probabilities(graph, decisions, dtype, len(exported.classes))
    finished = graph.model(_describe(exported))
    if path is not None:
        with replacing(path) as unfinished:
            unfinished.write_bytes(finished.SerializeToString())
    return finished


def describe_outputs(model: BaseEstimator) -> str:
    """Describe the inputs and outputs of the graph of a model."""
    if is_regressor(model):
        return "inputs as in training, output value"
    scores = "label, scores and probabilities" if hasattr(model, "predict_proba") else "label and scores"
    return f"inputs as in training, outputs {scores}"


def _add_decision_functions(graph: GraphBuilder, exported: ExportedModel, X: str) -> str:
    """Add the decision functions of examples `X` in double precision: shape (N, n_functions)."""
    name = exported.kernel.name
    if exported.fourier is not None:
        features = _add_fourier_features(graph, exported, exported.fourier, X)
        products = graph.add("MatMul", features, graph.constant(np.ascontiguousarray(exported.coefficients.T)))
    elif name == "linear":
        weights = np.asarray(exported.vectors.T @ exported.coefficients.T, dtype=np.float64)
        products = graph.add("MatMul", X, graph.constant(weights))
    elif name == "laplacian":
        products = _add_laplacian_sums(graph, exported, X)
    else:
        values = _add_kernel_values(graph, exported, X)
        products = graph.add("MatMul", values, graph.constant(np.ascontiguousarray(exported.coefficients.T)))
    return graph.add("Add", products, graph.constant(exported.intercepts))


def _add_kernel_values(graph: GraphBuilder, exported: ExportedModel, X: str) -> str:
    kernel = exported.kernel
    if kernel.name == "precomputed":
        return graph.add("Gather", X, graph.constant(exported.columns), axis=1)
    vectors = _dense(exported)
    if kernel.name == "rbf":
        return _add_rbf_values(graph, vectors, X, kernel.gamma)
    products = graph.add("MatMul", X, _add_vector_columns(graph, vectors, factor=kernel.gamma))
    inner = graph.add("Add", products, graph.constant(kernel.coef0))
    if kernel.name == "sigmoid":
        return graph.add("Tanh", inner)
    return graph.add("Pow", inner, graph.constant(float(kernel.degree)))


def _add_rbf_values(graph: GraphBuilder, vectors: NDArray[np.floating], X: str, gamma: float) -> str:
    """Add exp(-gamma (|x|^2 + |s|^2 - 2 <x, s>)); the centre is subtracted first, which keeps rounding errors small."""
    centre = vectors.mean(axis=0, dtype=np.float64)
    squares = np.square(vectors - centre).sum(axis=1)
    X = graph.add("Sub", X, graph.constant(centre))
    norms = graph.add("ReduceSum", graph.add("Mul", X, X), graph.constant(np.array([1])), keepdims=1)
    products = graph.add("MatMul", X, _add_vector_columns(graph, vectors, centre, factor=2.0))
    distances = graph.add("Sub", graph.add("Add", norms, graph.constant(squares)), products)
    distances = graph.add("Max", distances, graph.constant(0.0))
    return graph.add("Exp", graph.add("Mul", distances, graph.constant(-gamma)))


def _add_vector_columns(
    graph: GraphBuilder,
    vectors: NDArray[np.floating],
    centre: NDArray[np.float64] | None = None,
    *,
    factor: float,
) -> str:
    """Add the support vectors as columns in double precision; they are stored in the precision of the model.

    The factor is applied before the product: onnxruntime would fuse it with the product in single precision.
    """
    offset = np.zeros(1) if centre is None else centre
    if vectors.dtype == np.float64:
        return graph.constant(np.ascontiguousarray(factor * (vectors - offset).T))
    wide = graph.cast(graph.constant(np.ascontiguousarray(vectors.T)), "float64")
    centred = wide if centre is None else graph.add("Sub", wide, graph.constant(centre[:, None]))
    return graph.add("Mul", centred, graph.constant(factor))


def _add_laplacian_sums(graph: GraphBuilder, exported: ExportedModel, X: str) -> str:
    """Add the weighted sums of exp(-gamma |x - s|_1), by a loop over the support vectors."""
    vectors = _dense(exported)
    stored = graph.constant(vectors)
    stored = stored if vectors.dtype == np.float64 else graph.cast(stored, "float64")
    body = GraphBuilder("hinge/body")  # names of the graph must not return in the body of a loop
    distances = body.add("Abs", body.add("Sub", X, "vector"), name="differences")
    distances = body.add("ReduceSum", distances, body.constant(np.array([1])), keepdims=0)
    body.add("Exp", body.add("Mul", distances, body.constant(-exported.kernel.gamma)), name="values")
    loop = body.body({"vector": ("float64", [exported.n_features])}, "values", "float64", ["N"])
    values = graph.add("Scan", stored, body=loop, num_scan_inputs=1)  # (n_support, N)
    products = graph.add("MatMul", graph.constant(exported.coefficients), values)
    return graph.add("Transpose", products, perm=[1, 0])


def _add_fourier_features(graph: GraphBuilder, exported: ExportedModel, fourier: FourierFeatures, X: str) -> str:
    """Add sqrt(2 / d) cos(<frequency, x> + phase) as sines: not all runtimes have cosines in double precision."""
    if exported.centre is not None:
        X = graph.add("Sub", X, graph.constant(exported.centre))
    shifted = fourier.phases.astype(np.float64) + np.pi / 2
    stored = graph.constant(fourier.frequencies)
    stored = stored if fourier.frequencies.dtype == np.float64 else graph.cast(stored, "float64")
    angles = graph.add("Add", graph.add("MatMul", X, stored), graph.constant(shifted))
    return graph.add("Mul", graph.add("Sin", angles), graph.constant(np.sqrt(2.0 / len(shifted))))


def _describe(exported: ExportedModel) -> str:
    kind = "Regression" if exported.is_regression else "One-class model" if exported.is_one_class else "Classifier"
    parts = "support vectors" if exported.fourier is None else "Fourier features"
    return f"{kind} with kernel {exported.kernel.describe()} and {exported.n_support} {parts}."


def _dense(exported: ExportedModel) -> NDArray[np.floating]:
    vectors = exported.vectors
    check_size(int(np.prod(vectors.shape, dtype=np.int64)) * vectors.dtype.itemsize)
    dense: NDArray[np.floating] = vectors if isinstance(vectors, np.ndarray) else vectors.toarray()
    return dense
