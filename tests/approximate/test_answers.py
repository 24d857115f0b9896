"""Probabilities, progress, and the chain of checked input and output."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hinge import ApproximateSVC, ApproximateSVR

from .common import assert_identical, features

pytestmark = pytest.mark.slow  # together they take seconds


def make(**parameters):
    return ApproximateSVC(**{"loss": "log_loss", "n_components": 40, "random_state": 0, "gamma": 0.5} | parameters)


def test_two_classes(two):
    X, y = two
    model = make(epochs=300).fit(X, y)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances[:, 1], expit(model.decision_function(X)), rtol=1e-12)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    rows = features(model, X)
    expected = LogisticRegression(C=1.0, tol=1e-8, solver="newton-cholesky").fit(rows, y).predict_proba(rows)
    np.testing.assert_allclose(chances, expected, atol=0.05)


def test_more_classes(three):
    X, y = three
    model = make().fit(X, y)
    chances, decisions = model.predict_proba(X), expit(model.decision_function(X))
    np.testing.assert_allclose(chances, decisions / decisions.sum(axis=1, keepdims=True), rtol=1e-12)
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))


def test_one_class(two):
    X, _ = two
    model = make().partial_fit(X, np.zeros(len(X)))
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((len(X), 1)))
    np.testing.assert_array_equal(model.predict(X), np.zeros(len(X)))


def test_hopeless_decisions():
    X, y = make_blobs(60, centers=3, n_features=2, cluster_std=0.1, random_state=0)
    model = make(kernel="linear", C=1e6).fit(X, y)
    chances = model.predict_proba(1e6 * np.random.default_rng(0).normal(size=(200, 2)))
    assert np.isfinite(chances).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)


def slow_kernel(A, B):
    """Take so long that a bar is worth its while on any machine."""
    time.sleep(0.005)
    return A @ B.T


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
def test_a_progress_bar_changes_nothing(capfd, kind, verb):
    X = np.random.default_rng(0).normal(size=(200, 4))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    for kernel in ("rbf", slow_kernel):
        quiet, loud = (
            kind(kernel=kernel, n_components=8, epochs=2, random_state=0, verbose=shown) for shown in (False, True)
        )
        getattr(quiet, verb)(X, y)
        assert capfd.readouterr().err == ""
        getattr(loud, verb)(X, y)
        assert kernel == "rbf" or "learn" in capfd.readouterr().err
        assert_identical(quiet, loud)


def test_names_of_columns(two):
    X, y = two
    frame = pd.DataFrame(X, columns=["width", "height"])
    for model in (make(), ApproximateSVR(n_components=40, random_state=0)):
        model.fit(frame, y)
        assert model.feature_names_in_.tolist() == ["width", "height"]
        model.partial_fit(frame, y)
        with pytest.raises(ValueError, match="feature names"):
            model.partial_fit(frame[["height", "width"]], y)
        assert model.n_seen_ == 2 * len(y)


def test_inside_pipelines_and_searches(two):
    X, y = two
    search = GridSearchCV(
        make_pipeline(StandardScaler(), make(loss="hinge", epochs=3)), {"approximatesvc__C": [0.1, 10.0]}, cv=3
    )
    assert search.fit(X, y).best_score_ > 0.75
