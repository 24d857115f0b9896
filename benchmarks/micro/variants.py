"""The four variants of `RobustOnlineSVC` on a9a beside `OnlineSVC` and scikit-learn's SVC."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks.micro import Section
from benchmarks.tasks import TASKS, Split
from benchmarks.worker import timed
from hinge import OnlineSVC, RobustOnlineSVC

SETTINGS: dict[str, Any] = {"C": 100.0, "gamma": 0.005, "cache_size": 1000}
SEEDS = 3
VARIANTS = ("hinge", "ramp", "ignore", "full")


def measure(quick: bool) -> Section:
    """Fit each of them, with several orders of the rows."""
    split = TASKS["a9a"].split(quick=quick)
    rows = [_row(f"Robust, {name}", split, partial(RobustOnlineSVC, variant=name)) for name in VARIANTS]
    rows.append(_row("OnlineSVC", split, OnlineSVC))
    rows.append(_row("scikit-learn SVC", split, SVC, seeds=1))
    slowest = rows[-1][1]
    table = [(name, f"{seconds:.2f}", f"{slowest / seconds:.1f}", *rest) for name, seconds, *rest in rows]
    columns = ("model", "fit, s", "faster than SVC", "test error, %", "support vectors", "left of the ramp: in, out")
    return Section(f"a9a, C=100, gamma=0.005, one pass, means of {SEEDS} orders", columns, table)


def _row(name: str, split: Split, make: Callable[..., Any], seeds: int = SEEDS) -> tuple[Any, ...]:
    models = [make(**SETTINGS, random_state=seed) for seed in range(seeds)]
    seconds = [timed(model.fit, split.X, split.y)[0] for model in models]
    errors = [100 * float(np.mean(model.predict(split.X_test) != split.y_test)) for model in models]
    support = np.mean([len(model.support_) for model in models])
    counted = [getattr(models[0], side)[0, 0] for side in ("n_admitted_", "n_cleaned_") if hasattr(models[0], side)]
    sides = ", ".join(f"{number:,}" for number in counted) or "-"
    spread = f"{np.mean(errors):.2f} ({min(errors):.2f} to {max(errors):.2f})"
    return name, float(np.mean(seconds)), spread, f"{support:,.0f}", sides
