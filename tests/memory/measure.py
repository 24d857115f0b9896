"""Measure the peak memory of `fit` in a process of its own: python measure.py MEGABYTES prints JSON."""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np

from benchmarks.memory import peak, reset_peak, resident
from hinge import (
    ApproximateSVC,
    ApproximateSVR,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    RobustOnlineSVC,
    TrackingSVC,
)

# Each with a number of noisy examples, most of which are kept: their kernel values, or their features, take far more
# memory than the cache.
MODELS = {
    "online": (OnlineSVC, {"epochs": 1}, 6000),
    "robust": (RobustOnlineSVC, {}, 6000),
    "tracking": (TrackingSVC, {}, 6000),
    "perceptron": (KernelPerceptron, {}, 6000),
    "exact": (IncrementalSVC, {}, 3000),
    "one-class": (IncrementalOneClassSVM, {"nu": 0.2}, 2500),
    "classifier": (ApproximateSVC, {"n_components": 256, "epochs": 2}, 40_000),
    "regression": (ApproximateSVR, {"n_components": 256, "epochs": 2}, 40_000),
}


def measure(kind, settings, n, cache_size):
    """Return the peak memory of a call to `fit` in megabytes, and the number of examples the model keeps."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 8))
    y = (X[:, 0] > X[:, 1] * X[:, 2]) ^ (random.random(n) < 0.3)
    model = kind(gamma=0.1, cache_size=cache_size, n_jobs=2, **settings)
    model.fit(X[:250], y[:250])
    reset_peak()
    before = resident()
    model.fit(X, y)
    highest = peak() - before
    held, margin = model._state.native.n_retained, getattr(model._state.native, "n_margin", np.zeros(1)).sum()
    return {"peak": highest, "held": int(held), "margin": int(margin)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps({name: measure(*parts, float(sys.argv[1])) for name, parts in MODELS.items()}))  # noqa: T201
