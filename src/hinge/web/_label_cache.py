"""The labels of one project in memory, by row of its pool: a cache of the database."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hinge.exceptions import DataError
from hinge.web._calibration import margin
from hinge.web._labels import AlreadyLabelledError, InvalidRequestError, LabelRecord, NotFoundError, check_label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hinge.web._assignments import Candidate
    from hinge.web._batches import ImportCounts
    from hinge.web._store import Store
    from hinge.web.pools import Pool


DATA_FILE = "data file"  # the person recorded for labels that came with the data


class LabelCache:
    """The labels of a pool. Every change is written to the database before the cache changes.

    Parameters
    ----------
    pool : Pool
        The examples.
    store : Store
        The database.

    Attributes
    ----------
    records : dict
        The label record of each labelled row, in the order of labelling.
    skipped : dict
        The people who skipped a row, by row.
    classes : list of str
        The classes in the order in which they were added.
    unmatched : dict
        Records whose example has disappeared or changed, by key. They are kept and exported, but not learned.
    deleted_known : set of int
        Rows whose label from the data file was deleted; it is not imported again.
    """

    def __init__(self, pool: Pool, store: Store) -> None:
        self._pool, self._store = pool, store
        self.reload()

    def reload(self) -> None:
        """Read everything from the database; after an error, nothing has changed, and it is still to be read."""
        self.mark_outdated()
        records: dict[int, LabelRecord] = {}
        unmatched: dict[str, LabelRecord] = {}
        for record in self._store.records():
            row = self._matching_row(record)
            if row is None:
                unmatched[record.key] = record
            else:
                records[row] = record
        _check_same_data(records, unmatched)
        (skipped, deleted_known), classes = self._read_skips(), self._store.classes()
        self.records, self.unmatched = records, unmatched
        self.skipped, self.deleted_known = skipped, deleted_known
        self.classes: list[str] = classes
        self._class_counts = Counter(record.label for record in records.values())
        self._person_counts = Counter(record.person for record in records.values())
        self._must_reload = False

    def mark_outdated(self) -> None:
        """Remember that the database may have changed, until it has been read."""
        self._must_reload = True

    def _read_skips(self) -> tuple[dict[int, set[str]], set[int]]:
        """Return who skipped which rows, and the rows whose known label was deleted."""
        skipped: dict[int, set[str]] = {}
        deleted_known: set[int] = set()
        for key, person in self._store.skips():
            row = self._pool.row_of(key)
            if row is None:
                continue
            if person == DATA_FILE:
                deleted_known.add(row)
            else:
                skipped.setdefault(row, set()).add(person)
        return skipped, deleted_known

    def check_row(self, row: int) -> int:
        """Return a row; raise `NotFoundError` if the pool does not have it."""
        if not 0 <= row < len(self._pool):
            raise NotFoundError(f"There is no row {row} in the pool, which has rows 0 to {len(self._pool) - 1}.")
        return row

    def get(self, row: int) -> LabelRecord:
        """Return the record of a row; raise `NotFoundError` if it has none."""
        if self.check_row(row) not in self.records:
            raise NotFoundError(f"Row {row} has no label; somebody may have deleted it.")
        return self.records[row]

    def add(self, candidate: Candidate, label: str, person: str, seconds: float | None) -> LabelRecord:
        """Label an example."""
        row = self.check_row(candidate.row)
        label = self.check_class(label)
        scores = candidate.scores
        record = LabelRecord(
            key=self._pool.key(row),
            label=label,
            person=person,
            drawn=candidate.drawn,
            digest=self._pool.digest(row),
            seconds=seconds,
            guess=max(scores, key=scores.__getitem__) if scores else None,
            margin=margin(scores),
        )
        if row in self.records:
            raise AlreadyLabelledError(record.key)
        if record.key in self.unmatched:  # the label of the previous content
            self._store.delete(record.key, person, "replace")
            del self.unmatched[record.key]
        self._set(row, self._store.add(record))
        return self.records[row]

    def change(self, row: int, label: str, person: str) -> LabelRecord:
        """Change the label of a row."""
        label = self.check_class(label)
        self._set(row, self._store.change(self.get(row).key, label, person))
        return self.records[row]

    def set_drawn(self, row: int, drawn: str) -> None:
        """Record another way in which the example of a label was selected."""
        self.records[row] = self._store.set_drawn(self.get(row).key, drawn)

    def delete(self, row: int, person: str, action: str = "delete", batch: str | None = None) -> LabelRecord:
        """Delete the label of a row; one that came with the data is not imported again."""
        key = self.get(row).key
        if row in self._pool.known:
            self._store.skip(key, DATA_FILE)
            self.deleted_known.add(row)
        record = self._store.delete(key, person, action, batch)
        self._count(self.records.pop(row), -1)
        return record

    def skip(self, row: int, person: str) -> None:
        """Record that a person skipped a row."""
        self._store.skip(self._pool.key(self.check_row(row)), person)
        self.skipped.setdefault(row, set()).add(person)

    def unskip(self, row: int, person: str, request: str | None = None) -> None:
        """Undo a skip; with a request, it is written to the history."""
        self._store.unskip(self._pool.key(self.check_row(row)), person, request)
        self.skipped.get(row, set()).discard(person)

    def n_skipped(self, person: str) -> int:
        """Count the unlabelled examples that a person skipped."""
        return sum(person in people and row not in self.records for row, people in self.skipped.items())

    def add_class(self, name: str) -> None:
        """Add a class."""
        self._store.add_class(name)
        self.classes = self._store.classes()

    def remove_class(self, name: str) -> None:
        """Remove a class without labels."""
        self._store.remove_class(name)
        self.classes = self._store.classes()

    def import_records(self, records: Iterable[LabelRecord], *, replace: bool) -> ImportCounts:
        """Import labels; return how many are new, changed and unchanged."""
        counts = self._store.import_records(records, replace=replace)
        self.reload()
        return counts

    def import_known(self) -> None:
        """Import the labels that came with the data, for rows without a label."""
        known = self._pool.known
        records = [
            LabelRecord(self._pool.key(row), known[row], DATA_FILE, "imported", self._pool.digest(row))
            for row in known
            if row not in self.records and row not in self.deleted_known
        ]
        if records:
            self.import_records(records, replace=False)

    def export_records(self, format: str) -> list[LabelRecord]:  # noqa: A002  the usual name
        """Return the records to export, in the order of labelling; svmlight needs the examples, too."""
        if format == "svm":
            return list(self.records.values())
        return sorted([*self.records.values(), *self.unmatched.values()], key=lambda record: record.number or 0)

    def is_outdated(self) -> bool:
        """Return whether the number of labels in the database differs, or it could not be read the last time.

        Another program may write to it.
        """
        return self._must_reload or self._store.history(0, 1)[0] != len(self.records) + len(self.unmatched)

    def is_stale(self, row: int) -> bool:
        """Return whether the database has another label for a row: another program may have written it."""
        if not 0 <= row < len(self._pool):
            return False
        stored, cached = self._store.find(self._pool.key(row)), self.records.get(row)
        return (stored and stored.label) != (cached and cached.label)

    def labels(self) -> dict[int, str]:
        """Return the label of each labelled row."""
        return {row: record.label for row, record in self.records.items()}

    def class_counts(self) -> dict[str, int]:
        """Return the number of labels per class."""
        return {name: self._class_counts[name] for name in self.classes}

    def person_counts(self) -> dict[str, int]:
        """Return the number of labels per person."""
        return {person: count for person, count in self._person_counts.items() if count}

    def history(
        self, offset: int, limit: int, label: str | None = None, person: str | None = None
    ) -> tuple[int, list[LabelRecord]]:
        """Return the number of labels, and one page of them, newest first."""
        return self._store.history(offset, limit, label, person)

    def last_row(self, person: str) -> int | None:
        """Return the row that a person labelled last; None if there is none or its example has disappeared."""
        _, latest = self.history(0, 1, person=person)
        return self._pool.row_of(latest[0].key) if latest else None

    def _set(self, row: int, record: LabelRecord) -> None:
        previous = self.records.get(row)
        if previous is not None:
            self._count(previous, -1)
        self.records[row] = record
        self._count(record, 1)

    def _count(self, record: LabelRecord, step: int) -> None:
        self._class_counts[record.label] += step
        self._person_counts[record.person] += step

    def check_class(self, label: str) -> str:
        """Validate a label, which must be one of the classes."""
        label = check_label(label)
        if label not in self.classes:
            raise InvalidRequestError(
                f"A label must be one of the classes {self.classes}, got {label!r}; add the class first."
            )
        return label

    def _matching_row(self, record: LabelRecord) -> int | None:
        """Return the row of a record; None if its example has disappeared or changed."""
        row = self._pool.row_of(record.key)
        return None if row is None or self._pool.digest(row) != record.digest else row


def _check_same_data(records: dict[int, LabelRecord], unmatched: dict[str, LabelRecord]) -> None:
    """Raise an error if most labels do not match the pool: it must be a different one."""
    if len(unmatched) > len(records):
        raise DataError(
            f"The labels in the database do not match these data: {len(unmatched)} are of examples that are "
            f"missing or have changed, for example {next(iter(unmatched))!r}, and {len(records)} match; "
            "give the data that were labelled, or another --database or --project."
        )
