"""A pool, its labels, the people who label it and the model: everything behind the page but the page."""

from __future__ import annotations

import math
import threading
from collections import deque
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hinge.web import _reports
from hinge.web._answer import MissingError, RefusedError, TakenError, check_person
from hinge.web._auditor import Auditor
from hinge.web._book import Book
from hinge.web._desk import Desk, Question
from hinge.web._sureness import Thermometer
from hinge.web._worker import LAST_WORDS, Worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hinge.web._answer import Answer
    from hinge.web._settings import SessionSettings
    from hinge.web._store import Store
    from hinge.web.pools import Pool

Result = TypeVar("Result")

_PATIENCE = 0.04  # seconds that somebody waits for the model to learn their last label before getting another question
_LONGER = 0.5  # and that they wait when no question is prepared, before they get any
_LONG = 10.0  # seconds for what cannot do without the model; browsers are patient for 15
_UNDONE = 100  # actions of a person that can be taken back
_LONGEST_LOOK = 3600.0  # seconds at one example; more says that somebody went away


class Session:
    """People who label a pool.

    Every change is written to the database before anything else happens. The model is made from the database when a
    session begins, so that there is nothing else to lose.

    Parameters
    ----------
    pool : Pool
        The examples.
    store : Store
        The database, opened for a project.
    settings : SessionSettings
        How examples are chosen, and which model learns.
    classes : sequence of str
        Classes to begin with.
    """

    def __init__(self, pool: Pool, store: Store, settings: SessionSettings, classes: Sequence[str] = ()) -> None:
        self.pool, self.settings = pool, settings
        self._lock = threading.RLock()  # held for a change of book and desk; never while waiting for the model
        self.book = Book(pool, store)
        self.desk = Desk()
        self._actions: dict[str, deque[tuple[str, int]]] = {}
        self._given = len(self.book.answers)
        self._thermometer = Thermometer()
        self._random = np.random.default_rng(settings.seed)
        for name in classes:
            self.book.add_class(name)
        self.book.bring_known()
        self.worker = Worker(pool.X, settings, self._taken)
        self.auditor = Auditor(pool.X, self.worker.parameters)
        self._learn(list(self.book.answers))
        self.worker.start()

    def close(self) -> None:
        """End the session."""
        self.worker.stop()
        self.auditor.wait(LAST_WORDS)

    def turn(self, person: str, holding: int | None = None) -> dict[str, Any]:
        """Return the example for somebody to look at: the one they hold, if they do."""
        person = check_person(person)
        with self._lock:
            self.desk.greet(person)
            held = self._held(person)
            if held is None and holding is not None and self._is_free(holding, person):
                held = next(
                    (each for each in self.worker.questions() if each.row == holding), Question(holding, "chosen")
                )
                self.desk.give(person, held)
        return self._turn(person, self._thought_about(person, held) if held else self._give(person))

    def answer(self, person: str, row: int, label: str, seconds: float | None) -> dict[str, Any]:
        """Write down a label; return the next example."""
        person = check_person(person)
        with self._lock, self._looking_again(row):
            self.desk.greet(person)
            if not self._is_repeated(person, row, label):
                self.book.record(self._asked(person, row), label, person, _sensible(seconds))
                self._end(person, row, "label")
                self._learn([row])
        self.worker.settle(_PATIENCE)
        return self._turn(person, self._give(person), saved=row)

    def skip(self, person: str, row: int) -> dict[str, Any]:
        """Pass over an example; return the next one."""
        person = check_person(person)
        with self._lock:
            self.desk.greet(person)
            if row in self.book.answers:
                raise TakenError(self.pool.key(row))
            self.book.skip(row, person)
            self._end(person, row, "skip")
        return self._turn(person, self._give(person))

    def unskip(self, person: str) -> dict[str, Any]:
        """Show somebody again what they passed over; return the first of these."""
        person = check_person(person)
        with self._lock:
            self.desk.greet(person)
            for row in [row for row, people in self.book.skipped.items() if person in people]:
                self.book.unskip(row, person)
        self.worker.refill()
        return self.turn(person)

    def undo(self, person: str, holding: int | None = None) -> dict[str, Any]:
        """Take back somebody's last label or skip; return that example.

        Whoever does not hold what they think they hold has not heard the last answer: they get that, and no more.
        """
        person = check_person(person)
        with self._lock:
            self.desk.greet(person)
            question = self._held(person)
            if holding is None or question is None or question.row == holding:
                question = self._taken_back(person, *self._last_action(person))
                self.desk.give(person, question)
        self.worker.settle(_PATIENCE)
        return self._turn(person, self._thought_about(person, question))

    def correct(self, person: str, row: int, label: str) -> float | None:
        """Put another label in the place of one; return how long it took until the model was exact again."""
        with self._lock, self._looking_again(row):
            self.book.correct(row, label, check_person(person))
            done = self.worker.correct(row, self.book.answers[row].label)
        return _result(done, _LONG)

    def delete(self, row: int) -> float | None:
        """Take a label out; return how long it took until the model was exact again."""
        with self._lock, self._looking_again(row):
            self.book.delete(row)
            done = self.worker.forget(row)
        return _result(done, _LONG)

    def add_class(self, name: str) -> None:
        """Make a class known."""
        with self._lock:
            self.book.add_class(name)

    def remove_class(self, name: str) -> None:
        """Remove a class without labels."""
        with self._lock:
            self.book.remove_class(name)

    def bring(self, answers: Iterable[Answer]) -> tuple[int, int, int]:
        """Take labels from elsewhere, which replace others; return how many are new, changed and the same."""
        with self._lock:
            before = self.book.labels()
            counts = self.book.bring(answers, replace=True)
            self._follow(before)
        return counts

    def greet(self, person: str) -> None:
        """Note that somebody is here."""
        with self._lock:
            self.desk.greet(check_person(person))

    def exported(self, format: str) -> list[Answer]:  # noqa: A002  everybody's name for it
        """Return the labels for a file; the database is read anew."""
        with self._lock:
            self._read_again()
            return self.book.exported(format)

    def project(self) -> dict[str, Any]:
        """Return what there is to know at a glance."""
        with self._lock:
            return _reports.project(self)

    def progress(self) -> dict[str, Any]:
        """Return how far the labelling has come."""
        with self._lock:
            if self.book.is_outdated():
                self._read_again()
            answers = dict(self.book.answers)
        return _reports.progress(self, answers)

    def history(self, offset: int, limit: int, **wanted: Any) -> dict[str, Any]:
        """Return labels, newest first."""
        total, answers = self.book.history(offset, limit, **wanted)
        aside = self.book.aside
        entries = [_reports.entry(self.pool, answer, is_aside=answer.key in aside) for answer in answers]
        return {"total": total, "entries": entries}

    def model(self, patience: float | None = _LONG) -> Any:
        """Return the model of all labels, as it is saved; refuse if it has not learned them after some seconds."""
        with self._lock:
            copy = self.worker.copy(self.book.labels())
        model = _result(copy, patience)
        if copy.cancelled() or not copy.done():
            raise RefusedError("The model must have learned all labels to be saved; try again in a while.")
        if model is None:
            raise RefusedError("A model must have labels of two classes at least to be saved; label some more.")
        return self.pool.wrapped(model)

    def heat(self) -> float:
        """Return the temperature of the model's sureness, from how often it was right of late."""
        return self._thermometer.read(self.book.answers)

    def _learn(self, rows: list[int]) -> None:
        answers = [self.book.answers[row] for row in rows]
        if rows:
            self.worker.learn(rows, [answer.label for answer in answers])

    @contextmanager
    def _looking_again(self, row: int) -> Iterator[None]:
        """Read the database anew where it says otherwise than we thought: another program may have written to it."""
        try:
            yield
        except (TakenError, MissingError):
            if self.book.is_stale(row):
                self._read_again()
            raise

    def _read_again(self) -> None:
        """Take over what the database says."""
        before = self.book.labels()
        self.book.read()
        self._follow(before)

    def _follow(self, before: dict[int, str]) -> None:
        """Have the model learn how the labels differ from what they were."""
        now = self.book.labels()
        self._learn([row for row, label in now.items() if before.get(row) != label])
        for row in before.keys() - now.keys():
            self.worker.forget(row)

    def _taken(self) -> tuple[set[int], int]:
        """Return the rows not to be prepared as questions, and how many people there are."""
        with self._lock:
            skipped = {row for row, people in self.book.skipped.items() if people}
            return {*self.desk.rows(), *skipped}, len(self.desk.here())

    def _thought_about(self, person: str, question: Question) -> Question:
        """Return a question with what the model thinks of it, if it can say so at once."""
        if question.scores:
            return question
        scores = _result(self.worker.think(question.row), _PATIENCE) or {}
        with self._lock:
            thought = replace(question, scores=scores)
            if self.desk.of(person) == question:
                self.desk.give(person, thought)
        return thought

    def _held(self, person: str) -> Question | None:
        """Return what lies in front of somebody, unless it has got a label meanwhile."""
        held = self.desk.of(person)
        if held is not None and held.row in self.book.answers:
            self.desk.take(person)
            return None
        return held

    def _is_repeated(self, person: str, row: int, label: str) -> bool:
        """Tell whether an answer is written down already: the page that gave it may not have heard of that."""
        answer = self.book.answers.get(row)
        return answer is not None and (answer.person, answer.label) == (person, label.strip())

    def _asked(self, person: str, row: int) -> Question:
        """Return the question that somebody answers; one asked before a restart is known by its row only."""
        held = self._held(person)
        if held is not None and held.row == row:
            return held
        self.book.require(row)
        if row in self.book.answers or self.desk.holder(row) is not None:
            raise TakenError(self.pool.key(row))
        return Question(row, "chosen")

    def _end(self, person: str, row: int, what: str) -> None:
        """Clear the place in front of somebody who is done with an example."""
        held = self.desk.of(person)
        if held is not None and held.row == row:
            self.desk.take(person)
        self._actions.setdefault(person, deque(maxlen=_UNDONE)).append((what, row))

    def _taken_back(self, person: str, what: str, row: int) -> Question:
        """Take back what somebody did; return the question as it was."""
        if what == "skip":
            self.book.unskip(row, person)
            return Question(row, "chosen")
        with self._looking_again(row):
            before = self.book.delete(row)
        self.worker.forget(row)
        drawn = "random" if before.drawn == "random" else "chosen"  # one that tests the model goes on doing so
        return Question(row, drawn, before=before.label)

    def _last_action(self, person: str) -> tuple[str, int]:
        """Return what somebody did last that can be taken back; it stays in mind, as that may fail."""
        actions = self._actions.setdefault(person, deque(maxlen=_UNDONE))
        while actions:
            what, row = actions[-1]
            done = self.book.answers.get(row)
            skipped = done is None and person in self.book.skipped.get(row, ())
            if skipped if what == "skip" else done is not None and done.person == person:
                return what, row
            actions.pop()
        _, latest = self.book.history(0, 1, person=person)
        labelled = self.pool.row_of(latest[0].key) if latest else None
        if labelled is None:
            raise MissingError("There must be a label or a skip of yours to take back, there is none.")
        return "label", labelled

    def _give(self, person: str) -> Question | None:
        """Put the next example in front of somebody: one that is prepared or, while the model is busy, any."""
        for is_last in (False, True):
            with self._lock:
                question = self._choose(person) or (self._any(person) if is_last else None)
                if question is not None:
                    self.desk.give(person, question)
                    self._given += 1
                    return question
            if not is_last:
                self.worker.refill()
                self.worker.settle(_LONGER)
        return None

    def _choose(self, person: str) -> Question | None:
        """Return the best question for somebody; now and then one drawn at random."""
        free = [each for each in self.worker.questions() if self._is_free(each.row, person)]
        due = "random" if (self._given + 1) % self.settings.check_every == 0 else "chosen"
        return next((each for each in free if each.drawn == due), free[0] if free else None)

    def _any(self, person: str) -> Question | None:
        """Return a question about one of all rows that are left; those that others passed over come last."""
        is_left = np.ones(len(self.pool), dtype=bool)
        is_left[[*self.book.answers, *self._taken()[0]]] = False
        rows = np.flatnonzero(is_left)
        if len(rows):
            return Question(int(self._random.choice(rows)), "random")
        skipped = (row for row, people in self.book.skipped.items() if people and self._is_free(row, person))
        return next((Question(row, "chosen") for row in skipped), None)

    def _is_free(self, row: int, person: str) -> bool:
        """Tell whether somebody may get a row."""
        return (
            0 <= row < len(self.pool)
            and row not in self.book.answers
            and self.desk.holder(row) in (None, person)
            and person not in self.book.skipped.get(row, ())
        )

    def _turn(self, person: str, question: Question | None, saved: int | None = None) -> dict[str, Any]:
        view = {} if question is None else _reports.whole_view(self.pool, question.row)
        with self._lock:
            shown = None if question is None else question.row
            free = (each.row for each in self.worker.questions() if self._is_free(each.row, person))
            upcoming = [row for row in free if row != shown]
            return {
                "example": None if question is None else _reports.example(self, question, view),
                "project": {**_reports.project(self), "skipped": self.book.n_skipped(person)},
                "saved": saved,
                "upcoming": upcoming[:4],
            }


def _result(done: Future[Result], patience: float | None) -> Result | None:
    """Return what the model has done, None if that takes too long or the session ends: labels are safe anyhow."""
    try:
        return done.result(patience)
    except (TimeoutError, CancelledError):
        return None


def _sensible(seconds: float | None) -> float | None:
    """Return how long somebody looked, if that can be believed."""
    if seconds is None or not math.isfinite(seconds) or not 0 <= seconds <= _LONGEST_LOOK:
        return None
    return float(np.round(seconds, 3))
