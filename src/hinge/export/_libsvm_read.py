"""Read a LIBSVM model file as a model that makes the same predictions and can keep learning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from hinge._model.kernels import KernelSpec
from hinge._model.params import number, whole
from hinge._model.state import State
from hinge._model.threads import one_blas_thread
from hinge._model.validation import Storage
from hinge.exceptions import ExportError, HingeError, ParameterError
from hinge.export._libsvm_binary_models import BinaryModels, read_binary_models
from hinge.export._libsvm_parser import LibsvmFile, SupportVectorParser, read_header
from hinge.export._libsvm_write import KERNEL_NAMES
from hinge.export._model_access import check_options, set_state
from hinge.online import OnlineSVC

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from hinge._model.types import Arrays

    Rows: TypeAlias = NDArray[np.float64] | csr_matrix

_MIN_DENSE_SHARE = 0.3  # of nonzero entries; from this share on, rows are stored dense
_MAX_SHIFT = 0.01  # an intercept further from the middle of the bracket means that examples had their own bounds
_BLOCK_ROWS = 1000  # per native call, between which Ctrl-C is noticed
_SEEDS = 5  # examples per class that a new model accepts without a check
_KERNELS = {libsvm_name: name for name, libsvm_name in KERNEL_NAMES.items() if name != "precomputed"}


def from_libsvm(path: str | os.PathLike[str], *, C: float | None = None, n_features: int | None = None) -> OnlineSVC:
    """Read a model that LIBSVM trained, or that `to_libsvm` wrote.

    The decision values are those of LIBSVM, up to rounding, and `partial_fit` continues from there.

    Parameters
    ----------
    path : path
        A model file of C-SVC or nu-SVC with a linear, polynomial, rbf or sigmoid kernel. With more than two classes,
        the model has `multi_class="ovo"`, as LIBSVM's own, unless `to_libsvm` wrote it from one with "ovr".
    C : float, default=None
        The penalty that the model was trained with, which the file does not contain. None uses the largest absolute
        coefficient, which is that penalty as soon as one example is at its bound.
    n_features : int, default=None
        The number of columns. None uses the largest index in the file, which misses trailing columns that are zero in
        all support vectors.

    Returns
    -------
    OnlineSVC
        A fitted model in double precision, with sparse rows if few entries are nonzero. Labels are int64, and each
        support vector counts as one example seen.

    Raises
    ------
    ExportError
        If the file is damaged or contains another kind of model.
    FileNotFoundError
        If the file does not exist.

    Notes
    -----
    `OnlineSVC` computes its intercept from gradients, while LIBSVM stores it. To keep LIBSVM's value exactly, all
    gradients of a binary model are shifted by the small difference between the two (within LIBSVM's tolerance), which
    affects only examples learned later. If the difference is large, examples inside the margin had their own bounds, as
    class weights give them, and their coefficients are taken as these bounds.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hinge import OnlineSVC
    >>> from hinge.export import to_libsvm
    >>> model = OnlineSVC(kernel="linear").fit([[0.0], [2.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_libsvm(model, Path(folder) / "model.txt")
    ...     from_libsvm(Path(folder) / "model.txt").predict([[0.5], [1.5]])
    array([0, 1])
    """
    if C is not None:
        C = number("C", C, above=0, hint="a usual value is 1.0")
    if n_features is not None:
        whole("n_features", n_features, at_least=1, hint="None uses the largest index in the file")
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    record = _read(path, n_features)
    try:
        with np.errstate(all="ignore"):  # infinite results are rejected later
            return _build_model(record, read_binary_models(record), C)
    except ExportError:
        raise
    except (HingeError, ArithmeticError, RuntimeError, ValueError, MemoryError) as error:
        record.refuse(str(error).rstrip("."))


def _read(path: Path, n_features: int | None) -> LibsvmFile:
    with path.open("rb") as file:
        record = read_header(path, file)
        if record.word("svm_type") not in ("c_svc", "nu_svc"):
            record.refuse(f"it must be a classifier (c_svc or nu_svc), got {record.word('svm_type')[:40]!r}")
        if record.word("kernel_type") not in _KERNELS:
            names, found = ", ".join(_KERNELS), record.word("kernel_type")[:40]
            record.refuse(f"its kernel must be one of {names}, got {found!r}")
        n_classes, total = record.integer("nr_class"), record.integer("total_sv")
        if n_classes < 2 or total < 1:
            record.refuse("it must have at least two classes and one support vector")
        labels = record.integers("label", n_classes)  # bounds nr_class by the file size before arrays are allocated
        if len(set(labels)) != n_classes:
            record.refuse("a label appears twice")
        parser = SupportVectorParser(path, n_classes - 1, n_features)
        parser.read(file, total)
    parser.store(record)
    return record


def _build_model(record: LibsvmFile, binaries: BinaryModels, C: float | None) -> OnlineSVC:
    largest = float(np.abs(binaries.alpha).max())
    if C is not None and largest > C * (1 + 1e-9):
        raise ExportError(f"C must be at least the largest coefficient of {record.path}, {largest:.17g}, got {C!r}.")
    model = OnlineSVC(C=max(largest, C or 0.0), multi_class=binaries.multi_class, **_kernel_parameters(record))
    try:
        options = check_options(model)
    except ParameterError as error:
        record.refuse(str(error).rstrip("."))
    X = binaries.vectors
    if X.nnz >= _MIN_DENSE_SHARE * X.shape[0] * X.shape[1]:
        X = X.toarray()
    storage = Storage.of(X)
    size = float(np.abs(binaries.vectors.data).max(initial=0.0))
    if size > storage.largest:
        record.refuse(f"its support vectors contain {size:g}, whose square is too large")
    kernel = KernelSpec.resolve(model.kernel, model.degree, model.gamma, model.coef0, X=X, weights=np.ones(X.shape[0]))
    state = State(kernel, options, storage, binaries.table)
    state.n_seen = X.shape[0]
    empty, values = state.to_arrays()
    arrays = empty | _arrays(X, kernel, binaries, model.C)
    set_state(model, _with_gradients(arrays, values, binaries, X))
    return model


def _kernel_parameters(record: LibsvmFile) -> dict[str, Any]:
    """Return the parameters of the kernel."""
    name = _KERNELS[record.word("kernel_type")]
    parameters: dict[str, Any] = {"kernel": name}
    if name != "linear":
        parameters["gamma"] = record.number("gamma")
    if name in ("poly", "sigmoid"):
        parameters["coef0"] = record.number("coef0")
    if name == "poly":
        parameters["degree"] = record.integer("degree")
    return parameters


def _arrays(X: Rows, kernel: KernelSpec, machines: BinaryModels, C: float) -> Arrays:
    """Return the arrays that differ from those of an empty state; gradients are still zero."""
    n, counts = X.shape[0], machines.counts
    positive = [int((machines.sides[machines.part(machine)] > 0).sum()) for machine in range(len(counts))]
    seeds = np.minimum(_SEEDS, np.column_stack([counts - positive, positive]))
    arrays: Arrays = {
        "ids": np.arange(n, dtype=np.int64),
        "labels": machines.labels,
        "costs": np.full(n, C),
        "members": machines.members,
        "member_counts": counts,
        "member_lows": np.where(machines.sides > 0, 0.0, -C),
        "member_costs": np.full(len(machines.members), C),
        "alpha": machines.alpha,
        "gradient": np.zeros(len(machines.members)),
        "lag": np.zeros(len(machines.members)),
        "member_mistakes": np.zeros(len(machines.members), dtype=np.int64),
        "terms": np.zeros(len(counts)),
        "bracket_ends": np.zeros((len(counts), 2), dtype=np.int64),
        "n_kernel_evals": np.array([n * n]),
        "n_steps": np.zeros(1, dtype=np.int64),
        "shift_chosen": np.ones(1, dtype=np.int64),
        "seeds": seeds,
    }
    if not isinstance(X, np.ndarray):
        return arrays | {"data": X.data, "indices": X.indices.astype(np.int32), "indptr": X.indptr.astype(np.int64)}
    centre = X.mean(axis=0)
    if kernel.name == "rbf" and np.square(centre).sum() > 4.0 * np.square(X - centre).sum() / n:
        return arrays | {"shift": centre, "values": X - centre}  # far from zero, squares would lose precision
    return arrays | {"values": X}


def _with_gradients(arrays: Arrays, values: dict[str, Any], binaries: BinaryModels, X: Rows) -> State:
    """Return the state whose gradients match its coefficients, and whose intercepts are those of the file."""
    sums = _kernel_sums(State.from_arrays(arrays, values), X)
    if not np.isfinite(sums).all():
        raise ArithmeticError("its numbers are so large that sums overflow")
    parts = [binaries.part(model) for model in range(len(binaries.counts))]
    gradient, costs = arrays["gradient"], arrays["member_costs"]
    for model, part in enumerate(parts):
        gradient[part] = binaries.sides[part] - sums[binaries.members[part], model]
    middles = np.array([_bracket_middle(binaries, gradient, costs, part) for part in parts])
    intercepts = binaries.intercepts
    if binaries.are_relative:  # choose those nearest to what the binary models would compute
        intercepts = intercepts + (middles - intercepts).mean()
    for model, part in enumerate(parts):
        if abs(intercepts[model] - middles[model]) > _MAX_SHIFT:
            inside = binaries.sides[part] * (gradient[part] - intercepts[model]) > _MAX_SHIFT  # 1 - y f(x)
            costs[part] = np.where(inside, np.abs(binaries.alpha[part]), costs[part])
            arrays["member_lows"][part] = np.where(binaries.sides[part] > 0, 0.0, -costs[part])
            middles[model] = _bracket_middle(binaries, gradient, costs, part)
        gradient[part] += intercepts[model] - middles[model]
    restored = State.from_arrays(arrays, values)
    restored.native  # noqa: B018  built now, so that errors are raised here
    return restored


def _kernel_sums(state: State, X: Rows) -> NDArray[np.float64]:
    """Return the decision values of rows without intercepts, which are zero while gradients are."""
    rows = range(0, X.shape[0], _BLOCK_ROWS)
    with one_blas_thread():
        return np.concatenate([state.decide(X[row : row + _BLOCK_ROWS], state.options.threads) for row in rows])


def _bracket_middle(
    binaries: BinaryModels, gradient: NDArray[np.float64], costs: NDArray[np.float64], part: slice
) -> float:
    """Return the intercept that a binary model computes: the middle of the gradients that can increase and decrease."""
    alpha, sides, values = binaries.alpha[part], binaries.sides[part], gradient[part]
    high, low = np.maximum(sides * costs[part], 0.0), np.minimum(sides * costs[part], 0.0)
    ends = [values[alpha < high].max(initial=-np.inf), values[alpha > low].min(initial=np.inf)]
    finite = [float(end) for end in ends if np.isfinite(end)]
    return 0.5 * (finite[0] + finite[1]) if len(finite) == 2 else sum(finite)
