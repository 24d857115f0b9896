"""What people do with labels that exist: look for doubtful ones, change many at once, import, and undo."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hinge.web import _responses
from hinge.web._events import EventLog
from hinge.web._labels import InvalidRequestError, NotFoundError, check_person
from hinge.web._state import ProjectState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hinge.web._events import Event
    from hinge.web._labels import LabelRecord
    from hinge.web._responses import DisputeEntry, DoubtPage, HistoryPage, ImportPreviewSummary
    from hinge.web._session import Session
    from hinge.web.pools import View

LETTERS = "letters"
_MAX_LISTED = 20  # changed labels in the preview of an import


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """Which labels a page of the history contains."""

    label: str | None = None
    person: str | None = None
    text: str | None = None
    doubted: bool = False

    @property
    def needs_examples(self) -> bool:
        """Whether the database alone cannot answer."""
        return bool(self.text) or self.doubted


class Review:
    """The labels of a session, reviewed. All methods are thread-safe.

    Parameters
    ----------
    session : Session
        The session.

    Attributes
    ----------
    letters : dict
        The letters that people chose as keys of classes.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        connections = session.store.connections
        self.events, self.state = EventLog(connections), ProjectState(connections)
        self._confirmed = self.events.confirmed()
        self.letters: dict[str, str] = self.state.get(LETTERS) or {}

    def doubts(self) -> DoubtPage:
        """Return the labels that the model doubts and nobody has confirmed, most doubtful first.

        They are computed in the background; `ready` says whether they are those of the current labels.
        """
        with self._session.locked():
            records = dict(self._session.cache.records)
        found, ready = self._session.learning.doubt_finder.update({row: each.label for row, each in records.items()})
        doubts = [
            _responses.doubt_entry(self._session.pool, records[each.row], each)
            for each in found
            if self._confirmed.get(records[each.row].key) != each.label
        ]
        return {"doubts": doubts, "ready": ready}

    def history(self, offset: int, limit: int, wanted: HistoryFilter) -> HistoryPage:
        """Return one page of the history, newest label first, of the labels that pass a filter."""
        if not wanted.needs_examples:
            return self._session.history(offset, limit, label=wanted.label, person=wanted.person)
        pool = self._session.pool
        doubted = {each["row"] for each in self.doubts()["doubts"]} if wanted.doubted else None
        with self._session.locked():
            records = list(self._session.cache.records.items())
        found = [
            record
            for row, record in reversed(records)
            if (wanted.label is None or record.label == wanted.label)
            and (wanted.person is None or record.person == wanted.person)
            and (doubted is None or row in doubted)
            and (not wanted.text or wanted.text.lower() in _searched(pool.view(row), record))
        ]
        entries = [_responses.history_entry(pool, each, is_unmatched=False) for each in found[offset : offset + limit]]
        return {"total": len(found), "entries": entries}

    def confirm(self, row: int, person: str) -> None:
        """Record that a person found a doubted label right; it is not shown as doubtful again."""
        with self._session.locked():
            record = self._session.store.confirm(self._session.cache.get(row).key, person)
            self._confirmed[record.key] = record.label

    def team(self) -> dict[str, Any]:
        """Describe how quickly people label, how well they agree, and how many disagreements are open."""
        with self._session.locked():
            overlap = self._session.overlap
            return {**overlap.summary(), "disputes": len(overlap.disputes()), "percent": self._session.settings.overlap}

    def disputes(self) -> list[DisputeEntry]:
        """Return the examples about which people disagree, and nobody has decided."""
        with self._session.locked():
            return [_responses.dispute_entry(self._session.pool, *each) for each in self._session.overlap.disputes()]

    def decide(self, row: int, label: str, person: str) -> None:
        """Decide about an example on which people disagree: the label becomes this one."""
        with self._session.locked():
            self._session.cache.check_class(label)
            self._session.overlap.decide(row, label, check_person(person))
        if self._session.cache.get(row).label != label:
            self._session.change_label(person, row, label)

    def set_many(self, rows: Sequence[int], label: str | None, person: str) -> str | None:
        """Change the labels of several rows, or delete them (None); return the batch with which to undo it."""
        with self._session.changing_many() as cache:
            if label is not None and label not in cache.classes:
                raise InvalidRequestError(f"There is no class {label!r}; add it first.")
            keys = {cache.get(row).key: label for row in rows}
            action = "delete" if label is None else "change"
            return self._session.store.batches.set_many(keys, check_person(person), action)

    def preview_import(self, records: Iterable[LabelRecord]) -> ImportPreviewSummary:
        """Return what an import would change."""
        preview = self._session.store.batches.preview_import(records)
        row_of = self._session.pool.row_of
        people = Counter(each.before.person for each in preview.changed if each.before)
        pairs = [(each.before, each.after) for each in preview.changed[:_MAX_LISTED] if each.before and each.after]
        return {
            "new": len(preview.new),
            "changed": len(preview.changed),
            "same": preview.same,
            "people": [{"name": name, "count": count} for name, count in people.most_common()],
            "examples": [
                {"row": row_of(old.key), "before": old.label, "person": old.person, "after": new.label}
                for old, new in pairs
            ],
        }

    def import_records(self, records: Iterable[LabelRecord], person: str) -> dict[str, Any]:
        """Import labels, which replace existing ones; return the counts, and the batch with which to undo it."""
        with self._session.changing_many():
            counts, batch = self._session.store.batches.import_records(records, replace=True, person=person)
        return {**counts._asdict(), "batch": batch}

    def revert(self, batch: str, person: str) -> tuple[int, int]:
        """Undo a change of many labels; return how many were restored, and how many have changed since and stay."""
        with self._session.changing_many():
            return self._session.store.batches.revert(batch, check_person(person))

    def rename_class(self, name: str, new_name: str, person: str, *, merge: bool) -> None:
        """Rename a class, or merge it with an existing one."""
        with self._session.changing_many():
            self._session.store.batches.rename_class(name, new_name, check_person(person), merge=merge)
            letters = dict(self.letters)
            if name in letters:
                letter = letters.pop(name)
                letters.setdefault(new_name.strip(), letter)
                self._set_letters(letters)

    def set_letter(self, name: str, letter: str | None) -> None:
        """Choose the letter of a class; None lets the page choose."""
        with self._session.locked():
            if name not in self._session.cache.classes:
                raise NotFoundError(f"There is no class {name!r}; choose an existing one.")
            letters = {each: key for each, key in self.letters.items() if each != name and key != letter}
            self._set_letters(letters if letter is None else {**letters, name: letter})

    def _set_letters(self, letters: dict[str, str]) -> None:
        self.state.set(LETTERS, letters)
        self.letters = letters

    def events_page(self, offset: int, limit: int, row: int | None) -> tuple[int, list[Event]]:
        """Return the number of changes, optionally of one row, and some of them, newest first."""
        key = None if row is None else self._session.pool.key(self._session.cache.check_row(row))
        return self.events.page(offset, limit, key)

    def kept_aside(self) -> list[LabelRecord]:
        """Return the labels whose examples are gone or have changed."""
        with self._session.locked():
            return list(self._session.cache.unmatched.values())

    def delete_kept_aside(self, keys: Sequence[str], person: str) -> str | None:
        """Delete labels whose examples are gone or have changed; return the batch with which to undo it."""
        with self._session.changing_many() as cache:
            if missing := [key for key in keys if key not in cache.unmatched]:
                raise NotFoundError(f"{missing[0]!r} is not one of the labels kept aside; look at the list again.")
            return self._session.store.batches.set_many(dict.fromkeys(keys), check_person(person), "delete")


def _searched(view: View, record: LabelRecord) -> str:
    """Return the text of an example in which people search, in lower case: of an image, the name of its file."""
    if view["kind"] == "image":
        return record.key.lower()
    cells = view["cells"] if view["kind"] == "table" else view.get("cells", [])
    parts = [f"{column} {value}" for column, value in cells]
    return "\n".join([*parts, view["text"]] if view["kind"] == "text" else parts).lower()
