"""Snapshots for predictions do not disturb learning, and what a model reports about its last call is up to date."""

from __future__ import annotations

import threading

import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from hinge import ApproximateSVC, IncrementalSVC, KernelPerceptron, OnlineSVC, RobustOnlineSVC, TrackingSVC
from hinge._model.state import State

X, Y = make_blobs(800, centers=4, n_features=5, cluster_std=3.5, random_state=3)
ROWS = X[::7]

MODELS = {
    "online": lambda: OnlineSVC(gamma=0.05, random_state=0),
    "bounded": lambda: OnlineSVC(gamma=0.05, max_support=25, random_state=0),
    "robust": lambda: RobustOnlineSVC(gamma=0.05, random_state=0),
    "support": lambda: TrackingSVC(gamma=0.05, keep="support", random_state=0),
    "perceptron": lambda: KernelPerceptron(gamma=0.05, max_support=25, random_state=0),
    "fourier": lambda: ApproximateSVC(gamma=0.05, n_components=30, approximation="fourier", random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
def test_learning_alone_makes_no_snapshot(name, monkeypatch):
    """A snapshot closes gaps, and so changes the sums that follow in their last digits."""
    made = []
    make = State.make_snapshot
    monkeypatch.setattr(State, "make_snapshot", lambda state: made.append(state) or make(state))
    model = MODELS[name]()
    for start in range(0, len(X), 40):
        model.partial_fit(X[start : start + 40], Y[start : start + 40])
    assert not made
    reader = threading.Thread(target=lambda: model.predict(ROWS))
    reader.start()
    reader.join()
    assert len(made) == 1
    model.partial_fit(X[:40], Y[:40])  # now others may ask at any time
    assert len(made) == 2


def test_fit_status_is_that_of_the_last_call():
    model = IncrementalSVC(tol=1e-300, C=10.0)
    with pytest.warns(ConvergenceWarning):
        model.fit(X[:100], Y[:100])
    assert model.fit_status_ == 1
    assert model.set_params(tol=1e-3).partial_fit(X[100:101], Y[100:101]).fit_status_ == 0


@pytest.mark.parametrize("kernel", ["linear", lambda A, B: A @ B.T])
def test_the_progressive_score_counts_the_whole_stream(kernel):
    model = OnlineSVC(kernel=kernel, C=0.01).fit(X[:200], Y[:200])
    assert model.progressive_score_.n_examples == 0
    for start in range(200, 300, 20):
        model.partial_fit(X[start : start + 20], Y[start : start + 20])
    assert model.finish().progressive_score_.n_examples == 100
