"""What a kernel function may do to the model that calls it: fail in any way, but not change it."""

from __future__ import annotations

import numpy as np
import pytest

import hinge
from tests.invariants import check

random = np.random.default_rng(0)
X = random.normal(size=(90, 3))
y = (X[:, 0] > 0).astype(int)


class Kernel:
    """A kernel function that does something else once, after some calls."""

    def __init__(self):
        self.calls_left, self.deed = 0, None

    def plan(self, deed, calls):
        self.calls_left, self.deed = calls, deed

    def __call__(self, A, B):
        self.calls_left -= 1
        if self.calls_left == 0 and self.deed is not None:
            self.deed()
        return np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=-1))


def leave():
    raise SystemExit(1)


VERBS = {
    "fit": lambda model: model.fit(X, y),
    "partial_fit": lambda model: model.partial_fit(X[60:], y[60:]),
    "finish": lambda model: model.finish(),
    "forget": lambda model: model.forget(range(0, 60, 2)),
    "relabel": lambda model: model.relabel(range(4), 1 - y[:4]),
}
PAIRS = [
    (kind, verb)
    for kind in (hinge.OnlineSVC, hinge.RobustOnlineSVC, hinge.KernelPerceptron, hinge.IncrementalSVC)
    for verb in VERBS
    if hasattr(kind, verb)
]


@pytest.mark.parametrize(("kind", "verb"), PAIRS)
def test_the_end_of_the_process_inside_leaves_a_model_as_it_was(kind, verb):
    """`SystemExit` and its like are no Ctrl-C, which waits until the machines may be left."""
    happened = 0
    for calls in (1, 2, 5, 9, 20, 40):
        kernel = Kernel()
        model = kind(kernel=kernel, cache_size=1e-4).partial_fit(X[:60], y[:60])
        before, n_seen = model.decision_function(X), model.n_seen_
        kernel.plan(leave, calls)
        try:
            VERBS[verb](model)
        except SystemExit:
            happened += 1
            np.testing.assert_array_equal(model.decision_function(X), before)
            assert model.n_seen_ == n_seen
            check(model)
    assert happened


@pytest.mark.parametrize(("kind", "verb"), PAIRS)
def test_a_model_cannot_be_changed_from_inside_its_own_work(kind, verb):
    """It was, and ids led to the wrong examples."""
    kernel = Kernel()
    model = kind(kernel=kernel, cache_size=1e-4).partial_fit(X[:60], y[:60])
    before = model.decision_function(X)
    kernel.plan(lambda: model.partial_fit(X[:2], y[:2]), 1)
    with pytest.raises(RuntimeError, match="cannot be changed from inside its own kernel function"):
        VERBS[verb](model)
    np.testing.assert_array_equal(model.decision_function(X), before)
    VERBS[verb](model)
    check(model)
