"""The binary models in a LIBSVM file: one per pair of classes, or one per class (see `_libsvm_write`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hinge._model.class_scheme import native_pairs
from hinge._model.labels import ClassTable

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from hinge.export._libsvm_parser import LibsvmFile

_TOLERANCE = 1e-9  # between numbers that were equal before they were written


@dataclass(frozen=True)
class BinaryModels:
    """Binary models over one set of examples.

    Attributes
    ----------
    table : ClassTable
        The classes; native class numbers are positions.
    vectors : CSR matrix of shape (n, n_features)
        The examples.
    labels : ndarray of shape (n,)
        Their class numbers.
    members, alpha : ndarray
        Examples of each binary model, one model after the other, and their signed coefficients.
    counts : ndarray of shape (n_models,)
        Number of members of each model.
    intercepts : ndarray of shape (n_models,)
        Intercepts.
    are_relative : bool
        Whether only the differences between the intercepts are known.
    positives : ndarray of shape (n_models,)
        The class number of which examples are positive in each model.
    multi_class : str
        How more than two classes become binary models.
    """

    table: ClassTable
    vectors: csr_matrix
    labels: NDArray[np.int32]
    members: NDArray[np.int64]
    alpha: NDArray[np.float64]
    counts: NDArray[np.int64]
    intercepts: NDArray[np.float64]
    are_relative: bool
    positives: NDArray[np.intp]
    multi_class: str = "ovr"

    @property
    def sides(self) -> NDArray[np.float64]:
        """+1 for members of the positive class of a model, -1 for others; a coefficient has this sign or is zero."""
        own = np.repeat(self.positives, self.counts)
        return np.where(self.labels[self.members] == own, 1.0, -1.0)

    def part(self, model: int) -> slice:
        """Return the slice of `members` that belongs to a model."""
        stop = int(self.counts[: model + 1].sum())
        return slice(stop - int(self.counts[model]), stop)


def read_binary_models(record: LibsvmFile) -> BinaryModels:
    """Return the binary models of a file, or raise ExportError."""
    labels = np.array(record.integers("label", record.coefficients.shape[1] + 1), dtype=np.int64)
    n_classes = len(labels)
    rho = record.numbers("rho", n_classes * (n_classes - 1) // 2)
    if n_classes > 2 or "nr_sv" in record.header:
        sizes = record.integers("nr_sv", n_classes)
        if min(sizes) < 0 or sum(sizes) != len(record.coefficients):
            record.refuse("the values of nr_sv do not add up to the number of support vectors")
    if n_classes == 2:
        return _two_classes(record, labels, float(rho[0]))
    blocks = np.repeat(np.arange(n_classes), sizes)  # the class of each line, in the order of the file
    return _one_vs_rest(record, labels, rho, blocks) or _one_vs_one(record, labels, rho, blocks)


def _two_classes(record: LibsvmFile, labels: NDArray[np.int64], rho: float) -> BinaryModels:
    """Return the single model; the signs of the coefficients give the classes of the support vectors."""
    table = ClassTable.of(labels)
    sign = 1.0 if labels[0] == table.classes[1] else -1.0
    held = np.flatnonzero(record.coefficients[:, 0])
    if not len(held):
        record.refuse("all coefficients are zero")
    alpha = sign * record.coefficients[held, 0]
    return BinaryModels(
        table=table,
        vectors=record.vectors[held],
        labels=(alpha > 0).astype(np.int32),
        members=np.arange(len(held), dtype=np.int64),
        alpha=alpha,
        counts=np.array([len(held)], dtype=np.int64),
        intercepts=np.array([-sign * rho]),
        are_relative=False,
        positives=np.ones(1, dtype=np.intp),
    )


def _one_vs_rest(
    record: LibsvmFile, labels: NDArray[np.int64], rho: NDArray[np.float64], blocks: NDArray[np.intp]
) -> BinaryModels | None:
    """Return one model per class, or None if the file is not one that such models were written to."""
    n_classes = len(labels)
    signs = np.where(np.arange(n_classes - 1) >= blocks[:, None], 1.0, -1.0)
    coefficients = record.coefficients * signs
    intercepts = np.concatenate([[0.0], rho[: n_classes - 1]])  # d_0j = f_0 - f_j, and rho_0j = b_j - b_0
    first, second = np.triu_indices(n_classes, 1)
    close = _TOLERANCE * (1.0 + np.abs(rho).max())
    agree = np.abs(rho - (intercepts[second] - intercepts[first])).max() <= close
    if not agree or (coefficients != coefficients[:, :1]).any():
        return None
    order = np.argsort(labels)
    positions = np.argsort(order)  # of the classes of the file among the sorted ones
    table = ClassTable(labels[order], np.arange(n_classes, dtype=np.int32))
    return _merge_lines(record, table, positions[blocks], coefficients[:, 0], intercepts[order])


def _one_vs_one(
    record: LibsvmFile, labels: NDArray[np.int64], rho: NDArray[np.float64], blocks: NDArray[np.intp]
) -> BinaryModels:
    """Return one model per pair of classes.

    In the file, the pair of classes i < j has the coefficients in column j - 1 of lines of class i, and in column i of
    lines of class j; its values are positive for class i.
    """
    n_classes, held = len(labels), np.flatnonzero(record.coefficients.any(axis=1))
    coefficients, lines = record.coefficients[held], blocks[held]
    order = np.argsort(labels)
    members, alpha, intercepts = [], [], []
    for negative, positive in zip(*native_pairs(n_classes), strict=True):
        first, second = sorted((int(order[negative]), int(order[positive])))
        sign = 1.0 if first == order[positive] else -1.0
        values = np.where(lines == first, coefficients[:, second - 1], 0.0)
        values = sign * np.where(lines == second, coefficients[:, first], values)
        used = np.flatnonzero(values)
        if not len(used):  # no support vector: an example with coefficient 0 makes the function constant
            used = np.flatnonzero((lines == first) | (lines == second))[:1]
        members.append(used)
        alpha.append(values[used])
        intercepts.append(-sign * rho[pair_number(first, second, n_classes)])
    if any(not len(used) for used in members):
        record.refuse("a pair of its classes has no support vectors")
    return BinaryModels(
        table=ClassTable(labels[order], np.arange(n_classes, dtype=np.int32)),
        vectors=record.vectors[held],
        labels=np.argsort(order)[lines].astype(np.int32),
        members=np.concatenate(members).astype(np.int64),
        alpha=np.concatenate(alpha),
        counts=np.array([len(used) for used in members], dtype=np.int64),
        intercepts=np.array(intercepts),
        are_relative=False,
        positives=native_pairs(n_classes)[1],
        multi_class="ovo",
    )


def pair_number(first: int, second: int, n_classes: int) -> int:
    """Return the place of a pair in the order (0, 1), (0, 2), ..., (1, 2), ...

    Examples
    --------
    >>> [pair_number(*pair, 3) for pair in ((0, 1), (0, 2), (1, 2))]
    [0, 1, 2]
    """
    return first * n_classes - first * (first + 1) // 2 + second - first - 1


@dataclass
class _Example:
    """A support vector that several binary models may use."""

    line: int
    own: int | None = None  # its class, once known
    coefficients: dict[int, float] = field(default_factory=dict)  # by binary model

    def admits(self, model: int, value: float, n_classes: int) -> bool:
        """Return whether an equal vector on another line can be this example, with one class for all coefficients."""
        if model in self.coefficients:
            return False
        if value > 0:
            return self.own is None
        return self.own is not None or len(self.coefficients) + 1 < n_classes

    def label(self) -> int:
        """Return its class; if no positive coefficient says, the first class without a negative coefficient."""
        if self.own is not None:
            return self.own
        return next(label for label in range(len(self.coefficients) + 1) if label not in self.coefficients)


def _merge_lines(
    record: LibsvmFile,
    table: ClassTable,
    models: NDArray[np.intp],
    values: NDArray[np.float64],
    intercepts: NDArray[np.float64],
) -> BinaryModels:
    """Merge lines of equal vectors: the file has one for each binary model that uses the vector."""
    held: list[_Example] = []
    same: dict[tuple[bytes, bytes], list[_Example]] = {}
    rows = record.vectors
    for line in np.flatnonzero(values).tolist():
        model, value = int(models[line]), float(values[line])
        part = slice(rows.indptr[line], rows.indptr[line + 1])
        known = same.setdefault((rows.indices[part].tobytes(), rows.data[part].tobytes()), [])
        example = next((each for each in known if each.admits(model, value, len(table))), None)
        if example is None:
            example = _Example(line)
            held.append(example)
            known.append(example)
        example.coefficients[model] = value
        example.own = model if value > 0 else example.own
    if not held:
        record.refuse("all coefficients are zero")
    return _assemble(table, record.vectors, held, intercepts)


def _assemble(
    table: ClassTable, vectors: csr_matrix, held: list[_Example], intercepts: NDArray[np.float64]
) -> BinaryModels:
    pairs: list[list[tuple[int, float]]] = [[] for _ in range(len(table))]
    for position, example in enumerate(held):
        for model, value in example.coefficients.items():
            pairs[model].append((position, value))
    for model, members in enumerate(pairs):
        if not members:  # a class without examples; an example with coefficient 0 makes its function constant
            others = (position for position, example in enumerate(held) if example.label() != model)
            members.append((next(others, 0), 0.0))
    return BinaryModels(
        table=table,
        vectors=vectors[[example.line for example in held]],
        labels=np.array([example.label() for example in held], dtype=np.int32),
        members=np.array([position for members in pairs for position, _ in members], dtype=np.int64),
        alpha=np.array([value for members in pairs for _, value in members]),
        counts=np.array([len(members) for members in pairs], dtype=np.int64),
        intercepts=intercepts,
        are_relative=True,
        positives=np.arange(len(table)),
    )
