"""Labels of any type, and the class numbers that the native code uses instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

from hinge._model.class_scheme import ONE_VS_REST, ClassScheme
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from hinge._model.types import ClassWeight, DType, Labels


_NUMBER_KINDS = "biuf"
_PLAIN_KINDS = _NUMBER_KINDS + "U"  # labels that equal their Python values
_MAX_EXACT = 2**53  # float64 represents all whole numbers up to here
_FAMILIES = dict.fromkeys(_NUMBER_KINDS, "numbers") | dict.fromkeys(
    "OTU", "text"
)  # other kinds mix with themselves only


@dataclass(frozen=True)
class ClassTable:
    """The classes known so far.

    The native code numbers classes in the order in which they became known; users see them sorted.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    numbers : ndarray of shape (n_classes,)
        The native number of each class.
    scheme : ClassScheme
        How more than two classes become binary models.

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

    classes: Labels
    numbers: NDArray[np.int32]
    scheme: ClassScheme = ONE_VS_REST

    @classmethod
    def of(cls, labels: Labels) -> ClassTable:
        """Build the table of the labels in an array."""
        classes = distinct(labels)
        return cls(classes, np.arange(len(classes), dtype=np.int32))

    def __len__(self) -> int:
        return len(self.classes)

    def positions(self, labels: Labels) -> NDArray[np.intp] | None:
        """Return the position of each label in `classes`, or None if one of them is unknown."""
        if len(labels) == 1 and labels.dtype == self.classes.dtype and labels.dtype.kind in _PLAIN_KINDS:
            place = self._place_of().get(labels.item())  # one row of a stream: faster than the search below
            return None if place is None else np.array([place], dtype=np.intp)
        if not len(self):
            return None if len(labels) else np.zeros(0, dtype=np.intp)
        if _shared_type(self.classes, labels) is None:
            return None
        try:
            places: NDArray[np.intp] = self.classes.searchsorted(labels)
        except TypeError:  # objects without an order
            return None
        # A label behind the last class is compared with that class, and differs.
        is_known = self.classes.take(places, mode="clip") == labels
        return places if np.count_nonzero(is_known) == len(labels) else None

    def _place_of(self) -> dict[Hashable, int]:
        """Return the position of each label, in a dictionary that is made once."""
        known: dict[Hashable, int] | None = vars(self).get("_places")
        if known is None:
            known = {label: place for place, label in enumerate(self.classes.tolist())}
            vars(self)["_places"] = known
        return known

    def encode(self, labels: Labels) -> NDArray[np.int32]:
        """Return the native class number of each label."""
        places = self.positions(labels)
        if places is None:
            known = self.classes.tolist()
            unknown = [label for label in distinct(labels).tolist() if label not in known]
            raise DataError(f"Every label must be one of {known}, got {unknown} as well.")
        return self.numbers[places]

    def extended(self, labels: Labels) -> ClassTable:
        """Return the table with unknown labels added."""
        if not len(labels) or self.positions(labels) is not None:
            return self
        found = distinct(labels)
        both = _joined(self.classes, found)
        added = both[~np.isin(both, self.classes)]
        numbers = np.concatenate([self.numbers, np.arange(len(self), len(self) + len(added), dtype=np.int32)])
        classes = np.concatenate([self.classes.astype(both.dtype), added])
        order = np.argsort(classes)
        return replace(self, classes=classes[order], numbers=numbers[order])

    def without(self, number: int) -> ClassTable:
        """Return the table without one class, given by its native number; higher numbers decrease by one.

        Examples
        --------
        >>> import numpy as np
        >>> table = ClassTable(np.array(["apple", "fig", "pear"]), np.array([2, 0, 1], dtype=np.int32)).without(0)
        >>> table.classes.tolist(), table.numbers.tolist()
        (['apple', 'pear'], [1, 0])
        """
        others = self.numbers != number
        numbers = (self.numbers - (self.numbers > number))[others].astype(np.int32)
        return replace(self, classes=self.classes[others], numbers=numbers)

    def label(self, number: int) -> Hashable:
        """Return the label of a native class number."""
        label: Hashable = self.classes[self.numbers == number].tolist()[0]
        return label

    @property
    def n_binaries(self) -> int:
        """Number of binary models."""
        return self.scheme.n_binaries(len(self))

    @property
    def sign(self) -> float:
        """Factor that makes native decision values of two classes positive for `classes[1]`."""
        return -1.0 if len(self) == 2 and self.numbers[1] == 0 else 1.0

    def arrange(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values per binary model, one column each, in the order and with the sign that users see."""
        return self.scheme.arrange(values, self.numbers) if len(self) > 2 else values * self.sign

    def scores(self, decisions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one column per class from arranged decision values; with two classes, the one column they have."""
        return self.scheme.scores(decisions, len(self)) if len(self) > 2 else decisions

    def confidences(self, decisions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what probabilities are calibrated from: one column for two classes, else one per class."""
        return self.scheme.confidences(decisions, len(self)) if len(self) > 2 else decisions

    def pack(self, coefficients: NDArray[np.float64], counts: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return arranged coefficients of support vectors, so many per class, in the layout of `dual_coef_`."""
        places = np.repeat(np.arange(len(self)), counts)
        return self.scheme.pack(coefficients, places, len(self)) if len(self) > 2 else coefficients

    def choose(self, decisions: NDArray[np.float64]) -> Labels:
        """Return the label that arranged decision values speak for."""
        chosen: Labels = self.classes[self.choose_places(decisions)]
        return chosen

    def choose_places(self, decisions: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the place among `classes` that arranged decision values speak for."""
        if not len(self) and len(decisions):
            raise DataError(
                "The model must know a class to predict, got a stream in which all rows so far had weight 0; learn "
                "examples of positive weight first."
            )
        if len(self) > 2:
            return self.scheme.choose(decisions, len(self))
        return ((decisions[:, 0] > 0) & (len(self) == 2)).astype(np.intp)


def first_appearances(labels: Labels, known: ClassTable) -> NDArray[np.intp]:
    """Return the positions, in order, at which labels that are not known appear for the first time.

    Examples
    --------
    >>> first_appearances(np.array([2, 1, 1, 3, 2, 3]), ClassTable.of(np.array([1]))).tolist()
    [0, 3]
    """
    if known.positions(labels) is not None:
        return np.zeros(0, dtype=np.intp)
    found, positions = np.unique(labels, return_index=True)
    return np.sort(positions[~np.isin(found, known.classes)])


def as_labels(values: object) -> Labels:
    """Convert labels to an array; an array of objects that are numbers gets a numeric dtype.

    Examples
    --------
    >>> import numpy as np
    >>> as_labels(np.array([1, 2], dtype=object)).dtype.kind
    'i'
    """
    require_one_kind(values)
    labels = _as_array(values)
    if labels.dtype == object and not any(isinstance(label, str) for label in labels.ravel()):
        plain = _as_array(labels.tolist())
        if plain.dtype.kind in _NUMBER_KINDS + "c" and plain.shape == labels.shape:
            values, labels = labels.tolist(), plain
    if labels.dtype.kind == "f" and isinstance(values, (list, tuple)):
        _require_exact([int(label) for label in values if isinstance(label, (int, np.integer))], labels.dtype)
    return labels


def _as_array(values: object) -> Labels:
    try:
        return np.asarray(values)
    except ValueError:
        raise DataError(
            "Every label must be one value, got lists of different lengths; pass one label per row."
        ) from None


def as_classes(values: ArrayLike) -> Labels:
    """Convert the argument `classes` to labels; raise DataError unless it is a list of labels.

    Examples
    --------
    >>> as_classes(range(3)).tolist()
    [0, 1, 2]
    """
    classes = as_labels(values)
    if classes.ndim != 1:
        got = f"an array of shape {classes.shape}" if classes.ndim else f"a value of type {type(values).__name__}"
        raise DataError(f"classes must be a list of labels, got {got}; pass every class once, as in [0, 1, 2].")
    require_classes(classes, "classes")
    return classes


def one_each(labels: ArrayLike, n: int, name: str) -> Labels:
    """Convert labels to an array of length n; a single label counts as a list of one.

    Examples
    --------
    >>> one_each("cat", 1, "y").tolist()
    ['cat']
    """
    given = as_labels(labels if np.ndim(labels) else [labels])
    if given.ndim != 1:  # scikit-learn's check takes as long as learning one example
        given = column_or_1d(given)
    if len(given) != n:
        raise DataError(
            f"{name} must hold one label per example, {n} in all, got {len(given)}; repeat a label that is shared."
        )
    require_classes(given, name)
    return given


def require_classes(labels: Labels, name: str) -> None:
    """Raise DataError for labels that are not classes: fractions, NaN, infinity, NaT, arbitrary objects."""
    kind = labels.dtype.kind
    if kind in "cV":
        raise DataError(f"{name} must hold texts or whole numbers, got {labels.dtype}; convert the labels.")
    if kind in "mM" and np.isnat(labels).any():
        raise DataError(f"{name} must hold known dates or times, got NaT; leave it out.")
    with np.errstate(invalid="ignore"):  # floats outside the range of int64 do not compare equal
        if len(labels) and kind in "fO" and not _are_plain(labels):
            if kind == "f":
                assert_all_finite(labels, input_name=name)
            check_classification_targets(labels)


def _are_plain(labels: Labels) -> bool:
    """Return True for integers or strings; scikit-learn's checks take longer than learning one example."""
    if labels.dtype.kind == "f":
        return bool((labels == labels.astype(np.int64)).all())
    return all(isinstance(label, str) for label in labels.tolist())


def class_factors(class_weight: ClassWeight, labels: Labels, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the class weight of each row; "balanced" gives all classes the same total weight.

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


def distinct(labels: Labels) -> Labels:
    """Return the distinct labels, sorted."""
    try:
        return np.unique(labels)
    except TypeError:
        raise _mixture(labels) from None


def require_unmasked(values: object, name: str) -> None:
    """Raise DataError for masked entries: learning would ignore the mask."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        count = np.count_nonzero(values.mask)
        raise DataError(f"{name} must not be masked, got {count} masked entries; fill them or drop their rows.")


def require_one_kind(values: object) -> None:
    """Raise DataError for strings mixed with other labels; NumPy would convert the numbers to strings."""
    require_unmasked(values, "Labels")
    if isinstance(values, (list, tuple)):
        labels: Iterable[object] = values
    elif getattr(getattr(values, "dtype", None), "kind", None) == "O":
        labels = np.asarray(values).ravel().tolist()
    else:
        return
    if len({_kind(each) for each in {type(label) for label in labels}}) > 1:
        raise _mixture(labels)


def _kind(label_type: type) -> str:
    if label_type is type(None):
        return "nothing"
    if issubclass(label_type, bytes):
        return "bytes"
    return "text" if issubclass(label_type, str) else "number"


def _mixture(labels: Iterable[object]) -> DataError:
    kinds = sorted({type(label).__name__ for label in labels})
    return DataError(
        f"Labels must be all text or all numbers, got a mixture of {', '.join(kinds)}; convert them to one type."
    )


def _joined(known: Labels, found: Labels) -> Labels:
    """Return the sorted union; raise DataError for a mixture of numbers and strings."""
    if not len(known):
        return found
    if _shared_type(known, found) is None:
        raise DataError(
            f"New labels must be of the type of the known ones, got {found.tolist()} after {known.tolist()}; "
            "convert them to one type."
        )
    return distinct(np.concatenate([known, found]))


def _shared_type(known: Labels, found: Labels) -> DType | None:
    """Return a dtype for the labels of two arrays, or None; raise DataError if it would change a label."""
    if known.dtype == found.dtype:
        return known.dtype
    shared = _promoted(known.dtype, found.dtype)
    if shared is None:
        return None
    for labels in (known, found):
        if labels.dtype.kind in "iu" and shared.kind == "f":
            _require_exact(labels.tolist(), shared)
        elif shared.kind in "mM" and (labels.astype(shared).astype(labels.dtype) != labels).any():
            return None  # dates far from 1970 do not fit into small units
    return shared


@lru_cache  # called for every batch of a stream
def _promoted(known: DType, found: DType) -> DType | None:
    if len({_FAMILIES.get(each.kind, each.kind) for each in (known, found)}) > 1:
        return None
    try:
        return np.result_type(known, found)
    except TypeError:  # for example months and days
        return None


def _require_exact(integers: list[int], dtype: DType) -> None:
    """Raise DataError for integers that a float type rounds: different labels might become equal."""
    for label in integers:
        if not -_MAX_EXACT <= label <= _MAX_EXACT and int(dtype.type(label)) != label:
            raise DataError(
                f"Labels of several types must fit into one, got {label}, which {dtype} cannot hold exactly; "
                "convert all labels to one type of whole numbers, or to text."
            )
