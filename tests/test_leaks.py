"""Create, train, copy and discard thousands of models: the process must not grow."""

from __future__ import annotations

import ctypes
import gc
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import hinge
from benchmarks import memory

from .invariants import check

WINDOWS, CYCLES = 4, 250
WARM_UP = 100
LEAK = 1000  # bytes per cycle

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc"),
]

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 5)) * (rng.random((40, 5)) < 0.7)
Y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 0.5)


def allocated():
    """Return the allocated bytes; the size of Python's small blocks is estimated."""
    gc.collect()
    return 1e6 * memory.allocated() + 32 * sys.getallocatedblocks()


def resident():
    """Return the resident bytes of the process, after freed memory has been released."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def grows(cycle):
    """Tell whether the process has grown in every window of cycles, by more than half of a leak.

    Free resident memory could hide a leak, so the allocated memory is measured as well.
    """
    for _ in range(WARM_UP):
        cycle()
    sizes = [(resident(), allocated())]
    for _ in range(WINDOWS):
        for _ in range(CYCLES):
            cycle()
        sizes.append((resident(), allocated()))
    growth = np.diff(sizes, axis=0).min(axis=0)
    return growth.max() > CYCLES * LEAK / 2


MODELS = {
    "online": (lambda: hinge.OnlineSVC(gamma=0.5), False),
    "budget": (lambda: hinge.OnlineSVC(gamma=0.5, max_support=8, cache_size=1e-3), False),
    "sparse": (lambda: hinge.OnlineSVC(kernel="linear"), True),
    "robust": (lambda: hinge.RobustOnlineSVC(gamma=0.5), False),
    "tracking": (lambda: hinge.TrackingSVC(gamma=0.5), True),
    "perceptron": (lambda: hinge.KernelPerceptron(gamma=0.5), False),
    "incremental": (lambda: hinge.IncrementalSVC(gamma=0.5), False),
    "incremental-sparse": (lambda: hinge.IncrementalSVC(gamma=0.5, max_examples=15), True),
    "one-class": (lambda: hinge.IncrementalOneClassSVM(gamma=0.5), False),
    "approximate": (lambda: hinge.ApproximateSVC(n_components=8, random_state=0), False),
    "regression": (lambda: hinge.ApproximateSVR(n_components=8, random_state=0), True),
    "callable": (lambda: hinge.OnlineSVC(kernel=lambda A, B: A @ B.T), False),
}


def learn(model, rows, labels):
    return (
        model.partial_fit(rows) if isinstance(model, hinge.IncrementalOneClassSVM) else model.partial_fit(rows, labels)
    )


@pytest.mark.parametrize("name", MODELS)
def test_models_do_not_leak(name):
    make, is_sparse = MODELS[name]
    rows = csr_matrix(X) if is_sparse else X

    def cycle():
        model = make()
        learn(model, rows[:20], Y[:20])
        if hasattr(model, "forget"):
            model.forget(model.ids_[:5])
        if name != "callable":  # local functions cannot be pickled
            model = pickle.loads(pickle.dumps(model))
        learn(model, rows[20:], Y[20:])
        model.decision_function(rows) if hasattr(model, "decision_function") else model.predict(rows)
        check(model)

    assert not grows(cycle)


def test_errors_do_not_leak():
    def fails(A, B):
        if len(A) * len(B) > 60:
            raise ValueError("no more")
        return A @ B.T

    def cycle():
        with pytest.raises(ValueError, match="no more"):
            hinge.OnlineSVC(kernel=fails).fit(X, Y)

    assert not grows(cycle)


def test_leaks_are_detected():
    kept = []
    assert grows(lambda: kept.append(bytes(2 * LEAK)))
