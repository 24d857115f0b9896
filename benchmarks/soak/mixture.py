"""All traffic together, a step at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.soak.learners import N_HELD, Detector, Exact, Learner, Tracker
from benchmarks.soak.people import Labelling
from benchmarks.soak.picture import ACCURACY
from benchmarks.soak.records import Record, of_the_process
from benchmarks.soak.shelf import Shelf
from benchmarks.soak.streams import Batch, drifting, from_file, write_digits
from benchmarks.soak.traffic import Dialogue, Reader, Refusals
from benchmarks.soak.trouble import Trouble
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


class Mixture:
    """Streams with their learners, and what goes on beside.

    Parameters
    ----------
    folder : path
        For files that come and go.
    seed : int
        Seed of everything that is drawn.
    """

    def __init__(self, folder: Path, seed: int = 0) -> None:
        self.trouble = Trouble()
        self.exact = Exact(
            "exact", IncrementalSVC(C=1.0, max_examples=N_HELD, eviction="age", gamma=0.05, **SMALL), seed
        )
        self._streams = [(drifting(seed), _wanderers(self.exact, seed)), *_readers_of_files(folder)]
        self.learners = [learner for _, learners in self._streams for learner in learners]
        self.shelf = Shelf(folder, seed)
        self.refusals = Refusals(self.learners, self.shelf, folder, seed)
        self.dialogue = Dialogue(seed)
        self.readers = [Reader(self.shelf, self.trouble, seed + number) for number in range(N_READERS)]
        self.labelling = Labelling(self.trouble)
        self.n_examples = 0
        self.difference = 0.0, 0.0
        for thread in (*self.readers, self.labelling):
            thread.start()

    def step(self) -> None:
        """Learn a batch of every stream; have something refused; ask for some labels."""
        for stream, learners in self._streams:
            self._teach(stream, learners)
        self._do("refusing", self.refusals.step)
        self._do("a dialogue", self.dialogue.step)

    def save(self) -> None:
        """Save all models, and go on with copies of them."""
        for learner in self.learners:
            with self.trouble.noted(f"saving {learner.name}"):
                self.shelf.put(learner)
        self._do("loading halves", self.refusals.load_halves)

    def compare(self) -> None:
        """Hold the exact model against one that is made afresh."""
        with self.trouble.noted("comparing"):
            self.difference = self.exact.difference()

    def record(self, minutes: float) -> Record:
        """Return everything that is measured, as of now."""
        violation, difference = self.difference
        return {
            "minutes": minutes,
            **of_the_process(),
            "examples": self.n_examples,
            "asked": sum(reader.n_asked for reader in self.readers),
            "saved": self.shelf.n_saved,
            "refused": self.refusals.n_refused,
            "dialogue": self.dialogue.n_told,
            "labels": self.labelling.n_labels,
            "errors": self.trouble.n_errors,
            "violation": violation,
            "difference": difference,
            **{f"{ACCURACY}{learner.name}": learner.accuracy for learner in self.learners},
        }

    def close(self) -> None:
        """End all threads."""
        threads: list[Reader | Labelling] = [*self.readers, self.labelling]
        for thread in threads:
            thread.leaving.set()
        for thread in threads:
            thread.join()

    def _teach(self, stream: Iterator[Batch], learners: Sequence[Learner]) -> None:
        with self.trouble.noted("reading"):
            X, y = next(stream)
            self.n_examples += len(y)
            for learner in learners:
                with self.trouble.noted(f"learning, {learner.name}"):
                    learner.step(X, y)

    def _do(self, what: str, work: Callable[[], None]) -> None:
        with self.trouble.noted(what):
            work()


def _wanderers(exact: Exact, seed: int) -> list[Learner]:
    """Return the models of the stream that drifts."""
    return [
        Learner("online", OnlineSVC(C=1.0, max_support=300, random_state=seed, gamma=0.05, **SMALL)),
        Learner("robust", RobustOnlineSVC(C=1.0, max_support=300, random_state=seed, gamma=0.05, **SMALL)),
        Learner("perceptron", KernelPerceptron(budget=300, random_state=seed, gamma=0.05, **SMALL)),
        Tracker("tracking", TrackingSVC(C=1.0, keep="support", random_state=seed, gamma=0.05, **SMALL)),
        exact,
        Detector("one-class", IncrementalOneClassSVM(nu=0.05, max_examples=N_HELD, gamma=0.01, **SMALL)),
    ]


def _readers_of_files(folder: Path) -> list[tuple[Iterator[Batch], list[Learner]]]:
    """Return the models that learn from files: the public sets where they are at hand, else the bundled digits."""
    data = Path(os.environ.get("HINGE_DATA") or folder)
    there = {name: width for name, width in FILES.items() if (data / f"{name}.bz2").exists()}
    sources = {name: (data / f"{name}.bz2", width) for name, width in there.items()} or {
        "digits": (write_digits(folder), 64)
    }
    return [(from_file(*source), [Learner(name, _of_a_file(name))]) for name, source in sources.items()]


def _of_a_file(name: str) -> OnlineSVC | ApproximateSVC:
    if name == "a9a":
        return OnlineSVC(C=1.0, max_support=500, gamma=0.05, **SMALL)
    return ApproximateSVC(C=10.0, n_components=128, random_state=0, n_jobs=1)
