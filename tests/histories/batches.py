"""Rows to learn, as plans: a seed, a size and a form, so that a failing history can be read and shrinks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel

COLUMNS = 80  # of a kernel computed beforehand: so long can a stream be
QUERIES = 6
LABELS = {"numbers": np.array([3, 0, 7, -1]), "texts": np.array(["oak", "ash", "yew", "elm"])}
POWER = 150  # features of a wild problem reach from 1e-150 to 1e150


def strided(X):
    """Return the same rows as a view that skips rows and columns."""
    spread = np.zeros((2 * len(X), 2 * X.shape[1]), dtype=X.dtype)
    spread[::2, ::2] = X
    return spread[::2, ::2]


def untidy(X):
    """Return CSR rows whose columns are in no order, with zeros stored and entries in two parts."""
    n, width = X.shape
    columns = np.tile(np.concatenate([np.arange(width)[::-1], np.arange(width)]), n)
    values = np.hstack([X[:, ::-1], np.zeros_like(X)]).ravel()
    return csr_matrix((values, columns, np.arange(n + 1) * 2 * width), shape=X.shape)


FORMS = {
    "float64": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "CSR": csr_matrix,
    "CSR32": lambda X: csr_matrix(X.astype(np.float32)),
    "untidy CSR": untidy,
    "list": lambda X: X.tolist(),
    "columns first": np.asfortranarray,
    "strided": strided,
    "read-only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
}
SPARSE = ("CSR", "CSR32", "untidy CSR")
SINGLE = ("float32", "CSR32")


@dataclass(frozen=True)
class Plan:
    """How the next rows come about."""

    seed: int
    n: int
    form: str
    classes: int  # how many of the labels may occur
    weights: str
    named: bool  # the rows have ids, or the classes are announced
    in_pieces: bool  # copies of the model learn row by row

    def of(self, n):
        """Return the plan of another number of rows."""
        return replace(self, n=n)


PLANS = st.builds(
    Plan,
    seed=st.integers(0, 2**16),
    n=st.integers(1, 9),
    form=st.sampled_from(sorted(FORMS)),
    classes=st.integers(1, 4),
    weights=st.sampled_from(["none", "some", "zeros", "one"]),
    named=st.booleans(),
    in_pieces=st.booleans(),
)


@dataclass(frozen=True)
class Problem:
    """What all rows of a history have in common."""

    features: int
    labels: str
    grid: bool  # few values, so that rows repeat
    wild: bool  # rows of any size
    precomputed: bool
    seed: int

    @property
    def is_generic(self):
        """Whether no two rows are equal, and none is of another size than the others."""
        return not self.grid and not self.wild

    def values(self, random, n):
        if self.grid:
            return random.integers(-2, 3, (n, self.features)) * 1.0
        X = random.normal(size=(n, self.features))
        return X * 10.0 ** random.uniform(-POWER, POWER, (n, 1)) if self.wild else X

    def hidden(self):
        """Return the examples behind a kernel that is computed beforehand, and those that are asked about."""
        random = np.random.default_rng(self.seed)
        return self.values(random, COLUMNS), self.values(random, QUERIES)

    def kernel_values(self):
        """Return those computed beforehand; any precision can hold them, or the matrix would not be symmetric."""
        rounded = rbf_kernel(self.hidden()[0], gamma=0.5).astype(np.float32).astype(np.float64)
        return rounded + 2.0**-16 * np.eye(COLUMNS)  # far more than rounding can take from an eigenvalue

    def queries(self):
        stream, asked = self.hidden()
        asked[-1] = 0.0  # which any precision can hold
        return rbf_kernel(asked, stream, gamma=0.5) if self.precomputed else asked


def problems(*, precomputed, calm=False, values=False):
    """Return a strategy of problems; those of a regression have numbers for labels."""
    return st.builds(
        Problem,
        features=st.integers(1, 4),
        labels=st.sampled_from(["numbers"] if values else sorted(LABELS)),
        grid=st.booleans(),
        wild=st.just(False) if precomputed or calm else st.booleans(),
        precomputed=st.just(precomputed),
        seed=st.integers(0, 2**16),
    ).map(lambda problem: replace(problem, wild=problem.wild and not problem.grid))


@dataclass(frozen=True)
class Batch:
    """Rows, with what stands beside them."""

    X: np.ndarray  # as double precision, whatever the form
    y: np.ndarray
    weights: np.ndarray | None
    plan: Plan

    @property
    def given(self):
        return FORMS[self.plan.form](self.X)

    @property
    def costs(self):
        return np.ones(len(self.y)) if self.weights is None else self.weights

    def part(self, start, stop):
        """Return some of the rows as a batch."""
        rows = slice(start, stop)
        return Batch(self.X[rows], self.y[rows], None if self.weights is None else self.weights[rows], self.plan)


def make_batch(problem, plan, first):
    """Return the rows that a plan stands for, at some place of the stream."""
    random = np.random.default_rng([plan.seed, problem.seed])
    X = problem.kernel_values()[first : first + plan.n] if problem.precomputed else problem.values(random, plan.n)
    if plan.form in SINGLE:
        with np.errstate(over="ignore", under="ignore"):
            X = X.astype(np.float32).astype(np.float64)
    n = len(X)
    weights = {
        "none": lambda: None,
        "some": lambda: random.choice([0.5, 1.0, 3.0], n),
        "zeros": lambda: random.choice([0.0, 1.0, 2.0], n),
        "one": lambda: (np.arange(n) == n - 1) * 1.0,
    }[plan.weights]()
    return Batch(X, LABELS[problem.labels][random.integers(0, plan.classes, n)], weights, plan)
