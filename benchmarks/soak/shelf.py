"""Saved models, each with what it answered when it was saved."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge import load, save

if TYPE_CHECKING:
    from benchmarks.soak.learners import Learner


class Shelf:
    """Model files in a folder; one lock keeps each in step with its answers.

    Parameters
    ----------
    folder : path
        Where the files are.
    seed : int
        Seed of the choice between file and pickle.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._random = np.random.default_rng(seed)
        self._lock = threading.Lock()
        self._answers: dict[str, tuple[Any, Any]] = {}
        self.n_saved = 0

    def put(self, learner: Learner) -> None:
        """Save a model, and go on with a copy: from the file, or as often from a pickle."""
        file = self.file(learner.name)
        with self._lock:
            save(learner.model, file)
            self._answers[learner.name] = learner.probe, learner.answers()
        copy = self._copy(learner.model, file)
        same_answers(learner.answers(copy), learner.answers())
        learner.model = copy
        self.n_saved += 1

    def names(self) -> list[str]:
        """Return the names of the models that are there."""
        with self._lock:
            return list(self._answers)

    def take(self, name: str) -> tuple[Any, Any, Any]:
        """Return a copy of a saved model, questions, and the answers that it must give."""
        with self._lock:
            return load(self.file(name)), *self._answers[name]

    def file(self, name: str) -> Path:
        """Return where a model is saved."""
        return self._folder / f"{name}.hinge"

    def _copy(self, model: Any, file: Path) -> Any:
        return load(file) if self._random.random() < 0.5 else pickle.loads(pickle.dumps(model))  # noqa: S301  our own


def same_answers(found: Any, expected: Any) -> None:
    """Refuse answers that differ by more than rounding."""
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
