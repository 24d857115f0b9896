"""The labels that the model doubts: the model of all other labels predicts another class (exact leave-one-out)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hinge.incremental import IncrementalSVC
from hinge.web._background import Background

if TYPE_CHECKING:
    from hinge.web._learning_curve import ModelParameters
    from hinge.web.pools import Features

MAX_LABELS = 3000  # the newest ones are looked at: leave-one-out of more takes too long

Labels = tuple[tuple[int, str], ...]


class Doubt(NamedTuple):
    """A label, what the model of all other labels predicts instead, and by how much it prefers that."""

    row: int
    label: str
    prediction: str
    margin: float


class DoubtFinder:
    """Finds doubtful labels in a background thread; nothing is computed again while the labels stay the same.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The features of the pool.
    parameters : ModelParameters
        Parameters of the model.
    """

    def __init__(self, X: Features, parameters: ModelParameters) -> None:
        self._X, self._parameters = X, parameters
        self._known: tuple[Labels, list[Doubt]] = ((), [])
        self._background: Background[Labels, list[Doubt]] = Background(self.find, [], "hinge-doubts")

    def update(self, labels: dict[int, str]) -> tuple[list[Doubt], bool]:
        """Return the doubts that are known for these labels, most doubtful first, and whether they are up to date."""
        wanted = tuple(labels.items())[-MAX_LABELS:]
        is_current = wanted == self._known[0]
        found = self._known[1] if is_current else self._background.update(wanted)
        return [each for each in found if labels.get(each.row) == each.label], is_current

    def find(self, labels: Labels) -> list[Doubt]:
        """Find the doubtful labels in this thread."""
        found: list[Doubt] = []
        if len({label for _, label in labels}) > 1:
            rows = np.array([row for row, _ in labels])
            model = IncrementalSVC(**self._parameters).fit(self._X[rows], np.array([label for _, label in labels]))
            found = [
                Doubt(int(rows[int(f"{each.id}")]), f"{each.label}", f"{each.prediction}", -each.margin)
                for each in model.suspects(len(rows))  # ids are positions
            ]
        self._known = labels, found
        return found

    def wait(self, timeout: float | None = None) -> None:
        """Wait for a running computation, at most `timeout` seconds."""
        self._background.wait(timeout)
