"""Probabilities of `OnlineSVC` beside `CalibratedClassifierCV(SVC, ensemble=False)`, and what they add to `fit`.

Both have default settings and the same method. The calibration error is that of the class predicted, in 15 groups of
equal size. Rows are drawn at random; those that are not learned test.
"""

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_moons
from sklearn.metrics import log_loss
from sklearn.svm import SVC

from benchmarks.data import read
from benchmarks.micro import Section
from hinge import OnlineSVC

GROUPS = 15
TRAINING, TESTING = 3000, 4000  # rows at most
SMALL: dict[str, Callable[..., Any]] = {
    "digits": partial(load_digits, return_X_y=True),
    "cancer": partial(load_breast_cancer, return_X_y=True),
    "moons": partial(make_moons, 4000, noise=0.35, random_state=0),
    "classification": partial(make_classification, 4000, 20, n_informative=5, flip_y=0.2, random_state=0),
    "four classes": partial(make_classification, 4000, 20, n_informative=8, n_classes=4, flip_y=0.1, random_state=0),
}
KNOWN = ("usps", "mnist", "a9a", "ijcnn1", "banana")


def measure(quick: bool) -> Section:
    """Measure ten sets, five with --quick."""
    columns = ("data", "method", "log loss", "peer's", "error %", "peer's", "fit / without", "peer's fit / ours")
    names = [*SMALL, *([] if quick else KNOWN)]
    rows = [_row(name, method, 1 if quick else 3) for name in names for method in ("sigmoid", "temperature")]
    return Section("calibrated probabilities: log loss and expected calibration error", columns, rows)


def _row(name: str, method: str, seeds: int) -> tuple[str, ...]:
    found = np.mean([_compare(name, method, seed) for seed in range(seeds)], axis=0)
    formats = ("{:.4f}", "{:.4f}", "{:.2f}", "{:.2f}", "{:.2f}", "{:.2f}")
    return (name, method, *(text.format(value) for text, value in zip(formats, found, strict=True)))


def _compare(name: str, method: str, seed: int) -> tuple[float, ...]:
    X, y = SMALL[name]() if name in SMALL else read(name, dense=True)
    order = np.random.RandomState(seed).permutation(len(y))
    n_training = min(TRAINING, len(y) // 2)
    learned, tested = order[:n_training], order[n_training:][:TESTING]
    mean, scale = X[learned].mean(axis=0), X[learned].std(axis=0)
    X = (X - mean) / np.where(scale > 0, scale, 1.0)
    ours, plain = OnlineSVC(calibration=method, random_state=seed), OnlineSVC(random_state=seed)
    theirs = CalibratedClassifierCV(SVC(), method=method, ensemble=False)
    seconds = [
        min(_time(model, X[learned], y[learned]) for _ in range(repeats))
        for model, repeats in ((ours, 3), (plain, 3), (theirs, 1))
    ]
    first, second = (model.predict_proba(X[tested]) for model in (ours, theirs))
    losses = [float(log_loss(y[tested], chances, labels=ours.classes_)) for chances in (first, second)]
    places = np.searchsorted(ours.classes_, y[tested])
    errors = [100.0 * calibration_error(chances, places) for chances in (first, second)]
    return (*losses, *errors, seconds[0] / seconds[1], seconds[2] / seconds[0])


def _time(model: Any, X: Any, y: Any) -> float:
    start = process_time()
    model.fit(X, y)
    return process_time() - start


def calibration_error(chances: NDArray[np.float64], places: NDArray[np.intp]) -> float:
    """Return the mean difference between the probability of the class predicted and how often it is right."""
    sure, right = chances.max(axis=1), chances.argmax(axis=1) == places
    groups = np.array_split(np.argsort(sure), GROUPS)
    gaps = [abs(float(sure[rows].mean() - right[rows].mean())) for rows in groups]
    return float(np.average(gaps, weights=[len(rows) for rows in groups]))
