"""The JSON bodies that the server sends to the page, and the functions that build them."""

from __future__ import annotations

import math
from base64 import b64encode
from heapq import nlargest
from statistics import median
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

from hinge.active._selection import STRATEGIES
from hinge.exceptions import HingeError
from hinge.web._assignments import MAX_PEOPLE
from hinge.web._calibration import probabilities
from hinge.web._learning_curve import MIN_LABELS, MIN_RANDOM
from hinge.web._stop_advice import StopAdvice, stop_advice

if TYPE_CHECKING:
    from collections.abc import Collection

    from hinge.web._assignments import Candidate
    from hinge.web._doubts import Doubt
    from hinge.web._events import Event
    from hinge.web._label_cache import LabelCache
    from hinge.web._labels import LabelRecord
    from hinge.web._learning_curve import Point
    from hinge.web._opinions import Opinion
    from hinge.web.pools import Pool, View

_MAX_GUESSES = 5
_MAX_TIMES = 50  # recent labels whose times are shown
_MAX_INLINE_BYTES = 200_000  # smaller images are sent with their example and save a request


class ClassCount(TypedDict):
    """A class, its number of labels, and the letter that somebody chose as its key."""

    name: str
    count: int
    letter: NotRequired[str]


class PersonSummary(TypedDict):
    """A person, their number of labels, and whether they are active."""

    name: str
    labels: int
    here: bool


class ProjectSummary(TypedDict):
    """The state of the project."""

    name: str
    kind: Literal["image", "text", "table"]
    classes: list[ClassCount]
    kept_aside: int
    total: int
    labelled: int
    people: list[PersonSummary]
    strategies: list[str]
    strategy: str


class PersonalSummary(ProjectSummary):
    """The state of the project for one person."""

    skipped: int


class Guess(TypedDict):
    """A class and its predicted probability."""

    label: str
    share: float


class Example(TypedDict):
    """An example to label, with the predictions of the model."""

    row: int
    view: View
    drawn: str
    before: str | None
    guesses: list[Guess]
    sure: float | None


class NextExample(TypedDict):
    """The example that a person labels next, with the state of the project."""

    example: Example | None
    project: PersonalSummary
    saved: int | None
    upcoming: list[int]


class HistoryEntry(TypedDict):
    """A label in the history. `row` and `view` are None if its example has disappeared or changed."""

    row: int | None
    label: str
    person: str
    seconds: float | None
    guess: str | None
    drawn: str
    labelled_at: str
    changed_at: str | None
    view: View | None


class DoubtEntry(TypedDict):
    """A label that the model of all other labels contradicts."""

    row: int
    label: str
    prediction: str
    margin: float
    person: str
    view: View


class Said(TypedDict):
    """A person, and the label that they gave."""

    person: str
    label: str


class DisputeEntry(TypedDict):
    """An example about which people disagree: its label, and what each of them said."""

    row: int
    label: str
    said: list[Said]
    view: View


class DoubtPage(TypedDict):
    """Doubtful labels, the most doubtful first, and whether they are those of the current labels."""

    doubts: list[DoubtEntry]
    ready: bool


class ChangedLabel(TypedDict):
    """A label that an import would change."""

    row: int | None
    before: str
    person: str
    after: str


class PersonCount(TypedDict):
    """A person, and a number of labels."""

    name: str
    count: int


class ImportPreviewSummary(TypedDict):
    """What an import would do."""

    new: int
    changed: int
    same: int
    people: list[PersonCount]
    examples: list[ChangedLabel]


class EventEntry(TypedDict):
    """A change in the history of changes; the row is None if the example is gone, or a class was changed."""

    at: str
    person: str
    action: str
    row: int | None
    key: str | None
    before: str | None
    after: str | None
    batch: str | None


class HistoryPage(TypedDict):
    """One page of the history, newest label first."""

    total: int
    entries: list[HistoryEntry]


class CurvePoint(TypedDict):
    """A point of a learning curve."""

    labels: int
    accuracy: float
    low: float
    high: float


class LabelTimes(TypedDict):
    """The seconds that people took per label."""

    median: float | None
    last: list[float]


class ModelStatus(TypedDict):
    """The state of the model."""

    kind: str
    labels: int
    support: int
    kkt: float | None
    pending: int


class FeatureSummary(TypedDict):
    """The kinds of features, the current one, and the leave-one-out accuracy of each in the last race."""

    names: list[str]
    name: str
    by_person: bool
    raced_at: int
    scores: dict[str, float]


class Progress(TypedDict):
    """The progress of the labelling."""

    curve: list[CurvePoint]
    curve_note: str | None
    estimate: str
    balance: list[ClassCount]
    seconds: LabelTimes
    advice: StopAdvice
    model: ModelStatus
    features: FeatureSummary


