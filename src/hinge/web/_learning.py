"""The model of a session: which features it sees, what it has learned, and what it predicts."""

from __future__ import annotations

from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from hinge.web._calibration import TemperatureScaling
from hinge.web._doubts import DoubtFinder
from hinge.web._features import FeatureChoice, FeatureRace, feature_sets
from hinge.web._labels import InvalidRequestError, NotFoundError
from hinge.web._learning_curve import LearningCurveEstimator
from hinge.web._overlap import SECOND
from hinge.web._predictions import predict_pool
from hinge.web._worker import EXIT_TIMEOUT_S, Worker

if TYPE_CHECKING:
    from hinge.web._assignments import Candidate
    from hinge.web._labels import LabelRecord
    from hinge.web._predictions import Predictions
    from hinge.web._responses import FeatureSummary
    from hinge.web._session import Session
    from hinge.web.pools import Model, SavedModel

Result = TypeVar("Result")

_LEARN_TIMEOUT_S = 0.04  # before the next example is sent although the model has not learned the last label
MODEL_TIMEOUT_S = 10.0  # for requests that need the model; browsers give up after 15
_FEATURES = "features"  # in the state of the project


class Learning:
    """The model of all labels of a session. All methods are thread-safe.

    Parameters
    ----------
    session : Session
        The session; its lock is held while the features change, never while waiting for the model.

    Attributes
    ----------
    worker : Worker
        The thread that learns.
    curve_estimator : LearningCurveEstimator
        Computes the accuracy in the background.
    doubt_finder : DoubtFinder
        Finds labels that the model doubts in the background.
    features : FeatureChoice
        The kind of features that the model sees now.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sets = feature_sets(session.pool)
        self._race = FeatureRace(self._sets, session.settings)
        self._scaling = TemperatureScaling()
        self.features = self._stored_features()

    def start(self) -> None:
        """Start to learn all labels with the current features."""
        chosen, session = self._sets[self.features.name], self._session
        settings = session.settings.with_kernel(chosen.kernel)
        self.worker = Worker(chosen.X, settings, session.next_examples.unavailable, self._set_chosen)
        self.curve_estimator = LearningCurveEstimator(chosen.X, self.worker.parameters)
        self.doubt_finder = DoubtFinder(chosen.X, self.worker.parameters)
        self.learn(list(session.cache.records))
        self.worker.start()

    def stop(self) -> None:
        """Stop all threads."""
        self.worker.stop()
        for background in (self.curve_estimator, self.doubt_finder, self._race):
            background.wait(EXIT_TIMEOUT_S)

    def learn(self, rows: list[int]) -> None:
        """Let the model learn the labels of some rows."""
        if rows:
            records = self._session.cache.records
            tests = [row for row in rows if records[row].drawn == "random"]
            self.worker.learn(rows, [records[row].label for row in rows], tests)

    def wait(self) -> None:
        """Give the model a moment to learn the last label."""
        self.worker.wait(_LEARN_TIMEOUT_S)

    def learn_changes(self, before: dict[int, str]) -> None:
        """Update the model with the difference between the earlier and the current labels."""
        now = self._session.cache.labels()
        self.learn([row for row, label in now.items() if before.get(row) != label])
        for row in before.keys() - now.keys():
            self.worker.forget(row)

    def choose_features(self, name: str) -> None:
        """Let the model see other features from now on; it learns all labels again."""
        if name not in self._sets:
            raise NotFoundError(f"There are no features {name!r}; choose one of {', '.join(self._sets)}.")
        self._set_features(replace(self.features, name=name, by_person=True))

    def hold_race(self) -> None:
        """Hold a race between the kinds of features, if one is due, and use its winner."""
        with self._session.locked():
            choice, labels = self.features, self._session.cache.labels()
        if result := self._race.update(choice, labels):
            self._set_features(result)

    def summary_of_features(self) -> FeatureSummary:
        """Describe the kinds of features and the last race."""
        return {"names": list(self._sets), **self.features.state()}  # type: ignore[typeddict-item]

    def temperature(self) -> float:
        """Return the temperature of the probabilities; the caller holds the lock of the session."""
        return self._scaling.temperature(self._session.cache.records)

    def scored(self, candidate: Candidate) -> Candidate:
        """Return a candidate with the scores of the model, if it can provide them at once."""
        if candidate.scores or candidate.drawn == SECOND:  # a guess of the model would give the label away
            return candidate
        return replace(candidate, scores=result_of(self.worker.score(candidate.row), _LEARN_TIMEOUT_S) or {})

    def model(self, timeout: float | None = MODEL_TIMEOUT_S) -> SavedModel:
        """Return the model of all labels in the form in which it is saved; raise an error after `timeout` seconds."""
        model, is_default = self._model(timeout), self.features.name == next(iter(self._sets))
        return self._session.pool.wrap_model(model) if is_default else model

    def predictions(self, timeout: float | None = MODEL_TIMEOUT_S) -> tuple[Predictions, dict[int, LabelRecord]]:
        """Return the predictions for the whole pool, and the labels from which the model has learned."""
        with self._session.locked():
            records = dict(self._session.cache.records)
            temperature, name = self._scaling.temperature(records), self.features.name
        return predict_pool(self._model(timeout), self._sets[name].X, temperature), records

    def _model(self, timeout: float | None) -> Model:
        with self._session.locked():
            copy = self.worker.copy_model(self._session.cache.labels())
        model = result_of(copy, timeout)
        if copy.cancelled() or not copy.done():
            raise InvalidRequestError("The model is still learning the latest labels; try again in a few seconds.")
        if model is None:
            raise InvalidRequestError("A model needs labels of at least two classes; label more examples.")
        return model

    def _stored_features(self) -> FeatureChoice:
        """Return the features that were chosen before, if the pool still has them; the default otherwise."""
        stored = self._session.review.state.get(_FEATURES)
        if stored and stored["name"] in self._sets:
            return FeatureChoice(**stored)
        return FeatureChoice(next(iter(self._sets)))

    def _set_features(self, choice: FeatureChoice) -> None:
        with self._session.locked():
            before, changes = self.worker, choice.name != self.features.name
            self._session.review.state.set(_FEATURES, choice.state())
            self.features = choice
            if changes:
                self.start()
        if changes:
            before.stop()

    def _set_chosen(self, row: int) -> None:
        """Record that the model chose a test example, too: it is none any more."""
        with self._session.locked(), suppress(NotFoundError):
            self._session.cache.set_drawn(row, "wanted")


def result_of(done: Future[Result], timeout: float | None) -> Result | None:
    """Return the result of the worker; None after a timeout or at the end of the session. Labels are safe anyway."""
    try:
        return done.result(timeout)
    except (TimeoutError, CancelledError):
        return None
