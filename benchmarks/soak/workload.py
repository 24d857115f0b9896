"""All traffic together, one step at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.soak.background import ActiveLearning, BadInput, Reader
from benchmarks.soak.error_log import ErrorLog
from benchmarks.soak.figure import ACCURACY
from benchmarks.soak.learners import N_HELD, Detector, Exact, Learner, Tracker
from benchmarks.soak.people import Labelling
from benchmarks.soak.records import Record, process_record
from benchmarks.soak.saved_models import SavedModels
from benchmarks.soak.streams import Batch, drifting, from_file, write_digits
from hinge import (
    ApproximateSVC,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    RobustOnlineSVC,
    TrackingSVC,
)

N_READERS = 3
FILES = {"a9a": 123, "mnist": 784}
SMALL: dict[str, Any] = {"cache_size": 5.0, "n_jobs": 1}


class Workload:
    """Streams with their models, and the work in the background.

    Parameters
    ----------
    folder : path
        A folder for temporary files.
    seed : int
        Seed of all random choices.
    """

    def __init__(self, folder: Path, seed: int = 0) -> None:
        self.errors = ErrorLog()
        self.exact = Exact(
            "exact", IncrementalSVC(C=1.0, max_examples=N_HELD, eviction="age", gamma=0.05, **SMALL), seed
        )
        self._streams = [(drifting(seed), _drift_learners(self.exact, seed)), *_file_streams(folder)]
        self.learners = [learner for _, learners in self._streams for learner in learners]
        self.saved_models = SavedModels(folder, seed)
        self.bad_input = BadInput(self.learners, self.saved_models, folder, seed)
        self.active_learning = ActiveLearning(seed)
        self.readers = [Reader(self.saved_models, self.errors, seed + number) for number in range(N_READERS)]
        self.labelling = Labelling(self.errors)
        self.n_examples = 0
        self.difference = 0.0, 0.0
        for thread in (*self.readers, self.labelling):
            thread.start()

    def step(self) -> None:
        """Learn a batch of every stream, try bad input, and query some labels."""
        for stream, learners in self._streams:
            self._learn(stream, learners)
        self._do("bad input", self.bad_input.step)
        self._do("active learning", self.active_learning.step)

    def save(self) -> None:
        """Save all models, and continue with copies of them."""
        for learner in self.learners:
            with self.errors.recording(f"saving {learner.name}"):
                self.saved_models.save(learner)
        self._do("truncated models", self.bad_input.load_truncated)

    def compare(self) -> None:
        """Compare the exact model with one trained from scratch."""
        with self.errors.recording("comparing"):
            self.difference = self.exact.difference()

    def record(self, minutes: float) -> Record:
        """Return the current measurements."""
        violation, difference = self.difference
        return {
            "minutes": minutes,
            **process_record(),
            "examples": self.n_examples,
            "predictions": sum(reader.n_predictions for reader in self.readers),
            "saved": self.saved_models.n_saved,
            "refused": self.bad_input.n_refused,
            "queries": self.active_learning.n_queries,
            "labels": self.labelling.n_labels,
            "errors": self.errors.n_errors,
            "violation": violation,
            "difference": difference,
            **{f"{ACCURACY}{learner.name}": learner.accuracy for learner in self.learners},
        }

    def close(self) -> None:
        """Stop all threads."""
        threads: list[Reader | Labelling] = [*self.readers, self.labelling]
        for thread in threads:
            thread.stopping.set()
        for thread in threads:
            thread.join()

    def _learn(self, stream: Iterator[Batch], learners: Sequence[Learner]) -> None:
        with self.errors.recording("reading"):
            X, y = next(stream)
            self.n_examples += len(y)
            for learner in learners:
                with self.errors.recording(f"learning, {learner.name}"):
                    learner.step(X, y)

    def _do(self, name: str, work: Callable[[], None]) -> None:
        with self.errors.recording(name):
            work()


def _drift_learners(exact: Exact, seed: int) -> list[Learner]:
    """Return the models of the drifting stream."""
    return [
        Learner("online", OnlineSVC(C=1.0, max_support=300, random_state=seed, gamma=0.05, **SMALL)),
        Learner("robust", RobustOnlineSVC(C=1.0, max_support=300, random_state=seed, gamma=0.05, **SMALL)),
        Learner("perceptron", KernelPerceptron(max_support=300, random_state=seed, gamma=0.05, **SMALL)),
        Tracker("tracking", TrackingSVC(C=1.0, keep="support", random_state=seed, gamma=0.05, **SMALL)),
        exact,
        Detector("one-class", IncrementalOneClassSVM(nu=0.05, max_examples=N_HELD, gamma=0.01, **SMALL)),
    ]


def _file_streams(folder: Path) -> list[tuple[Iterator[Batch], list[Learner]]]:
    """Return streams of files with their models: public data sets if available, otherwise the bundled digits."""
    data = Path(os.environ.get("HINGE_DATA") or folder)
    available = {name: width for name, width in FILES.items() if (data / f"{name}.bz2").exists()}
    sources = {name: (data / f"{name}.bz2", width) for name, width in available.items()} or {
        "digits": (write_digits(folder), 64)
    }
    return [(from_file(*source), [Learner(name, _file_model(name))]) for name, source in sources.items()]


def _file_model(name: str) -> OnlineSVC | ApproximateSVC:
    if name == "a9a":
        return OnlineSVC(C=1.0, max_support=500, gamma=0.05, **SMALL)
    return ApproximateSVC(C=10.0, n_components=128, random_state=0, n_jobs=1)
