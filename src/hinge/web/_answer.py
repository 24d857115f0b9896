"""Labels as people gave them, what their parts may be, and what can go wrong with them."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from hinge.exceptions import HingeError, quoted

DRAWN = ("chosen", "random", "imported")  # by the model, by chance (for an unbiased estimate), not asked for at all

_LONGEST_KEY = 2000  # bytes; PostgreSQL's indexes take 2700
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of surrogate pairs, ends of lines and paragraphs


class StoreError(HingeError, ValueError):
    """The database of labels cannot be opened or written; nothing has been changed."""


class RefusedError(StoreError):
    """What shall be kept, or taken out, is not what the database takes: a bad name, a class that has labels."""


class MissingError(StoreError):
    """There is no such label or class."""


class TakenError(StoreError):
    """The example has a label already.

    Attributes
    ----------
    key : str
        Its name.
    """

    def __init__(self, key: str) -> None:
        super().__init__(f"{quoted(key)} has a label already; correct that one instead.")
        self.key = key


@dataclass(frozen=True, slots=True)
class Answer:
    """One label as it stands.

    Attributes
    ----------
    key : str
        The stable name of the example.
    label, person : str
        Its class, and who said so last.
    drawn : {"chosen", "random", "imported"}
        How the example came to be asked about.
    digest : str
        Short hash of the raw content of the example.
    seconds : float or None
        How long it was looked at.
    guess : str or None
        What the model said before.
    margin : float or None
        What was between its two best scores.
    labelled_at, changed_at : datetime
        When, in UTC; None for a label that was never changed.
    number : int or None
        Its place in the order of labelling, given by the store.

    Examples
    --------
    >>> Answer("17", "cat", "ann", "chosen", "0f3a").label
    'cat'
    """

    key: str
    label: str
    person: str
    drawn: str
    digest: str
    seconds: float | None = None
    guess: str | None = None
    margin: float | None = None
    labelled_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    changed_at: datetime | None = None
    number: int | None = None

    def checked(self) -> Answer:
        """Return this answer, spaces around its names gone, if it can be kept."""
        if self.drawn not in DRAWN:
            raise RefusedError(f"drawn must be one of {', '.join(DRAWN)}, got {quoted(self.drawn)}.")
        for name, number in (("seconds", self.seconds), ("margin", self.margin)):
            if number is not None and not math.isfinite(number):
                raise RefusedError(f"{name} must be a finite number or None, got {number!r}.")
        if self.seconds is not None and self.seconds < 0:
            raise RefusedError(f"seconds must be at least 0, got {self.seconds!r}.")
        for name, moment in (("labelled_at", self.labelled_at), ("changed_at", self.changed_at)):
            if moment is not None and moment.tzinfo is None:
                raise RefusedError(f"{name} must have a time zone, got {moment.isoformat()}; UTC is the usual one.")
        return replace(
            self,
            key=check_key(self.key),
            label=check_label(self.label),
            person=check_person(self.person),
            digest=_text("A digest", self.digest, 100),
            guess=None if self.guess is None else check_label(self.guess),
        )


def check_label(label: str) -> str:
    """Return the name of a class without spaces around it.

    Examples
    --------
    >>> check_label(" tabby cat ")
    'tabby cat'
    >>> check_label(" ")
    Traceback (most recent call last):
    ...
    hinge.web._answer.RefusedError: A label must have 1 to 100 characters, got 0; give another name.
    """
    return _text("A label", label, 100)


def check_person(person: str) -> str:
    """Return the name of a person without spaces around it."""
    return _text("The name of a person", person, 40)


def check_project(project: str) -> str:
    """Return the name of a project without spaces around it."""
    return _text("The name of a project", project, 100)


def check_key(key: Any) -> str:
    """Return the key of an example, as it is: a name of a file may well begin with a space or have two lines."""
    if not isinstance(key, str) or "\0" in key or any("\ud800" <= letter <= "\udfff" for letter in key):
        raise RefusedError(f"The key of an example must be text that UTF-8 can express, got {quoted(key)}; rename it.")
    size = len(key.encode())
    if not 1 <= size <= _LONGEST_KEY:
        raise RefusedError(f"The key of an example must have 1 to {_LONGEST_KEY} bytes, got {size}; rename it.")
    return key


def _text(what: str, value: Any, longest: int) -> str:
    if not isinstance(value, str):
        raise RefusedError(f"{what} must be text, got {quoted(value)}; give it as text.")
    text = value.strip()
    if not 1 <= len(text) <= longest:
        raise RefusedError(f"{what} must have 1 to {longest} characters, got {len(text)}; give another name.")
    if any(unicodedata.category(letter) in _UNPRINTABLE for letter in text):
        raise RefusedError(f"{what} must not have control characters, got {quoted(text)}; give another name.")
    return text
