"""Work besides learning: predictions in other threads, bad input, and active learning."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.soak.saved_models import SavedModels, require_same_decisions
from hinge import DataFileError, IncrementalSVC, ModelFileError, load
from hinge.active import ActiveLearner
from hinge.io import open_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.soak.error_log import ErrorLog
    from benchmarks.soak.learners import Learner

PAUSE = 0.1  # seconds between two predictions of a thread


class Reader(threading.Thread):
    """Load saved models and predict; a copy must make the decisions that the model made when it was saved.

    Parameters
    ----------
    saved_models : SavedModels
        The saved models.
    errors : ErrorLog
        Records what goes wrong.
    seed : int
        Seed of the choice of models.
    """

    def __init__(self, saved_models: SavedModels, errors: ErrorLog, seed: int) -> None:
        super().__init__(daemon=True)
        self._saved, self._errors = saved_models, errors
        self._random = np.random.default_rng(seed)
        self.stopping = threading.Event()
        self.n_predictions = 0

    def run(self) -> None:
        """Predict until told to stop."""
        while not self.stopping.wait(PAUSE):
            with self._errors.recording("predicting with a copy"):
                self._predict()

    def _predict(self) -> None:
        """Load one of the saved models and predict with it a few times."""
        names = self._saved.names()
        if names:
            model, probe, decisions = self._saved.load(names[self._random.integers(len(names))])
            for _ in range(10):
                require_same_decisions(model.decision_function(probe), decisions)
                self.n_predictions += probe.shape[0]
                self.stopping.wait(PAUSE)


class BadInput:
    """Input that must be refused and must not change a model."""

    def __init__(self, learners: Sequence[Learner], saved_models: SavedModels, folder: Path, seed: int) -> None:
        self._learners, self._saved = learners, saved_models
        self._random = np.random.default_rng(seed)
        self._bad_file, self._half_model = folder / "bad.svm", folder / "half.hinge"
        self._bad_file.write_text("1 1:0.5\n-1 1:0.2 3:\n")
        self.n_refused = 0

    def step(self) -> None:
        """Give one model one kind of bad input, and read a bad file."""
        learner = self._learners[int(self._random.integers(len(self._learners)))]
        if learner.probe is None:
            return
        before, n_seen = learner.decisions(), learner.model.n_seen_
        bad = _bad_rows(np.asarray(learner.probe.toarray() if hasattr(learner.probe, "toarray") else learner.probe))
        rows, labels = bad[self._random.integers(len(bad))]
        self._require_refusal(ValueError, lambda: learner.model.partial_fit(rows, labels))
        self._require_refusal(ValueError, lambda: learner.model.decision_function(rows[:, :1]))
        self._require_refusal(DataFileError, lambda: list(open_source(self._bad_file).chunks()))
        if learner.model.n_seen_ != n_seen or not np.array_equal(learner.decisions(), before):
            raise AssertionError(f"{learner.name} has changed although it refused its input")

    def load_truncated(self) -> None:
        """Load truncated model files."""
        for name in self._saved.names():
            whole = self._saved.file(name).read_bytes()
            self._half_model.write_bytes(whole[: len(whole) // 2])
            self._require_refusal(ModelFileError, lambda: load(self._half_model))

    def _require_refusal(self, error: type[ValueError], work: Callable[[], object]) -> None:
        try:
            work()
        except error:
            self.n_refused += 1
        else:
            raise AssertionError("bad input was accepted")


def _bad_rows(rows: NDArray[np.float64]) -> list[tuple[NDArray[np.float64], NDArray[np.str_]]]:
    """Return rows that cannot be learned, with labels."""
    labels = np.array(["ape"] * len(rows))
    missing, infinite = rows.astype(np.float64), rows.astype(np.float64)
    missing[0, 0], infinite[-1, -1] = np.nan, np.inf
    return [(missing, labels), (infinite, labels), (np.hstack([rows, rows]), labels), (rows[:, 0:1], labels)]


class ActiveLearning:
    """Active learning of digits, started again after every hundred labels."""

    def __init__(self, seed: int) -> None:
        self._X, self._y = load_digits(return_X_y=True)
        self._random = np.random.default_rng(seed)
        self.n_queries = 0
        self._start()

    def step(self) -> None:
        """Query a few labels, learn them, forget one of them."""
        rows = self._learner.ask(3)
        self._learner.tell(rows, self._truth[rows])
        self._learner.forget(rows[:1])
        self.n_queries += len(rows)
        if len(self._learner.labels) > 100:
            self._start()

    def _start(self) -> None:
        chosen = self._random.choice(len(self._y), 300, replace=False)
        self._truth = self._y[chosen]
        self._learner = ActiveLearner(IncrementalSVC(C=10.0, n_jobs=1), self._X[chosen], random_state=0)
