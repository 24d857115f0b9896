"""REPROCESS of models without a bias: one extreme per call, as in the paper, or both."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, make_circles, make_classification, make_moons
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.data import data_folder
from benchmarks.micro import Section
from hinge import RobustOnlineSVC
from hinge.datasets import load

COSTS = (1.0, 10.0, 100.0)
VARIANTS = ("ramp", "ignore", "hinge", "full")
Split = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]  # rows and labels to learn, and to test with


def measure(quick: bool) -> Section:
    """Train models both ways on the same rows; times are processor seconds of one thread, as ratios."""
    data_folder()
    columns = ["data", "variant", "time, one / both", "steps, one / both", "error both, %", "error one, %", "SVs"]
    rows = [_adult_row(variant) for variant in VARIANTS[: 2 if quick else 3]]
    rows += [_small_row(name, X, y, gamma, quick) for name, X, y, gamma in _small_sets()]
    return Section("REPROCESS moves one extreme or both", columns, rows)


def _small_sets() -> Iterator[tuple[str, NDArray[Any], NDArray[Any], float]]:
    yield "moons", *make_moons(3000, noise=0.3, random_state=0), 1.0
    yield "circles", *make_circles(3000, noise=0.15, factor=0.6, random_state=0), 1.0
    X, y = make_classification(3000, 10, n_informative=6, flip_y=0.15, random_state=0)
    yield "mixture", StandardScaler().fit_transform(X), y, 0.1
    X, y = load_digits(return_X_y=True)
    yield "digits, 8 vs rest", X / 16.0, y == 8, 0.5
    X, y = load_breast_cancer(return_X_y=True)
    yield "cancer", StandardScaler().fit_transform(X), y, 0.03


def _train(split: Split, **parameters: Any) -> NDArray[np.float64]:
    """Return seconds, steps, test error in percent, and support vectors."""
    X, X_test, y, y_test = split
    model = RobustOnlineSVC(n_jobs=1, **parameters)
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    return np.array([seconds, model.n_iter_, 100 * (1 - model.score(X_test, y_test)), len(model.support_)])


def _adult_row(variant: str) -> tuple[str, ...]:
    adult = load("a9a")
    split = adult.X_train, adult.X_test, adult.y_train, adult.y_test
    common: dict[str, Any] = {"C": 100, "gamma": 0.005, "variant": variant}
    both, one = (
        np.mean([_train(split, reprocess=rule, random_state=seed, **common) for seed in range(2)], axis=0)
        for rule in ("both", "one")
    )
    return _row("a9a", variant, one[:2] / both[:2], both, one)


def _small_row(name: str, X: NDArray[Any], y: NDArray[Any], gamma: float, quick: bool) -> tuple[str, ...]:
    """Return geometric means of ratios, and means of the other numbers, over variants, costs and splits."""
    results: dict[str, list[NDArray[np.float64]]] = {"both": [], "one": []}
    for seed in range(1 if quick else 5):
        split = tuple(train_test_split(X, y, test_size=0.3, random_state=seed))
        for rule, found in results.items():
            for variant in VARIANTS:
                common: dict[str, Any] = {"variant": variant, "gamma": gamma, "random_state": seed}
                found += [_train(split, C=C, reprocess=rule, **common) for C in COSTS]
    both, one = (np.array(results[rule]) for rule in ("both", "one"))
    ratios = np.exp(np.log(one[:, :2] / both[:, :2]).mean(axis=0))
    return _row(name, "all", ratios, both.mean(axis=0), one.mean(axis=0))


def _row(
    name: str, variant: str, ratios: NDArray[np.float64], both: NDArray[np.float64], one: NDArray[np.float64]
) -> tuple[str, ...]:
    sizes = f"{both[3]:,.0f}, {one[3]:,.0f}"
    return name, variant, f"{ratios[0]:.2f}", f"{ratios[1]:.2f}", f"{both[2]:.2f}", f"{one[2]:.2f}", sizes
