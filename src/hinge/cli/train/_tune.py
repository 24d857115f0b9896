"""The choice of C, gamma and the scaling of features, before a model is trained."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from hinge import streaming
from hinge.cli._values import PERCENT, describe_choice
from hinge.model_selection import ScaledSearch
from hinge.streaming import traits

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from hinge.cli.train._budget import Budget
    from hinge.cli.train._job import TrainJob

MIN_ROWS = 30  # with fewer, chance would choose
_N_SHOWN = 5  # settings in the table


@dataclass(frozen=True)
class Finalist:
    """A setting, the last score that it reached, and after how many rows.

    Attributes
    ----------
    rung : int
        The rung at which it left; the number of rungs if it did not.
    """

    C: float | None
    gamma: float | None
    scaling: str
    score: float | None
    rows: int
    rung: int


@dataclass
class Tuning:
    """What was chosen, and how.

    Attributes
    ----------
    settings : list of Finalist
        All settings, the best first.
    path : list of (gamma, C)
        The leaders, rung by rung.
    """

    measure: str
    rows: int
    seconds: float
    stopped: str
    settings: list[Finalist] = field(default_factory=list)
    path: list[tuple[float, float]] = field(default_factory=list)

    @property
    def best(self) -> Finalist:
        """The setting chosen."""
        return self.settings[0]

    def record(self) -> dict[str, Any]:
        """Return what the model file keeps."""
        best = self.best
        return {
            "C": best.C,
            "gamma": best.gamma,
            "scaling": best.scaling,
            "settings": len(self.settings),
            "rows": self.rows,
            "seconds": round(self.seconds, 3),
            "measure": self.measure,
            "score": best.score,
            "stopped": self.stopped,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the same and the best settings, for JSON."""
        return self.record() | {"best": [vars(one) for one in self.settings[:_N_SHOWN]]}

    def describe(self) -> str:
        """Return in one sentence what was chosen."""
        ended = {"": "", "time": " until the time was up", "interrupted": " until Ctrl-C"}[self.stopped]
        return f"Chosen: {describe_choice(self.record())}, in {self.seconds:.1f} s{ended}."

    def table(self) -> Table:
        """Return the best settings as a table."""
        table = Table(title="The last settings of the race", title_justify="left", title_style="bold")
        score = f"{self.measure}, %" if self.measure in PERCENT else self.measure
        shown = [one for one in self.settings[:_N_SHOWN] if one.score is not None]
        columns = {
            "C": [_short(one.C) for one in shown],
            "gamma": [_short(one.gamma) for one in shown],
            "features": [one.scaling for one in shown],
            score: [self._score(one.score) for one in shown],
            "rows learned": [f"{one.rows:,}" for one in shown],
        }
        columns = {name: cells for name, cells in columns.items() if set(cells) != {"-"}}
        if len(set(columns["features"])) == 1:
            del columns["features"]
        for name in columns:
            table.add_column(name, justify="left" if name == "features" else "right")
        for cells in zip(*columns.values(), strict=True):
            table.add_row(*cells)
        return table

    def _score(self, score: float | None) -> str:
        return "-" if score is None else f"{score:.2f}" if self.measure in PERCENT else f"{score:.4f}"


def tune(
    job: TrainJob, parameters: dict[str, object], budget: Budget, terminal: Console, *, by_rank: bool
) -> Tuning | None:
    """Choose C, gamma and scaling for a new model, if the user has chosen none of them; change the job accordingly.

    Settings are compared by the order of their decision values if a threshold is chosen later. Ctrl-C ends the choice
    with the best so far; before anything is known, it ends the command.
    """
    if not _is_wanted(job, parameters, budget):
        return None
    X, y = job.source.sample(budget.rows)
    if job.source.is_regression:
        y = job.source.preparation.answers.to_targets(y)
    reason = _reason_against(y, is_regression=job.source.is_regression)
    if reason:
        terminal.print(f"{reason} C and gamma keep their defaults.", highlight=False)
        return None
    tuning = _Run(job, budget, terminal, by_rank=by_rank).race(X, y)
    if tuning is not None:
        terminal.print(tuning.table())
        terminal.print(tuning.describe(), highlight=False, soft_wrap=True)
    return tuning


