"""What came out of an experiment, from its records alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from experiments._text import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments._experiment import Check, Table
    from experiments._records import Records
    from experiments._registry import Entry

REPRODUCED, DIFFERS, INCOMPARABLE, INCOMPLETE = "reproduced", "differs", "not comparable", "incomplete"


@dataclass(frozen=True)
class Outcome:
    """An experiment with its records and everything that follows from them.

    Attributes
    ----------
    entry : Entry
        The experiment.
    records : Records
        What was measured.
    missing : sequence of str
        What was not, and why.
    """

    entry: Entry
    records: Records
    missing: Sequence[str] = ()
    tables: Sequence[Table] = field(init=False)
    checks: Sequence[Check] = field(init=False)

    def __post_init__(self) -> None:
        experiment = self.entry.experiment
        object.__setattr__(self, "tables", list(experiment.tabulate(self.records)))
        object.__setattr__(self, "checks", list(experiment.check(self.records)))

    @property
    def verdict(self) -> str:
        """One of the four words."""
        if self.missing:
            return INCOMPLETE
        if self.entry.experiment.incomparable:
            return INCOMPARABLE
        return REPRODUCED if self.checks and all(check.holds for check in self.checks) else DIFFERS

    @property
    def reason(self) -> str:
        """Why, in a sentence or two; empty for what is reproduced."""
        failed = [check for check in self.checks if not check.holds]
        if self.verdict == INCOMPLETE:
            return "; ".join(dict.fromkeys(self.missing))
        if self.verdict == INCOMPARABLE:
            return self.entry.experiment.incomparable
        return " ".join(f"{sentence(check.claim)} Seen: {sentence(check.seen)}" for check in failed)
