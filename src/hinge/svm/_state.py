"""The state of an exact SVM: that of any kernel model, and what fitted attributes report besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hinge._model.predictor import Predictor
from hinge._model.state import State

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from hinge import _core
    from hinge._model.types import Arrays, KernelFunction, Labels, Values
    from hinge.svm._problem import SvmData


@dataclass(frozen=True)
class Classes:
    """All labels of a training set, also those of rows without weight, and their class weights."""

    labels: Labels
    class_weight: NDArray[np.float64]

    def extended(self, labels: Labels) -> Classes:
        """Return the classes with new ones added, of weight 1."""
        both = np.union1d(self.labels, labels)
        if len(both) == len(self.labels):
            return self
        weights = np.ones(len(both))
        weights[np.searchsorted(both, self.labels)] = self.class_weight
        return Classes(both, weights)


@dataclass(frozen=True)
class SvmPredictor(Predictor):
    """An immutable snapshot of an exact SVM.

    Attributes
    ----------
    objects : object
        The training set, if the kernel is a function of the user.
    """

    objects: Any


class SvmState(State):
    """The state of an exact SVM.

    Attributes
    ----------
    classes : Classes
        All labels with their class weights.
    shape : tuple
        Shape of the training set.
    objects : object
        The training set, if the kernel is a function of the user.
    forgotten : ndarray of int
        Rows that were forgotten, sorted.
    """

    classes: Classes
    shape: tuple[int, ...]
    objects: Any
    forgotten: NDArray[np.int64]

    def describe(self, data: SvmData) -> None:
        """Note what fitted attributes report of a training set."""
        self.classes = Classes(data.labels, data.class_weight)
        self.shape, self.objects = data.shape, data.objects
        self.forgotten = np.zeros(0, dtype=np.int64)
        self._steps_before = np.zeros(0)

    def take_over(self, other: SvmState, forgotten: NDArray[np.int64]) -> None:
        """Note that this is the solution of another state without some rows."""
        self.n_seen, self.classes, self.shape, self.objects = other.n_seen, other.classes, other.shape, other.objects
        self.forgotten = forgotten
        self._steps_before = other.steps

    @property
    def steps(self) -> NDArray[np.float64]:
        """Number of steps of each native binary model, over copies and files."""
        steps = cast("_core.KernelModel64", self.native).binary_steps
        steps[: len(self._steps_before)] += self._steps_before
        return steps

    def _make_predictor(self) -> SvmPredictor:
        parts = (self.kernel, self.storage, self.table, self.native.predictor(), self.uses_blas)
        return SvmPredictor(*parts, self.objects, decisions=self.decisions)

    def to_arrays(self) -> tuple[Arrays, Values]:
        """Return the state as plain arrays and values; a training set of objects is among these."""
        arrays, values = super().to_arrays()
        own = {
            "labels": self.classes.labels.tolist(),
            "class_weight": self.classes.class_weight.tolist(),
            "shape": list(self.shape),
            "forgotten": self.forgotten.tolist(),
            "converged": self.converged,
            "steps": (self._steps_before if self._arrays is not None else self.steps).astype(int).tolist(),
        }
        return arrays, values | {"svm": own} | ({} if self.objects is None else {"objects": self.objects})

    def __setstate__(self, parts: tuple[Arrays, Values, KernelFunction | None]) -> None:
        super().__setstate__(parts)
        values = parts[1]
        own = values["svm"]
        labels = np.array(own["labels"], dtype=np.dtype(values["class_type"]))
        self.classes = Classes(labels, np.array(own["class_weight"], dtype=np.float64))
        self.shape, self.objects = tuple(own["shape"]), values.get("objects")
        self.forgotten = np.array(own["forgotten"], dtype=np.int64)
        self._steps_before = np.array(own["steps"], dtype=np.float64)
        self.converged = own.get("converged", True)  # older files do not say

    def grown(self) -> Self:
        """Take over classes and examples that a stream has brought."""
        self.classes = self.classes.extended(self.table.classes)
        self.shape = (self.n_seen, *self.shape[1:])
        return self