def _short(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _is_wanted(job: TrainJob, parameters: dict[str, object], budget: Budget) -> bool:
    params, kind = job.model.get_params(), traits(job.model)
    is_open = parameters["C"] is None and parameters["gamma"] is None and not streaming.is_fitted(job.model)
    has_values = "C" in params and kind.task != "one-class" and not kind.is_ordered
    has_own = job.dataset is not None and not budget.is_asked  # known data sets come with good values
    return budget.seconds > 0 and is_open and has_values and not has_own


def _reason_against(y: NDArray[Any], *, is_regression: bool) -> str:
    if len(y) < MIN_ROWS:
        return f"{len(y)} rows are too few to choose C and gamma by."
    if not is_regression and np.sort(np.unique(y, return_counts=True)[1])[-2:][0] < 2:
        return "Too few rows of a second class to choose C and gamma by."
    if not is_regression and len(np.unique(y)) < 2:
        return "The first rows have only one class, so they cannot choose C and gamma."
    return ""


class _Run:
    """One race, and its progress bar."""

    def __init__(self, job: TrainJob, budget: Budget, terminal: Console, *, by_rank: bool) -> None:
        self._job, self._budget, self._terminal = job, budget, terminal
        self._measure = self._choose_measure(by_rank=by_rank)
        self._best: dict[int, tuple[float, Any]] = {}  # loss and setting of the leader of each rung
        self._progress = Progress(
            TextColumn("choosing"), BarColumn(), TextColumn("{task.fields[said]}"), console=terminal, transient=True
        )
        self._task = self._progress.add_task("", total=1.0, said="")
        self._search: Any = None

    def race(self, X: Any, y: NDArray[Any]) -> Tuning | None:
        """Run it, and set the values chosen."""
        job, start = self._job, time.monotonic()
        self._search = search = self._new_search()
        what = "C, gamma and scaling" if job.source.scalings else "C and gamma"
        self._terminal.print(
            f"Choosing {what} on {len(y):,} rows, for at most {self._budget.describe()}. Ctrl-C takes the best so far; "
            "--no-tune leaves this out.",
            highlight=False,
            soft_wrap=True,
        )
        stopped = ""
        try:
            with self._progress, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of settings that leave, and of classes with few rows
                search.fit(X, y)
            stopped = "time" if search.stopped_ else ""
        except KeyboardInterrupt:
            if not hasattr(search, "cv_results_") or not np.isfinite(search.cv_results_["mean_test_score"]).any():
                raise
            stopped = "interrupted"
        tuning = self._tuning(len(y), time.monotonic() - start, stopped)
        self._take()
        return tuning

    def _new_search(self) -> ScaledSearch:
        job = self._job
        scorings = {"balanced error": "balanced_accuracy", "ROC AUC": "roc_auc"}
        options = {
            "scoring": scorings.get(self._measure),
            "max_time": self._budget.seconds,
            "random_state": 0,
            "refit": False,
        }
        return ScaledSearch(job.model, job.source.preparation.scaling, job.source.scalings, self._watch, **options)

    def _watch(self, event: Any) -> None:
        if event.leader is None:
            return
        self._best[event.number] = (event.loss, event.leader)
        is_error = self._measure in PERCENT
        score = f"{self._measure} {100 * event.loss:.2f} %" if is_error else f"{self._measure} {-event.loss:.4f}"
        done = (event.number + event.n_done / event.n_settings) / event.n_rungs
        values = [(name, self._search.value_of(event.leader, name)) for name in ("C", "gamma")]
        named = ", ".join(f"{name}={value:.3g}" for name, value in values if value is not None)
        self._progress.update(self._task, completed=done, said=f"{event.n_rows:,} rows, leading: {named}, {score}")

    def _tuning(self, rows: int, seconds: float, stopped: str) -> Tuning:
        measure, search, table = self._measure, self._search, self._search.cv_results_
        settings = []
        for row in np.argsort(table["rank_test_score"], kind="stable"):
            params, score = table["params"][row], float(table["mean_test_score"][row])
            known = None if not math.isfinite(score) else 100.0 * (1.0 - score) if measure in PERCENT else score
            cost, gamma = (search.value_of(params, name) for name in ("C", "gamma"))
            scaling = search.scaling_of(params).description
            settings.append(
                Finalist(cost, gamma, scaling, known, int(table["n_resources"][row]), int(table["rung"][row]))
            )
        leaders = [*(params for _, params in self._best.values()), search.best_params_]
        path = [(search.value_of(params, "gamma"), search.value_of(params, "C")) for params in leaders]
        points = [(gamma, cost) for gamma, cost in path if gamma is not None and cost is not None]
        return Tuning(measure, rows, seconds, stopped, settings, points)

    def _choose_measure(self, *, by_rank: bool) -> str:
        """Return by what settings are compared."""
        if self._job.source.is_regression:
            return "R2"
        is_weighted = self._job.model.get_params().get("class_weight") is not None
        return "ROC AUC" if by_rank else "balanced error" if is_weighted else "error"

    def _take(self) -> None:
        """Set what was chosen in the job."""
        job, params = self._job, self._search.best_params_
        known = {name: self._search.value_of(params, name) for name in ("C", "gamma")}
        job.model.set_params(**{name: value for name, value in known.items() if value is not None})
        scaling = self._search.scaling_of(params)
        if scaling is not job.source.preparation.scaling:
            job.source.rescale(scaling)
