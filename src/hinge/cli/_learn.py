"""Learning for `hinge train`: each example is tested before it is learned."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from sklearn.utils import check_random_state

from hinge._model.kernels import KernelSpec
from hinge._model.state import ProgressiveScore
from hinge.cli._models import is_approximate, is_detector, is_exact, n_parts
from hinge.exceptions import HingeError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from hinge.cli._files import Checkpoint
    from hinge.cli._material import Examples, Material
    from hinge.cli._outliers import Outliers

SMALLEST_PIECE, LARGEST_PIECE = 32, 1024  # rows that are tested, then learned
N_SHOWN = 2500  # examples kept for the picture of a plane


@dataclass
class Learned:
    """A model and how it came to be.

    Attributes
    ----------
    model : estimator
        The model.
    seconds : float
        Time spent learning.
    seen : int
        Examples that went by: learned, but for those that do not count as normal where a model has one class.
    n_kept : int
        Support vectors, or features of an approximate model, after the last piece.
    tested : ProgressiveScore
        Examples of the first pass, each tested before it was learned; a model of one class is tested piece by piece.
    curve : list of (seen, progressive error in per cent, support vectors or features)
        Taken after every piece of the first pass.
    shown : list of (X, y)
        The last examples, if they have two features.
    test_error : float or None
        Error in per cent on test rows, if there are some.
    outliers : Outliers or None
        What a model of one class says about rows.
    interrupted : bool
        Ctrl-C came before the end.
    failure : HingeError or None
        What was wrong with a row on the way.
    """

    model: Any
    seconds: float = 0.0
    seen: int = 0
    n_kept: int = 0
    tested: ProgressiveScore = field(default_factory=ProgressiveScore)
    curve: list[tuple[int, float, int]] = field(default_factory=list)
    shown: list[Examples] = field(default_factory=list)
    test_error: float | None = None
    outliers: Outliers | None = None
    interrupted: bool = False
    failure: HingeError | None = None
    random: np.random.RandomState = field(init=False)  # for the order of later passes

    def __post_init__(self) -> None:
        self.random = check_random_state(self.model.random_state)

    @property
    def progressive_error(self) -> float | None:
        """Errors among the examples that were tested before they were learned, in per cent."""
        return 100.0 * self.tested.mistakes / self.tested.examples if self.tested.examples else None

    @property
    def n_parts(self) -> int:
        """Number of support vectors, or of features where a model is made of these."""
        return n_parts(self.model)

    def learn(self, X: Any, y: Any, classes: Any, *, first_pass: bool) -> None:
        """Learn some examples; each is tested just before, which counts if it is new.

        To a model that lives on averages over the stream, those of a later pass are not new.
        """
        ready = hasattr(self.model, "_state")
        if ready and is_detector(self.model):
            self.tested.examples += len(y)
            self.tested.mistakes += int(np.sum(self.model.predict(X) != y))
        start = time.perf_counter()
        if is_approximate(self.model) and not first_pass:
            self.model._rehearse(X, y, None, self.random)
        elif not is_detector(self.model):
            self.model.partial_fit(X, y, classes=None if ready else classes)
        elif (y > 0).any():
            self.model.partial_fit(learnable(self.model, X, y))
        self.seconds += time.perf_counter() - start
        self.seen += len(y)
        if first_pass and not is_detector(self.model):
            self.tested = replace(self.model._state.tested)
        self.n_kept = self._count()
        if first_pass and self.progressive_error is not None:
            self.curve.append((self.seen, self.progressive_error, self.n_kept))
        if X.shape[1] == 2:
            self.shown = [*self.shown, (X, y)][-math.ceil(N_SHOWN / len(y)) :]

    def _count(self) -> int:
        """Return the number of parts; most models hardly keep anything else, which is quicker to count."""
        if not hasattr(self.model, "_state"):
            return 0
        return self.n_parts if is_exact(self.model) else int(self.model._state.native.n_retained)

    def end_first_pass(self) -> None:
        """Let an approximate model draw its landmarks now, if there were too few examples for its last map."""
        start = time.perf_counter()
        if is_approximate(self.model):
            self.model._end_stream()
        self.seconds += time.perf_counter() - start

    def finish(self) -> None:
        """Run the finishing step, if `fit` would."""
        start = time.perf_counter()
        if self.model.get_params().get("finish"):
            self.model.finish()
        self.seconds += time.perf_counter() - start
        if self.progressive_error is not None:
            self.curve.append((self.curve[-1][0], self.progressive_error, self.n_parts))


def learn(model: Any, material: Material, epochs: int, checkpoint: Checkpoint, terminal: Console) -> Learned:
    """Learn all passes over some examples; Ctrl-C ends it early, with what has been learned."""
    learned = Learned(model)
    with _progress(terminal, "features" if is_approximate(model) else "SVs") as progress:
        task = progress.add_task("learning", total=None, visible=False, seen=0, error="", kept=0)
        try:
            for epoch in range(epochs):
                for X, y in _pieces(_settling(model, material.chunks(epoch)), getattr(model, "_state", None)):
                    learned.learn(X, y, material.classes, first_pass=epoch == 0)
                    _show(progress, task, learned, _share(material.share(), epoch, epochs))
                    checkpoint.pass_by(learned.model)
                if epoch == 0:
                    learned.end_first_pass()
            learned.finish()
            _show(progress, task, learned, 1.0)
        except KeyboardInterrupt:
            if not hasattr(model, "_state"):
                raise
            learned.interrupted = True
        except HingeError as error:
            if not learned.seen:
                raise
            learned.failure = error
    return learned


def learnable(model: Any, X: Any, y: NDArray[Any]) -> Any:
    """Return the rows that a model learns: all of them, or those that count as normal."""
    return X[y > 0] if is_detector(model) else X


def error_on(model: Any, rows: Iterable[Examples]) -> float:
    """Return the error in per cent on examples."""
    wrong = total = 0
    for X, y in rows:
        wrong += int(np.sum(model.predict(X) != y))
        total += len(y)
    return 100.0 * wrong / max(total, 1)


def _settling(model: Any, chunks: Iterable[Examples]) -> Iterator[Examples]:
    """Pass chunks on, the width of the kernel being settled with the first of them rather than with a small piece."""
    for X, y in chunks:
        rows = learnable(model, X, y)
        if isinstance(model.gamma, str) and not hasattr(model, "_state") and rows.shape[0]:
            weights = np.ones(rows.shape[0])
            kernel = KernelSpec.resolve(model.kernel, model.degree, model.gamma, model.coef0, X=rows, weights=weights)
            model.set_params(gamma=kernel.gamma)
        yield X, y


def _pieces(chunks: Iterable[Examples], state: Any) -> Iterator[Examples]:
    """Cut chunks into pieces, small ones at first, when a model changes fast, and larger ones later."""
    seen = 0 if state is None else state.n_seen
    for X, y in chunks:
        start = 0
        while start < len(y):
            size = min(max(seen // 8, SMALLEST_PIECE), LARGEST_PIECE)
            yield X[start : start + size], y[start : start + size]
            start += size
            seen += size


def _share(within: float | None, epoch: int, epochs: int) -> float | None:
    return None if within is None else (epoch + within) / epochs


def _progress(terminal: Console, kept: str) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(f"{{task.fields[seen]:,}} examples, {{task.fields[error]}}{{task.fields[kept]:,}} {kept}"),
        TimeRemainingColumn(),
        console=terminal,
    )


def _show(progress: Progress, task: TaskID, learned: Learned, share: float | None) -> None:
    error = learned.progressive_error
    progress.update(
        task,
        visible=True,
        total=None if share is None else 1.0,
        completed=share or 0.0,
        seen=learned.seen,
        error="" if error is None else f"error {error:.2f} %, ",
        kept=learned.n_kept,
    )
