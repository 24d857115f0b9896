"""A race between settings: rung by rung, those that are worse leave."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hinge.model_selection._rule import admitted, expected_losses, is_worse, level, may_catch_up

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hinge._model.types import Values
    from hinge.model_selection._rungs import Rung
    from hinge.model_selection._sharing import Group
    from hinge.model_selection._trial import Trial, Trials


_BUDGET, _CONFIRMING_BUDGET = 1.5, 1.75  # of a rung, in fits of the leader to all rows
_POWERS = (1.0, 2.2)  # least and largest of the number of rows, in the work of a fit

Propose = Callable[[dict[str, Any], list[dict[str, Any]]], list[dict[str, Any]]]  # from the leader and all settings


class OutOfTimeError(Exception):
    """The time of the race has run out."""


class Event(NamedTuple):
    """How far a rung has come, and the best setting that it has shown."""

    number: int
    n_rungs: int
    n_rows: int
    n_done: int
    n_settings: int
    leader: Values | None
    loss: float


@dataclass
class Setting:
    """One setting and what is known of it.

    Attributes
    ----------
    params : dict
        The parameters.
    losses : list of ndarray
        The losses that its present score is computed from.
    scores : dict
        Score by number of the rung.
    left_at : int or None
        Number of the rung at which it left.
    reason : {"", "worse", "no place", "failed"}
        Why it left.
    n_rows, work, test_work : int, float, float
        Number of rows that its last model learned, how much work that was, and predictions per test row.
    shared : bool
        Whether it shared kernel values with others.
    power : float
        The power of the number of rows with which its work grows.
    before : tuple of (int, float) or None
        Rows and loss of its last model of fewer rows.
    """

    params: Values
    losses: list[NDArray[np.float64]] = field(default_factory=list)
    scores: dict[int, float] = field(default_factory=dict)
    fit_times: list[float] = field(default_factory=list)
    score_times: list[float] = field(default_factory=list)
    left_at: int | None = None
    reason: str = ""
    n_rows: int = 0
    work: float = 1.0
    test_work: float = 0.0
    power: float = 2.0
    shared: bool = False
    before: tuple[int, float] | None = None

    @property
    def loss(self) -> float:
        """The mean of its losses; infinite without any."""
        return float(np.concatenate(self.losses).mean()) if self.losses else np.inf

    def work_for(self, n_rows: int) -> float:
        """Return how much work a fit to so many rows will be."""
        return float(self.work * (n_rows / max(self.n_rows, 1)) ** self.power)

    def work_on(self, rung: Rung) -> float:
        """Return how much work it will be to take part in a rung."""
        growth = len(rung.train) / max(self.n_rows, 1)
        return float(self.work_for(len(rung.train)) + len(rung.test) * self.test_work * growth ** (self.power - 1.0))

    def record(self, number: int, rung: Rung, trial: Trial, score: float, *, pool: bool) -> None:
        """Add what a rung has shown; a confirming rung counts together with the one before."""
        if 0 < self.n_rows <= len(rung.train) / 1.5:
            self.before = self.n_rows, self.loss
            if self.shared == trial.shared:  # work with and without shared kernel values cannot be compared
                power = np.log(trial.work / self.work) / np.log(len(rung.train) / self.n_rows)
                self.power = float(np.clip(power, *_POWERS))
        self.losses = [*self.losses, trial.losses] if pool else [trial.losses]
        self.scores[number] = score
        self.fit_times.append(trial.fit_time)
        self.score_times.append(trial.score_time)
        self.n_rows, self.work, self.shared = len(rung.train), trial.work, trial.shared
        self.test_work = trial.test_work / max(len(rung.test), 1)


class Race:
    """Settings, of which fewer remain after each rung.

    Parameters
    ----------
    settings : list of dict
        The settings.
    rungs : list of Rung
        The stages.
    trials : Trials
        Trains and tests a setting on a rung.
    confidence : float
        Lower bound of the probability that the best setting is not found worse by chance.
    propose : callable or None
        Called once with the leader and all settings; returns settings that join.
    max_time : float or None
        Seconds for the race and the final fit.
    n_jobs : int
        Number of threads.
    report : callable
        Called after each rung with a line of text.
    observe : callable
        Called with an `Event` after each group of trials.

    Attributes
    ----------
    errors : list of Exception
        Why settings failed.
    """

    def __init__(
        self,
        settings: Iterable[Values],
        rungs: list[Rung],
        trials: Trials,
        *,
        confidence: float,
        propose: Propose | None,
        max_time: float | None,
        n_jobs: int,
        report: Callable[[str], None],
        observe: Callable[[Event], None],
    ) -> None:
        self.settings = [Setting(params) for params in settings]
        self.rungs = rungs
        self.stopped = ""
        self.live = list(self.settings)
        self._n_screening = sum(not rung.confirms for rung in rungs)
        self._front: tuple[Values, Rung, Any] | None = None  # leader of the last rung, and its model if there is one
        self._trials = trials
        self._confidence = confidence
        self._propose = propose
        self._max_time = np.inf if max_time is None else max_time
        self._n_jobs = n_jobs
        self._report = report
        self._observe = observe
        self._start = time.monotonic()
        self._final_fit = 0.0  # expected seconds of a fit of all rows
        self._lock = Lock()
        self.errors: list[Exception] = []

    @property
    def leader(self) -> Setting:
        """The best setting so far; before any was tested, the one in the middle of the list."""
        tested = [setting for setting in self.live if setting.losses]
        return min(tested, key=lambda setting: setting.loss) if tested else self.live[len(self.live) // 2]

    def score(self, setting: Setting) -> float:
        """Return the score of a setting on all rows that count for it."""
        return self._trials.measure.score(np.concatenate(setting.losses)) if setting.losses else np.nan

    def front_model(self) -> Any:
        """Return the model of the leader of the last rung, which is trained now if it shared kernel values."""
        if self._front is None:
            return None
        params, rung, model = self._front
        return self._trials.fit(params, rung) if model is None else model

    def run(self) -> None:
        """Run all rungs, or as many as time allows."""
        for number, rung in enumerate(self.rungs):
            if len(self.live) == 1 and number and self._propose is None and rung.skippable:
                continue
            try:
                self._run(number, rung)
            except OutOfTimeError:
                self.stopped = f"in rung {number + 1} of {len(self.rungs)}"
                return

    def _run(self, number: int, rung: Rung) -> None:
        if rung.limited and number:
            self._give_places(number, rung)
        self._test(self.live, number)
        if self._propose is not None and (number >= self._join_at or len(self.live) == 1):
            self._join(self._propose(self.leader.params, [setting.params for setting in self.settings]), number)
        self._remove_worse(number)
        self._look_ahead()
        self._report(
            f"rung {number + 1}/{len(self.rungs)}: {len(rung.train)} rows, {len(self.live)} of {len(self.settings)} "
            f"settings remain, best {self.leader.scores[number]:.4f} with {self.leader.params}"
        )

    def _look_ahead(self) -> None:
        """Estimate how long it will take to fit the leader to all rows."""
        leader = self.leader
        self._final_fit = leader.fit_times[-1] * leader.work_for(self._trials.n_rows) / leader.work

    @property
    def _join_at(self) -> int:
        """The rung at which the settings around the leader join: when a few are left, but rows are still few."""
        return max(self._n_screening - 2, 0) if self._n_screening else min(1, len(self.rungs) - 1)

    def _join(self, new: list[Values], number: int) -> None:
        """Let settings join; they run this rung and the one before it, and all confirming rungs before it."""
        joining = [Setting(params) for params in new]
        self._propose = None
        self.settings += joining
        self.live += joining
        for earlier in range(max(min(self._n_screening, number) - 1, 0), number + 1):
            self._test([setting for setting in joining if setting.left_at is None], earlier)

    def _test(self, settings: list[Setting], number: int) -> None:
        """Train and test settings on a rung; after the first rung, the results count only if all were in time."""
        done: dict[int, Trial] = {}
        rung, best = self.rungs[number], np.inf
        params = [setting.params for setting in settings]

        def test(group: Group) -> None:
            nonlocal best
            if time.monotonic() - self._start + self._final_fit > self._max_time:
                raise OutOfTimeError
            trials = self._trials.run(group, params, rung)
            with self._lock:
                for place, trial in zip(group.places, trials, strict=True):
                    if trial.error is not None:
                        self.errors.append(trial.error)
                    elif trial.losses.mean() < best:
                        best, self._front = trial.losses.mean(), (params[place], rung, trial.model)
                    trial.model = None
                    done[place] = trial
                self._observe(
                    Event(
                        number,
                        len(self.rungs),
                        len(rung.train),
                        len(done),
                        len(settings),
                        self._front and self._front[0],
                        best,
                    )
                )

        try:
            self._map(test, self._trials.groups(params, rung))
        except (OutOfTimeError, KeyboardInterrupt):
            if number == 0:  # better than nothing
                self._record(settings, done, number)
            raise
        self._record(settings, done, number)

    def _record(self, settings: list[Setting], done: dict[int, Trial], number: int) -> None:
        """Add what a rung has shown to its settings; those that failed leave."""
        pool = number > self._n_screening
        for place, trial in done.items():
            if trial.error is None:
                score = self._trials.measure.score(trial.losses)
                settings[place].record(number, self.rungs[number], trial, score, pool=pool)
        self._leave(number, [settings[place] for place, trial in done.items() if trial.error is not None], "failed")
        if not self.live:
            raise self.errors[0]

    def _map(self, test: Callable[[Group], None], groups: list[Group]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of settings that will leave
            if self._n_jobs == 1:
                for group in groups:
                    test(group)
                return
            with ThreadPoolExecutor(self._n_jobs) as pool:
                futures = [pool.submit(test, group) for group in groups]
                try:
                    for future in futures:
                        future.result()
                except BaseException:
                    pool.shutdown(wait=True, cancel_futures=True)
                    raise

    def _remove_worse(self, number: int) -> None:
        losses, rung = self._losses(), self.rungs[number]
        worse = is_worse(losses, level(self._confidence, len(self.settings), len(self.rungs)))
        if not rung.confirms:
            worse &= ~may_catch_up(losses.mean(axis=1), np.log2(self._trials.n_rows / len(rung.train)))
        self._leave(number, [setting for setting, bad in zip(self.live, worse, strict=True) if bad], "worse")
        self.live.sort(key=lambda setting: setting.loss)

    def _give_places(self, number: int, rung: Rung) -> None:
        """Let as many settings take part as the rung may cost."""
        losses = np.array([setting.loss for setting in self.live])
        work = np.array([setting.work_on(rung) for setting in self.live])
        budget = _CONFIRMING_BUDGET if rung.confirms else _BUDGET
        budget *= self.leader.work_for(self._trials.n_rows)
        stays = admitted(losses, self._expected(losses), work, budget, rung.least)
        self._leave(
            number - 1, [setting for setting, stay in zip(self.live, stays, strict=True) if not stay], "no place"
        )

    def _expected(self, losses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the losses of the live settings that are expected after all rows."""
        known = [setting.before for setting in self.live if setting.before is not None]
        if not known:
            return losses
        before = np.array([np.nan if setting.before is None else setting.before[1] for setting in self.live])
        n_rows = self.live[0].n_rows
        steps = np.log(self._trials.n_rows / n_rows) / np.log(n_rows / known[0][0])
        return expected_losses(losses, before, steps)

    def _losses(self) -> NDArray[np.float64]:
        return np.array([np.concatenate(setting.losses) for setting in self.live])

    def _leave(self, number: int, settings: list[Setting], reason: str) -> None:
        for setting in settings:
            setting.left_at, setting.reason = number, reason
        self.live = [setting for setting in self.live if setting.left_at is None]
