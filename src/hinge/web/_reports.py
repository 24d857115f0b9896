"""What the page is told, as it goes out: plain values that JSON can hold."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import asdict
from heapq import nlargest
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.active._selection import STRATEGIES
from hinge.exceptions import HingeError
from hinge.web._curve import FEWEST, FIRST, History, continued
from hinge.web._desk import MOST_PEOPLE
from hinge.web._sureness import shares

if TYPE_CHECKING:
    from hinge.web._answer import Answer
    from hinge.web._desk import Question
    from hinge.web._session import Session
    from hinge.web.pools import Pool

_MOST_GUESSES = 5
_LAST = 50  # labels whose times are shown
_SMALL_IMAGE = 200_000  # bytes; such images travel with their example and save a request


def project(session: Session) -> dict[str, Any]:
    """Return what there is to know at a glance."""
    here, people = session.desk.here(), session.book.people()
    names = sorted(nlargest(MOST_PEOPLE, {*people, *here}, key=lambda name: (name in here, people.get(name, 0), name)))
    return {
        "name": session.pool.name,
        "kind": session.pool.kind,
        "classes": [{"name": name, "count": count} for name, count in session.book.counts().items()],
        "total": len(session.pool),
        "labelled": len(session.book.answers),
        "people": [{"name": name, "labels": people.get(name, 0), "here": name in here} for name in names],
        "strategies": list(STRATEGIES),
        "strategy": session.settings.strategy,
    }


def example(session: Session, question: Question, view: dict[str, Any]) -> dict[str, Any]:
    """Return an example with what the model thinks of it."""
    thoughts = shares(question.scores, session.heat())
    return {
        "row": question.row,
        "view": view,
        "drawn": question.drawn,
        "before": question.before,
        "guesses": [{"label": label, "share": round(share, 4)} for label, share in thoughts[:_MOST_GUESSES]],
        "sure": round(thoughts[0][1], 4) if thoughts else None,
    }


def whole_view(pool: Pool, row: int) -> dict[str, Any]:
    """Return how an example is shown, with its image if that is small and can be read."""
    view = pool.view(row)
    try:
        image = pool.image(row) if view["kind"] == "image" else b""
    except HingeError:  # the page will ask for it, and hear why there is none
        image = b""
    return {**view, "data": b64encode(image).decode()} if 0 < len(image) <= _SMALL_IMAGE else view


def entry(pool: Pool, answer: Answer, *, is_aside: bool) -> dict[str, Any]:
    """Return a label of the past; one that is kept aside is not of what stands there now."""
    row = None if is_aside else pool.row_of(answer.key)
    return {
        "row": row,
        "label": answer.label,
        "person": answer.person,
        "seconds": answer.seconds,
        "guess": answer.guess,
        "drawn": answer.drawn,
        "labelled_at": answer.labelled_at.isoformat(),
        "changed_at": None if answer.changed_at is None else answer.changed_at.isoformat(),
        "view": None if row is None else pool.view(row),
    }


def progress(session: Session, answers: dict[int, Answer]) -> dict[str, Any]:
    """Return how far the labelling has come with some answers, and whether to go on."""
    ours, chance = session.auditor.look(history(answers))
    further = continued(chance, len(answers))
    seconds = [answer.seconds for answer in answers.values() if answer.seconds is not None]
    advice = session.worker.advice
    return {
        "curve": [asdict(point) for point in ours],
        "random": [asdict(point) for point in (*chance, *further)],
        "random_from": len(chance) if further else None,
        "curve_note": None if ours else curve_note(list(answers.values())),
        "estimate": "leave-one-out",
        "balance": [{"name": name, "count": count} for name, count in session.book.counts().items()],
        "seconds": {"median": median(seconds) if seconds else None, "last": seconds[-_LAST:]},
        "advice": {"stop": False, "reason": "Too early to say."} if advice is None else asdict(advice),
        "model": session.worker.about(),
    }


def curve_note(answers: list[Answer]) -> str:
    """Return why there is no curve yet."""
    tests = sum(answer.drawn == "random" for answer in answers)
    if len(answers) < FIRST:
        return f"The curve begins with {FIRST} labels."
    if len({answer.label for answer in answers}) < 2:
        return "The curve begins with the second class."
    if tests < FEWEST:
        return f"The curve needs {FEWEST} labels of examples drawn at random, and has {tests}."
    return "The curve is being found."


def history(answers: dict[int, Answer]) -> History:
    """Return labels in the order in which they came, as arrays."""
    return History(
        np.array(list(answers), dtype=np.int64),
        np.array([answer.label for answer in answers.values()]),
        np.array([answer.drawn == "random" for answer in answers.values()], dtype=bool),
    )
