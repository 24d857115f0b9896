"""The two runs that `hinge train` compares: one example after the other, and all at once."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from sklearn.svm import SVC

from hinge.datasets import Dataset
from hinge.online import OnlineSVC

N_CHUNKS = 80


@dataclass(frozen=True)
class Settings:
    """What the user chose."""

    C: float
    gamma: float
    epochs: int
    seed: int


@dataclass
class Learned:
    """A model and how it came to be.

    Attributes
    ----------
    model : OnlineSVC
        The model.
    seconds : float
        Time spent learning; testing is not counted.
    seen, tested, mistakes : int
        Examples learned, examples of the first pass that were tested before they were learned, and errors among those.
    curve : list of (seen, progressive error in per cent, support vectors)
        Taken after every chunk.
    test_error : float
        Error in per cent on the test rows.
    interrupted : bool
        Ctrl-C came before the end.
    """

    model: OnlineSVC
    seconds: float = 0.0
    seen: int = 0
    tested: int = 0
    mistakes: int = 0
    curve: list[tuple[int, float, int]] = field(default_factory=list)
    test_error: float = float("nan")
    interrupted: bool = False

    @property
    def progressive_error(self) -> float:
        """Errors among the examples that were tested before they were learned, in per cent."""
        return 100.0 * self.mistakes / max(self.tested, 1)

    @property
    def n_support(self) -> int:
        """Number of support vectors."""
        return len(self.model.support_)


@dataclass(frozen=True)
class Exact:
    """What scikit-learn's SVC reached."""

    seconds: float
    test_error: float
    n_support: int


def learn(dataset: Dataset, settings: Settings, terminal: Console) -> Learned:
    """Learn chunk by chunk, testing on each chunk of the first pass before learning it."""
    model = OnlineSVC(C=settings.C, gamma=settings.gamma, random_state=settings.seed)
    learned = Learned(model)
    with _progress(terminal) as progress:
        task = progress.add_task("learning", total=settings.epochs * len(dataset.y_train), error=0.0, support=0)
        try:
            for rows in _chunks(len(dataset.y_train), settings):
                _learn_chunk(learned, dataset, rows)
                _advance(progress, task, learned)
            _finish(learned)
        except KeyboardInterrupt:
            if not learned.curve:
                raise
            learned.interrupted = True
    learned.test_error = _error(model, dataset)
    return learned


def solve(dataset: Dataset, settings: Settings, terminal: Console) -> Exact:
    """Train scikit-learn's SVC with the same settings."""
    model = SVC(C=settings.C, gamma=settings.gamma)
    with terminal.status("scikit-learn's SVC is training on the same rows"):
        start = time.perf_counter()
        model.fit(dataset.X_train, dataset.y_train)
        seconds = time.perf_counter() - start
    return Exact(seconds, _error(model, dataset), len(model.support_))


def _chunks(n_rows: int, settings: Settings) -> Iterator[np.ndarray]:
    """Yield row numbers: every epoch in an order of its own, cut into chunks."""
    random = np.random.default_rng(settings.seed)
    for _ in range(settings.epochs):
        yield from np.array_split(random.permutation(n_rows), min(N_CHUNKS, n_rows))


def _learn_chunk(learned: Learned, dataset: Dataset, rows: np.ndarray) -> None:
    X, y = dataset.X_train[rows], dataset.y_train[rows]
    if 0 < learned.seen < len(dataset.y_train):
        learned.mistakes += int(np.sum(learned.model.predict(X) != y))
        learned.tested += len(y)
    start = time.perf_counter()
    learned.model.partial_fit(X, y, classes=dataset.classes)
    learned.seconds += time.perf_counter() - start
    learned.seen += len(y)
    if learned.tested and learned.seen <= len(dataset.y_train):
        learned.curve.append((learned.seen, learned.progressive_error, learned.n_support))


def _finish(learned: Learned) -> None:
    start = time.perf_counter()
    learned.model.finish()
    learned.seconds += time.perf_counter() - start


def _error(model: OnlineSVC | SVC, dataset: Dataset) -> float:
    return 100.0 * float(np.mean(model.predict(dataset.X_test) != dataset.y_test))


def _progress(terminal: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} examples, error {task.fields[error]:.2f} %, {task.fields[support]:,} SVs"),
        TimeRemainingColumn(),
        console=terminal,
    )


def _advance(progress: Progress, task: TaskID, learned: Learned) -> None:
    progress.update(task, completed=learned.seen, error=learned.progressive_error, support=learned.n_support)
