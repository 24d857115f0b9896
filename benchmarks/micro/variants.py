"""The four variants of `RobustOnlineSVC` on a9a beside `OnlineSVC` and scikit-learn's SVC."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks.micro import Section
from benchmarks.tasks import TASKS, Split
from benchmarks.worker import timed
from hinge import OnlineSVC, RobustOnlineSVC

SETTINGS: dict[str, Any] = {"C": 100.0, "gamma": 0.005, "cache_size": 1000}
SEEDS = 3


def measure(quick: bool) -> Section:
    """Fit each of them, with several orders of the rows."""
    split = TASKS["a9a"].split(quick=quick)
    rows = [
        _row(
            f"RobustOnlineSVC, {variant}",
            split,
            lambda seed, v=variant: RobustOnlineSVC(**SETTINGS, variant=v, random_state=seed),
        )
        for variant in ("hinge", "ramp", "ignore", "full")
    ]
    rows.append(_row("OnlineSVC", split, lambda seed: OnlineSVC(**SETTINGS, random_state=seed)))
    rows.append(_row("scikit-learn SVC", split, lambda _: SVC(**SETTINGS), seeds=1))
    slowest = rows[-1][1]
    columns = (
        "model",
        "fit, s",
        "times faster than SVC",
        "test error, %",
        "support vectors",
        "left of the ramp: in, out",
    )
    table = [(name, f"{time:.2f}", f"{slowest / time:.1f}", *rest) for name, time, *rest in rows]
    return Section(f"a9a, C=100, gamma=0.005, one pass, means of {SEEDS} orders", columns, table)


def _row(name: str, split: Split, make: Callable[[int], Any], seeds: int = SEEDS) -> tuple[Any, ...]:
    models = [make(seed) for seed in range(seeds)]
    seconds = [timed(model.fit, split.X, split.y)[0] for model in models]
    errors = [100 * float(np.mean(model.predict(split.X_test) != split.y_test)) for model in models]
    support = np.mean([len(model.support_) for model in models])
    admitted = [
        getattr(model, name)[0, 0]
        for model in models[:1]
        for name in ("n_admitted_", "n_cleaned_")
        if hasattr(model, name)
    ]
    sides = ", ".join(f"{number:,}" for number in admitted) or "-"
    return (
        name,
        float(np.mean(seconds)),
        f"{np.mean(errors):.2f} ({min(errors):.2f} to {max(errors):.2f})",
        f"{support:,.0f}",
        sides,
    )
