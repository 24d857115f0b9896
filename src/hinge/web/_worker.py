"""The model behind the page: one thread that learns what people said and prepares the next questions.

Nobody who labels waits for the model longer than a moment: labels are in the database already, questions are prepared
ahead, and a question chosen by a model that misses the last label is nearly as good.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from concurrent.futures import Future
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hinge.active import ActiveLearner
from hinge.web._desk import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from hinge.active import Advice
    from hinge.web._settings import SessionSettings

Result = TypeVar("Result")

LAST_WORDS = 3.0  # seconds for what is under way when all ends; threads that take longer end with the program
_SPARE = 4  # questions prepared beyond those wanted now
_RANDOM = 2  # of which so many, at least, are drawn at random
_ADVICE_EVERY = 1.0  # seconds
_QUICKLY_MEASURED = 2000  # labels up to which the optimality conditions are looked at all the time
_log = logging.getLogger("hinge.web")


class Worker:
    """Learns in the background.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The features of the pool.
    settings : SessionSettings
        What model, and how it chooses.
    taken : callable
        Returns the rows that are not to be prepared, and how many people are waiting for questions.

    Attributes
    ----------
    parameters : dict
        What decides about the model, whichever solver finds it: cost and kernel, its width settled by the pool.
    """

    def __init__(self, X: Any, settings: SessionSettings, taken: Callable[[], tuple[Collection[int], int]]) -> None:
        model = settings.model()
        self._X, self._taken = X, taken
        self.learner = ActiveLearner(
            model, X, settings.strategy, settings.sample, settings.seed, target=settings.target
        )
        settled = self.learner.model.get_params()  # now: as soon as the thread runs, the learner is its own
        self.parameters = {name: settled[name] for name in ("C", "gamma", "kernel")}
        self._tasks: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._changed = threading.Condition()
        self._questions: list[Question] = []
        self._advice: Advice | None = None
        self._about: dict[str, Any] = {"kind": type(model).__name__, "labels": 0, "support": 0, "kkt": None}
        self._advised_at, self._advised_for = -_ADVICE_EVERY, -1
        self._end = threading.Event()
        self._wanted, self._prepared = 1, 0  # versions of the questions: they age as labels come and questions go
        self._thread = threading.Thread(target=self._run, name="hinge-model", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """End the work, without waiting long: what has not been learned is in the database."""
        with self._changed:
            self._end.set()
            self._changed.notify_all()
        self._thread.join(LAST_WORDS)
        for _, future in list(self._tasks):
            future.cancel()
        self._taken = lambda: ((), 0)  # whoever began this work need not wait for the garbage collector

    def learn(self, rows: list[int], labels: list[str]) -> Future[Any]:
        """Learn labels."""
        return self.submit(lambda: self.learner.tell(rows, labels))

    def correct(self, row: int, label: str) -> Future[float]:
        """Learn that a label was wrong; the result is how long it took."""
        return self._timed(lambda: self.learner.tell([row], [label]))

    def forget(self, row: int) -> Future[float]:
        """Forget a label; the result is how long it took."""
        return self._timed(lambda: self.learner.forget([row]))

    def copy(self, labels: dict[int, str]) -> Future[Any]:
        """Have a copy of the model of all labels made; None while they are of one class. What failed is tried again."""

        def work() -> Any:
            known = self.learner.labels
            if gone := [row for row in known if row not in labels]:
                self.learner.forget(gone)
            if new := [row for row, label in labels.items() if known.get(row) != label]:
                self.learner.tell(new, [labels[row] for row in new])
            return deepcopy(self.learner.model) if self.learner.can_choose else None

        return self.submit(work)

    def think(self, row: int) -> Future[dict[str, float]]:
        """Have the scores of the classes for a row found."""
        return self.submit(lambda: class_scores(self.learner, self._X, np.array([row]))[0])

    def about(self) -> dict[str, Any]:
        """Return what there is to know about the model; of the last moment when it was at rest."""
        return {**self._about, "pending": self.pending}

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Have something done between two changes of the model."""
        future: Future[Result] = Future()
        with self._changed:
            if self._end.is_set():
                future.cancel()
                return future
            self._tasks.append((work, future))
            self._wanted += 1
            self._changed.notify_all()
        return future

    def refill(self) -> None:
        """Have questions prepared anew."""
        with self._changed:
            self._wanted += 1
            self._changed.notify_all()

    def settle(self, seconds: float) -> bool:
        """Wait until all is learned and the next questions are prepared, but not for ever."""
        with self._changed:
            wanted = self._wanted
            return self._changed.wait_for(lambda: self._prepared >= wanted or self._end.is_set(), seconds)

    @property
    def pending(self) -> int:
        """The number of changes that have not been learned yet."""
        return len(self._tasks)

    @property
    def advice(self) -> Advice | None:
        """The last advice whether to stop."""
        return self._advice

    def questions(self) -> list[Question]:
        """Return the questions that are prepared, best first."""
        with self._changed:
            return list(self._questions)

    def _timed(self, change: Callable[[], Any]) -> Future[float]:
        def work() -> float:
            began = time.perf_counter()
            change()
            return time.perf_counter() - began

        return self.submit(work)

    def _run(self) -> None:
        while True:
            with self._changed:
                is_up_to_date = self._advised_for == len(self.learner.labels)
                self._changed.wait_for(self._has_work, None if is_up_to_date else _ADVICE_EVERY)
                if self._end.is_set():
                    return
                tasks, version = list(self._tasks), self._wanted
            if version == self._prepared:  # nothing to do but to look back
                _attempt(self._look_back)
                continue
            for work, future in tasks:
                if self._end.is_set():
                    return
                _fulfil(work, future)
                with self._changed:
                    self._tasks.popleft()
            _attempt(self._prepare)
            with self._changed:
                self._prepared = version
                self._changed.notify_all()
            _attempt(self._look_back)

    def _has_work(self) -> bool:
        return self._prepared < self._wanted or self._end.is_set()

    def _prepare(self) -> None:
        """Choose the next questions."""
        taken, waiting = self._taken()
        wanted = waiting + _SPARE
        chosen = self.learner.ask(wanted, taken) if self.learner.can_choose else np.empty(0, dtype=np.int64)
        chance = self.learner.ask(max(wanted // 4, _RANDOM) if len(chosen) else wanted, taken, "random")
        chance = chance[~np.isin(chance, chosen)]
        questions = [*self._asked(chosen, "chosen"), *self._asked(chance, "random")]
        with self._changed:
            self._questions = questions
            self._about["labels"] = len(self.learner.labels)

    def _asked(self, rows: NDArray[np.int64], drawn: str) -> list[Question]:
        """Return questions about rows, with what the models think of them."""
        if not len(rows):
            return []
        scores = class_scores(self.learner, self._X, rows)
        return [Question(row, drawn, thoughts) for row, thoughts in zip(rows.tolist(), scores, strict=True)]

    def _look_back(self) -> None:
        """Look whether the model still changes, now and then."""
        n, now = len(self.learner.labels), time.monotonic()
        if self._tasks or n == self._advised_for or now - self._advised_at < _ADVICE_EVERY:
            return
        self._advice, self._advised_for, self._advised_at = self.learner.advice(), n, time.monotonic()
        self._about |= self._measured()

    def _measured(self) -> dict[str, Any]:
        """Return the size of the model, and how far from the optimum it is."""
        model = self.learner.model
        if not self.learner.can_choose:
            return {"support": 0, "kkt": None}
        worth_it = len(self.learner.labels) <= _QUICKLY_MEASURED
        return {"support": len(model.support_), "kkt": model.kkt_violation() if worth_it else None}


def class_scores(learner: ActiveLearner, X: Any, rows: NDArray[np.int64]) -> list[dict[str, float]]:
    """Return the score of each class for some rows; with two classes half the decision value, and minus that."""
    if not learner.can_choose:
        return [{} for _ in rows]
    model = learner.model
    values = np.asarray(model.decision_function(X[rows]))
    if values.ndim == 1:
        values = np.column_stack([-values, values]) / 2
    labels = [str(label) for label in model.classes_]
    return [dict(zip(labels, row, strict=True)) for row in values.tolist()]


def _fulfil(work: Callable[[], Any], future: Future[Any]) -> None:
    """Do something; who waits for it gets the result, or what went wrong."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except Exception as error:  # noqa: BLE001  the thread must go on, whoever asked is told
        _log.exception("The model could not take in a change.")
        future.set_exception(error)


def _attempt(work: Callable[[], None]) -> None:
    """Do something that may fail: the thread must go on."""
    try:
        work()
    except Exception:  # noqa: BLE001
        _log.exception("The model could not be asked.")
