"""The outcomes as one HTML page that works offline: style and pictures are embedded."""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.formatting import sentence
from experiments.registry import PAPERS
from experiments.result_store import QUICK
from experiments.runner import picture_path
from hinge.io.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from experiments.experiment import Check, Table
    from experiments.outcome import Outcome

PAGE = "index.html"
STYLE = Path(__file__).with_name("page.css")
INTRODUCTION = (
    "Tables and figures of the five papers that Hinge implements, measured again. Times are CPU seconds of one "
    "thread, as ratios to LIBSVM in the same run."
)
QUICK_RUN = (
    "This is a quick run: fewer rows, seeds and settings than in the papers. Verdicts are indications, not evidence."
)


def write_html_page(folder: Path, outcomes: Sequence[Outcome], metadata: Mapping[str, str]) -> Path:
    """Write the page of a folder of results and return its path.

    Parameters
    ----------
    folder : Path
        Folder of results, with pictures.
    outcomes : sequence of Outcome
        The outcomes of the experiments.
    metadata : mapping from str to str
        The versions, machine and day of the results.
    """
    with replacing(folder / PAGE) as unfinished:
        unfinished.write_text("\n".join(_lines(folder, outcomes, metadata)), encoding="utf-8")
    return folder / PAGE


def _lines(folder: Path, outcomes: Sequence[Outcome], metadata: Mapping[str, str]) -> Iterator[str]:
    quick = metadata.get("run") == QUICK
    style = STYLE.read_text(encoding="utf-8")
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>Hinge: the experiments of the papers</title><style>{style}</style></head><body><main>"
    yield "<h1>The experiments of the papers</h1>"
    yield f"<p>{INTRODUCTION}</p>"
    if quick:
        yield f'<p class="quick">{QUICK_RUN}</p>'
    yield f"<p class='about'>{escape(', '.join(f'{name} {value}' for name, value in metadata.items()))}</p>"
    yield from _summary(outcomes)
    for paper in PAPERS.values():
        own = [outcome for outcome in outcomes if outcome.entry.paper == paper.name]
        if own:
            yield f"<h2>{escape(paper.name)}</h2><p>{escape(paper.citation)}</p>"
        for outcome in own:
            yield from _section(folder, outcome, quick=quick)
    yield "</main></body></html>"


def _summary(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "<table><thead><tr><th>experiment</th><th>what it shows</th><th>verdict</th></tr></thead><tbody>"
    for outcome in outcomes:
        link = f'<a href="#{_anchor(outcome)}">{escape(str(outcome.entry))}</a>'
        cells = (link, escape(outcome.entry.experiment.title), _badge(outcome))
        yield "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    yield "</tbody></table>"


def _section(folder: Path, outcome: Outcome, *, quick: bool) -> Iterator[str]:
    experiment = outcome.entry.experiment
    title = f"{escape(str(outcome.entry))}: {escape(experiment.title)} {_badge(outcome)}"
    yield f'<section id="{_anchor(outcome)}"><h3>{title}</h3>'
    yield f"<p><b>Paper.</b> {escape(experiment.claim)}</p><p><b>Here.</b> {escape(experiment.setting)}</p>"
    if quick:
        yield f"<p><b>Quick run.</b> {escape(experiment.quick)}</p>"
    yield "<ul>" + "".join(_check(check, done=not outcome.missing) for check in outcome.checks) + "</ul>"
    missing = (f"Not measured: {sentence(reason)}" for reason in dict.fromkeys(outcome.missing))
    changes = f"Changed: {experiment.changes}" if experiment.changes else ""
    reasons = (*missing, experiment.incomparable, changes, experiment.explanation)
    yield from (f"<p>{escape(reason)}</p>" for reason in reasons if reason)
    yield from _image(picture_path(folder, outcome.entry), experiment.title)
    for table in outcome.tables:
        yield from _table(table)
    raw = f'<a href="{outcome.entry.paper}/{outcome.entry.name}.csv">raw results</a>'
    yield f'<p class="about">{raw} · python -m experiments {escape(str(outcome.entry))}</p></section>'


def _check(check: Check, *, done: bool) -> str:
    kind = "holds" if check.holds else "fails" if done else "open"
    observed = escape(sentence(check.observed))
    return f'<li class="{kind}" aria-label="{kind}">{escape(sentence(check.claim))} <span>{observed}</span></li>'


def _image(file: Path, title: str) -> Iterator[str]:
    if file.exists():
        content = base64.b64encode(file.read_bytes()).decode()
        yield f'<img alt="{escape(title)}" src="data:image/png;base64,{content}">'


def _table(table: Table) -> Iterator[str]:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    yield f'<div class="wide"><table><caption>{escape(table.title)}</caption><thead><tr>{head}</tr></thead><tbody>'
    yield from ("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    yield "</tbody></table></div>"


def _badge(outcome: Outcome) -> str:
    return f'<span class="verdict {outcome.verdict.replace(" ", "-")}">{outcome.verdict}</span>'


def _anchor(outcome: Outcome) -> str:
    return f"{outcome.entry.paper}-{outcome.entry.name}"
