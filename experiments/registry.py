"""The papers, and which of their tables and figures are repeated."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.experiment import Experiment

ALL = "all"


@dataclass(frozen=True)
class Paper:
    """A paper and the names of its experiments; each is a module in the folder of the paper."""

    name: str
    citation: str
    experiments: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """An experiment with the names of its paper and module, such as `lasvm fig8`."""

    paper: str
    name: str
    experiment: Experiment

    def __str__(self) -> str:
        return f"{self.paper} {self.name}"


def _figures(*numbers: int) -> tuple[str, ...]:
    return tuple(f"fig{number}" for number in numbers)


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "lasvm",
            "Bordes, Ertekin, Weston, Bottou: Fast Kernel Classifiers with Online and Active Learning, JMLR 2005",
            _figures(1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16),
        ),
        Paper(
            "nonconvex",
            "Ertekin, Bottou, Giles: Nonconvex Online Support Vector Machines, PAMI 2011",
            (*_figures(1, 2), "table1", "table3", "table4", *_figures(4, 5, 6, 7, 8)),
        ),
        Paper(
            "tracking",
            "Usunier, Bordes, Bottou: Guarantees for Approximate Incremental SVMs, AISTATS 2010",
            _figures(1, 2, 3, 4, 5, 6),
        ),
        Paper(
            "incremental",
            "Laskov, Gehl, Krüger, Müller: Incremental Support Vector Learning: Analysis, Implementation and "
            "Applications, JMLR 2006",
            _figures(1, 3, 4, 5, 6, 7, 8, 9, 10),
        ),
        Paper(
            "asset",
            "Lee, Wright: ASSET: Approximate Stochastic Subgradient Estimation Training for Support Vector Machines, "
            "ICPRAM 2012",
            ("fig1", "table2", "fig2", "table3"),
        ),
    )
}


def find_experiments(paper: str, names: Sequence[str] = ()) -> list[Entry]:
    """Find experiments by name.

    Parameters
    ----------
    paper : str
        A key of `PAPERS`, or "all".
    names : sequence of str
        Names of experiments of the paper, such as "fig8"; all of them if empty.

    Raises
    ------
    ParameterError
        There is no such paper or experiment.

    Examples
    --------
    >>> [str(entry) for entry in find_experiments("tracking", ["fig2", "fig3"])]
    ['tracking fig2', 'tracking fig3']
    """
    if paper == ALL:
        if names:
            raise ParameterError(f"Experiments belong to one paper: name it instead of {ALL!r} before {names[0]!r}.")
        return [entry for each in PAPERS for entry in find_experiments(each)]
    if paper not in PAPERS:
        raise ParameterError(f"There is no paper {paper!r}; choose one of {', '.join(PAPERS)}, {ALL}.")
    known = PAPERS[paper].experiments
    for name in names:
        if name not in known:
            raise ParameterError(f"{paper} has no experiment {name!r} here; choose among {', '.join(known)}.")
    return [_entry(paper, name) for name in dict.fromkeys(names) or known]


def share_measurement(entry: Entry, name: str) -> bool:
    """Return whether another experiment of the same paper uses the same measurement."""
    return _entry(entry.paper, name).experiment.measurement.name == entry.experiment.measurement.name


def _entry(paper: str, name: str) -> Entry:
    return Entry(paper, name, import_module(f"experiments.{paper}.{name}").EXPERIMENT)
