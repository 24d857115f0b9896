"""Test error of bounded models, `OnlineSVC(max_support=)` and `IncrementalSVC(max_examples=)`, over a range of C.

The yardsticks are `SVC` models of as many rows: the most recent ones, and random samples.
"""

import os
from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks.data import data_folder
from benchmarks.micro import Section
from benchmarks.micro.windows import Stream, streams
from hinge import IncrementalSVC, OnlineSVC

SIZES = (100, 300, 1000, 3000)
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
SEEDS = 3
N_SAMPLES = 3


def measure(quick: bool) -> Section:
    """Learn each stream with each size and C; the environment variable BOUNDED names data sets and sizes."""
    data_folder()
    columns = ("data", "size", "C", "OnlineSVC", "IncrementalSVC", "recent rows", "random samples")
    only = os.environ.get("BOUNDED", "").split(",") if os.environ.get("BOUNDED") else []
    rows = []
    for name, make in streams(quick):
        for size in SIZES[:2] if quick else SIZES:
            if only and not {name, str(size)} <= set(only):
                continue
            parts = [make(seed) for seed in range(2 if quick else SEEDS)]
            for C in COSTS[1::2] if quick else COSTS:
                errors = [_errors(part, size, C, seed) for seed, part in enumerate(parts) if part.X.shape[0] > size]
                if errors:
                    rows.append((name, str(size), f"{C:g}", *(f"{error:.2f}" for error in np.mean(errors, axis=0))))
    return Section("Test error in % of bounded models", columns, rows)


def _errors(stream: Stream, size: int, C: float, seed: int) -> list[float]:
    settings: dict[str, Any] = {"C": C, "gamma": stream.gamma}
    n_rows = stream.X.shape[0]
    bounded = [
        OnlineSVC(max_support=size, n_jobs=1, **settings),
        IncrementalSVC(max_examples=size, n_jobs=1, **settings),
    ]
    errors = [_error(model.partial_fit(stream.X, stream.y), stream) for model in bounded]
    random = np.random.default_rng(seed)
    errors.append(_sample_error(stream, np.arange(n_rows - size, n_rows), settings))
    samples = [random.permutation(n_rows)[:size] for _ in range(N_SAMPLES)]
    errors.append(float(np.mean([_sample_error(stream, rows, settings) for rows in samples])))
    return errors


def _sample_error(stream: Stream, rows: Any, settings: dict[str, Any]) -> float:
    return _error(SVC(decision_function_shape="ovr", **settings).fit(stream.X[rows], stream.y[rows]), stream)


def _error(model: Any, stream: Stream) -> float:
    return 100 * float(np.mean(model.predict(stream.X_test) != stream.y_test))
