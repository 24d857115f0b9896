"""Models that are asked while they learn, and what they may answer."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager

import numpy as np

from hinge import (
    ApproximateSVC,
    ApproximateSVR,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    PreparedClassifier,
    PreparedDetector,
    RobustOnlineSVC,
    TrackingSVC,
)
from hinge.active import Continued
from hinge.tables import Preparation, Scaling

random = np.random.default_rng(0)
X = random.normal(size=(120, 3))
Y = np.where(X[:, 0] > 0.3, "high", np.where(X[:, 1] > 0, "low", "odd"))
LATE = np.argsort(Y == "odd", kind="stable")  # the class "odd" comes last
X, Y = X[LATE], Y[LATE]
VALUES = X[:, 0] + X[:, 1] ** 2
ROWS = X[::3]
CHUNKS = [slice(start, start + 12) for start in range(0, 120, 12)]

HALVED = Preparation(n_features=3, scaling=Scaling(factor=np.full(3, 0.5)))


def labelled(model):
    return [lambda rows=rows: model.partial_fit(X[rows], Y[rows]) for rows in CHUNKS]


def finished(model):
    """Learn, finish, and at last everything again from nothing."""
    return [*labelled(model), model.finish, lambda: model.fit(X, Y)]


def revised(model):
    """Learn, and change one's mind; a class vanishes and comes again."""
    odd = np.flatnonzero(Y == "odd")
    return [
        *labelled(model),
        lambda: model.relabel([0, 1], ["odd", "odd"]),
        lambda: model.forget(range(2, 20)),
        lambda: model.forget([*odd, 0, 1]),
        lambda: model.partial_fit(X[odd], Y[odd]),
    ]


def enclosed(model):
    learned = [lambda rows=rows: model.partial_fit(X[rows]) for rows in CHUNKS]
    return [*learned, lambda: model.forget(range(30)), lambda: model.fit(X[:60])]


def surrounded(model):
    return [lambda rows=rows: model.partial_fit(X[rows]) for rows in CHUNKS]


def continued(model):
    """Fit all rows so far, of which only the last are new."""
    return [lambda rows=rows: model.fit(X[: rows.stop], Y[: rows.stop]) for rows in CHUNKS]


def measured(model):
    return [
        *[lambda rows=rows: model.partial_fit(X[rows], VALUES[rows]) for rows in CHUNKS],
        lambda: model.fit(X, VALUES),
    ]


# How a model is made, and what it then does in turn.
MODELS = {
    "online": (lambda: OnlineSVC(gamma=0.5, random_state=0), finished),
    "robust": (lambda: RobustOnlineSVC(gamma=0.5, random_state=0), finished),
    "tracking": (lambda: TrackingSVC(gamma=0.5, random_state=0), labelled),
    "perceptron": (lambda: KernelPerceptron(gamma=0.5, random_state=0), labelled),
    "function": (lambda: OnlineSVC(kernel=product, random_state=0), finished),
    "exact": (lambda: IncrementalSVC(gamma=0.5), revised),
    "plane": (lambda: IncrementalOneClassSVM(gamma=0.5, nu=0.3), enclosed),
    "sphere": (lambda: IncrementalOneClassSVM(gamma=0.5, nu=0.3, shape="sphere"), enclosed),
    "nystroem": (lambda: ApproximateSVC(gamma=0.5, n_components=8, random_state=0), labelled),
    "fourier": (lambda: ApproximateSVC(gamma=0.5, n_components=8, approximation="fourier", random_state=0), labelled),
    "regression": (lambda: ApproximateSVR(gamma=0.5, n_components=8, random_state=0), measured),
    "continued": (lambda: Continued(OnlineSVC(gamma=0.5, random_state=0)), continued),
    "prepared": (lambda: PreparedClassifier(OnlineSVC(gamma=0.5, random_state=0), HALVED), labelled),
    "detector": (lambda: PreparedDetector(IncrementalOneClassSVM(gamma=0.5, nu=0.3), HALVED), surrounded),
}
OWN = [name for name in MODELS if name not in ("prepared", "detector", "continued")]


def product(A, B):
    """The polynomial kernel as a function of the user."""
    return (A @ B.T + 1.0) ** 2


class Gate:
    """A kernel function that holds one thread up, in the middle of its work."""

    def __init__(self):
        self.held, self._inside, self._open = None, threading.Event(), threading.Event()

    def __call__(self, A, B):
        if threading.current_thread() is self.held:
            self._inside.set()
            assert self._open.wait(60)
        return A @ B.T

    @contextmanager
    def holding(self, work):
        """Have some work held up by a thread inside, and ended outside."""
        self.held = threading.Thread(target=work)
        self.held.start()
        assert self._inside.wait(60)
        try:
            yield
        finally:
            self._open.set()
            self.held.join()


def values_of(model):
    """Return decision values, or the values of a regression, with one column at least."""
    answer = getattr(model, "decision_function", model.predict)(ROWS)
    return answer.reshape(len(ROWS), -1)


@contextmanager
def hasty():
    """Let threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def together(*works):
    """Run functions at the same time, each in a thread; raise what goes wrong in one of them."""
    errors, start = [], threading.Barrier(len(works))

    def run(work):
        try:
            start.wait()
            work()
        except BaseException as error:  # noqa: BLE001 - the test must see it
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    with hasty():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
