"""After Ctrl-C, `n_seen_` says where to go on, and the model ends as if nobody had pressed it."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.datasets import make_classification

from hinge import ApproximateSVC, IncrementalSVC, OnlineSVC, RobustOnlineSVC, TrackingSVC
from hinge._fit import learner
from hinge.approximate import _learner as approximate_learner
from tests.invariants import check

MODELS = {
    "online": (OnlineSVC(random_state=0), 4, 1200),
    "two classes": (OnlineSVC(random_state=0), 2, 1200),
    "two threads": (OnlineSVC(random_state=0, n_jobs=2), 6, 1200),
    "bounded": (OnlineSVC(random_state=0, max_support=100), 3, 1200),
    "half-life": (OnlineSVC(random_state=0, half_life=300.0), 3, 1200),
    "robust": (RobustOnlineSVC(random_state=0), 3, 1200),
    "tracking": (TrackingSVC(random_state=0), 3, 1200),
    "exact": (IncrementalSVC(), 3, 600),
    "window": (IncrementalSVC(max_examples=60), 3, 1200),
    "approximate": (ApproximateSVC(random_state=0, n_components=100), 3, 20_000),
    "approximate, forgetting": (ApproximateSVC(random_state=0, n_components=100, half_life=20_000.0), 3, 20_000),
}


@contextmanager
def pressing(monkeypatch, after):
    """Somebody presses Ctrl-C when the native code asks its monitor for the n-th time."""
    asked = 0

    def press(_):
        nonlocal asked
        asked += 1
        if asked == after:
            os.kill(os.getpid(), signal.SIGINT)
        return True

    @contextmanager
    def bar(_):
        yield press

    with monkeypatch.context() as patched:
        for module in (learner, approximate_learner):
            patched.setattr(module, "progress_bar", bar)
        yield


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.usefixtures("asking_at_once")
def test_the_model_ends_as_without_the_interrupts(name, monkeypatch):
    model, n_classes, n_rows = MODELS[name]
    X, y = make_classification(
        n_rows, 8, n_informative=6, n_classes=n_classes, n_clusters_per_class=1, flip_y=0.3, random_state=0
    )
    weights = np.random.default_rng(0).integers(0, 4, n_rows).astype(float)  # rows of weight 0 are skipped
    whole = type(model)(**model.get_params()).partial_fit(X, y, classes=range(n_classes), sample_weight=weights)
    model = type(model)(**model.get_params()).partial_fit(X[:40], y[:40], range(n_classes), weights[:40])
    stops = []
    while model.n_seen_ < n_rows:
        first = model.n_seen_
        with pressing(monkeypatch, after=2 ** len(stops)):
            try:
                model.partial_fit(X[first:], y[first:], sample_weight=weights[first:])
            except KeyboardInterrupt:
                stops.append(model.n_seen_)
                check(model)
                assert model.progressive_score_.n_examples <= model.n_seen_
    assert any(40 < stop < n_rows for stop in stops)
    assert model.n_seen_ == n_rows
    score, expected = model.progressive_score_, whole.progressive_score_
    assert (score.n_examples, score.n_mistakes) == (expected.n_examples, expected.n_mistakes)
    assert score.recent_error == expected.recent_error
    np.testing.assert_allclose(model.decision_function(X), whole.decision_function(X), rtol=1e-6, atol=1e-6)
    if isinstance(model, IncrementalSVC):
        assert model.ids_ == whole.ids_
