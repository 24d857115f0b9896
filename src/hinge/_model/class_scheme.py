"""How several classes become binary models: one-vs-rest or one-vs-one.

The counterpart of `cpp/class_scheme.hpp`. Columns are either native (one per native binary model), or public: in the
order and with the sign that `decision_function`, `intercept_` and exports of scikit-learn have. Two classes have one
binary model in both schemes.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMES = ("ovr", "ovo")


class ClassScheme(Protocol):
    """How more than two classes become binary models.

    `numbers` are the native numbers of the classes, in the order in which users see them.
    """

    @property
    def name(self) -> str:
        """What `multi_class` calls it."""

    def n_binaries(self, n_classes: int) -> int:
        """Return the number of binary models."""

    def targets(self, n_classes: int) -> NDArray[np.float64]:
        """Return what each native binary model (column) wants of each native class (row): +1, -1 or nothing (0)."""

    def arrange(self, values: NDArray[np.float64], numbers: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the public columns of native ones."""

    def scores(self, decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
        """Return one value per class from public decision values."""

    def confidences(self, decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
        """Return how much public decision values speak for each class: what probabilities are calibrated from."""

    def grown(self, values: NDArray[np.float64], before: int, n_classes: int) -> NDArray[np.float64]:
        """Return native decision values of examples from before some classes were known: they are not of these."""

    def choose(self, decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.intp]:
        """Return the position of the class that public decision values speak for."""

    def pack(self, coefficients: NDArray[np.float64], places: NDArray[np.intp], n_classes: int) -> NDArray[np.float64]:
        """Return public coefficients, one row per binary model, in the layout of `dual_coef_`.

        `places` has the position of the class of each support vector.
        """


class OneVsRest:
    """One binary model per class; the largest decision value wins."""

    name = "ovr"

    def n_binaries(self, n_classes: int) -> int:
        return 1 if n_classes <= 2 else n_classes

    def targets(self, n_classes: int) -> NDArray[np.float64]:
        return 2.0 * np.eye(n_classes) - 1.0

    def arrange(self, values: NDArray[np.float64], numbers: NDArray[np.int32]) -> NDArray[np.float64]:
        return values[:, numbers]

    def scores(self, decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:  # noqa: ARG002
        return decisions

    def confidences(self, decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:  # noqa: ARG002
        return decisions

    def grown(self, values: NDArray[np.float64], before: int, n_classes: int) -> NDArray[np.float64]:
        if n_classes <= 2:
            return values
        known = values if before > 2 else np.hstack([-values, values])
        return np.hstack([known, np.full((len(values), n_classes - known.shape[1]), -1.0)])

    def choose(self, decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.intp]:  # noqa: ARG002
        places: NDArray[np.intp] = decisions.argmax(axis=1)
        return places

    def pack(
        self,
        coefficients: NDArray[np.float64],
        places: NDArray[np.intp],  # noqa: ARG002
        n_classes: int,  # noqa: ARG002
    ) -> NDArray[np.float64]:
        return coefficients


class OneVsOne:
    """One binary model per pair of classes; the most votes win, and of several classes with as many the first.

    Public columns are the pairs (0, 1), (0, 2), ..., (1, 2), ...; values are positive for the first class of a pair.
    """

    name = "ovo"

    def n_binaries(self, n_classes: int) -> int:
        return 1 if n_classes <= 2 else n_classes * (n_classes - 1) // 2

    def targets(self, n_classes: int) -> NDArray[np.float64]:
        wanted = np.zeros((n_classes, self.n_binaries(n_classes)))
        columns = np.arange(wanted.shape[1])
        negative, positive = native_pairs(n_classes)
        wanted[positive, columns], wanted[negative, columns] = 1.0, -1.0
        return wanted

    def arrange(self, values: NDArray[np.float64], numbers: NDArray[np.int32]) -> NDArray[np.float64]:
        first, second = pairs(len(numbers))
        one, other = numbers[first].astype(np.int64), numbers[second].astype(np.int64)
        higher, lower = np.maximum(one, other), np.minimum(one, other)
        return values[:, higher * (higher - 1) // 2 + lower] * np.where(one > other, 1.0, -1.0)

    def scores(self, decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
        """Return votes, with ties broken by the sum of decision values, as `sklearn.svm.SVC` does.

        A decision value of 0 is a vote for the first class here, and for the second one in `choose`, also as there.
        """
        votes, confidence = self._votes(decisions >= 0, n_classes), np.zeros((len(decisions), n_classes))
        for column, (first, second) in enumerate(zip(*pairs(n_classes), strict=True)):
            confidence[:, first] += decisions[:, column]
            confidence[:, second] -= decisions[:, column]
        scores: NDArray[np.float64] = votes + confidence / (3 * (np.abs(confidence) + 1))
        return scores

    def confidences(self, decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
        """Return the decision value against the strongest other class."""
        least = np.full((len(decisions), n_classes), np.inf)
        for column, (first, second) in enumerate(zip(*pairs(n_classes), strict=True)):
            least[:, first] = np.minimum(least[:, first], decisions[:, column])
            least[:, second] = np.minimum(least[:, second], -decisions[:, column])
        return least

    def grown(self, values: NDArray[np.float64], before: int, n_classes: int) -> NDArray[np.float64]:  # noqa: ARG002
        added = self.n_binaries(n_classes) - values.shape[1]
        return np.hstack([values, np.full((len(values), added), -1.0)])

    def choose(self, decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.intp]:
        places: NDArray[np.intp] = self._votes(decisions > 0, n_classes).argmax(axis=1)
        return places

    def _votes(self, is_first: NDArray[np.bool_], n_classes: int) -> NDArray[np.float64]:
        votes = np.zeros((len(is_first), n_classes))
        for column, (first, second) in enumerate(zip(*pairs(n_classes), strict=True)):
            votes[:, first] += is_first[:, column]
            votes[:, second] += ~is_first[:, column]
        return votes

    def pack(self, coefficients: NDArray[np.float64], places: NDArray[np.intp], n_classes: int) -> NDArray[np.float64]:
        """Return one row per other class: row r is the pair with the r-th class that is not the vector's own."""
        packed = np.zeros((n_classes - 1, len(places)))
        for column, (first, second) in enumerate(zip(*pairs(n_classes), strict=True)):
            of_first, of_second = places == first, places == second
            packed[second - 1, of_first] = coefficients[column, of_first]
            packed[first, of_second] = coefficients[column, of_second]
        return packed


ONE_VS_REST: ClassScheme = OneVsRest()
_BY_NAME: dict[str, ClassScheme] = {"ovr": ONE_VS_REST, "ovo": OneVsOne()}


def scheme_of(options: object) -> ClassScheme:
    """Return the scheme that solver options name; those that name none are one-vs-rest."""
    return _BY_NAME[getattr(options, "multi_class", "ovr")]


@cache
def pairs(n_classes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and the second class of each pair, in the public order.

    Examples
    --------
    >>> [each.tolist() for each in pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(n_classes, 1)
    return _read_only(first), _read_only(second)


@cache
def native_pairs(n_classes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the negative and the positive class of each pair, in the native order.

    Examples
    --------
    >>> [each.tolist() for each in native_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    positive, negative = np.tril_indices(n_classes, -1)
    return _read_only(negative), _read_only(positive)


def _read_only(places: NDArray[np.intp]) -> NDArray[np.intp]:
    places.flags.writeable = False
    return places


def class_margins(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each row and class by how much its value exceeds the largest of the other classes.

    Values have one column per class; decision values of two classes may be those of the second, without columns.

    Examples
    --------
    >>> class_margins(np.array([[1.0, 3.0, 0.5]])).tolist(), class_margins(np.array([-1.0])).tolist()
    ([[-2.0, 2.0, -2.5]], [[2.0, -2.0]])
    """
    if values.ndim == 1:
        return np.column_stack([-2.0 * values, 2.0 * values])
    classes = np.arange(values.shape[1])
    if len(classes) < 2:
        return values
    return np.column_stack([values[:, c] - values[:, classes != c].max(axis=1) for c in classes])
