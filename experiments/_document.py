"""The verdicts as a Markdown document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments._ledger import QUICK
from experiments._registry import PAPERS
from experiments._text import sentence
from hinge.io.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from experiments._experiment import Table
    from experiments._verdict import Outcome

HEAD = """# The papers, reproduced

Hinge implements five papers as one system. Every table and figure of their experiments is repeated by one command; this
page is what a {run} run showed. It is written by that command, as are the tables of raw results.

```console
hinge reproduce lasvm fig8            # one figure
hinge reproduce tracking --quick      # a paper in minutes, on fewer rows
hinge reproduce all                   # everything: hours; Ctrl-C, and the same command later, goes on
```

A verdict is *reproduced* when every claim listed under the experiment holds, *differs* when one does not (the reason
follows), *not comparable* when the paper measured something that cannot be measured here. Times are processor seconds
of one thread, as ratios to LIBSVM (scikit-learn's `SVC`) in the same run; errors, support vectors and kernel values do
not depend on the machine.
"""


def write_document(file: Path, outcomes: Sequence[Outcome], about: Mapping[str, str]) -> None:
    """Write the document.

    Parameters
    ----------
    file : Path
        Where it goes.
    outcomes : sequence of Outcome
        What came out.
    about : mapping from str to str
        What it was measured with.
    """
    with replacing(file) as unfinished:
        unfinished.write_text("\n".join(_lines(outcomes, about)) + "\n", encoding="utf-8")


def _lines(outcomes: Sequence[Outcome], about: Mapping[str, str]) -> Iterator[str]:
    yield HEAD.format(run=about.get("run", "full"))
    yield "Measured with " + ", ".join(
        f"{name} {about[name]}" for name in about if name not in ("run", "day", "machine")
    )
    yield f"on {about.get('machine', 'an unknown machine')}, {about.get('day', '')}.\n"
    yield "## Summary\n"
    yield from _table(
        ("experiment", "what it shows", "verdict"),
        (
            [f"[{outcome.entry}](#{_anchor(outcome)})", outcome.entry.experiment.title, outcome.verdict]
            for outcome in outcomes
        ),
    )
    for paper in PAPERS.values():
        own = [outcome for outcome in outcomes if outcome.entry.paper == paper.name]
        if own:
            yield f"\n## {paper.name}\n\n{paper.citation}.\n"
        for outcome in own:
            yield from _section(outcome, quick=about.get("run") == QUICK)


def _section(outcome: Outcome, *, quick: bool) -> Iterator[str]:
    experiment = outcome.entry.experiment
    yield f"### {outcome.entry}\n\n**{experiment.title}: {outcome.verdict}.**\n"
    yield f"*Paper.* {experiment.claim}\n\n*Here.* {experiment.setting}\n"
    if quick:
        yield f"*Quick run.* {experiment.quick}\n"
    for check in outcome.checks:
        answer = "holds" if check.holds else "open" if outcome.missing else "**does not hold**"
        yield f"- {answer}: {sentence(check.claim)} Seen: {sentence(check.seen)}"
    yield from (f"\nNot measured: {sentence(missing)}" for missing in dict.fromkeys(outcome.missing))
    if experiment.incomparable:
        yield f"\nNot comparable: {experiment.incomparable}"
    if experiment.explanation:
        yield f"\n{experiment.explanation}"
    yield ""
    for table in outcome.tables:
        yield from _titled(table)


def _titled(table: Table) -> Iterator[str]:
    if table.title:
        yield f"{table.title}:\n"
    yield from _table(table.columns, table.rows)
    yield ""


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for line in (columns, ["---"] * len(columns), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |"


def _anchor(outcome: Outcome) -> str:
    return str(outcome.entry).replace(" ", "-")
