"""`hinge.svm.SVC.partial_fit` stays near the refitted model, however the rows are cut into calls."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons

from hinge.svm import SVC

MOONS = make_moons(1500, noise=0.35, random_state=0)
BLOBS = make_blobs(1500, centers=5, cluster_std=3.0, random_state=0)


@pytest.mark.parametrize("C", [1.0, 1000.0])
@pytest.mark.parametrize("data", [MOONS, BLOBS], ids=["moons", "blobs"])
def test_rows_one_by_one(data, C):
    X, y = data
    scores = []
    for step in (150, 10, 1):
        model = SVC(C=C, gamma=0.5).fit(X[:150], y[:150])
        for start in range(150, 300, step):
            model.partial_fit(X[start : start + step], y[start : start + step])
        scores.append(model.score(X[300:], y[300:]))
    assert np.ptp(scores) < 1e-9
    assert scores[0] > SVC(C=C, gamma=0.5).fit(X[:300], y[:300]).score(X[300:], y[300:]) - 0.02
