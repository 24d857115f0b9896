"""A teacher and a learner: examples are chosen one by one, or drawn, and the learner is looked at on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from experiments.tracking.theory import gains, gap, radial
from hinge import TrackingSVC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.problems import Problem

POOL = 50  # unseen examples among which an active teacher chooses
TEACHERS = ("random", "active")
CACHE = 512  # megabytes, as in the paper


@dataclass
class Course:
    """Rows of a problem in the order in which a teacher gives them to a `TrackingSVC`.

    The active teacher draws 50 of the rows not given yet and gives the one nearest to the learner's boundary.
    """

    problem: Problem
    algorithm: int
    steps: int
    teacher: str
    seed: int
    places: list[int] = field(default_factory=list)  # rows given so far, in order
    asked: int = 0  # kernel values that choosing took

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

    def go_to(self, n: int) -> None:
        """Teach until n examples have been given."""
        if self.teacher == "random":
            self._give(self._unseen[len(self.places) : n].tolist())
            return
        while len(self.places) < n:
            self._give([self._chosen()])

    def _give(self, rows: list[int]) -> None:
        self.model.partial_fit(self.problem.X[rows], self.problem.y[rows], classes=[False, True])
        self.places += rows

    def _chosen(self) -> int:
        """Return the row, of a few unseen ones, nearest to the boundary; it is unseen no longer."""
        if not self.places:
            return self._taken(0)
        pool = self._random.choice(len(self._unseen), min(POOL, len(self._unseen)), replace=False)
        self.asked += len(pool) * len(self.model.support_)
        distances = np.abs(self.model.decision_function(self.problem.X[self._unseen[pool]]))
        return self._taken(int(pool[distances.argmin()]))

    def _taken(self, place: int) -> int:
        row = int(self._unseen[place])
        self._unseen[place] = self._unseen[-1]
        self._unseen = self._unseen[:-1]
        return row

    def coming(self, n: int) -> NDArray[np.int64]:
        """Return up to n rows that a random teacher gives next."""
        given = len(self.places) if self.teacher == "random" else 0
        return self._unseen[given : given + n]

    @property
    def kernel_values(self) -> int:
        """Kernel values computed so far, for learning and for choosing."""
        return self.model.n_kernel_evals_ + self.asked


@dataclass(frozen=True)
class Look:
    """A course at one time: all examples given so far, with coefficients in [0, C] and gradients 1 - y f(x)."""

    course: Course
    rows: NDArray[np.int64]  # of the problem
    alpha: NDArray[np.float64]
    gradient: NDArray[np.float64]
    ahead: NDArray[np.float64]  # how far alpha is ahead of its mean over the last steps, with which the learner answers

    @classmethod
    def at(cls, course: Course) -> Look:
        """Look at a course as it stands; this needs no kernel values."""
        arrays = course.model._state.native.state()  # nothing public tells all gradients
        rows = np.array(course.places)[arrays["ids"][arrays["members"]]]
        sign = signs(course.problem.y[rows])
        lag = arrays["lag"] / max(arrays["terms"][0], 1.0)
        return cls(course, rows, sign * arrays["alpha"], sign * arrays["gradient"], sign * lag)

    def gap(self) -> float:
        """Return the duality gap of alpha."""
        return gap(self.alpha, self.gradient, self.course.problem.C)

    def answer_gap(self) -> float:
        """Return the duality gap of the mean of alpha over the last steps."""
        problem = self.course.problem
        moved = np.flatnonzero(self.ahead)  # at most K
        sign = signs(problem.y[self.rows])
        kernel = radial(problem.X[self.rows], problem.X[self.rows[moved]], problem.gamma)
        gradient = self.gradient + sign * (kernel @ (sign * self.ahead)[moved])
        return gap(self.alpha - self.ahead, gradient, problem.C)

    def gain_of_new(self, rows: NDArray[np.int64]) -> float:
        """Return what a first step on a new example gains, on average over these rows of the problem."""
        problem = self.course.problem
        support = np.flatnonzero(self.alpha)
        given = self.rows[support]
        decisions = radial(problem.X[rows], problem.X[given], problem.gamma) @ (
            signs(problem.y[given]) * self.alpha[support]
        )
        start, one = np.zeros(len(rows)), np.ones(len(rows))
        return float(gains(start, 1.0 - signs(problem.y[rows]) * decisions, one, problem.C).mean())


def signs(labels: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return labels as +1 and -1."""
    return np.where(labels, 1.0, -1.0)
