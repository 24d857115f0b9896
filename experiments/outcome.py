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

REPRODUCED, DIFFERS, INCOMPARABLE, INCOMPLETE = "reproduced", "differs", "not comparable", "incomplete"


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
        """One of "reproduced", "differs", "not comparable" and "incomplete"."""
        if self.missing:
            return INCOMPLETE
        if self.entry.experiment.incomparable:
            return INCOMPARABLE
        return REPRODUCED if self.checks and all(check.holds for check in self.checks) else DIFFERS

    @property
    def reason(self) -> str:
        """Why the experiment is not reproduced; empty if it is."""
        if self.verdict == INCOMPLETE:
            return "; ".join(dict.fromkeys(self.missing))
        if self.verdict == INCOMPARABLE:
            return self.entry.experiment.incomparable
        failed = [check for check in self.checks if not check.holds]
        return " ".join(f"{sentence(check.claim)} Observed: {sentence(check.observed)}" for check in failed)
