"""Training of `TrackingSVC` on examples that a teacher chooses, or draws at random."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from experiments.tracking.theory import duality_gap, rbf_kernel, step_gains
from hinge import TrackingSVC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.problems import Problem

POOL = 50  # unseen examples among which the active teacher chooses
TEACHERS = ("random", "active")
CACHE = 512  # megabytes, as in the paper


@dataclass
class TrainingStream:
    """A `TrackingSVC` and the order in which a teacher presents the rows of a problem.

    The active teacher draws 50 unseen rows at random and presents the one closest to the boundary of the model.
    """

    problem: Problem
    algorithm: int
    steps: int
    teacher: str
    seed: int
    presented: list[int] = field(default_factory=list)  # rows presented so far, in order
    selection_evals: int = 0  # kernel values computed for selection

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        self._unseen = self._random.permutation(len(self.problem.y))
        self.model = TrackingSVC(
            C=self.problem.C,
            gamma=self.problem.gamma,
            n_steps=self.steps,
            process=self.algorithm == 2,
            random_state=self.seed,
            cache_size=CACHE,
            n_jobs=1,
        )

    def train_until(self, n: int) -> None:
        """Train until n examples have been presented."""
        if self.teacher == "random":
            self._train(self._unseen[len(self.presented) : n].tolist())
            return
        while len(self.presented) < n:
            self._train([self._select()])

    def _train(self, rows: list[int]) -> None:
        self.model.partial_fit(self.problem.X[rows], self.problem.y[rows], classes=[False, True])
        self.presented += rows

    def _select(self) -> int:
        """Select, among a few unseen rows, the one closest to the boundary, and remove it from the unseen rows."""
        if not self.presented:
            return self._take(0)
        pool = self._random.choice(len(self._unseen), min(POOL, len(self._unseen)), replace=False)
        self.selection_evals += len(pool) * len(self.model.support_)
        distances = np.abs(self.model.decision_function(self.problem.X[self._unseen[pool]]))
        return self._take(int(pool[distances.argmin()]))

    def _take(self, index: int) -> int:
        row = int(self._unseen[index])
        self._unseen[index] = self._unseen[-1]
        self._unseen = self._unseen[:-1]
        return row

    def next_rows(self, n: int) -> NDArray[np.int64]:
        """Return up to n rows that a random teacher presents next."""
        start = len(self.presented) if self.teacher == "random" else 0
        return self._unseen[start : start + n]

    @property
    def kernel_evals(self) -> int:
        """Kernel values computed so far, for training and for selection."""
        return self.model.n_kernel_evals_ + self.selection_evals


@dataclass(frozen=True)
class Snapshot:
    """The dual variables of a model: all examples so far, with coefficients in [0, C] and gradients 1 - y f(x)."""

    problem: Problem
    rows: NDArray[np.int64]  # of the problem
    alpha: NDArray[np.float64]
    gradient: NDArray[np.float64]
    lag: NDArray[np.float64]  # alpha minus its mean over the last steps, which the predictions use

    @classmethod
    def of(cls, stream: TrainingStream) -> Snapshot:
        """Read the dual variables of the model of a stream, without computing kernel values."""
        arrays = stream.model._state.native.state()  # the public interface has no gradients
        rows = np.array(stream.presented)[arrays["ids"][arrays["members"]]]
        sign = to_signs(stream.problem.y[rows])
        lag = arrays["lag"] / max(arrays["terms"][0], 1.0)
        return cls(stream.problem, rows, sign * arrays["alpha"], sign * arrays["gradient"], sign * lag)

    def gap(self) -> float:
        """Return the duality gap of alpha."""
        return duality_gap(self.alpha, self.gradient, self.problem.C)

    def averaged_gap(self) -> float:
        """Return the duality gap of the mean of alpha over the last steps."""
        problem = self.problem
        moved = np.flatnonzero(self.lag)  # at most K
        sign = to_signs(problem.y[self.rows])
        kernel = rbf_kernel(problem.X[self.rows], problem.X[self.rows[moved]], problem.gamma)
        gradient = self.gradient + sign * (kernel @ (sign * self.lag)[moved])
        return duality_gap(self.alpha - self.lag, gradient, problem.C)

    def first_step_gain(self, rows: NDArray[np.int64]) -> float:
        """Return the mean gain of a first step on a new example, over some rows of the problem."""
        problem = self.problem
        support = np.flatnonzero(self.alpha)
        support_rows = self.rows[support]
        decisions = rbf_kernel(problem.X[rows], problem.X[support_rows], problem.gamma) @ (
            to_signs(problem.y[support_rows]) * self.alpha[support]
        )
        start, one = np.zeros(len(rows)), np.ones(len(rows))
        return float(step_gains(start, 1.0 - to_signs(problem.y[rows]) * decisions, one, problem.C).mean())


def to_signs(labels: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Convert labels to +1 and -1."""
    return np.where(labels, 1.0, -1.0)
