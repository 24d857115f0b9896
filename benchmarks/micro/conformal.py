"""Prediction sets of `ConformalSVC` beside split conformal prediction with MAPIE and crepes on `SVC`.

All have the default C and gamma. The peers set a quarter of the rows aside, as `SplitConformalClassifier` does, and
need probabilities: crepes gets a softmax of the decision values of `SVC`, MAPIE those of `CalibratedClassifierCV`.
Coverage and set sizes are means over splits.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification, make_moons
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from benchmarks.data import read
from benchmarks.micro import Section
from hinge.conformal import ConformalSVC

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

LEVELS = (0.1, 0.05)
SPLITS = 20
TRAINING, TESTING = 300, 200
SMALL: dict[str, Callable[..., Any]] = {
    "iris": partial(load_iris, return_X_y=True),
    "wine": partial(load_wine, return_X_y=True),
    "cancer": partial(load_breast_cancer, return_X_y=True),
    "digits": partial(load_digits, return_X_y=True),
    "moons": partial(make_moons, 2000, noise=0.35, random_state=0),
    "four classes": partial(make_classification, 2000, 20, n_informative=8, n_classes=4, flip_y=0.1, random_state=0),
}
KNOWN = ("usps", "mnist", "a9a", "banana")


def measure(quick: bool) -> Section:
    """Measure ten sets with twenty splits each; four with four splits with --quick."""
    columns = ("data", "alpha", "coverage %", "labels", "MAPIE %", "labels", "crepes %", "labels", "mondrian %")
    names = list(SMALL)[:4] if quick else [*SMALL, *KNOWN]
    rows = [line for name in names for line in lines(name, 4 if quick else SPLITS)]
    return Section("prediction sets: coverage and mean number of labels", columns, rows)


def lines(name: str, splits: int) -> list[tuple[str, ...]]:
    """Return one line per level: coverage and size of each method."""
    found = np.mean([_compare(name, seed) for seed in range(splits)], axis=0)
    result = []
    for alpha, values in zip(LEVELS, found, strict=True):
        cells = [f"{100 * value:.1f}" if i in {0, 2, 4, 6} else f"{value:.3f}" for i, value in enumerate(values)]
        result.append((name, f"{alpha:.2f}", *cells))
    return result


class _WithProbabilities(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """`SVC` with a softmax of its decision values."""

    def fit(self, X: Any, y: Any) -> _WithProbabilities:
        self.model_ = SVC().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        values = self.model_.decision_function(X)
        values = np.column_stack([-values, values]) if values.ndim == 1 else values
        chances: NDArray[np.float64] = softmax(values, axis=1)
        return chances


def _compare(name: str, seed: int) -> NDArray[np.float64]:
    """Return for each level coverage and size here, with MAPIE, with crepes, and the worst class with `mondrian`."""
    X, y, X_test, y_test = _split(name, seed)
    ours, mondrian = ConformalSVC().fit(X, y), ConformalSVC(mondrian=True).fit(X, y)
    theirs = [_mapie(X, y, X_test, seed), _crepes(X, y, X_test, seed)]
    found = []
    for level, alpha in enumerate(LEVELS):
        row = []
        for sets in (ours.predict_set(X_test, alpha), theirs[0][level], theirs[1][level]):
            row += [_coverage(sets, y_test), float(sets.sum(axis=1).mean())]
        found.append([*row, _coverage(mondrian.predict_set(X_test, alpha), y_test)])
    return np.array(found)


def _split(name: str, seed: int) -> tuple[Any, NDArray[np.intp], Any, NDArray[np.intp]]:
    X, y = SMALL[name]() if name in SMALL else read(name, dense=True)
    order = np.random.default_rng(seed).permutation(len(y))
    n = min(TRAINING, 2 * len(y) // 3)
    rows, tested = order[:n], order[n:][:TESTING]
    X = np.asarray(X[order[: n + TESTING]], dtype=float)
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)  # all rows alike: still exchangeable
    y = np.unique(y, return_inverse=True)[1]
    return X[:n], y[rows], X[n:], y[tested]


def _coverage(sets: NDArray[np.bool_], y: NDArray[np.intp]) -> float:
    return float(sets[np.arange(len(y)), y].mean())


def _mapie(X: Any, y: Any, X_test: Any, seed: int) -> list[NDArray[np.bool_]]:
    from mapie.classification import SplitConformalClassifier  # noqa: PLC0415  (no requirement of anything else)

    X, X_aside, y, y_aside = train_test_split(X, y, test_size=0.25, random_state=seed)
    model = CalibratedClassifierCV(SVC(), ensemble=False, cv=3).fit(X, y)
    peer = SplitConformalClassifier(
        model, confidence_level=[1 - alpha for alpha in LEVELS], conformity_score="lac", prefit=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sets = peer.conformalize(X_aside, y_aside).predict_set(X_test)[1]
    return [sets[:, :, level] for level in range(len(LEVELS))]


def _crepes(X: Any, y: Any, X_test: Any, seed: int) -> list[NDArray[np.bool_]]:
    from crepes import WrapClassifier  # noqa: PLC0415  (no requirement of anything else)

    X, X_aside, y, y_aside = train_test_split(X, y, test_size=0.25, random_state=seed)
    peer = WrapClassifier(_WithProbabilities())
    peer.fit(X, y)
    peer.calibrate(X_aside, y_aside, seed=seed)
    sets = [peer.predict_set(X_test, labels=None, confidence=1 - alpha, smoothing=False) for alpha in LEVELS]
    return [np.asarray(each, dtype=bool) for each in sets]
