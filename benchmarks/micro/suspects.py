"""Share of wrong labels among the first suspects, beside cleanlab, and the time that the lists take.

A twentieth of the labels is replaced by others at random. The lists are as long as there are wrong labels. Cleanlab
gets probabilities of a five-fold cross-validation of `SVC` with the same settings: calibrated as scikit-learn advises
(30 fits), or a softmax of decision values (5 fits). It ranks by the normalised margin or by self-confidence, whichever
finds more on the set. Times are those of the processor. With mnist, one seed and no calibration take a minute; --full
has three seeds and both forms everywhere.
"""

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_predict
from sklearn.svm import SVC

from benchmarks.data import read
from benchmarks.micro import Section
from hinge import IncrementalSVC

WRONG = 0.05
SEEDS = 3
SETTINGS: dict[str, Any] = {"C": 1.0, "gamma": "scale"}  # what everybody begins with


def measure(quick: bool, full: bool = False) -> Section:
    """Measure digits, usps and 5 000 rows of mnist with default settings."""
    large = () if quick else ("usps", "mnist, 5 000 rows")
    columns = ("data", "probabilities", "suspects(), found %", "s", "cleanlab, found %", "s", "cleanlab's time / ours")
    plain = [(name, False, name.startswith("mnist") and not full) for name in ("digits", *large)]
    plans = [*plain, *((name, True, False) for name in ("digits", *large) if full or not name.startswith("mnist"))]
    rows = [_row(name, calibrated, 1 if quick or once else SEEDS) for name, calibrated, once in plans]
    return Section("wrong labels among the first suspects", columns, rows)


def _row(name: str, calibrated: bool, seeds: int) -> tuple[str, ...]:
    ours, theirs = zip(*(_compare(name, seed, calibrated) for seed in range(seeds)), strict=True)
    (found, seconds), (their_found, their_seconds) = np.mean(ours, axis=0), np.mean(theirs, axis=0)
    return (
        name,
        "calibrated" if calibrated else "softmax",
        f"{100 * found:.1f}",
        f"{seconds:.2f}",
        f"{100 * their_found:.1f}",
        f"{their_seconds:.2f}",
        f"{their_seconds / seconds:.1f}",
    )


def _compare(name: str, seed: int, calibrated: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    X, y, wrong = _with_wrong_labels(name, seed)
    seconds, suspects = _timed(lambda: _find(X, y, len(wrong)))
    their_seconds, theirs = _timed(lambda: _find_with_cleanlab(X, y, calibrated))
    best = max(float(np.isin(order[: len(wrong)], wrong).mean()) for order in theirs)
    return (float(np.isin(suspects, wrong).sum() / len(wrong)), seconds), (best, their_seconds)


def _timed(action: Callable[[], Any]) -> tuple[float, Any]:
    start = process_time()
    result = action()
    return process_time() - start, result


def _with_wrong_labels(name: str, seed: int) -> tuple[Any, NDArray[np.int64], NDArray[np.intp]]:
    X, y = load_digits(return_X_y=True) if name == "digits" else read(name.split(",", maxsplit=1)[0], dense=True)
    random = np.random.default_rng(seed)
    rows = random.permutation(len(y))[:5_000]
    X, y = np.ascontiguousarray(X[rows], dtype=np.float64), y[rows].astype(np.int64) - int(y.min())
    wrong = random.choice(len(y), round(WRONG * len(y)), replace=False)
    y[wrong] = (y[wrong] + random.integers(1, y.max() + 1, len(wrong))) % (y.max() + 1)
    return X / X.max(), y, wrong


def _find(X: Any, y: NDArray[np.int64], n: int) -> list[Any]:
    return [each.id for each in IncrementalSVC(**SETTINGS).fit(X, y).suspects(n)]


def _find_with_cleanlab(X: Any, y: NDArray[np.int64], calibrated: bool) -> list[NDArray[np.intp]]:
    from cleanlab.rank import get_label_quality_scores  # noqa: PLC0415  (no requirement of anything else)

    if calibrated:
        peer = CalibratedClassifierCV(SVC(**SETTINGS), ensemble=False)
        probabilities = cross_val_predict(peer, X, y, method="predict_proba")
    else:
        probabilities = softmax(cross_val_predict(SVC(**SETTINGS), X, y, method="decision_function"), axis=1)
    methods = ("normalized_margin", "self_confidence")
    return [np.argsort(get_label_quality_scores(y, probabilities, method=method)) for method in methods]
