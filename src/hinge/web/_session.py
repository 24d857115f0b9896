"""A labelling session: a pool, its labels, the people who label it, and the model. Everything but the web server."""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import proxy

import numpy as np

from hinge.web import _responses
from hinge.web._assignments import Assignments, Candidate
from hinge.web._label_cache import LabelCache
from hinge.web._labels import AlreadyLabelledError, InvalidRequestError, NotFoundError, check_person
from hinge.web._learning import MODEL_TIMEOUT_S, Learning, result_of
from hinge.web._learning_curve import LabelHistory
from hinge.web._next_examples import NextExamples
from hinge.web._overlap import SECOND, Overlap
from hinge.web._review import Review
from hinge.web._undo_log import Action, UndoLog

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hinge.web._labels import LabelRecord
    from hinge.web._responses import HistoryPage, NextExample, Progress, ProjectSummary
    from hinge.web._settings import SessionSettings
    from hinge.web._store import Store
    from hinge.web.pools import Pool

_MAX_SECONDS = 3600.0  # per example; a longer time means that the person went away


class Session:
    """People who label a pool.

    Every change is written to the database before anything else happens. The model is trained from the database when
    the session starts, so the database is all there is to lose. All methods are thread-safe.

    Parameters
    ----------
    pool : Pool
        The examples.
    store : Store
        The database, opened for a project.
    settings : SessionSettings
        How examples are chosen, and which model learns.
    classes : sequence of str
        Initial classes.
    """

    def __init__(self, pool: Pool, store: Store, settings: SessionSettings, classes: Sequence[str] = ()) -> None:
        self.pool, self.store, self.settings = pool, store, settings
        # Held while the cache or the assignments change, never while waiting for the model.
        self._lock = threading.RLock()
        self.cache = LabelCache(pool, store)
        self.assignments = Assignments()
        self.overlap = Overlap(pool, self.cache, store.connections, settings)
        self._undo_log = UndoLog(self.cache, self.overlap)
        for name in classes:
            self.cache.add_class(name)
        self.cache.import_known()
        self.review, self.next_examples = Review(proxy(self)), NextExamples(proxy(self))
        self.learning = Learning(proxy(self))
        self.learning.start()

    def close(self) -> None:
        """End the session."""
        self.learning.stop()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the cache and the assignments."""
        with self._lock:
            yield

    @contextmanager
    def changing_many(self) -> Iterator[LabelCache]:
        """Hold the lock while the store changes many labels; then read them again, and update the model."""
        with self._lock:
            before = self.cache.labels()
            yield self.cache
            self._reload(before)

    def next_example(self, person: str, holding: int | None = None) -> NextExample:
        """Return the example that a person labels next: the one assigned to them, or a new one.

        `holding` is the row on the person's screen; it is assigned to them again if possible.
        """
        person = check_person(person)
        with self._lock:
            self.assignments.mark_active(person)
            held = self._assigned(person)
            if held is None and holding is not None and self.next_examples.is_free(holding, person):
                prepared = (each for each in self.learning.worker.candidates() if each.row == holding)
                held = next(prepared, Candidate(holding, "chosen"))
                self.assignments.assign(person, held)
            elif held is None and holding is not None and self.overlap.wants(holding, person):
                held = Candidate(holding, SECOND)
                self.assignments.assign(person, held)
        return self._response(person, self._scored(person, held) if held else self.next_examples.assign(person))

    def add_label(self, person: str, row: int, label: str, seconds: float | None) -> NextExample:
        """Save a label; return the next example."""
        person = check_person(person)
        with self._lock:
            self.assignments.mark_active(person)
            try:
                with self._reload_if_stale(row):
                    self._add_label(person, row, label, _plausible(seconds))
            except AlreadyLabelledError:
                if not self._is_repeated(person, row, label):
                    raise
                self._finish(
                    person, Action("label", row)
                )  # saved by an attempt whose answer from the database was lost
        self.learning.wait()
        return self._response(person, self.next_examples.assign(person), saved=row)

    def _add_label(self, person: str, row: int, label: str, seconds: float | None) -> None:
        """Save a label, a second label, or nothing if the page repeats a request."""
        if self.overlap.wants(row, person):
            self.overlap.add(row, self.cache.check_class(label), person, seconds)
            self._finish(person, Action(SECOND, row))
        elif not self._is_repeated(person, row, label):
            self.cache.add(self._labelled_candidate(person, row), label, person, seconds)
            self._finish(person, Action("label", row))
            self.learning.learn([row])

    def skip(self, person: str, row: int) -> NextExample:
        """Skip an example; return the next one."""
        person = check_person(person)
        with self._lock:
            self.assignments.mark_active(person)
            if row in self.cache.records and not self.overlap.wants(row, person):
                raise AlreadyLabelledError(self.pool.key(row))
            self.cache.skip(row, person)
            self._finish(person, Action("skip", row))
        return self._response(person, self.next_examples.assign(person))

    def unskip(self, person: str) -> NextExample:
        """Undo all skips of a person; return the next example."""
        person = check_person(person)
        with self._lock:
            self.assignments.mark_active(person)
            for row in [row for row, people in self.cache.skipped.items() if person in people]:
                self.cache.unskip(row, person)
        self.learning.worker.refresh_candidates()
        return self.next_example(person)

    def undo(self, person: str, holding: int | None = None, request: str | None = None) -> NextExample:
        """Undo a person's last label or skip; return that example.

        If the person does not hold the row that they think they hold, they missed the last response. They get that
        one again, and nothing is undone. After a restart, `request` tells whether it was done: it is the same when the
        page repeats a request, and is stored with the change.
        """
        person = check_person(person)
        with self._lock:
            self.assignments.mark_active(person)
            candidate, held = self._undone_before(person, request), self._assigned(person)
            if candidate is None and held is not None and holding not in (None, held.row):
                candidate = held
            if candidate is None:
                candidate = self._undo(person, self._undo_log.last(person), request)
            self.assignments.assign(person, candidate)
        self.learning.wait()
        return self._response(person, self._scored(person, candidate))

    def check_own(self, row: int, person: str | None) -> None:
        """Raise an error if a label is not by this person; None may change all labels."""
        if person is not None and self.cache.get(row).person != person:
            raise InvalidRequestError("Only owners of the project can change the labels of other people.")

    def change_label(self, person: str, row: int, label: str) -> float | None:
        """Change a label; return the seconds until the model was exact again, None if it is still learning."""
        with self._lock, self._reload_if_stale(row):
            record = self.cache.change(row, label, check_person(person))
            done = self.learning.worker.relabel(row, record.label)
        return result_of(done, MODEL_TIMEOUT_S)

    def delete_label(self, row: int, person: str) -> float | None:
        """Delete a label; return the seconds until the model was exact again, None if it is still learning."""
        with self._lock, self._reload_if_stale(row):
            self.cache.delete(row, check_person(person))
            done = self.learning.worker.forget(row)
        return result_of(done, MODEL_TIMEOUT_S)

    def add_class(self, name: str) -> None:
        """Add a class."""
        with self._lock:
            self.cache.add_class(name)

    def remove_class(self, name: str) -> None:
        """Remove a class without labels."""
        with self._lock:
            self.cache.remove_class(name)

    def mark_active(self, person: str) -> None:
        """Record that a person is active."""
        with self._lock:
            self.assignments.mark_active(check_person(person))

    def export_records(self, format: str) -> list[LabelRecord]:  # noqa: A002  the usual name
        """Return the label records to export, as they are in the database now."""
        with self._lock:
            self.reload()
            return self.cache.export_records(format)

    def project(self) -> ProjectSummary:
        """Summarize the state of the project."""
        with self._lock:
            active = self.assignments.active_people()
            letters = self.review.letters
            return _responses.project_summary(self.pool, self.cache, active, self.settings.strategy, letters)

    def progress(self) -> Progress:
        """Describe the progress of the labelling."""
        with self._lock:
            if self.cache.is_outdated():
                self.reload()
            records = dict(self.cache.records)
            balance = _responses.class_counts(self.cache)
        self.learning.hold_race()
        curve = self.learning.curve_estimator.update(LabelHistory.of(records))
        state = self.learning.worker.status(), self.learning.summary_of_features()
        return _responses.progress(records.values(), curve, balance, state, len(self.pool))

    def history(self, offset: int, limit: int, *, label: str | None = None, person: str | None = None) -> HistoryPage:
        """Return one page of the history, newest label first, optionally of one class or person."""
        total, records = self.cache.history(offset, limit, label, person)
        unmatched = self.cache.unmatched
        entries = [_responses.history_entry(self.pool, each, is_unmatched=each.key in unmatched) for each in records]
        return {"total": total, "entries": entries}

    @contextmanager
    def _reload_if_stale(self, row: int) -> Iterator[None]:
        """Reload the cache if a request failed because another program wrote to the database."""
        try:
            yield
        except (AlreadyLabelledError, NotFoundError):
            if self.cache.is_stale(row):
                self.reload()
            raise

    def reload(self) -> None:
        """Reload the cache from the database."""
        self._reload(self.cache.labels())

    def _reload(self, before: dict[int, str]) -> None:
        """Reload the cache; update the model with what has changed."""
        self.cache.mark_outdated()
        self.overlap.reload()  # first: if it fails, the labels are still the old ones, and the model is theirs
        self.cache.reload()
        self.learning.learn_changes(before)

    def _scored(self, person: str, candidate: Candidate) -> Candidate:
        """Add the scores of the model to a candidate, if it can provide them at once."""
        scored = self.learning.scored(candidate)
        with self._lock:
            if scored is not candidate and self.assignments.get(person) == candidate:
                self.assignments.assign(person, scored)
        return scored

    def _assigned(self, person: str) -> Candidate | None:
        """Return the example assigned to a person; release it if it has been labelled in the meantime."""
        held = self.assignments.get(person)
        if held is not None and held.row in self.cache.records and not self.overlap.wants(held.row, person):
            self.assignments.release(person)
            return None
        return held

    def _is_repeated(self, person: str, row: int, label: str) -> bool:
        """Return whether this label is already saved: the page may have missed the response."""
        record = self.cache.records.get(row)
        is_first = record is not None and (record.person, record.label) == (person, label.strip())
        return is_first or self.overlap.has(row, person, label.strip())

    def _labelled_candidate(self, person: str, row: int) -> Candidate:
        """Return the candidate that a person labels; after a restart only its row is known."""
        held = self._assigned(person)
        if held is not None and held.row == row:
            return held
        self.cache.check_row(row)
        if row in self.cache.records or self.assignments.holder(row) is not None:
            raise AlreadyLabelledError(self.pool.key(row))
        return Candidate(row, "chosen")

    def _finish(self, person: str, action: Action) -> None:
        """Release the example that a person has labelled or skipped, and remember the action for undo."""
        held = self.assignments.get(person)
        if held is not None and held.row == action.row:
            self.assignments.release(person)
        self._undo_log.add(person, action)

    def _undone_before(self, person: str, request: str | None) -> Candidate | None:
        """Return the example whose label or skip this request has undone already; None if it has not."""
        undone = None if request is None else self.review.events.undone(request)
        row = None if undone is None else self.pool.row_of(undone.key)
        if row is not None and self.overlap.wants(row, person):
            return Candidate(row, SECOND)
        if undone is None or row is None or not self.next_examples.is_free(row, person):
            return None
        before = undone.before
        return Candidate(row, before.drawn, previous_label=before.label) if before else Candidate(row, "chosen")

    def _undo(self, person: str, action: Action, request: str | None) -> Candidate:
        """Undo an action; return the candidate as it was before."""
        row = action.row
        if action.kind == "skip":
            self.cache.unskip(row, person, request)
            return Candidate(row, SECOND if row in self.cache.records else "chosen")
        if action.kind == SECOND:
            opinion = self.overlap.delete(row, person, request)
            return Candidate(row, SECOND, previous_label=None if opinion is None else opinion.label)
        with self._reload_if_stale(row):
            before = self.cache.delete(row, person, "undo", request)
            self.overlap.delete(row, person)
        self.learning.worker.forget(row)
        return Candidate(row, before.drawn, previous_label=before.label)  # a random example stays a test example

    def _response(self, person: str, candidate: Candidate | None, saved: int | None = None) -> NextExample:
        view = None if candidate is None else _responses.view_with_image(self.pool, candidate.row)
        with self._lock:
            example = None
            if candidate is not None and view is not None:
                example = _responses.example(candidate, view, self.learning.temperature())
            free = (
                each.row for each in self.learning.worker.candidates() if self.next_examples.is_free(each.row, person)
            )
            return {
                "example": example,
                "project": {**self.project(), "skipped": self.cache.n_skipped(person)},
                "saved": saved,
                "upcoming": [row for row in free if candidate is None or row != candidate.row][:4],
            }


def _plausible(seconds: float | None) -> float | None:
    """Return a time spent on an example, rounded to milliseconds; None if it is not plausible."""
    if seconds is None or not math.isfinite(seconds) or not 0 <= seconds <= _MAX_SECONDS:
        return None
    return float(np.round(seconds, 3))
