"""The example that a person labels next: a second label, a prepared candidate or, if the model is busy, any example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge.web._assignments import Candidate
from hinge.web._claims import Claims
from hinge.web._learners import next_candidate
from hinge.web._overlap import SECOND

if TYPE_CHECKING:
    from collections.abc import Collection

    from hinge.web._session import Session

_CANDIDATE_TIMEOUT_S = 0.5  # before any unlabelled example is sent because no candidate is ready


class NextExamples:
    """Assigns examples to people; no two people get the same one. Thread-safe.

    Parameters
    ----------
    session : Session
        The session; its lock is held while examples are assigned, never while waiting for the model.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._claims = Claims(session.store.connections)
        self._n_assigned = len(session.cache.records)
        self._random = np.random.default_rng(session.settings.seed)

    def assign(self, person: str) -> Candidate | None:
        """Assign the next example to a person: a prepared candidate or, if the model is busy, any example."""
        taken: set[int] = set()  # on other servers
        with self._session.locked():
            if second := self._second(person):
                return second
        for is_last in (False, True):
            with self._session.locked():
                while candidate := self._best_candidate(person, taken) or (
                    self._any_example(person, taken) if is_last else None
                ):
                    if self._claim(person, candidate.row):
                        self._session.assignments.assign(person, candidate)
                        self._n_assigned += 1
                        return candidate
                    taken.add(candidate.row)
            if not is_last:
                self._session.learning.worker.refresh_candidates()
                self._session.learning.worker.wait(_CANDIDATE_TIMEOUT_S)
        with self._session.locked():
            return self._second(person, is_last=True)

    def unavailable(self) -> tuple[set[int], int]:
        """Return the rows that must not become candidates, and the number of active people."""
        with self._session.locked():
            skipped = {row for row, people in self._session.cache.skipped.items() if people}
            return {*self._session.assignments.rows(), *skipped}, len(self._session.assignments.active_people())

    def is_free(self, row: int, person: str) -> bool:
        """Return whether a row can be assigned to a person."""
        return (
            0 <= row < len(self._session.pool)
            and row not in self._session.cache.records
            and self._session.assignments.holder(row) in (None, person)
            and person not in self._session.cache.skipped.get(row, ())
        )

    def _second(self, person: str, *, is_last: bool = False) -> Candidate | None:
        """Assign an example that somebody else has labelled, if it is the turn of one."""
        row = self._session.overlap.next_row(person, set(self._session.assignments.rows()), is_last=is_last)
        if row is None or not self._claims.take(self._session.pool.key(row), person, labelled=True):
            return None
        candidate = Candidate(row, SECOND)
        self._session.assignments.assign(person, candidate)
        return candidate

    def _claim(self, person: str, row: int) -> bool:
        """Claim an example for a person; learn what other servers have labelled if one of them was faster."""
        if self._claims.take(self._session.pool.key(row), person):
            return True
        if self._session.cache.is_outdated():
            self._session.reload()
        return False

    def _best_candidate(self, person: str, taken: Collection[int] = ()) -> Candidate | None:
        """Return the best prepared candidate for a person; every few examples a random one."""
        free = [
            each
            for each in self._session.learning.worker.candidates()
            if self.is_free(each.row, person) and each.row not in taken
        ]
        return next_candidate(free, self._n_assigned, self._session.settings.check_every)

    def _any_example(self, person: str, taken: Collection[int] = ()) -> Candidate | None:
        """Return any remaining example; those that others skipped come last."""
        is_left = np.ones(len(self._session.pool), dtype=bool)
        is_left[[*self._session.cache.records, *self.unavailable()[0], *taken]] = False
        rows = np.flatnonzero(is_left)
        if len(rows):
            return Candidate(int(self._random.choice(rows)), "random")
        others = (row for row, people in self._session.cache.skipped.items() if people and row not in taken)
        skipped = (row for row in others if self.is_free(row, person))
        return next((Candidate(row, "chosen") for row in skipped), None)
