"""Label records, the checks of their fields, and the errors of the label database."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from hinge.exceptions import HingeError, quoted

DRAWN = ("first", "chosen", "random", "wanted", "imported")

_MAX_KEY_BYTES = 2000  # PostgreSQL's indexes accept 2700
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")  # control characters, lone surrogates, line and paragraph separators
# Characters that no reader sees: other names would look the same, or appear in another order.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc")
_NON_JOINER, _JOINER, _EMOJI_STYLE = "\u200c", "\u200d", "\ufe0f"


class StoreError(HingeError, ValueError):
    """The label database cannot be opened, read or written; nothing was changed."""


class InvalidRequestError(StoreError):
    """The request is not allowed, for example an invalid name or the removal of a class that has labels."""


class NotFoundError(StoreError):
    """There is no such label, class or row."""


class AlreadyLabelledError(StoreError):
    """The example already has a label.

    Attributes
    ----------
    key : str
        The key of the example.
    """

    def __init__(self, key: str) -> None:
        super().__init__(f"{quoted(key)} already has a label; change that one instead.")
        self.key = key


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """The current label of one example.

    Attributes
    ----------
    key : str
        The stable name of the example.
    label : str
        Its class.
    person : str
        Who gave or last changed the label.
    drawn : {"first", "chosen", "random", "wanted", "imported"}
        How the example was selected for labelling: at random because the model could not choose yet, by the model, at
        random to measure the accuracy, at random before the model chose it, too, or elsewhere.
    digest : str
        Short hash of the raw content of the example.
    seconds : float or None
        How long the person looked at the example.
    guess : str or None
        What the model predicted before the label was known.
    margin : float or None
        The difference between the model's two highest scores.
    labelled_at : datetime
        When the label was given, in UTC.
    changed_at : datetime or None
        When the label was last changed, in UTC; None if never.
    number : int or None
        Its position in the order of labelling, assigned by the store.

    Examples
    --------
    >>> LabelRecord("17", "cat", "ann", "chosen", "0f3a").label
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

    def checked(self) -> LabelRecord:
        """Validate all fields; return the record with surrounding whitespace removed from its names."""
        if self.drawn not in DRAWN:
            raise InvalidRequestError(f"drawn must be one of {', '.join(DRAWN)}, got {quoted(self.drawn)}.")
        for name, number in (("seconds", self.seconds), ("margin", self.margin)):
            if number is not None and not math.isfinite(number):
                raise InvalidRequestError(f"{name} must be a finite number or None, got {number!r}.")
        if self.seconds is not None and self.seconds < 0:
            raise InvalidRequestError(f"seconds must be at least 0, got {self.seconds!r}.")
        for name, moment in (("labelled_at", self.labelled_at), ("changed_at", self.changed_at)):
            if moment is not None and moment.tzinfo is None:
                raise InvalidRequestError(f"{name} must have a time zone, got {moment.isoformat()}; use UTC.")
        return replace(
            self,
            key=check_key(self.key),
            label=check_label(self.label),
            person=check_person(self.person),
            digest=_check_text("A digest", self.digest, 100),
            guess=None if self.guess is None else check_label(self.guess),
        )


def check_label(label: object) -> str:
    """Validate a class name; return it without surrounding whitespace.

    Examples
    --------
    >>> check_label(" tabby cat ")
    'tabby cat'
    >>> check_label(" ")
    Traceback (most recent call last):
    ...
    hinge.web._labels.InvalidRequestError: A label must have 1 to 100 characters, got 0; choose another name.
    """
    return _check_text("A label", label, 100)


def check_new_label(label: object) -> str:
    r"""Validate the name of a new class, which must not contain invisible characters; return it as `check_label` does.

    Examples
    --------
    >>> check_new_label("cat\u200b")
    Traceback (most recent call last):
    ...
    hinge.web._labels.InvalidRequestError: A label must not contain invisible characters, got U+200B; type it again.
    """
    return _check_visible("A label", check_label(label))


def check_person(person: object) -> str:
    """Validate a person's name; return it without surrounding whitespace."""
    return _check_text("A person's name", person, 40)


def check_new_person(person: object) -> str:
    """Validate the name of somebody who uses the page, which must not contain invisible characters."""
    return _check_visible("A person's name", check_person(person))


def check_project(project: object) -> str:
    """Validate a project name; return it without surrounding whitespace."""
    return _check_text("A project name", project, 100)


def check_key(key: object) -> str:
    """Validate the key of an example; return it unchanged, since file names may contain leading spaces or newlines."""
    if not isinstance(key, str) or "\0" in key or any("\ud800" <= letter <= "\udfff" for letter in key):
        raise InvalidRequestError(
            f"The key of an example must be text that can be encoded as UTF-8, got {quoted(key)}; rename it."
        )
    size = len(key.encode())
    if not 1 <= size <= _MAX_KEY_BYTES:
        raise InvalidRequestError(
            f"The key of an example must have 1 to {_MAX_KEY_BYTES} bytes, got {size}; rename it."
        )
    return key


def _check_text(what: str, value: object, max_length: int) -> str:
    if not isinstance(value, str):
        raise InvalidRequestError(f"{what} must be text, got {quoted(value)}; pass a string.")
    text = value.strip()
    if not 1 <= len(text) <= max_length:
        raise InvalidRequestError(
            f"{what} must have 1 to {max_length} characters, got {len(text)}; choose another name."
        )
    if any(unicodedata.category(letter) in _UNPRINTABLE for letter in text):
        raise InvalidRequestError(
            f"{what} must not contain control characters, got {quoted(text)}; choose another name."
        )
    return text


def _check_visible(what: str, text: str) -> str:
    for place, letter in enumerate(text):
        if (unicodedata.category(letter) == "Cf" or letter in _INVISIBLE) and not _joins(text, place):
            raise InvalidRequestError(
                f"{what} must not contain invisible characters, got U+{ord(letter):04X}; type it again."
            )
    return text


def _joins(text: str, place: int) -> bool:
    """Return whether a character joins emoji, or separates Arabic letters, and so changes what a reader sees."""
    before, after = text[:place][-1:], text[place + 1 :][:1]
    if not before or not after:
        return False
    if text[place] == _JOINER:
        return (before == _EMOJI_STYLE or unicodedata.category(before) in ("So", "Sk")) and (
            unicodedata.category(after) == "So"
        )
    arabic = all(unicodedata.bidirectional(letter) == "AL" for letter in (before, after))
    return text[place] == _NON_JOINER and arabic
