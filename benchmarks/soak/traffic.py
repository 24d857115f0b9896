"""What goes on beside the learning: questions from other threads, bad input, and dialogues with people."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.soak.shelf import Shelf, same_answers
from hinge import DataFileError, IncrementalSVC, ModelFileError, load
from hinge.active import ActiveLearner
from hinge.io import open_source

if TYPE_CHECKING:
    from benchmarks.soak.learners import Learner
    from benchmarks.soak.trouble import Trouble

PAUSE = 0.1  # seconds between two questions of a thread


class Reader(threading.Thread):
    """Loads saved models and asks them; a copy must answer what the model did when it was saved.

    Parameters
    ----------
    shelf : Shelf
        The saved models.
    trouble : Trouble
        Is told what goes wrong.
    seed : int
        Seed of the choice of models.
    """

    def __init__(self, shelf: Shelf, trouble: Trouble, seed: int) -> None:
        super().__init__(daemon=True)
        self._shelf, self._trouble = shelf, trouble
        self._random = np.random.default_rng(seed)
        self.leaving = threading.Event()
        self.n_asked = 0

    def run(self) -> None:
        """Ask until told to leave."""
        while not self.leaving.wait(PAUSE):
            with self._trouble.noted("asking a copy"):
                self._ask()

    def _ask(self) -> None:
        """Load one of the saved models and ask it a few times."""
        names = self._shelf.names()
        if names:
            model, probe, answers = self._shelf.take(names[self._random.integers(len(names))])
            for _ in range(10):
                same_answers(model.decision_function(probe), answers)
                self.n_asked += probe.shape[0]
                self.leaving.wait(PAUSE)


class Refusals:
    """Input that must be refused and leave a model as it was."""

    def __init__(self, learners: Sequence[Learner], shelf: Shelf, folder: Path, seed: int) -> None:
        self._learners, self._shelf = learners, shelf
        self._random = np.random.default_rng(seed)
        self._torn, self._half = folder / "torn.svm", folder / "half.model"
        self._torn.write_text("1 1:0.5\n-1 1:0.2 3:\n")
        self.n_refused = 0

    def step(self) -> None:
        """Give one model one kind of bad input; have a torn file refused, too."""
        learner = self._learners[int(self._random.integers(len(self._learners)))]
        if learner.probe is None:
            return
        before, n_seen = learner.answers(), learner.model.n_seen_
        bad = _spoiled(np.asarray(learner.probe.toarray() if hasattr(learner.probe, "toarray") else learner.probe))
        rows, labels = bad[self._random.integers(len(bad))]
        self._refused(ValueError, lambda: learner.model.partial_fit(rows, labels))
        self._refused(ValueError, lambda: learner.model.decision_function(rows[:, :1]))
        self._refused(DataFileError, lambda: list(open_source(self._torn).chunks()))
        if learner.model.n_seen_ != n_seen or not np.array_equal(learner.answers(), before):
            raise AssertionError(f"{learner.name} has changed though it refused its input")

    def load_halves(self) -> None:
        """Have halves of saved models refused."""
        for name in self._shelf.names():
            whole = self._shelf.file(name).read_bytes()
            self._half.write_bytes(whole[: len(whole) // 2])
            self._refused(ModelFileError, lambda: load(self._half))

    def _refused(self, error: type[ValueError], work: Callable[[], Any]) -> None:
        try:
            work()
        except error:
            self.n_refused += 1
        else:
            raise AssertionError("bad input was taken")


def _spoiled(rows: Any) -> list[tuple[Any, Any]]:
    """Return rows that nobody can learn, with labels."""
    labels = np.array(["ape"] * len(rows))
    missing, infinite = rows.astype(np.float64), rows.astype(np.float64)
    missing[0, 0], infinite[-1, -1] = np.nan, np.inf
    return [(missing, labels), (infinite, labels), (np.hstack([rows, rows]), labels), (rows[:, 0:1], labels)]


class Dialogue:
    """Questions about digits, a new dialogue whenever one has come to its end."""

    def __init__(self, seed: int) -> None:
        self._X, self._y = load_digits(return_X_y=True)
        self._random = np.random.default_rng(seed)
        self.n_told = 0
        self._begin()

    def step(self) -> None:
        """Ask for a few labels, give them, take one of them back."""
        rows = self._learner.ask(3)
        self._learner.tell(rows, self._truth[rows])
        self._learner.forget(rows[:1])
        self.n_told += len(rows)
        if len(self._learner.labels) > 100:
            self._begin()

    def _begin(self) -> None:
        chosen = self._random.choice(len(self._y), 300, replace=False)
        self._truth = self._y[chosen]
        self._learner = ActiveLearner(IncrementalSVC(C=10.0, n_jobs=1), self._X[chosen], random_state=0)
