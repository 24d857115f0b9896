"""Labels of any type on one side, the class numbers of the native machines on the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

from hinge._errors import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_NUMBERS = "biuf"


@dataclass(frozen=True)
class ClassTable:
    """The classes known so far.

    The native machines number the classes in the order in which they became known, users see them sorted.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    numbers : ndarray of shape (n_classes,)
        The native number of each of them.

    Examples
    --------
    >>> import numpy as np
    >>> table = ClassTable.of(np.array(["pear", "fig"]))
    >>> table = table.extended(np.array(["apple", "fig"]))
    >>> table.classes.tolist(), table.numbers.tolist()
    (['apple', 'fig', 'pear'], [2, 0, 1])
    >>> table.encode(np.array(["pear", "apple"])).tolist()
    [1, 2]
    """

    classes: NDArray[Any]
    numbers: NDArray[np.int32]

    @classmethod
    def of(cls, labels: NDArray[Any]) -> ClassTable:
        """Return the table of the labels that occur in an array."""
        classes = distinct(labels)
        return cls(classes, np.arange(len(classes), dtype=np.int32))

    def __len__(self) -> int:
        return len(self.classes)

    def positions(self, labels: NDArray[Any]) -> NDArray[np.intp] | None:
        """Return the place of every label in `classes`, or None when one of them is unknown."""
        if not len(self):
            return None if len(labels) else np.zeros(0, dtype=np.intp)
        try:
            places = np.searchsorted(self.classes, labels)
        except TypeError:  # text among numbers, for example
            return None
        places[places == len(self.classes)] = 0
        return places if bool(np.all(self.classes[places] == labels)) else None

    def encode(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        """Return the native class number of every label."""
        places = self.positions(labels)
        if places is None:
            unknown = np.setdiff1d(distinct(labels), self.classes)
            raise DataError(f"Every label must be one of {self.classes.tolist()}, got {unknown.tolist()} as well.")
        return self.numbers[places]

    def extended(self, labels: NDArray[Any]) -> ClassTable:
        """Return the table with the unknown ones among some labels added."""
        if not len(labels) or self.positions(labels) is not None:
            return self
        found = distinct(labels)
        both = _joined(self.classes, found)
        added = both[~np.isin(both, self.classes)]
        numbers = np.concatenate([self.numbers, np.arange(len(self), len(self) + len(added), dtype=np.int32)])
        classes = np.concatenate([self.classes.astype(both.dtype), added])
        order = np.argsort(classes)
        return ClassTable(classes[order], numbers[order])

    def without(self, number: int) -> ClassTable:
        """Return the table without the class of a native number; higher numbers fall by one.

        Examples
        --------
        >>> import numpy as np
        >>> table = ClassTable(np.array(["apple", "fig", "pear"]), np.array([2, 0, 1], dtype=np.int32)).without(0)
        >>> table.classes.tolist(), table.numbers.tolist()
        (['apple', 'pear'], [1, 0])
        """
        left = self.numbers != number
        return ClassTable(self.classes[left], (self.numbers - (self.numbers > number))[left].astype(np.int32))

    def label(self, number: int) -> Any:
        """Return the label of a native class number."""
        return self.classes[self.numbers == number].tolist()[0]

    @property
    def sign(self) -> float:
        """What turns a native value of the single machine into one that is positive for `classes[1]`."""
        return -1.0 if len(self) == 2 and self.numbers[1] == 0 else 1.0

    def arrange(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Put values with one column a native machine into the order and sign of `classes`."""
        return values[:, self.numbers] if len(self) > 2 else values * self.sign

    def choose(self, decisions: NDArray[np.float64]) -> NDArray[Any]:
        """Return the label that arranged decision values, one column a machine, speak for."""
        if len(self) > 2:
            places = decisions.argmax(axis=1)
        else:
            places = ((decisions[:, 0] > 0) & (len(self) == 2)).astype(np.intp)
        chosen: NDArray[Any] = self.classes[places]
        return chosen


