"""Time of `OnlineSVC.fit` with kernel caches of several sizes."""

from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.micro import Section
from benchmarks.tasks import TASKS
from benchmarks.worker import timed
from hinge import OnlineSVC

SIZES = ("auto", 1000, 64, 8)  # the second is what the others are compared with


def measure(quick: bool) -> Section:
    """Fit dense and sparse data; ratios to the time with 1000 MB."""
    rows = []
    for name in ("mnist8", "mnist10", "covtype"):
        split = TASKS[name].split(quick=quick)
        settings = {"C": TASKS[name].C, "gamma": TASKS[name].gamma}
        rows.append(_row(TASKS[name].title, split.X, split.y, settings))
    X, y = _wide_text(1000 if quick else 8000)
    rows.append(_row("sparse, linear, 100 000 features", X, y, {"kernel": "linear", "C": 1.0}))
    return Section(
        "fit with kernel caches of several sizes: seconds, and ratio to 1000 MB (aims: auto 1.3, 64 MB 1.5, 8 MB 4)",
        ("data", *(f"{size} MB" if size != "auto" else "default" for size in SIZES)),
        rows,
    )


def _row(title: str, X: Any, y: Any, settings: dict[str, Any]) -> tuple[str, ...]:
    seconds: dict[str | int, float] = {}
    for size in SIZES:
        model = OnlineSVC(cache_size=size, random_state=0, **settings)
        seconds[size], _ = timed(model.fit, X, y)
    return (title, *(f"{seconds[size]:.2f} ({seconds[size] / seconds[1000]:.2f})" for size in SIZES))


def _wide_text(n_rows: int) -> tuple[Any, Any]:
    """Return rows of about a hundred words each, whose labels a noisy linear rule decides."""
    random = np.random.RandomState(0)
    X = sparse.random(n_rows, 100_000, density=0.001, format="csr", random_state=random, dtype=np.float64)
    return X, X @ random.normal(size=100_000) + random.normal(size=n_rows) > 0
