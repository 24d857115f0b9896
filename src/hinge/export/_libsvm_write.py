"""Model files of LIBSVM.

Two classes are what LIBSVM has itself: one decision function, positive for the label that stands first in the file.

With k > 2 classes LIBSVM decides by pairs: for blocks i < j of support vectors, one a class,

    d_ij(x) = sum_{s in block i} c[j - 1, s] K(x, s) + sum_{s in block j} c[i, s] K(x, s) - rho_ij,

a positive value is a vote for i, any other for j, and the first class with most votes wins. One machine a class,
f_i(x) = sum_s a_i[s] K(x, s) + b_i, becomes exactly that: block i holds the vectors with a_i[s] other than zero, and

    c[m, s] = a_i[s] for m >= i and -a_i[s] for m < i,    rho_ij = -(b_i - b_j),    so that  d_ij = f_i - f_j.

The class of the largest f_i wins all its pairs. Classes are written last to first: a vote on d_ij = 0 goes to j, which
is then the class that comes first in `classes_`, as in hinge.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from hinge.export._errors import ExportError
from hinge.export._view import View, taken_apart
from hinge.io.atomic import replacing

if TYPE_CHECKING:
    from numpy.typing import NDArray

KERNEL_WORDS = {
    "linear": "linear",
    "poly": "polynomial",
    "rbf": "rbf",
    "sigmoid": "sigmoid",
    "precomputed": "precomputed",
}


def to_libsvm(model: Any, path: str | os.PathLike[str], *, labels: Sequence[int] | None = None) -> None:
    """Write a model as a text file that LIBSVM's programs read.

    LIBSVM then predicts the same classes. With two classes its decision value is that of the model (it is positive for
    `classes_[1]`, the first label of the file); with more the value of a pair of classes is the difference of theirs.

    Parameters
    ----------
    model : estimator
        A fitted classifier of this package, or an `ApproximateSVR`, with a linear, poly, rbf, sigmoid or precomputed
        kernel. Of approximate models those of Nystroem: they are kernel expansions over their landmarks.
    path : path
        Name of the file. An existing file is replaced, when the new one is complete.
    labels : sequence of int, default=None
        The numbers to write in place of the labels, in the order of `classes_`. LIBSVM's labels are whole numbers;
        None writes those of the model.

    Raises
    ------
    ExportError
        LIBSVM cannot express the model.

    Notes
    -----
    A support vector that several of the machines of more than two classes use is written once for each of them.

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
    model, preparation = taken_apart(model)
    if preparation is not None and (preparation.columns is not None or preparation.scaling.factor is not None):
        raise ExportError(
            "LIBSVM's files hold no preparation, and this model encodes or scales its examples; export to ONNX, or "
            "train it without (--scale none, numbers only), or export its part `model`, which takes prepared examples."
        )
    view = View.of(model)
    if view.fourier is not None:
        raise ExportError(
            "LIBSVM's files hold kernel expansions, and a model of Fourier features is none; export it to ONNX or "
            "scikit-learn, or train with approximation='nystroem'."
        )
    view.require_kernel(tuple(KERNEL_WORDS), "LIBSVM")
    numbers = _numbers(view, labels)
    blocks = _one_block_a_class(view) if len(view.classes) > 2 else _two_blocks(view)
    with replacing(path) as unfinished, unfinished.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(_header(view, numbers[::-1], [len(columns) for columns, _ in blocks]))
        file.writelines(_lines(view, blocks))


Block = tuple["NDArray[np.intp]", "NDArray[np.float64]"]  # support vectors, and the coefficients of each (a row each)


def _two_blocks(view: View) -> list[Block]:
    """Return the vectors of the second class and those of the first; those of a regression count as one class."""
    coefficients, first = view.coefficients.T, int(view.counts[0])
    places = np.arange(view.n_support)
    return [(places[part], coefficients[part]) for part in (slice(first, None), slice(None, first))]