def as_labels(values: ArrayLike) -> NDArray[Any]:
    """Return labels as a one-dimensional array; numbers in an array of objects become numbers.

    Examples
    --------
    >>> import numpy as np
    >>> as_labels(np.array([1, 2], dtype=object)).dtype.kind
    'i'
    """
    require_one_kind(values)
    labels = np.asarray(values)
    if labels.dtype == object and not any(isinstance(label, str) for label in labels.ravel()):
        plain = np.array(labels.tolist())
        return plain if plain.dtype.kind in _NUMBERS + "c" and plain.shape == labels.shape else labels
    return labels


def one_each(labels: Any, n: int, name: str) -> NDArray[Any]:
    """Return one label for each of n examples, or refuse; a label by itself is a list of one.

    Examples
    --------
    >>> one_each("cat", 1, "y").tolist()
    ['cat']
    """
    given = as_labels(labels if np.ndim(labels) else [labels])
    if given.ndim != 1:  # asked first, as scikit-learn's check takes as long as to learn a label
        given = column_or_1d(given)
    if len(given) != n:
        raise DataError(
            f"{name} must hold one label an example, {n} in all, got {len(given)}; repeat a label that is shared."
        )
    if n and given.dtype.kind in "fcO" and not _are_whole(given):  # others are classes
        assert_all_finite(given, input_name=name)
        check_classification_targets(given)
    return given


def _are_whole(labels: NDArray[Any]) -> bool:
    """Tell whether labels are finite whole numbers; scikit-learn's checks take longer than to learn one of them."""
    return labels.dtype.kind == "f" and bool(np.isfinite(labels).all() and (labels == np.floor(labels)).all())


def class_factors(
    class_weight: Mapping[Any, float] | str | None, labels: NDArray[Any], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the factor that checked class weights put on every row; "balanced" makes all classes weigh the same.

    Examples
    --------
    >>> import numpy as np
    >>> class_factors("balanced", np.array([0, 0, 0, 1]), np.ones(4)).tolist()
    [0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 2.0]
    >>> class_factors({1: 5.0}, np.array([0, 1]), np.ones(2)).tolist()
    [1.0, 5.0]
    """
    if class_weight is None:
        return np.ones(len(labels))
    classes = distinct(labels)
    places = np.searchsorted(classes, labels)
    if isinstance(class_weight, Mapping):
        return np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])[places]
    mass = np.bincount(places, weights)
    share = mass.sum() / max(1, np.count_nonzero(mass))
    factors = np.divide(share, mass, out=np.zeros(len(mass)), where=mass > 0)
    return np.take(factors, places)


def distinct(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted labels that occur."""
    try:
        return np.unique(labels)
    except TypeError:
        raise _mixture(labels) from None


def require_one_kind(values: Any) -> None:
    """Refuse text among other labels; NumPy would turn numbers in such a list into text."""
    if isinstance(values, (list, tuple)):
        labels = values
    elif getattr(getattr(values, "dtype", None), "kind", None) == "O":
        labels = np.asarray(values).ravel().tolist()
    else:
        return
    if len({_kind(label) for label in labels}) > 1:
        raise _mixture(labels)


def _kind(label: Any) -> str:
    if label is None:
        return "nothing"
    return "text" if isinstance(label, (str, bytes)) else "number"


def _mixture(labels: Any) -> DataError:
    kinds = sorted({type(label).__name__ for label in labels})
    return DataError(
        f"Labels must be all text or all numbers, got a mixture of {', '.join(kinds)}; convert them to one type."
    )


def _joined(known: NDArray[Any], found: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted union, refusing to turn numbers into text."""
    if not len(known):
        return found
    if (known.dtype.kind in _NUMBERS) != (found.dtype.kind in _NUMBERS):
        raise DataError(
            f"New labels must be of the type of the known ones, got {found.tolist()} after {known.tolist()}; "
            "convert them to one type."
        )
    return distinct(np.concatenate([known, found]))
