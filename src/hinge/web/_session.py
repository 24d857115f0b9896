"""A labelling session: a pool, its labels, the people who label it, and the model. Everything but the web server."""

from __future__ import annotations

import math
import threading
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar
from weakref import proxy

import numpy as np

from hinge.web import _responses
from hinge.web._assignments import Assignments, Candidate
from hinge.web._calibration import TemperatureScaling
from hinge.web._doubts import DoubtFinder
from hinge.web._features import FeatureChoice, FeatureRace, feature_sets
from hinge.web._label_cache import LabelCache
from hinge.web._labels import AlreadyLabelledError, InvalidRequestError, NotFoundError, check_person
from hinge.web._learning_curve import LabelHistory, LearningCurveEstimator
from hinge.web._next_examples import NextExamples
from hinge.web._overlap import SECOND, Overlap
from hinge.web._predictions import predict_pool
from hinge.web._review import Review
from hinge.web._undo_log import Action, UndoLog
from hinge.web._worker import EXIT_TIMEOUT_S, Worker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hinge.web._labels import LabelRecord
    from hinge.web._predictions import Predictions
    from hinge.web._responses import FeatureSummary, HistoryPage, NextExample, Progress, ProjectSummary
    from hinge.web._settings import SessionSettings
    from hinge.web._store import Store
    from hinge.web.pools import Model, Pool, SavedModel

Result = TypeVar("Result")

