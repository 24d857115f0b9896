"""From a model file of LIBSVM to a model that predicts the same and goes on learning."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.kernels import KernelSpec
from hinge._model.params import number, whole
from hinge._model.state import Arrays, State
from hinge._model.threads import one_blas_thread
from hinge._model.validation import Storage
from hinge.exceptions import HingeError, ParameterError
from hinge.export._errors import ExportError
from hinge.export._libsvm_file import LibsvmFile, Vectors, read_head
from hinge.export._libsvm_machines import Machines, machines_of
from hinge.export._libsvm_write import KERNEL_WORDS
from hinge.online import OnlineSVC

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DENSE = 0.3  # share of entries other than zero from which on rows are kept dense
_FAR = 0.01  # a constant further from the middle of the bracket says that examples had bounds of their own
_ROWS = 1000  # looked at between two looks for Ctrl-C
_SEEDS = 5  # of a class, that the machines admit unseen when they start from nothing
_NAMES = {word: name for name, word in KERNEL_WORDS.items() if name != "precomputed"}


def from_libsvm(path: str | os.PathLike[str], *, C: float | None = None, n_features: int | None = None) -> OnlineSVC:
    """Read a model that LIBSVM trained, or that `to_libsvm` wrote.

    The model decides as LIBSVM does, up to rounding, and `partial_fit` goes on from there.

    Parameters
    ----------
    path : path
        A model file of C-SVC or nu-SVC with a linear, polynomial, rbf or sigmoid kernel and two classes. Files of more
        classes are read when `to_libsvm` wrote them: LIBSVM's own have a machine for each pair of classes.
    C : float, default=None
        The penalty that the model was trained with, which the file does not tell. None takes the largest size of a
        coefficient, which is that penalty as soon as one example is at its bound.
    n_features : int, default=None
        The number of columns. None takes the largest index in the file: columns that are zero in all support vectors
        at the end are not known to it.

    Returns
    -------
    OnlineSVC
        A fitted model in double precision, its rows sparse when few of their entries differ from zero. Labels are
        int64, and each support vector counts as one example seen.

    Raises
    ------
    ExportError
        The file is damaged, or holds another kind of model.
    FileNotFoundError
        There is no such file.

    Notes
    -----
    Machines here derive their constant from gradients, where LIBSVM stores it. To keep LIBSVM's exactly, all gradients
    of a machine are moved by the small difference between the two (within the tolerance LIBSVM was given); only
    examples learned later notice it. Where the difference is large, examples inside the margin had bounds of their
    own, as class weights give, and their coefficients are taken for these.

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
        whole("n_features", n_features, at_least=1, hint="None takes the largest index in the file")
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    record = _read(path, n_features)
    try:
        with np.errstate(all="ignore"):  # what becomes infinite is refused
            return _build(record, machines_of(record), C)
    except ExportError:
        raise
    except (HingeError, ArithmeticError, RuntimeError, ValueError, MemoryError) as error:
        record.refuse(str(error).rstrip("."))


def _read(path: Path, n_features: int | None) -> LibsvmFile:
    with path.open("rb") as file:
        record = read_head(path, file)
        if record.word("svm_type") not in ("c_svc", "nu_svc"):
            record.refuse(f"it must be a classifier, c_svc or nu_svc, got {record.word('svm_type')[:40]!r}")
        if record.word("kernel_type") not in _NAMES:
            words, found = ", ".join(_NAMES), record.word("kernel_type")[:40]
            record.refuse(f"its kernel must be one of {words}, got {found!r}")
        n_classes, total = record.whole("nr_class"), record.whole("total_sv")
        if n_classes < 2 or total < 1:
            record.refuse("it must have two classes and one support vector at least")
        labels = record.wholes("label", n_classes)  # as many as are promised: the sizes below are backed by the file
        if len(set(labels)) != n_classes:
            record.refuse("a label stands there twice")
        vectors = Vectors(path, n_classes - 1, n_features)
        vectors.read(file, total)
    vectors.into(record)
    return record


