"""Saved models, each with the decisions it made when it was saved."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge import load, save

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.soak.learners import Learner
    from hinge.io import Matrix


class SavedModels:
    """Model files in a folder; a lock keeps each consistent with its decisions.

    Parameters
    ----------
    folder : path
        The folder of the files.
    seed : int
        Seed of the choice between file and pickle.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._random = np.random.default_rng(seed)
        self._lock = threading.Lock()
        self._decisions: dict[str, tuple[Matrix, NDArray[np.float64]]] = {}
        self.n_saved = 0

    def save(self, learner: Learner) -> None:
        """Save a model and replace it by a copy, read from the file or from a pickle."""
        file = self.file(learner.name)
        with self._lock:
            save(learner.model, file)
            self._decisions[learner.name] = learner.probe, learner.decisions()
        copy = self._copy(learner.model, file)
        require_same_decisions(learner.decisions(copy), learner.decisions())
        learner.model = copy
        self.n_saved += 1

    def names(self) -> list[str]:
        """Return the names of the saved models."""
        with self._lock:
            return list(self._decisions)

    def load(self, name: str) -> tuple[Any, Matrix, NDArray[np.float64]]:
        """Return a copy of a saved model, some rows, and its decisions for them."""
        with self._lock:
            return load(self.file(name)), *self._decisions[name]

    def file(self, name: str) -> Path:
        """Return the file of a model."""
        return self._folder / f"{name}.hinge"

    def _copy(self, model: Any, file: Path) -> Any:
        return load(file) if self._random.random() < 0.5 else pickle.loads(pickle.dumps(model))  # noqa: S301  our own


def require_same_decisions(found: NDArray[np.float64], expected: NDArray[np.float64]) -> None:
    """Raise if decisions differ by more than rounding."""
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
