"""Passes over the training examples; each example is predicted before it is learned."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from sklearn.utils import check_random_state

from hinge import streaming
from hinge.cli._values import ValueScore, short
from hinge.cli.train._sources import rows_to_learn
from hinge.exceptions import HingeError
from hinge.streaming import Model, ProgressiveScore, traits
from hinge.tables import Answers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

    from hinge.cli.train._checkpoint import Checkpoint
    from hinge.cli.train._metrics import ClassMetrics, OutlierMetrics
    from hinge.cli.train._sources import TrainingSource
    from hinge.cli.train._threshold import Decisions
    from hinge.tables import Examples, Labels, Matrix

MIN_BATCH, MAX_BATCH = 32, 1024  # rows that are predicted, then learned
MIN_ROWS_FOR_GAMMA = 1024  # of the first chunk of a pipe
N_PLOTTED = 2500  # examples kept for the plot of two features


class CurvePoint(NamedTuple):
    """Progressive errors over all examples so far and over the last 1000, and the size of the model.

    Errors are in percent, or mean absolute errors of values.
    """

    n_learned: int
    error: float
    recent_error: float
    model_size: int


@dataclass
class TrainResult:
    """A model and how its training went.

    Attributes
    ----------
    model : estimator
        The estimator.
    seconds : float
        Time spent learning.
    n_learned : int
        Rows that were shown to the estimator, over all passes.
    model_size : int
        Support vectors or features after the last batch; support vectors are counted quickly, and may be too many.
    progressive : ProgressiveScore
        Predictions of the first pass, each made before its example was learned. One-class models are tested batch by
        batch.
    curve : list of CurvePoint
        Taken after every batch of the first pass, and at the end.
    recent : list of (X, y)
        The most recent examples, if they have two features.
    values : ValueScore
        Values that a regressor predicted before it learned them, batch by batch.
    test_classes : ClassMetrics or None
        How a classifier predicts the test rows, if there are any.
    test_values : ValueScore or None
        How well a regressor predicts the test rows, if there are any.
    outliers : OutlierMetrics or None
        How a one-class model judges rows.
    is_interrupted : bool
        Ctrl-C was pressed before the end.
    is_out_of_time : bool
        The time for learning was up before the end.
    failure : HingeError or None
        The error that a row raised during training.
    """

    model: Model
    seconds: float = 0.0
    n_learned: int = 0
    model_size: int = 0
    progressive: ProgressiveScore = field(default_factory=ProgressiveScore)
    curve: list[CurvePoint] = field(default_factory=list)
    recent: list[Examples] = field(default_factory=list)
    values: ValueScore = field(default_factory=ValueScore)
    test_classes: ClassMetrics | None = None
    test_values: ValueScore | None = None
    outliers: OutlierMetrics | None = None
    is_interrupted: bool = False
    is_out_of_time: bool = False
    failure: HingeError | None = None

    @property
    def test_error(self) -> float | None:
        """Error of a classifier on the test rows in percent, if there are any."""
        return None if self.test_classes is None else self.test_classes.error

    @property
    def progressive_error(self) -> float | None:
        """Errors among the examples that were predicted before they were learned, in percent."""
        return 100.0 * self.progressive.error if self.progressive.n_examples else None

    @property
    def recent_error(self) -> float | None:
        """The same for the last 1000 of these examples."""
        return 100.0 * self.progressive.recent_error if self.progressive.n_examples else None


class Trainer:
    """Shows batches to an estimator and records how training goes.

    Parameters
    ----------
    model : estimator
        The estimator; it may have learned before.
    answers : Answers, default=None
        How a regressor's targets become values.
    """

    def __init__(self, model: Model, answers: Answers | None = None) -> None:
        self.result = TrainResult(model)
        self._answers = answers or Answers()
        self._model = model
        self._traits = traits(model)
        self._random = check_random_state(model.get_params().get("random_state"))  # for the order of later passes

    def learn(self, X: Matrix, y: Labels, classes: Labels | None, *, is_first_pass: bool) -> None:
        """Learn one batch.

        Parameters
        ----------
        X : array or CSR matrix of shape (n, n_features)
            The examples.
        y : ndarray of shape (n,)
            Labels; for a one-class model +1 for normal rows, which are learned, and -1 for others.
        classes : ndarray or None
            All classes, if known.
        is_first_pass : bool
            The examples are new, so that their predictions count.
        """
        result = self.result
        if self._traits.task == "one-class":
            self._learn_one_class(X, y)
        elif self._traits.task == "regression":
            self._learn_values(X, y, is_first_pass=is_first_pass)
        else:
            with self._timed():
                if not is_first_pass:
                    streaming.learn_again(self._model, X, y, random_state=self._random)
                else:
                    known = streaming.is_fitted(self._model)
                    self._model.partial_fit(X, y, classes=None if known else classes)
            if is_first_pass:
                result.progressive = streaming.progressive_score(self._model)
        result.n_learned += len(y)
        if streaming.is_fitted(self._model):
            result.model_size = streaming.model_size(self._model, fast=True)
        if is_first_pass:
            self._extend_curve(result.n_learned, result.model_size)
        if X.shape[1] == 2 and self._traits.task != "regression":
            result.recent = [*result.recent, (X, y)][-math.ceil(N_PLOTTED / len(y)) :]

    def _learn_one_class(self, X: Matrix, y: Labels) -> None:
        if streaming.is_fitted(self._model):
            self.result.progressive.add(len(y), np.flatnonzero(self._model.predict(X) != y))
        normal = rows_to_learn(self._model, X, y)
        if normal.shape[0]:
            with self._timed():
                self._model.partial_fit(normal)

    def _learn_values(self, X: Matrix, y: Labels, *, is_first_pass: bool) -> None:
        if is_first_pass and streaming.is_fitted(self._model):
            self.result.values.add(y, self._answers.to_values(self._model.predict(X)))
        with self._timed():
            learn = self._model.partial_fit if is_first_pass else partial(streaming.learn_again, self._model)
            learn(X, self._answers.to_targets(y))

    def end_first_pass(self) -> None:
        """Tell the estimator that it has seen all examples once."""
        with self._timed():
            streaming.end_stream(self._model)

    def finish(self) -> None:
        """Run the finishing step, if `fit` would."""
        with self._timed():
            streaming.finish(self._model)
        if self.result.curve:
            self._extend_curve(self.result.curve[-1].n_learned, streaming.model_size(self._model))

    def _extend_curve(self, n_learned: int, size: int) -> None:
        error, recent = self.result.progressive_error, self.result.recent_error
        if self.result.values.n_rows:
            error, recent = self.result.values.mean_absolute_error, self.result.values.recent_error
        if error is not None and recent is not None:
            self.result.curve.append(CurvePoint(n_learned, error, recent, size))

    @contextmanager
    def _timed(self) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.result.seconds += time.perf_counter() - start


def learn(
    model: Model,
    source: TrainingSource,
    epochs: int,
    checkpoint: Checkpoint | None,
    terminal: Console,
    *,
    decisions: Decisions | None = None,
    max_time: float = math.inf,
) -> TrainResult:
    """Learn the examples of a source.

    Parameters
    ----------
    model : estimator
        The estimator; it may have learned before.
    source : TrainingSource
        The examples.
    epochs : int
        Number of passes.
    checkpoint : Checkpoint or None
        Saves the model now and then.
    terminal : Console
        Shows the progress.
    decisions : Decisions, default=None
        Collects the decision values of the first pass.
    max_time : float, default=inf
        Seconds; then no more rows are learned, and the model is finished.

    Returns
    -------
    TrainResult
        What was learned until the end, until Ctrl-C, or until a row that cannot be learned.
    """
    trainer = Trainer(model, source.preparation.answers)
    result, end = trainer.result, time.monotonic() + max_time
    with _progress(terminal, "features" if traits(model).size_unit == "features" else "SVs") as progress:
        task = progress.add_task("learning", total=None, visible=False, seen=0, error="", size=0)
        try:
            for epoch in takewhile(lambda _: not result.is_out_of_time, range(epochs)):
                for X, y in _until(end, result, _batches(_with_gamma(model, source, epoch), model)):
                    if decisions is not None and epoch == 0:
                        decisions.add(model, X, y)
                    trainer.learn(X, y, source.classes, is_first_pass=epoch == 0)
                    _show(progress, task, result, _fraction_done(source.fraction_read(), epoch, epochs))
                    if checkpoint is not None:
                        checkpoint.save_if_due(model)
                if epoch == 0:
                    trainer.end_first_pass()
            trainer.finish()
            _show(progress, task, result, 1.0)
        except KeyboardInterrupt:
            if not streaming.is_fitted(model):
                raise
            result.is_interrupted = True
        except HingeError as error:
            if not result.n_learned:
                raise
            result.failure = error
    return result


def _until(end: float, result: TrainResult, batches: Iterator[Examples]) -> Iterator[Examples]:
    """Yield batches until the time is up, at least one; note it if some are left."""
    for batch in batches:
        if time.monotonic() > end and result.n_learned:
            result.is_out_of_time = True
            return
        yield batch


def _with_gamma(model: Model, source: TrainingSource, epoch: int) -> Iterator[Examples]:
    """Yield the chunks of a pass; set `gamma` from the whole first chunk, because the first batch alone is small.

    A pipe may begin with a few rows. The model then chooses `gamma` as more of them arrive. That of a model for
    streams that change follows the stream.
    """
    if streaming.traits(model).is_ordered:
        yield from source.chunks(epoch)
        return
    for X, y in source.chunks(epoch):
        rows = rows_to_learn(model, X, y)
        is_large = rows.shape[0] >= (1 if source.is_repeatable else MIN_ROWS_FOR_GAMMA)
        if is_large and isinstance(model.gamma, str) and not streaming.is_fitted(model):
            model.set_params(gamma=streaming.resolve_gamma(model, rows))
        yield X, y


def _batches(chunks: Iterable[Examples], model: Model) -> Iterator[Examples]:
    """Cut chunks into batches: small ones at first, when a model changes fast, and larger ones later."""
    n_seen = model.n_seen_ if streaming.is_fitted(model) else 0
    for X, y in chunks:
        start = 0
        while start < len(y):
            size = min(max(n_seen // 8, MIN_BATCH), MAX_BATCH)
            yield X[start : start + size], y[start : start + size]
            start += size
            n_seen += size


def _fraction_done(of_pass: float | None, epoch: int, epochs: int) -> float | None:
    return None if of_pass is None else (epoch + of_pass) / epochs


def _progress(terminal: Console, size_unit: str) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(f"{{task.fields[seen]:,}} examples, {{task.fields[error]}}{{task.fields[size]:,}} {size_unit}"),
        TimeRemainingColumn(),
        console=terminal,
    )


def _show(progress: Progress, task: TaskID, result: TrainResult, done: float | None) -> None:
    error, recent = result.progressive_error, result.recent_error
    said = "" if error is None else f"error {error:.2f} % (last {ProgressiveScore.RECENT}: {recent:.2f} %), "
    if result.values.n_rows:
        said = f"mean absolute error {short(result.values.mean_absolute_error)}, "
    progress.update(
        task,
        visible=True,
        total=None if done is None else 1.0,
        completed=done or 0.0,
        seen=result.n_learned,
        error=said,
        size=result.model_size,
    )