def _one_block_a_class(view: View) -> list[Block]:
    n_classes = len(view.classes)
    blocks = []
    for i, coefficients in enumerate(view.coefficients[::-1]):
        held = np.flatnonzero(coefficients)
        signs = np.where(np.arange(n_classes - 1) >= i, 1.0, -1.0)
        blocks.append((held, coefficients[held, None] * signs))
    return blocks


def _header(view: View, numbers: list[int], sizes: list[int]) -> Iterator[str]:
    kernel, intercepts = view.kernel, view.intercepts[::-1]
    rho = -intercepts
    if len(numbers) > 2:
        first, second = np.triu_indices(len(numbers), 1)  # pairs in LIBSVM's order
        rho = -(intercepts[first] - intercepts[second])
    yield f"svm_type {'epsilon_svr' if view.regression else 'c_svc'}\nkernel_type {KERNEL_WORDS[kernel.name]}\n"
    if kernel.name == "poly":
        yield f"degree {kernel.degree}\n"
    if kernel.name in ("poly", "rbf", "sigmoid"):
        yield f"gamma {kernel.gamma:.17g}\n"
    if kernel.name in ("poly", "sigmoid"):
        yield f"coef0 {kernel.coef0:.17g}\n"
    yield f"nr_class {len(numbers) or 2}\ntotal_sv {sum(sizes)}\n"
    yield f"rho {' '.join(f'{value + 0.0:.17g}' for value in rho)}\n"  # no minus before a zero
    if not view.regression:
        yield f"label {' '.join(map(str, numbers))}\nnr_sv {' '.join(map(str, sizes))}\n"
    yield "SV\n"


def _lines(view: View, blocks: list[Block]) -> Iterator[str]:
    vectors = csr_matrix(view.vectors)
    for places, coefficients in blocks:
        for place, row in zip(places.tolist(), coefficients.tolist(), strict=True):
            yield f"{' '.join(f'{value:.17g}' for value in row)}{_features(view, vectors, place)}\n"


def _features(view: View, vectors: Any, place: int) -> str:
    """Return a support vector as LIBSVM writes it: features count from 1, and what is zero is left out."""
    if view.kernel.name == "precomputed":
        return f" 0:{view.columns[place] + 1}"
    part = slice(vectors.indptr[place], vectors.indptr[place + 1])
    entries = zip(vectors.indices[part].tolist(), vectors.data[part].tolist(), strict=True)
    return "".join(f" {column + 1}:{value:.17g}" for column, value in entries if value)


def _numbers(view: View, labels: Sequence[int] | None) -> list[int]:
    """Return the labels to write, in the order of the classes."""
    classes = view.classes
    if view.regression and labels is not None:
        raise ExportError("labels must be left out for a regression, which has no classes.")
    given: list[Any] = classes.tolist() if labels is None else list(labels)
    numbers = [_whole(label) for label in given]
    if labels is None and None in numbers:
        raise ExportError(
            f"LIBSVM's labels are whole numbers of 32 bits, got the classes {_some(given)}; "
            "labels= (--number-classes) gives numbers to write instead, in the order of classes_."
        )
    if None in numbers or len(numbers) != len(classes) or len(set(numbers)) != len(numbers):
        raise ExportError(
            f"labels must hold {len(classes)} different whole numbers of 32 bits, one for each of classes_, "
            f"got {_some(given)}."
        )
    return [number for number in numbers if number is not None]


def _whole(label: Any) -> int | None:
    """Return a label as a number that LIBSVM can read, or None."""
    if not isinstance(label, (bool, int, float, np.bool_, np.integer, np.floating)):
        return None
    if not -(2**31) <= label < 2**31 or label != int(label):
        return None
    return int(label)


def _some(labels: list[Any]) -> str:
    return repr(labels) if len(labels) <= 10 else f"{labels[:10]!r} and {len(labels) - 10} more"
