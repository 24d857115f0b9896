"""The outcome of an experiment, computed from its records alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from experiments.formatting import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.experiment import Check, Table
    from experiments.records import Records
    from experiments.registry import Entry

REPRODUCED, CHANGED, DIFFERS = "reproduced", "reproduced with changes", "differs"
INCOMPARABLE, INCOMPLETE = "not comparable", "incomplete"


@dataclass(frozen=True)
class Outcome:
    """An experiment with its records, tables and checks.

    Attributes
    ----------
    entry : Entry
        The experiment.
    records : Records
        What was measured.
    missing : sequence of str
        What was not measured, and why.
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
        """One of "reproduced", "reproduced with changes", "differs", "not comparable" and "incomplete"."""
        if self.missing:
            return INCOMPLETE
        if self.entry.experiment.incomparable:
            return INCOMPARABLE
        if not self.checks or not all(check.holds for check in self.checks):
            return DIFFERS
        return CHANGED if self.entry.experiment.changes else REPRODUCED

    @property
    def reason(self) -> str:
        """Why the experiment is not reproduced, or what was changed; empty if it is reproduced."""
        if self.verdict == INCOMPLETE:
            return "; ".join(dict.fromkeys(self.missing))
        if self.verdict == INCOMPARABLE:
            return self.entry.experiment.incomparable
        if self.verdict == CHANGED:
            return self.entry.experiment.changes
        failed = [check for check in self.checks if not check.holds]
        return " ".join(f"{sentence(check.claim)} Observed: {sentence(check.observed)}" for check in failed)