def project_summary(
    pool: Pool, cache: LabelCache, active: Collection[str], strategy: str, letters: dict[str, str]
) -> ProjectSummary:
    """Summarize the state of the project; of many people, list those who are active or labelled most."""
    counts = cache.person_counts()
    names = nlargest(MAX_PEOPLE, {*counts, *active}, key=lambda name: (name in active, counts.get(name, 0), name))
    return {
        "name": pool.name,
        "kind": pool.kind,
        "classes": [with_letter(each, letters) for each in class_counts(cache)],
        "kept_aside": len(cache.unmatched),
        "total": len(pool),
        "labelled": len(cache.records),
        "people": [{"name": name, "labels": counts.get(name, 0), "here": name in active} for name in sorted(names)],
        "strategies": list(STRATEGIES),
        "strategy": strategy,
    }


def class_counts(cache: LabelCache) -> list[ClassCount]:
    """List the classes with their number of labels."""
    return [{"name": name, "count": count} for name, count in cache.class_counts().items()]


def with_letter(entry: ClassCount, letters: dict[str, str]) -> ClassCount:
    """Add the letter of a class, if somebody chose one."""
    letter = letters.get(entry["name"])
    return {**entry, "letter": letter} if letter else entry


def doubt_entry(pool: Pool, record: LabelRecord, doubt: Doubt) -> DoubtEntry:
    """Describe a label that the model doubts."""
    return {
        "row": doubt.row,
        "label": doubt.label,
        "prediction": doubt.prediction,
        "margin": round(doubt.margin, 3),
        "person": record.person,
        "view": pool.view(doubt.row),
    }


def dispute_entry(pool: Pool, row: int, record: LabelRecord, opinions: Collection[Opinion]) -> DisputeEntry:
    """Describe an example about which people disagree."""
    said: list[Said] = [{"person": each.person, "label": each.label} for each in opinions]
    return {"row": row, "label": record.label, "said": said, "view": pool.view(row)}


def event_entry(pool: Pool, event: Event) -> EventEntry:
    """Describe a change in the history of changes."""
    row = None if event.key is None else pool.row_of(event.key)
    return {**event._asdict(), "at": event.at.isoformat(), "row": row}  # type: ignore[typeddict-item]


def example(candidate: Candidate, view: View, temperature: float) -> Example:
    """Describe an example and the predictions of the model."""
    predictions = probabilities(candidate.scores, temperature)
    return {
        "row": candidate.row,
        "view": view,
        "drawn": candidate.drawn,
        "before": candidate.previous_label,
        "guesses": [{"label": label, "share": round(value, 4)} for label, value in predictions[:_MAX_GUESSES]],
        "sure": round(predictions[0][1], 4) if predictions else None,
    }


def view_with_image(pool: Pool, row: int) -> View:
    """Return the view of an example, with its image if that is small and readable."""
    view = pool.view(row)
    if view["kind"] != "image":
        return view
    try:
        image = pool.image(row)
    except HingeError:  # the page will request the image and show the reason
        return view
    if 0 < len(image) <= _MAX_INLINE_BYTES:
        return {**view, "data": b64encode(image).decode()}
    return view


def history_entry(pool: Pool, record: LabelRecord, *, is_unmatched: bool) -> HistoryEntry:
    """Describe a label of the history."""
    row = None if is_unmatched else pool.row_of(record.key)
    return {
        "row": row,
        "label": record.label,
        "person": record.person,
        "seconds": record.seconds,
        "guess": record.guess,
        "drawn": record.drawn,
        "labelled_at": record.labelled_at.isoformat(),
        "changed_at": None if record.changed_at is None else record.changed_at.isoformat(),
        "view": None if row is None else pool.view(row),
    }


def progress(
    records: Collection[LabelRecord],
    curve: list[Point],
    balance: list[ClassCount],
    state: tuple[ModelStatus, FeatureSummary],
    n_examples: int,
) -> Progress:
    """Describe the progress of the labelling."""
    seconds = [record.seconds for record in records if record.seconds is not None]
    measured = [point for point in curve if math.isfinite(point.accuracy)]
    return {
        "curve": [_curve_point(point) for point in measured],
        "curve_note": None if measured else curve_note(records),
        "estimate": "leave-one-out",
        "balance": balance,
        "seconds": {"median": median(seconds) if seconds else None, "last": seconds[-_MAX_TIMES:]},
        "advice": stop_advice(records, curve, n_examples),
        "model": state[0],
        "features": state[1],
    }


def _curve_point(point: Point) -> CurvePoint:
    return {"labels": point.labels, "accuracy": point.accuracy, "low": point.low, "high": point.high}


def curve_note(records: Collection[LabelRecord]) -> str:
    """Explain why there is no learning curve yet."""
    n_random = sum(record.drawn == "random" for record in records)
    if len(records) < MIN_LABELS:
        return f"The curve starts at {MIN_LABELS} labels."
    if len({record.label for record in records}) < 2:
        return "The curve starts with the second class."
    if n_random < MIN_RANDOM:
        return f"The curve needs {MIN_RANDOM} labels of randomly drawn examples and has {n_random}."
    return "The curve is being computed."
