"""Processor time of a whole stream in chunks of 1000 rows, beside the plain rule of the paper and `fit`."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.data import data_folder
from benchmarks.micro import Section
from hinge import OnlineSVC
from hinge.datasets import load

CHUNK = 1000
COSTS = (1.0, 100.0)
STREAMS: dict[str, tuple[str, float, int]] = {  # data set, gamma, rows at most
    "a9a": ("a9a", 0.005, 32_561),
    "mnist, 8 vs rest": ("mnist", 0.02, 30_000),
    "ijcnn1": ("ijcnn1", 2.0, 30_000),
    "reuters money-fx": ("reuters-moneyfx", 1.0, 7_770),
    "usps, 10 classes": ("usps", 0.01, 7_291),
    "banana": ("banana", 1.0, 4_000),
}


def measure(quick: bool) -> Section:
    """Learn each stream three times."""
    data_folder()
    rows = []
    for name, (data_name, gamma, most) in STREAMS.items():
        data = load(data_name)
        n_rows = min(most, 2000) if quick else most
        X, y = data.X_train[:n_rows], data.y_train[:n_rows]
        y = y == 8 if data_name == "mnist" else y
        for C in COSTS:
            settings: dict[str, Any] = {"C": C, "gamma": gamma, "cache_size": 1000, "n_jobs": 1, "random_state": 0}
            plain = _seconds(partial(_stream, OnlineSVC(max_gap=None, **settings), X, y))
            auto = _seconds(partial(_stream, OnlineSVC(**settings), X, y))
            fit = _seconds(partial(OnlineSVC(**settings).fit, X, y))
            times = (f"{seconds:.2f}" for seconds in (plain, auto, fit))
            rows.append((name, f"{C:g}", *times, f"{auto / plain:.2f}", f"{auto / fit:.2f}"))
    columns = ("stream", "C", "max_gap=None", "auto", "fit", "auto / None", "auto / fit")
    return Section("Processor time in seconds", columns, rows)


def _stream(model: OnlineSVC, X: Any, y: Any) -> None:
    for start in range(0, len(y), CHUNK):
        model.partial_fit(X[start : start + CHUNK], y[start : start + CHUNK], classes=np.unique(y))


def _seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
