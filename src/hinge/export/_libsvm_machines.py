"""The machines behind the numbers of a LIBSVM file: one for two classes, else one a class (see `_libsvm_write`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.labels import ClassTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.export._libsvm_file import LibsvmFile

_CLOSE = 1e-9  # agreement of numbers that were equal before they were written


@dataclass(frozen=True)
class Machines:
    """Machines over one set of examples.

    Attributes
    ----------
    table : ClassTable
        The classes; native numbers are places.
    vectors : CSR matrix of shape (n, n_features)
        The examples.
    labels : ndarray of shape (n,)
        Their classes.
    members, alpha : ndarray
        Examples of the machines, one machine after the other, and their signed coefficients.
    counts : ndarray of shape (machines,)
        Members of each machine.
    intercepts : ndarray of shape (machines,)
        Constants.
    floating : bool
        Only differences between the constants are known.
    """

    table: ClassTable
    vectors: Any
    labels: NDArray[np.int32]
    members: NDArray[np.int64]
    alpha: NDArray[np.float64]
    counts: NDArray[np.int64]
    intercepts: NDArray[np.float64]
    floating: bool

    @property
    def sides(self) -> NDArray[np.float64]:
        """+1 for members of a machine's own class, -1 for others; a coefficient has this sign or is zero."""
        own = np.repeat(np.arange(len(self.counts)), self.counts) if len(self.counts) > 1 else 1
        return np.where(self.labels[self.members] == own, 1.0, -1.0)

    def part(self, machine: int) -> slice:
        """Return where the members of a machine stand."""
        last = int(self.counts[: machine + 1].sum())
        return slice(last - int(self.counts[machine]), last)


def machines_of(record: LibsvmFile) -> Machines:
    """Return the machines of a file, or refuse it."""
    labels = np.array(record.wholes("label", record.coefficients.shape[1] + 1), dtype=np.int64)
    n_classes = len(labels)
    rho = record.numbers("rho", n_classes * (n_classes - 1) // 2)
    if n_classes > 2 or "nr_sv" in record.words:
        sizes = record.wholes("nr_sv", n_classes)
        if min(sizes) < 0 or sum(sizes) != len(record.coefficients):
            record.refuse("the numbers of nr_sv do not add up to its support vectors")
    if n_classes == 2:
        return _two_classes(record, labels, float(rho[0]))
    return _one_vs_rest(record, labels, rho, np.array(sizes))


def _two_classes(record: LibsvmFile, labels: NDArray[np.int64], rho: float) -> Machines:
    """Return the one machine; the signs of coefficients tell the classes, as decision values go by these alone."""
    table = ClassTable.of(labels)
    sign = 1.0 if labels[0] == table.classes[1] else -1.0
    held = np.flatnonzero(record.coefficients[:, 0])
    if not len(held):
        record.refuse("all coefficients are zero")
    alpha = sign * record.coefficients[held, 0]
    return Machines(
        table=table,
        vectors=record.vectors[held],
        labels=(alpha > 0).astype(np.int32),
        members=np.arange(len(held), dtype=np.int64),
        alpha=alpha,
        counts=np.array([len(held)], dtype=np.int64),
        intercepts=np.array([-sign * rho]),
        floating=False,
    )


def _one_vs_rest(
    record: LibsvmFile, labels: NDArray[np.int64], rho: NDArray[np.float64], sizes: NDArray[np.int64]
) -> Machines:
    n_classes = len(labels)
    blocks = np.repeat(np.arange(n_classes), sizes)
    signs = np.where(np.arange(n_classes - 1) >= blocks[:, None], 1.0, -1.0)
    coefficients = record.coefficients * signs
    intercepts = np.concatenate([[0.0], rho[: n_classes - 1]])  # d_0j = f_0 - f_j, and rho_0j = b_j - b_0
    first, second = np.triu_indices(n_classes, 1)
    close = _CLOSE * (1.0 + np.abs(rho).max())
    agree = np.abs(rho - (intercepts[second] - intercepts[first])).max() <= close
    if not agree or (coefficients != coefficients[:, :1]).any():
        record.refuse(
            f"it has a machine for each pair of its {n_classes} classes, and hinge has one for each class; "
            "train it with hinge, or read files of two classes"
        )
    order = np.argsort(labels)
    places = np.argsort(order)  # of the file's classes among the sorted ones
    table = ClassTable(labels[order], np.arange(n_classes, dtype=np.int32))
    return _merged(record, table, places[blocks], coefficients[:, 0], intercepts[order])


@dataclass
class _Example:
    """A vector that several machines may use."""

    line: int
    own: int | None = None  # its class, once known
    coefficients: dict[int, float] = field(default_factory=dict)  # by machine

    def admits(self, machine: int, value: float, n_classes: int) -> bool:
        """Tell whether the vector of another line can be this one, with a class that suits all its coefficients."""
        if machine in self.coefficients:
            return False
        if value > 0:
            return self.own is None
        return self.own is not None or len(self.coefficients) + 1 < n_classes

    def label(self) -> int:
        """Return its class; where no machine tells, the first that no machine denies."""
        if self.own is not None:
            return self.own
        return next(label for label in range(len(self.coefficients) + 1) if label not in self.coefficients)


def _merged(
    record: LibsvmFile,
    table: ClassTable,
    machines: NDArray[np.intp],
    values: NDArray[np.float64],
    intercepts: NDArray[np.float64],
) -> Machines:
    """Put lines of equal vectors together: the file has one for each machine that uses the vector."""
    held: list[_Example] = []
    same: dict[tuple[bytes, bytes], list[_Example]] = {}
    rows = record.vectors
    for line in np.flatnonzero(values).tolist():
        machine, value = int(machines[line]), float(values[line])
        part = slice(rows.indptr[line], rows.indptr[line + 1])
        known = same.setdefault((rows.indices[part].tobytes(), rows.data[part].tobytes()), [])
        example = next((each for each in known if each.admits(machine, value, len(table))), None)
        if example is None:
            example = _Example(line)
            held.append(example)
            known.append(example)
        example.coefficients[machine] = value
        example.own = machine if value > 0 else example.own
    if not held:
        record.refuse("all coefficients are zero")
    return _assembled(table, record.vectors, held, intercepts)


def _assembled(table: ClassTable, vectors: Any, held: list[_Example], intercepts: NDArray[np.float64]) -> Machines:
    pairs: list[list[tuple[int, float]]] = [[] for _ in range(len(table))]
    for place, example in enumerate(held):
        for machine, value in example.coefficients.items():
            pairs[machine].append((place, value))
    for machine, members in enumerate(pairs):
        if not members:  # a class that never came; one example that it does not need gives it a constant
            others = (place for place, example in enumerate(held) if example.label() != machine)
            members.append((next(others, 0), 0.0))
    return Machines(
        table=table,
        vectors=vectors[[example.line for example in held]],
        labels=np.array([example.label() for example in held], dtype=np.int32),
        members=np.array([place for machine in pairs for place, _ in machine], dtype=np.int64),
        alpha=np.array([value for machine in pairs for _, value in machine]),
        counts=np.array([len(machine) for machine in pairs], dtype=np.int64),
        intercepts=intercepts,
        floating=True,
    )
