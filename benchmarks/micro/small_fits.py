"""Time of `OnlineSVC.fit` with default parameters on small training sets, beside that of `SVC`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs, make_classification, make_moons
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.micro import Section
from benchmarks.worker import timed
from hinge import OnlineSVC

SETTINGS = ((1.0, "scale"), (10.0, "scale"), (100.0, "scale"), (1.0, 1.0), (100.0, 1.0))
REPEATS = 3


def measure(quick: bool) -> Section:
    """Fit thirty problems of 200 to 5 000 rows."""
    rows, ratios, slower = [], [], 0
    for title, X, y in _sets(quick):
        for C, gamma in SETTINGS:
            ours, model = _best(lambda C=C, gamma=gamma: OnlineSVC(C=C, gamma=gamma, random_state=0), X, y)
            theirs, peer = _best(lambda C=C, gamma=gamma: SVC(C=C, gamma=gamma), X, y)
            ratios.append(theirs / ours)
            slower += ratios[-1] < 1
            same = float(np.mean(model.predict(X) == peer.predict(X)))
            cells = (f"{1e3 * ours:.1f}", f"{1e3 * theirs:.1f}", f"{ratios[-1]:.2f}", f"{100 * same:.1f} %")
            rows.append((title, f"{len(y):,}", f"{C:g}", f"{gamma}", *cells))
    rows.append(("median", "", "", "", "", "", f"{np.median(ratios):.2f}", ""))
    rows.append(("worst", "", "", "", "", "", f"{min(ratios):.2f}", ""))
    return Section(
        f"fit of small training sets with default parameters (aims: median ratio 1, worst 0.5); slower in {slower}",
        ("data", "rows", "C", "gamma", "OnlineSVC, ms", "SVC, ms", "SVC / OnlineSVC", "same predictions"),
        rows,
    )


def _sets(quick: bool) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
    """Yield names, rows and labels."""
    yield "moons", *make_moons(200, noise=0.3, random_state=0)
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer", StandardScaler().fit_transform(X), y
    yield "three blobs", *make_blobs(1000, n_features=5, centers=3, cluster_std=4.0, random_state=0)
    X, y = load_digits(return_X_y=True)
    yield "digits", X / 16, y
    yield "classification", *_classification(500 if quick else 2000, 20)
    yield "classification", *_classification(1000 if quick else 5000, 50)


def _classification(n_rows: int, n_features: int) -> tuple[NDArray[Any], NDArray[Any]]:
    X, y = make_classification(n_rows, n_features, n_informative=n_features // 2, flip_y=0.05, random_state=0)
    return StandardScaler().fit_transform(X), y


def _best(make: Any, X: NDArray[Any], y: NDArray[Any]) -> tuple[float, Any]:
    """Return the shortest time of a few fits, and the model."""
    model = make().fit(X, y)
    return min(timed(make().fit, X, y)[0] for _ in range(REPEATS)), model
