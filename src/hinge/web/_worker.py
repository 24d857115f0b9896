"""The model behind the page: one thread that learns labels and prepares the next candidates.

People hardly ever wait for the model. Labels are already in the database, candidates are prepared ahead, and one
chosen by a model that has not yet learned the last label is nearly as good.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from concurrent.futures import Future
from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from hinge.web._learners import Learners, class_scores
from hinge.web._learning_curve import ModelParameters

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from hinge.active import Advice
    from hinge.web._assignments import Candidate
    from hinge.web._responses import ModelStatus
    from hinge.web._settings import SessionSettings
    from hinge.web.pools import Features, Model

Result = TypeVar("Result")

EXIT_TIMEOUT_S = 3.0  # for work in progress at the end; threads that take longer end with the process
_ADVICE_INTERVAL_S = 1.0
_MAX_LABELS_FOR_KKT = 2000  # beyond this, checking the optimality conditions takes too long
_log = logging.getLogger("hinge.web")


class _Task(NamedTuple):
    """A function for the thread, and one that cancels its future."""

    run: Callable[[], None]
    cancel: Callable[[], bool]


class Worker:
    """Learns labels and prepares candidates in a background thread.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The features of the pool.
    settings : SessionSettings
        The model and the strategy.
    unavailable : callable
        Returns the rows that must not become candidates, and the number of active people.
    on_choose_test : callable
        Called with the row of a test example that the model chose, too; see `Learners`.

    Attributes
    ----------
    parameters : ModelParameters
        Cost, kernel and kernel width, the width resolved for the pool.
    """

    def __init__(
        self,
        X: Features,
        settings: SessionSettings,
        unavailable: Callable[[], tuple[Collection[int], int]],
        on_choose_test: Callable[[int], None],
    ) -> None:
        self._X, self._unavailable = X, unavailable
        self._learners = Learners(X, settings, on_choose_test)
        self.learner = self._learners.full
        resolved = self.learner.model.get_params()  # now, because only the thread may use the learner once it runs
        self.parameters = ModelParameters(C=resolved["C"], gamma=resolved["gamma"], kernel=resolved["kernel"])
        self._tasks: deque[_Task] = deque()
        self._changed = threading.Condition()
        self._candidates: list[Candidate] = []
        self._advice: Advice | None = None
        self._status: ModelStatus = {
            "kind": type(self.learner.model).__name__,
            "labels": 0,
            "support": 0,
            "kkt": None,
            "pending": 0,
        }
        self._advised_at, self._advised_for = -_ADVICE_INTERVAL_S, -1
        self._end = threading.Event()
        # Versions of the candidates: a label or an empty list requests a new one, the thread prepares the latest.
        self._requested, self._prepared = 1, 0
        self._thread = threading.Thread(target=self._run, name="hinge-model", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after its current task; labels not yet learned are in the database."""
        with self._changed:
            self._end.set()
            self._changed.notify_all()
        self._thread.join(EXIT_TIMEOUT_S)
        for task in list(self._tasks):
            task.cancel()
        self._unavailable = lambda: ((), 0)  # breaks the reference cycle with the session
        self._learners.on_choose_test = lambda _: None

    def learn(self, rows: list[int], labels: list[str], tests: Collection[int] = ()) -> None:
        """Learn labels; `tests` are the rows that measure the accuracy, and must not influence what is chosen."""
        self._submit(lambda: self._learners.tell(rows, labels, tests))

    def relabel(self, row: int, label: str) -> Future[float]:
        """Learn another label of a row; the result is the time it took in seconds."""
        return self._submit_timed(lambda: self._learners.tell([row], [label]))

    def forget(self, row: int) -> Future[float]:
        """Forget the label of a row; the result is the time it took in seconds."""
        return self._submit_timed(lambda: self._learners.forget([row]))

    def copy_model(self, labels: dict[int, str]) -> Future[Model | None]:
        """Copy the model of exactly these labels; the result is None while there are fewer than two classes.

        Updates that failed before are tried again.
        """

        def work() -> Model | None:
            known = self.learner.labels
            if removed := [row for row in known if row not in labels]:
                self._learners.forget(removed)
            if new := [row for row, label in labels.items() if known.get(row) != label]:
                self._learners.tell(new, [labels[row] for row in new])
            return deepcopy(self.learner.model) if self.learner.can_choose else None

        return self._submit(work)

    def score(self, row: int) -> Future[dict[str, float]]:
        """Compute the score of each class for a row."""
        return self._submit(lambda: class_scores(self.learner, self._X, np.array([row]))[0])

    def status(self) -> ModelStatus:
        """Return the state of the model after its last completed update."""
        return {**self._status, "pending": self.pending}

    def refresh_candidates(self) -> None:
        """Prepare new candidates."""
        with self._changed:
            self._requested += 1
            self._changed.notify_all()

    def wait(self, timeout: float) -> bool:
        """Wait until all labels are learned and the next candidates are ready; return False after `timeout` seconds."""
        with self._changed:
            requested = self._requested
            return self._changed.wait_for(lambda: self._prepared >= requested or self._end.is_set(), timeout)

    @property
    def pending(self) -> int:
        """The number of changes that have not been learned yet."""
        return len(self._tasks)

    @property
    def advice(self) -> Advice | None:
        """The latest advice on whether to stop."""
        return self._advice

    def candidates(self) -> list[Candidate]:
        """Return the prepared candidates, best first."""
        with self._changed:
            return list(self._candidates)

    def _submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Run a function in the thread, after the changes submitted before."""
        future: Future[Result] = Future()
        with self._changed:
            if self._end.is_set():
                future.cancel()
                return future
            self._tasks.append(_Task(lambda: _complete(work, future), future.cancel))
            self._requested += 1
            self._changed.notify_all()
        return future

    def _submit_timed(self, change: Callable[[], object]) -> Future[float]:
        def work() -> float:
            began = time.perf_counter()
            change()
            return time.perf_counter() - began

        return self._submit(work)

    def _run(self) -> None:
        while True:
            with self._changed:
                is_up_to_date = self._advised_for == len(self.learner.labels)
                self._changed.wait_for(self._has_work, None if is_up_to_date else _ADVICE_INTERVAL_S)
                if self._end.is_set():
                    return
                tasks, version = list(self._tasks), self._requested
            if version == self._prepared:  # idle: only the advice is out of date
                _log_errors(self._update_advice)
                continue
            for task in tasks:
                if self._end.is_set():
                    return
                task.run()
                with self._changed:
                    self._tasks.popleft()
            _log_errors(self._prepare)
            with self._changed:
                self._prepared = version
                self._changed.notify_all()
            _log_errors(self._update_advice)

    def _has_work(self) -> bool:
        return self._prepared < self._requested or self._end.is_set()

    def _prepare(self) -> None:
        """Choose the next candidates."""
        unavailable, n_people = self._unavailable()
        candidates = self._learners.candidates(unavailable, n_people)
        with self._changed:
            self._candidates = candidates
            self._status["labels"] = len(self.learner.labels)

    def _update_advice(self) -> None:
        """Update the advice and the size of the model, at most once per interval and only when idle."""
        n, now = len(self.learner.labels), time.monotonic()
        if self._tasks or n == self._advised_for or now - self._advised_at < _ADVICE_INTERVAL_S:
            return
        self._advice, self._advised_for, self._advised_at = self.learner.advice(), n, time.monotonic()
        self._update_status()

    def _update_status(self) -> None:
        model = self.learner.model
        if not self.learner.can_choose:
            self._status |= {"support": 0, "kkt": None}
            return
        is_quick = len(self.learner.labels) <= _MAX_LABELS_FOR_KKT
        self._status |= {"support": len(model.support_), "kkt": model.kkt_violation() if is_quick else None}


def _complete(work: Callable[[], Result], future: Future[Result]) -> None:
    """Run a function and store its result, or its error, in a future."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except Exception as error:  # noqa: BLE001  the thread must continue; the caller gets the error
        _log.exception("The model could not be updated.")
        future.set_exception(error)


def _log_errors(work: Callable[[], None]) -> None:
    """Run a function and log its errors, because the thread must continue."""
    try:
        work()
    except Exception:  # noqa: BLE001
        _log.exception("The model could not prepare candidates or advice.")
