"""Write LIBSVM model files.

For two classes LIBSVM has one decision function, positive for the first label in the file.

For k > 2 classes LIBSVM is one-vs-one: for blocks i < j of support vectors, one block per class,

    d_ij(x) = sum_{s in block i} c[j - 1, s] K(x, s) + sum_{s in block j} c[i, s] K(x, s) - rho_ij,

a positive value is a vote for i, any other for j, and the first class with most votes wins. One-vs-rest functions
f_i(x) = sum_s a_i[s] K(x, s) + b_i can be written in this form: block i has the vectors with nonzero a_i[s], and

    c[m, s] = a_i[s] for m >= i and -a_i[s] for m < i,    rho_ij = -(b_i - b_j),    so that  d_ij = f_i - f_j.

The class with the largest f_i wins all its pairs. Classes are written last to first: the vote for d_ij = 0 goes to j,
which is then the class that comes first in `classes_`, as in hinge. One-vs-one models have this form already, and are
written as they are.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

from hinge._model.class_scheme import pairs
from hinge.exceptions import ExportError, listed
from hinge.export._exported_model import ExportedModel
from hinge.export._model_access import split_preparation
from hinge.io.atomic import replacing
from hinge.tables import NumberColumn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.tables import Scaling

KERNEL_NAMES = {
    "linear": "linear",
    "poly": "polynomial",
    "rbf": "rbf",
    "sigmoid": "sigmoid",
    "precomputed": "precomputed",
}


def to_libsvm(model: BaseEstimator, path: str | os.PathLike[str], *, labels: Sequence[int] | None = None) -> None:
    """Write a model as a LIBSVM model file.

    LIBSVM then predicts the same classes. With two classes its decision value is that of the model, positive for
    `classes_[1]`, the first label in the file. With more classes, the value of a pair is the difference of two decision
    values, or that of the pair if the model is one-vs-one.

    Parameters
    ----------
    model : estimator
        A fitted model of this package with a linear, poly, rbf, sigmoid or precomputed
        kernel. Approximate models must use Nystroem features, which are kernel expansions over landmarks.
    path : path
        Name of the file. An existing file is replaced when the new one is complete.
    labels : sequence of int, default=None
        The integers to write instead of the labels, in the order of `classes_`. LIBSVM's labels are integers; None
        writes those of the model.

    Raises
    ------
    ExportError
        If LIBSVM cannot express the model.

    Notes
    -----
    With more than two classes and one-vs-rest, a support vector is written once for each class whose decision function
    uses it. A model that scales its features comes with a second file, `PATH.range`, for LIBSVM's svm-scale:
    `svm-scale -r PATH.range rows > scaled`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hinge import OnlineSVC
    >>> model = OnlineSVC(kernel="linear").fit([[0.0], [2.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_libsvm(model, Path(folder) / "model.txt", labels=[-1, 1])
    ...     print((Path(folder) / "model.txt").read_text())
    svm_type c_svc
    kernel_type linear
    nr_class 2
    total_sv 2
    rho 1
    label 1 -1
    nr_sv 1 1
    SV
    0.5 1:2
    -0.5
    <BLANKLINE>
    """
    model, preparation = split_preparation(model)
    scaling = None if preparation is None else preparation.scaling
    if preparation is not None and not all(isinstance(column, NumberColumn) for column in preparation.columns or ()):
        raise ExportError(
            "LIBSVM files hold numbers only, and this model encodes columns of other kinds; export to ONNX, or export "
            "its attribute `model`, which takes prepared examples."
        )
    if preparation is not None and preparation.missing_values:
        raise ExportError(
            f"LIBSVM files cannot say that {listed(preparation.missing_values)} stands for a missing value; export to "
            "ONNX, or export its attribute `model`, which takes prepared examples."
        )
    exported = ExportedModel.of(model, None if preparation is None else preparation.answers)
    if exported.fourier is not None:
        raise ExportError(
            "LIBSVM files hold kernel expansions, which Fourier features are not; export the model to ONNX or "
            "scikit-learn, or train with approximation='nystroem'."
        )
    exported.require_kernel(tuple(KERNEL_NAMES), "LIBSVM")
    numbers = _label_numbers(exported, labels)
    numbers = numbers if exported.is_one_vs_one else numbers[::-1]
    blocks = _blocks(exported)
    with replacing(path) as unfinished, unfinished.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(_header(exported, numbers, [len(columns) for columns, _ in blocks]))
        file.writelines(_lines(exported, blocks))
    if scaling is not None and scaling.factor is not None:
        with replacing(f"{os.fspath(path)}.range") as unfinished:
            unfinished.write_text("".join(_ranges(scaling)), encoding="ascii")


Block = tuple["NDArray[np.intp]", "NDArray[np.float64]"]  # support vectors, and one row of coefficients for each


def _blocks(exported: ExportedModel) -> list[Block]:
    if len(exported.classes) <= 2:
        return _two_blocks(exported)
    return _one_vs_one_blocks(exported) if exported.is_one_vs_one else _blocks_per_class(exported)


def _one_vs_one_blocks(exported: ExportedModel) -> list[Block]:
    coefficients, ends = exported.dual_coef.T, np.cumsum(exported.counts)
    parts = [np.arange(end - count, end) for end, count in zip(ends, exported.counts, strict=True)]
    return [(part, coefficients[part]) for part in parts]


def _two_blocks(exported: ExportedModel) -> list[Block]:
    """Return the vectors of the second class and those of the first; a regression has one block."""
    coefficients, first = exported.coefficients.T, int(exported.counts[0])
    positions = np.arange(exported.n_support)
    return [(positions[part], coefficients[part]) for part in (slice(first, None), slice(None, first))]


def _blocks_per_class(exported: ExportedModel) -> list[Block]:
    n_classes = len(exported.classes)
    blocks = []
    for i, coefficients in enumerate(exported.coefficients[::-1]):
        held = np.flatnonzero(coefficients)
        signs = np.where(np.arange(n_classes - 1) >= i, 1.0, -1.0)
        blocks.append((held, coefficients[held, None] * signs))
    return blocks


def _header(exported: ExportedModel, numbers: list[int], sizes: list[int]) -> Iterator[str]:
    kernel, intercepts = exported.kernel, exported.intercepts[::-1]
    rho = -exported.intercepts
    if len(numbers) > 2 and not exported.is_one_vs_one:
        first, second = pairs(len(numbers))  # LIBSVM has the same order
        rho = -(intercepts[first] - intercepts[second])
    yield f"svm_type {_type(exported)}\nkernel_type {KERNEL_NAMES[kernel.name]}\n"
    if kernel.name == "poly":
        yield f"degree {kernel.degree}\n"
    if kernel.name in ("poly", "rbf", "sigmoid"):
        yield f"gamma {kernel.gamma:.17g}\n"
    if kernel.name in ("poly", "sigmoid"):
        yield f"coef0 {kernel.coef0:.17g}\n"
    yield f"nr_class {len(numbers) or 2}\ntotal_sv {sum(sizes)}\n"
    yield f"rho {' '.join(f'{value + 0.0:.17g}' for value in rho)}\n"  # adding 0.0 turns -0 into 0
    if len(exported.classes):
        yield f"label {' '.join(map(str, numbers))}\nnr_sv {' '.join(map(str, sizes))}\n"
    yield "SV\n"


def _type(exported: ExportedModel) -> str:
    return "one_class" if exported.is_one_class else "epsilon_svr" if exported.is_regression else "c_svc"


def _lines(exported: ExportedModel, blocks: list[Block]) -> Iterator[str]:
    vectors = csr_matrix(exported.vectors)
    for positions, coefficients in blocks:
        for position, row in zip(positions.tolist(), coefficients.tolist(), strict=True):
            yield f"{' '.join(f'{value:.17g}' for value in row)}{_format_vector(exported, vectors, position)}\n"


def _format_vector(exported: ExportedModel, vectors: csr_matrix, position: int) -> str:
    """Format a support vector as LIBSVM does: feature indices start at 1, and zeros are left out."""
    if exported.kernel.name == "precomputed":
        return f" 0:{exported.columns[position] + 1}"
    part = slice(vectors.indptr[position], vectors.indptr[position + 1])
    entries = zip(vectors.indices[part].tolist(), vectors.data[part].tolist(), strict=True)
    return "".join(f" {column + 1}:{value:.17g}" for column, value in entries if value)


def _ranges(scaling: Scaling) -> Iterator[str]:
    """Yield the lines of a file for svm-scale, which maps the range of each feature to -1 to 1.

    (x - offset) * factor is -1 at offset - 1 / factor, and 1 at offset + 1 / factor.
    """
    factor = np.asarray(scaling.factor)
    offset = np.zeros(len(factor)) if scaling.offset is None else scaling.offset
    yield "x\n-1 1\n"
    for number, (middle, half) in enumerate(zip(offset.tolist(), (1 / factor).tolist(), strict=True), start=1):
        yield f"{number} {middle - half:.17g} {middle + half:.17g}\n"


def _label_numbers(exported: ExportedModel, labels: Sequence[int] | None) -> list[int]:
    """Return the labels to write, in the order of `classes_`."""
    classes = exported.classes
    if not len(classes) and labels is not None:
        raise ExportError("labels must be None for a model without classes.")
    given: list[object] = classes.tolist() if labels is None else list(labels)
    numbers = [_as_int32(label) for label in given]
    if labels is None and None in numbers:
        raise ExportError(
            f"LIBSVM's labels are 32-bit integers, got the classes {_shorten(given)}; "
            "set labels (--number-classes) to integers to write instead, in the order of classes_."
        )
    if None in numbers or len(numbers) != len(classes) or len(set(numbers)) != len(numbers):
        raise ExportError(
            f"labels must be {len(classes)} different 32-bit integers, one for each of classes_, got {_shorten(given)}."
        )
    return [number for number in numbers if number is not None]


def _as_int32(label: object) -> int | None:
    """Return a label as an integer that LIBSVM can read, or None."""
    if not isinstance(label, (bool, int, float, np.bool_, np.integer, np.floating)):
        return None
    if not -(2**31) <= label < 2**31 or label != int(label):
        return None
    return int(label)


def _shorten(labels: list[object]) -> str:
    return repr(labels) if len(labels) <= 10 else f"{labels[:10]!r} and {len(labels) - 10} more"
