"""Examples that two or more people label, to measure how well they agree.

A share of the examples, chosen by a hash of their keys (so that all servers, and the next session, choose the same), is
given to others after it has a label. They see neither that label nor guesses of the model, which has learned it. A
person gets at most one such example in three, unless nothing else is left.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from hinge.web._agreement import krippendorff_alpha, pair_agreements, person_agreements
from hinge.web._opinions import Opinion, Opinions
from hinge.web.pools._base import short_digest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from hinge.web._connections import Connections
    from hinge.web._label_cache import LabelCache
    from hinge.web._labels import LabelRecord
    from hinge.web._settings import SessionSettings
    from hinge.web.pools import Pool

SECOND: Final = "second"  # how such an example was drawn
_TURNS = 2  # other examples between two of them


class Overlap:
    """The examples of a session that several people label. Not thread-safe; the session holds its lock.

    Parameters
    ----------
    pool : Pool
        The examples.
    cache : LabelCache
        Their labels.
    connections : Connections
        The database.
    settings : SessionSettings
        The share of the examples, and how many people label each of them.
    """

    def __init__(self, pool: Pool, cache: LabelCache, connections: Connections, settings: SessionSettings) -> None:
        self._pool, self._cache, self._people = pool, cache, settings.overlap_people
        self.store = Opinions(connections)
        limit = settings.overlap / 100 * 2**32
        rows = range(len(pool)) if settings.overlap else ()
        self._rows = [row for row in rows if int(short_digest(pool.key(row).encode())[:8], 16) < limit]
        self._share = frozenset(self._rows)
        self._new_examples: Counter[str] = Counter()
        self.reload()

    def reload(self) -> None:
        """Read the opinions from the database; after an error, nothing has changed."""
        opinions: dict[int, dict[str, Opinion]] = {}
        for opinion in self.store.all():
            row = self._pool.row_of(opinion.key)
            if row is not None and self._pool.digest(row) == opinion.digest:
                opinions.setdefault(row, {})[opinion.person] = opinion
        self._opinions, self._decided = opinions, self.store.decided()

    def shares(self, row: int) -> bool:
        """Return whether an example is one of those that several people label."""
        return row in self._share

    def wants(self, row: int, person: str) -> bool:
        """Return whether this person should label an example that somebody else has labelled."""
        record, given = self._cache.records.get(row), self._opinions.get(row, {})
        if row not in self._share or record is None or record.drawn == "imported":
            return False
        if person in (record.person, *given) or person in self._cache.skipped.get(row, ()):
            return False
        return len({record.person, *given}) < self._people

    def next_row(self, person: str, held: Collection[int], *, is_last: bool = False) -> int | None:
        """Return such an example for a person, if it is the turn of one, or if nothing else is left."""
        if not is_last and self._new_examples[person] < _TURNS:
            self._new_examples[person] += 1
            return None
        found = next((row for row in self._rows if row not in held and self.wants(row, person)), None)
        if found is not None:
            self._new_examples[person] = 0
        return found

    def has(self, row: int, person: str, label: str | None = None) -> bool:
        """Return whether a person has said this, or anything, about an example."""
        opinion = self._opinions.get(row, {}).get(person)
        return opinion is not None and label in (None, opinion.label)

    def add(self, row: int, label: str, person: str, seconds: float | None) -> None:
        """Save what a person said about an example that has a label."""
        record = self._cache.records[row]
        opinion = Opinion(record.key, label, person, record.digest, seconds)
        self.store.add(opinion)
        given = self._opinions.setdefault(row, {})
        given.setdefault(record.person, Opinion.of(record))
        given[person] = opinion

    def delete(self, row: int, person: str, request: str | None = None) -> Opinion | None:
        """Delete what a person said about an example, and return it."""
        if not self.has(row, person):
            return None
        self.store.delete(self._pool.key(row), person, request)
        return self._opinions[row].pop(person)

    def last_row(self, person: str) -> int | None:
        """Return the example about which a person spoke last, after they last labelled one; None if there is none."""
        mine = [(given[person].labelled_at, row) for row, given in self._opinions.items() if person in given]
        mine = [each for each in mine if self._is_second(each[1], person)]
        if not mine:
            return None
        at, row = max(mine)
        others = [each.labelled_at for each in self._cache.records.values() if each.person == person]
        return None if others and max(others) > at else row

    def _is_second(self, row: int, person: str) -> bool:
        record = self._cache.records.get(row)
        return record is not None and record.person != person

    def disputes(self) -> list[tuple[int, LabelRecord, list[Opinion]]]:
        """Return the labelled examples about which people disagree, and nobody has decided since, oldest first."""
        found = []
        for row, given in self._opinions.items():
            record, opinions = self._cache.records.get(row), list(given.values())
            if record is None or len({each.label for each in opinions}) < 2:
                continue
            decided = self._decided.get(record.key)
            if decided is None or decided < max(each.labelled_at for each in opinions):
                found.append((row, record, opinions))
        return found

    def decide(self, row: int, label: str, person: str) -> None:
        """Record the decision about an example on which people disagree."""
        self.store.decide(self._pool.key(row), person, label)
        self._decided = self.store.decided()

    def summary(self) -> dict[str, Any]:
        """Describe how quickly people label, and how well they agree."""
        units = [
            {name: each.label for name, each in given.items()} for given in self._opinions.values() if len(given) > 1
        ]
        alpha = krippendorff_alpha(units)
        return {
            "examples": len(units),
            "alpha": dict(zip(("value", "low", "high"), map(_known, alpha), strict=True)),
            "pairs": [{**each._asdict(), "kappa": _known(each.kappa)} for each in pair_agreements(units)],
            "people": [
                {**each._asdict(), "equal": _known(each.equal)} for each in person_agreements(units, self._seconds())
            ],
        }

    def _seconds(self) -> Mapping[str, list[float | None]]:
        """Return the seconds that each label and opinion of a person took."""
        seconds: dict[str, list[float | None]] = {}
        for record in self._cache.records.values():
            if record.drawn != "imported":
                seconds.setdefault(record.person, []).append(record.seconds)
        for row, given in self._opinions.items():
            for person, opinion in given.items():
                if self._is_second(row, person):
                    seconds.setdefault(person, []).append(opinion.seconds)
        return seconds


def _known(value: float) -> float | None:
    return round(value, 4) if value == value else None  # noqa: PLR0124  not NaN