def _build(record: LibsvmFile, machines: Machines, C: float | None) -> OnlineSVC:
    largest = float(np.abs(machines.alpha).max())
    if C is not None and largest > C * (1 + 1e-9):
        raise ExportError(f"C must reach the largest coefficient of {record.path}, which is {largest:.17g}, got {C!r}.")
    model = OnlineSVC(C=max(largest, C or 0.0), **_kernel_parameters(record))
    try:
        options = model._check_params(streaming=True)
    except ParameterError as error:
        record.refuse(str(error).rstrip("."))
    X = machines.vectors
    if X.nnz >= _DENSE * X.shape[0] * X.shape[1]:
        X = X.toarray()
    storage = Storage.of(X)
    size = float(np.abs(machines.vectors.data).max(initial=0.0))
    if size > storage.largest:
        record.refuse(f"its vectors hold {size:g}, whose square is too large")
    kernel = KernelSpec.resolve(model.kernel, model.degree, model.gamma, model.coef0, X=X, weights=np.ones(X.shape[0]))
    state = State(kernel, options, storage, machines.table)
    state.n_seen = X.shape[0]
    empty, values = state.to_arrays()
    arrays = empty | _arrays(X, kernel, machines, model.C)
    model._state = _with_gradients(arrays, values, machines, X)
    model.n_features_in_ = storage.n_features
    return model


def _kernel_parameters(record: LibsvmFile) -> dict[str, Any]:
    """Return the parameters that the kernel uses."""
    name = _NAMES[record.word("kernel_type")]
    parameters: dict[str, Any] = {"kernel": name}
    if name != "linear":
        parameters["gamma"] = record.number("gamma")
    if name in ("poly", "sigmoid"):
        parameters["coef0"] = record.number("coef0")
    if name == "poly":
        parameters["degree"] = record.whole("degree")
    return parameters


def _arrays(X: Any, kernel: KernelSpec, machines: Machines, C: float) -> Arrays:
    """Return what differs from the arrays of an empty state; gradients are still zero."""
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
        return arrays | {"shift": centre, "values": X - centre}  # far from zero, squares would lose digits
    return arrays | {"values": X}


def _with_gradients(arrays: Arrays, values: dict[str, Any], machines: Machines, X: Any) -> State:
    """Return the state whose gradients belong to its coefficients, and whose constants are those of the file."""
    sums = _sums(State.from_arrays(arrays, values), X)
    if not np.isfinite(sums).all():
        raise ArithmeticError("its numbers are too large to be added up")
    parts = [machines.part(machine) for machine in range(len(machines.counts))]
    gradient, costs = arrays["gradient"], arrays["member_costs"]
    for machine, part in enumerate(parts):
        gradient[part] = machines.sides[part] - sums[machines.members[part], machine]
    middles = np.array([_middle(machines, gradient, costs, part) for part in parts])
    intercepts = machines.intercepts
    if machines.floating:  # differences are known: nearest to what the machines find by themselves
        intercepts = intercepts + (middles - intercepts).mean()
    for machine, part in enumerate(parts):
        if abs(intercepts[machine] - middles[machine]) > _FAR:
            inside = machines.sides[part] * (gradient[part] - intercepts[machine]) > _FAR  # 1 - y f(x)
            costs[part] = np.where(inside, np.abs(machines.alpha[part]), costs[part])
            arrays["member_lows"][part] = np.where(machines.sides[part] > 0, 0.0, -costs[part])
            middles[machine] = _middle(machines, gradient, costs, part)
        gradient[part] += intercepts[machine] - middles[machine]
    restored = State.from_arrays(arrays, values)
    restored.native  # noqa: B018  built now, so that what is wrong with it shows here
    return restored


def _sums(state: State, X: Any) -> NDArray[np.float64]:
    """Return the sums of kernel values of rows, without constants: gradients of zero make them zero."""
    rows = range(0, X.shape[0], _ROWS)
    with one_blas_thread():
        return np.concatenate([state.decide(X[row : row + _ROWS], state.options.threads) for row in rows])


def _middle(machines: Machines, gradient: NDArray[np.float64], costs: NDArray[np.float64], part: slice) -> float:
    """Return the constant that a machine finds by itself: the middle between the gradients that may rise and fall."""
    alpha, sides, values = machines.alpha[part], machines.sides[part], gradient[part]
    high, low = np.maximum(sides * costs[part], 0.0), np.minimum(sides * costs[part], 0.0)
    ends = [values[alpha < high].max(initial=-np.inf), values[alpha > low].min(initial=np.inf)]
    finite = [float(end) for end in ends if np.isfinite(end)]
    return 0.5 * (finite[0] + finite[1]) if len(finite) == 2 else sum(finite)