_LEARN_TIMEOUT_S = 0.04  # before the next example is sent although the model has not learned the last label
_MODEL_TIMEOUT_S = 10.0  # for requests that need the model; browsers give up after 15
_FEATURES = "features"  # in the state of the project
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
        self._scaling = TemperatureScaling()
        for name in classes:
            self.cache.add_class(name)
        self.cache.import_known()
        self.review, self.next_examples = Review(proxy(self)), NextExamples(proxy(self))
        self._sets = feature_sets(pool)
        self._race = FeatureRace(self._sets, settings)
        self.features = self._stored_features()
        self._start_model()

    def close(self) -> None:
        """End the session."""
        self.worker.stop()
        for background in (self.curve_estimator, self.doubt_finder, self._race):
            background.wait(EXIT_TIMEOUT_S)

    def _start_model(self) -> None:
        """Start to learn all labels with the current features."""
        chosen = self._sets[self.features.name]
        settings = self.settings.with_kernel(chosen.kernel)
        self.worker = Worker(chosen.X, settings, self.next_examples.unavailable, self._set_chosen)
        self.curve_estimator = LearningCurveEstimator(chosen.X, self.worker.parameters)
        self.doubt_finder = DoubtFinder(chosen.X, self.worker.parameters)
        self._learn(list(self.cache.records))
        self.worker.start()

    def _stored_features(self) -> FeatureChoice:
        """Return the features that were chosen before, if the pool still has them; the default otherwise."""
        stored = self.review.state.get(_FEATURES)
        if stored and stored["name"] in self._sets:
            return FeatureChoice(**stored)
        return FeatureChoice(next(iter(self._sets)))

    def choose_features(self, name: str) -> None:
        """Let the model see other features from now on; it learns all labels again."""
        if name not in self._sets:
            raise NotFoundError(f"There are no features {name!r}; choose one of {', '.join(self._sets)}.")
        self._set_features(replace(self.features, name=name, by_person=True))

    def _set_features(self, choice: FeatureChoice) -> None:
        with self._lock:
            before, changes = self.worker, choice.name != self.features.name
            self.review.state.set(_FEATURES, choice.state())
            self.features = choice
            if changes:
                self._start_model()
        if changes:
            before.stop()

    def _hold_race(self) -> None:
        """Hold a race between the kinds of features, if one is due, and use its winner."""
        with self._lock:
            choice, labels = self.features, self.cache.labels()
        if result := self._race.update(choice, labels):
            self._set_features(result)

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
            self.cache.reload()
            self.overlap.reload()
            self._learn_changes(before)

    def next_example(self, person: str, holding: int | None = None) -> NextExample:
        """Return the example that a person labels next: the one assigned to them, or a new one.

        `holding` is the row on the person's screen; it is assigned to them again if possible.
        """
        person = check_person(person)
        with self._lock:
            self.assignments.mark_active(person)
            held = self._assigned(person)
            if held is None and holding is not None and self.next_examples.is_free(holding, person):
                prepared = (each for each in self.worker.candidates() if each.row == holding)
                held = next(prepared, Candidate(holding, "chosen"))
                self.assignments.assign(person, held)
            elif held is None and holding is not None and self.overlap.wants(holding, person):
                held = Candidate(holding, SECOND)
                self.assignments.assign(person, held)
        return self._response(person, self._scored(person, held) if held else self.next_examples.assign(person))

    def add_label(self, person: str, row: int, label: str, seconds: float | None) -> NextExample:
        """Save a label; return the next example."""
        person = check_person(person)
        with self._lock, self._reload_if_stale(row):
            self.assignments.mark_active(person)
            if self.overlap.wants(row, person):
                self.overlap.add(row, self.cache.check_class(label), person, _plausible(seconds))
                self._finish(person, Action(SECOND, row))
            elif not self._is_repeated(person, row, label):
                self.cache.add(self._labelled_candidate(person, row), label, person, _plausible(seconds))
                self._finish(person, Action("label", row))
                self._learn([row])
        self.worker.wait(_LEARN_TIMEOUT_S)
        return self._response(person, self.next_examples.assign(person), saved=row)

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
        self.worker.refresh_candidates()
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
        self.worker.wait(_LEARN_TIMEOUT_S)
        return self._response(person, self._scored(person, candidate))

    def check_own(self, row: int, person: str | None) -> None:
        """Raise an error if a label is not by this person; None may change all labels."""
        if person is not None and self.cache.get(row).person != person:
            raise InvalidRequestError("Only owners of the project can change the labels of other people.")

    def change_label(self, person: str, row: int, label: str) -> float | None:
        """Change a label; return the seconds until the model was exact again, None if it is still learning."""
        with self._lock, self._reload_if_stale(row):
            record = self.cache.change(row, label, check_person(person))
            done = self.worker.relabel(row, record.label)
        return _result(done, _MODEL_TIMEOUT_S)

    def delete_label(self, row: int, person: str) -> float | None:
        """Delete a label; return the seconds until the model was exact again, None if it is still learning."""
        with self._lock, self._reload_if_stale(row):
            self.cache.delete(row, check_person(person))
            done = self.worker.forget(row)
        return _result(done, _MODEL_TIMEOUT_S)

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
        self._hold_race()
        curve = self.curve_estimator.update(LabelHistory.of(records))
        features: FeatureSummary = {"names": list(self._sets), **self.features.state()}  # type: ignore[typeddict-item]
        return _responses.progress(records.values(), curve, balance, (self.worker.status(), features), len(self.pool))

    def history(self, offset: int, limit: int, *, label: str | None = None, person: str | None = None) -> HistoryPage:
        """Return one page of the history, newest label first, optionally of one class or person."""
        total, records = self.cache.history(offset, limit, label, person)
        unmatched = self.cache.unmatched
        entries = [_responses.history_entry(self.pool, each, is_unmatched=each.key in unmatched) for each in records]
        return {"total": total, "entries": entries}

    def model(self, timeout: float | None = _MODEL_TIMEOUT_S) -> SavedModel:
        """Return the model of all labels in the form in which it is saved; raise an error after `timeout` seconds."""
        model, is_default = self._model(timeout), self.features.name == next(iter(self._sets))
        return self.pool.wrap_model(model) if is_default else model

    def predictions(self, timeout: float | None = _MODEL_TIMEOUT_S) -> tuple[Predictions, dict[int, LabelRecord]]:
        """Return the predictions for the whole pool, and the labels from which the model has learned."""
        with self._lock:
            records = dict(self.cache.records)
            temperature, name = self._scaling.temperature(records), self.features.name
        return predict_pool(self._model(timeout), self._sets[name].X, temperature), records

    def _model(self, timeout: float | None) -> Model:
        with self._lock:
            copy = self.worker.copy_model(self.cache.labels())
        model = _result(copy, timeout)
        if copy.cancelled() or not copy.done():
            raise InvalidRequestError("The model is still learning the latest labels; try again in a few seconds.")
        if model is None:
            raise InvalidRequestError("A model needs labels of at least two classes; label more examples.")
        return model

    def _learn(self, rows: list[int]) -> None:
        if rows:
            records = self.cache.records
            tests = [row for row in rows if records[row].drawn == "random"]
            self.worker.learn(rows, [records[row].label for row in rows], tests)

    def _set_chosen(self, row: int) -> None:
        """Record that the model chose a test example, too: it is none any more."""
        with self._lock, suppress(NotFoundError):
            self.cache.set_drawn(row, "wanted")

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
        before = self.cache.labels()
        self.cache.reload()
        self.overlap.reload()
        self._learn_changes(before)

    def _learn_changes(self, before: dict[int, str]) -> None:
        """Update the model with the difference between the earlier and the current labels."""
        now = self.cache.labels()
        self._learn([row for row, label in now.items() if before.get(row) != label])
        for row in before.keys() - now.keys():
            self.worker.forget(row)

    def _scored(self, person: str, candidate: Candidate) -> Candidate:
        """Add the scores of the model to a candidate, if it can provide them at once."""
        if candidate.scores or candidate.drawn == SECOND:  # a guess of the model would give the label away
            return candidate
        scores = _result(self.worker.score(candidate.row), _LEARN_TIMEOUT_S) or {}
        with self._lock:
            scored = replace(candidate, scores=scores)
            if self.assignments.get(person) == candidate:
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
        self.worker.forget(row)
        return Candidate(row, before.drawn, previous_label=before.label)  # a random example stays a test example

    def _response(self, person: str, candidate: Candidate | None, saved: int | None = None) -> NextExample:
        view = None if candidate is None else _responses.view_with_image(self.pool, candidate.row)
        with self._lock:
            example = None
            if candidate is not None and view is not None:
                example = _responses.example(candidate, view, self._scaling.temperature(self.cache.records))
            free = (each.row for each in self.worker.candidates() if self.next_examples.is_free(each.row, person))
            return {
                "example": example,
                "project": {**self.project(), "skipped": self.cache.n_skipped(person)},
                "saved": saved,
                "upcoming": [row for row in free if candidate is None or row != candidate.row][:4],
            }


def _result(done: Future[Result], timeout: float | None) -> Result | None:
    """Return the result of the worker; None after a timeout or at the end of the session. Labels are safe anyway."""
    try:
        return done.result(timeout)
    except (TimeoutError, CancelledError):
        return None


def _plausible(seconds: float | None) -> float | None:
    """Return a time spent on an example, rounded to milliseconds; None if it is not plausible."""
    if seconds is None or not math.isfinite(seconds) or not 0 <= seconds <= _MAX_SECONDS:
        return None
    return float(np.round(seconds, 3))
