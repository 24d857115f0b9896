"""The outcomes as a Markdown document."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from experiments.formatting import sentence
from experiments.registry import PAPERS
from experiments.result_store import QUICK
from hinge.io.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from experiments.experiment import Table
    from experiments.outcome import Outcome

WIDTH = 110  # characters of a line, outside tables
HEADER = """# The experiments of the papers

Hinge implements five papers, and `python -m experiments` repeats every table and figure of their experiments.
This page shows the results of a {run} run. Do not edit it: the option `--document` generates it from the tables
of raw results in `experiments/results`, and measures only what these tables lack.

```console
python -m experiments lasvm fig8            # one figure
python -m experiments tracking --quick      # one paper in minutes, on fewer rows
python -m experiments all                   # everything: hours; after Ctrl-C the same command continues
```

- *reproduced*: every claim listed under the experiment holds, in the paper's words, under the paper's settings or
  the nearest ones to what it states, with tolerances that were fixed before the run.
- *reproduced with changes*: every claim holds, but a setting, the data or a claim had to be adapted; one line says
  which.
- *differs*: at least one claim does not hold; an explanation follows.
- *not comparable*: the paper measured something that cannot be measured here, or under settings that it does not give
  and on which the answer depends.

Under each claim, *Observed* is what was measured here. `x1`, `x2` and `x10` behind a method are passes over the
training rows, `3.20 x` is a ratio, and a point is one per cent of the test rows. Times are CPU seconds of one
thread, as ratios to LIBSVM (scikit-learn's `SVC`) in the same run, unless an experiment says otherwise. Errors,
support vectors and kernel values do not depend on the machine.
"""


def write_report(file: Path, outcomes: Sequence[Outcome], metadata: Mapping[str, str]) -> None:
    """Write the document.

    Parameters
    ----------
    file : Path
        The file to write.
    outcomes : sequence of Outcome
        The outcomes of the experiments.
    metadata : mapping from str to str
        The versions, machine and day of the results.
    """
    with replacing(file) as unfinished:
        unfinished.write_text("\n".join(_blocks(outcomes, metadata)) + "\n", encoding="utf-8")


def _blocks(outcomes: Sequence[Outcome], metadata: Mapping[str, str]) -> Iterator[str]:
    yield HEADER.format(run=metadata.get("run", "full"))
    versions = ", ".join(f"{name} {metadata[name]}" for name in metadata if name not in ("run", "day", "machine"))
    machine = metadata.get("machine", "an unknown machine")
    yield _wrap(f"Measured with {versions} on {machine}, {metadata.get('day', '')}.") + "\n"
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
            yield f"\n## {paper.name}\n\n{_wrap(paper.citation)}.\n"
        for outcome in own:
            yield from _section(outcome, quick=metadata.get("run") == QUICK)


def _section(outcome: Outcome, *, quick: bool) -> Iterator[str]:
    experiment = outcome.entry.experiment
    yield f"### {outcome.entry}\n\n**{experiment.title}: {outcome.verdict}.**\n"
    yield _wrap(f"*Paper.* {experiment.claim}") + "\n"
    yield _wrap(f"*Here.* {experiment.setting}") + "\n"
    if quick:
        yield _wrap(f"*Quick run.* {experiment.quick}") + "\n"
    for check in outcome.checks:
        answer = "holds" if check.holds else "open" if outcome.missing else "**does not hold**"
        yield _wrap(f"- {answer}: {sentence(check.claim)} Observed: {sentence(check.observed)}", indent="  ")
    yield from ("\n" + _wrap(f"Not measured: {sentence(missing)}") for missing in dict.fromkeys(outcome.missing))
    if experiment.incomparable:
        yield "\n" + _wrap(f"Not comparable: {experiment.incomparable}")
    if experiment.changes:
        yield "\n" + _wrap(f"Changed: {experiment.changes}")
    if experiment.explanation:
        yield "\n" + _wrap(experiment.explanation)
    yield ""
    for table in outcome.tables:
        yield from _titled_table(table)


def _wrap(text: str, indent: str = "") -> str:
    """Break a text into short lines, none of which begins with what Markdown takes for a list or a heading."""
    glued = re.sub(r" (?=%|(?:[-+*>]|#+|\d+[.)]) )", "\0", text)
    lines = textwrap.wrap(glued, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def _titled_table(table: Table) -> Iterator[str]:
    if table.title:
        yield _wrap(f"{table.title}:") + "\n"
    yield from _table(table.columns, table.rows)
    yield ""


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (columns, ["---"] * len(columns), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"


def _anchor(outcome: Outcome) -> str:
    return str(outcome.entry).replace(" ", "-")
