"""The labels of one project by row of its pool: what the database holds, kept at hand."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from hinge.exceptions import DataError
from hinge.web._answer import Answer, MissingError, RefusedError, TakenError, check_label
from hinge.web._sureness import margin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hinge.web._desk import Question
    from hinge.web._store import Store
    from hinge.web.pools import Pool


SOURCE = "data file"  # who says what came with the data


class Book:
    """What people said about a pool. Every change is in the database before it is here.

    Parameters
    ----------
    pool : Pool
        The examples.
    store : Store
        The database.

    Attributes
    ----------
    answers : dict
        The label of each row that has one, in the order in which they came.
    skipped : dict
        Who passed over a row, by row.
    classes : list of str
        The classes in the order in which they became known.
    aside : dict
        Labels of examples that are not there any more, or have changed, by key: kept, but of no use to a model.
    refused : set of int
        Rows whose label in the data somebody took out: it is not brought again.
    """

    def __init__(self, pool: Pool, store: Store) -> None:
        self._pool, self._store = pool, store
        self.read()

    def read(self) -> None:
        """Read everything from the database."""
        self.answers: dict[int, Answer] = {}
        self.aside: dict[str, Answer] = {}
        for answer in self._store.answers():
            row = self._row(answer)
            if row is None:
                self.aside[answer.key] = answer
            else:
                self.answers[row] = answer
        self._require_same_data()
        self._read_skips()
        self.classes: list[str] = self._store.classes()
        self._by_label = Counter(answer.label for answer in self.answers.values())
        self._by_person = Counter(answer.person for answer in self.answers.values())

    def _read_skips(self) -> None:
        self.skipped: dict[int, set[str]] = {}
        self.refused: set[int] = set()
        for key, person in self._store.skips():
            row = self._pool.row_of(key)
            if row is None:
                continue
            if person == SOURCE:
                self.refused.add(row)
            else:
                self.skipped.setdefault(row, set()).add(person)

    def require(self, row: int) -> int:
        """Return a row of the pool, or refuse."""
        if not 0 <= row < len(self._pool):
            raise MissingError(f"There must be a row {row} in the pool, which has rows 0 to {len(self._pool) - 1}.")
        return row

    def find(self, row: int) -> Answer:
        """Return the label of a row, which must have one."""
        if self.require(row) not in self.answers:
            raise MissingError(f"Row {row} must have a label, it has none; somebody may have deleted it.")
        return self.answers[row]

    def record(self, question: Question, label: str, person: str, seconds: float | None) -> Answer:
        """Write down the answer to a question."""
        row = self.require(question.row)
        label = self._known(label)
        guess = max(question.scores, key=question.scores.__getitem__) if question.scores else None
        answer = Answer(
            key=self._pool.key(row),
            label=label,
            person=person,
            drawn=question.drawn,
            digest=self._pool.digest(row),
            seconds=seconds,
            guess=guess,
            margin=margin(question.scores),
        )
        if row in self.answers:
            raise TakenError(answer.key)
        if self.aside.pop(answer.key, None):  # of what stood there before
            self._store.delete(answer.key)
        self._keep(row, self._store.record(answer))
        return self.answers[row]

    def correct(self, row: int, label: str, person: str) -> Answer:
        """Put another label in the place of one."""
        label = self._known(label)
        self._keep(row, self._store.correct(self.find(row).key, label, person))
        return self.answers[row]

    def delete(self, row: int) -> Answer:
        """Take a label out; one that came with the data is not brought again."""
        key = self.find(row).key
        if row in self._pool.known:
            self._store.skip(key, SOURCE)
            self.refused.add(row)
        answer = self._store.delete(key)
        self._drop(row)
        return answer

    def skip(self, row: int, person: str) -> None:
        """Write down that somebody passed over a row."""
        self._store.skip(self._pool.key(self.require(row)), person)
        self.skipped.setdefault(row, set()).add(person)

    def unskip(self, row: int, person: str) -> None:
        """Take that back."""
        self._store.unskip(self._pool.key(self.require(row)), person)
        self.skipped.get(row, set()).discard(person)

    def n_skipped(self, person: str) -> int:
        """Return the number of examples without a label that somebody passed over."""
        return sum(person in people and row not in self.answers for row, people in self.skipped.items())

    def add_class(self, name: str) -> None:
        """Make a class known."""
        self._store.add_class(name)
        self.classes = self._store.classes()

    def remove_class(self, name: str) -> None:
        """Remove a class without labels."""
        self._store.remove_class(name)
        self.classes = self._store.classes()

    def bring(self, answers: Iterable[Answer], *, replace: bool) -> tuple[int, int, int]:
        """Take labels from elsewhere; return how many are new, changed and the same."""
        counts = self._store.bring(answers, replace=replace)
        self.read()
        return counts

    def bring_known(self) -> None:
        """Take the labels that came with the data, for rows that have none."""
        new = [row for row in self._pool.known if row not in self.answers and row not in self.refused]
        brought = [
            Answer(self._pool.key(row), str(self._pool.known[row]), SOURCE, "imported", self._pool.digest(row))
            for row in new
        ]
        if brought:
            self.bring(brought, replace=False)

    def exported(self, format: str) -> list[Answer]:  # noqa: A002  everybody's name for it
        """Return the labels for a file, in the order in which they came; svmlight needs the examples, too."""
        if format == "svm":
            return list(self.answers.values())
        return sorted([*self.answers.values(), *self.aside.values()], key=lambda answer: answer.number or 0)

    def is_outdated(self) -> bool:
        """Tell whether the database holds more or fewer labels than we know of: another program may write to it."""
        return self._store.history(0, 1)[0] != len(self.answers) + len(self.aside)

    def is_stale(self, row: int) -> bool:
        """Tell whether the database says otherwise about a row: another program may have written to it."""
        if not 0 <= row < len(self._pool):
            return False
        kept, known = self._store.find(self._pool.key(row)), self.answers.get(row)
        return (kept and kept.label) != (known and known.label)

    def labels(self) -> dict[int, str]:
        """Return the label of each row that has one."""
        return {row: answer.label for row, answer in self.answers.items()}

    def counts(self) -> dict[str, int]:
        """Return the number of labels of each class."""
        return {name: self._by_label[name] for name in self.classes}

    def people(self) -> dict[str, int]:
        """Return the number of labels of each person."""
        return {person: count for person, count in self._by_person.items() if count}

    def history(self, offset: int, limit: int, **wanted: Any) -> tuple[int, list[Answer]]:
        """Return how many labels there are, and some of them, newest first."""
        return self._store.history(offset, limit, **wanted)

    def _keep(self, row: int, answer: Answer) -> None:
        """Put an answer in its place, which may be that of another."""
        before = self.answers.get(row)
        if before is not None:
            self._count(before, -1)
        self.answers[row] = answer
        self._count(answer, 1)

    def _drop(self, row: int) -> None:
        self._count(self.answers.pop(row), -1)

    def _count(self, answer: Answer, step: int) -> None:
        self._by_label[answer.label] += step
        self._by_person[answer.person] += step

    def _known(self, label: str) -> str:
        label = check_label(label)
        if label not in self.classes:
            raise RefusedError(
                f"A label must be one of the classes, {self.classes}, got {label!r}; add the class first."
            )
        return label

    def _row(self, answer: Answer) -> int | None:
        """Return the row that an answer is about; None when it is not there, or not the one that was looked at."""
        row = self._pool.row_of(answer.key)
        return None if row is None or self._pool.digest(row) != answer.digest else row

    def _require_same_data(self) -> None:
        """Refuse data of which most labels do not fit: they are others."""
        if len(self.aside) > len(self.answers):
            raise DataError(
                f"The database must hold labels of these data, got {len(self.aside)} of examples that are not there or "
                f"have another content, {next(iter(self.aside))!r} for instance, and {len(self.answers)} that fit; "
                "give the data that were labelled, or another --database or --project."
            )
