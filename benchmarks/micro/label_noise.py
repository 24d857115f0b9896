"""Effect of wrong training labels: the ramp loss compared with the exact solution."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from benchmarks.data import data_folder
from benchmarks.micro import Section
from hinge import RobustOnlineSVC
from hinge.datasets import load

RATES = (0.0, 0.1, 0.2, 0.3)
SETTINGS: dict[str, dict[str, Any]] = {"defaults": {}, "ramp=-0.5, warmup=300": {"ramp": -0.5, "warmup": 300}}


@dataclass(frozen=True)
class Problem:
    """Two classes, their settings, and the number of repetitions."""

    name: str
    X: NDArray[Any]
    y: NDArray[Any]
    X_test: NDArray[Any]
    y_test: NDArray[Any]
    C: float
    gamma: float
    seeds: int


def measure(quick: bool) -> Section:
    """Flip some training labels, and train all models on the same rows."""
    data_folder()
    columns = ["data", "flipped", "SVC: error, SVs"]
    columns += [f"ramp, {name}: error, SVs (of SVC's)" for name in SETTINGS] + ["hinge: error, SVs"]
    rows = [_row(problem, rate, quick) for problem in _problems() for rate in (RATES[1:2] if quick else RATES)]
    return Section("Wrong labels in training, correct labels in testing; mean test error in %", columns, rows)


def _problems() -> Iterator[Problem]:
    usps, banana, mnist = (load(name) for name in ("usps", "banana", "mnist"))
    unit = normalize(usps.X_train), normalize(usps.X_test)
    yield Problem("usps, 0 vs rest", unit[0], usps.y_train == 0, unit[1], usps.y_test == 0, 1.0, 2.0, 10)
    two = banana.y_train == 1, banana.y_test == 1
    yield Problem("banana", banana.X_train, two[0], banana.X_test, two[1], 10.0, 1.0, 10)
    some = np.random.default_rng(0).permutation(len(mnist.y_train))[:5_000]
    eight = mnist.y_train[some] == 8, mnist.y_test == 8
    yield Problem("mnist, 8 vs rest, 5 000 rows", mnist.X_train[some], eight[0], mnist.X_test, eight[1], 10.0, 0.02, 3)


def _row(problem: Problem, rate: float, quick: bool) -> tuple[str, ...]:
    settings: dict[str, Any] = {"C": problem.C, "gamma": problem.gamma}
    results: dict[str, list[tuple[float, int]]] = {}
    for seed in range(1 if quick else problem.seeds):
        flipped = np.random.default_rng(seed).random(len(problem.y)) < rate
        models: dict[str, Any] = {"svc": SVC(**settings)}
        models |= {name: RobustOnlineSVC(**settings, **more, random_state=seed) for name, more in SETTINGS.items()}
        models["hinge"] = RobustOnlineSVC(**settings, variant="hinge", random_state=seed)
        for name, model in models.items():
            model.fit(problem.X, problem.y ^ flipped)
            error = 100 * float(np.mean(model.predict(problem.X_test) != problem.y_test))
            results.setdefault(name, []).append((error, len(model.support_)))
    means = {name: np.mean(values, axis=0) for name, values in results.items()}
    exact = means["svc"][1]
    ramps = [f"{error:.2f}, {size:,.0f} ({size / exact:.0%})" for error, size in map(means.__getitem__, SETTINGS)]
    plain = {name: f"{means[name][0]:.2f}, {means[name][1]:,.0f}" for name in ("svc", "hinge")}
    return problem.name, f"{rate:.0%}", plain["svc"], *ramps, plain["hinge"]
