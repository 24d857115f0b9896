"""Passes over chunks."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hinge import ApproximateSVC, ApproximateSVR, DataError


@pytest.fixture
def problem():
    random = np.random.default_rng(0)
    X = random.normal(size=(1000, 3))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def pieces(X, y, size=100):
    return lambda: ((X[start : start + size], y[start : start + size]) for start in range(0, len(y), size))


@pytest.mark.parametrize("n", [15, 63, 255, 1000])
def test_a_short_stream_has_as_many_landmarks_as_fit(problem, n):
    X, y = problem[0][:n], problem[1][:n]
    model = ApproximateSVC(C=10.0, random_state=0).fit(pieces(X, y)())
    assert len(model.support_) == min(n, 512)
    assert (model._state.reservoir is None) == (n >= 512)
    assert model.partial_fit(X[:5], y[:5]).n_seen_ == n + 5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_stream_that_ended_early_goes_on(problem, dtype):
    X, y = problem[0].astype(dtype), problem[1]
    model = ApproximateSVC(C=10.0, gamma="scale", n_components=100, random_state=0).fit(pieces(X[:20], y[:20], 5)())
    assert len(model.support_) == 20
    model = pickle.loads(pickle.dumps(model)).partial_fit(X[20:820], y[20:820])
    assert len(model.support_) == 100
    assert model.support_.max() > 300
    assert model._state.reservoir is None
    assert model.n_seen_ == 820
    assert model.score(X[820:], y[820:]) > 0.85


@pytest.mark.parametrize("n", [100, 300, 1000])
def test_later_passes_are_not_undone(problem, n):
    """Landmarks are drawn at the end of the first pass only: over a new map, what later passes taught would be lost."""
    X, y = problem[0][:n], problem[1][:n]
    steps = {epochs: ApproximateSVC(random_state=0, epochs=epochs).fit(pieces(X, y)).n_iter_ for epochs in (1, 4)}
    assert steps[4] == steps[1] + 3 * n


def test_passes_go_over_chunks_in_different_orders(problem, monkeypatch):
    X, y = problem
    orders = []
    rehearse = ApproximateSVC._learn_again

    def watched(self, X, y, sample_weight, random):
        orders.append(random.get_state()[1].tobytes() + bytes(str(random.get_state()[2]), "ascii"))
        rehearse(self, X, y, sample_weight, random)

    monkeypatch.setattr(ApproximateSVC, "_learn_again", watched)
    ApproximateSVC(epochs=4, n_components=20, random_state=0).fit(pieces(X, y))
    assert len(orders) == len(set(orders)) == 30


def test_rows_of_weight_zero_count_in_no_pass(problem):
    X, y = problem
    half = np.repeat([1.0, 0.0], 500)

    def weighted():
        return ((X[rows], y[rows], half[rows]) for rows in np.array_split(np.arange(1000), 7))

    model = ApproximateSVC(C=0.01, gamma=0.3, n_components=30, epochs=3, random_state=0)
    norm = float((model.fit(weighted).component_coef_ ** 2).sum())
    without = float((model.fit(pieces(X[:500], y[:500])).component_coef_ ** 2).sum())
    assert norm == pytest.approx(without, rel=0.2)


@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
@pytest.mark.parametrize("fitted", [False, True])
def test_what_is_no_stream(problem, kind, fitted):
    X, y = problem
    model = kind(n_components=8, random_state=0)
    if fitted:
        model.fit(X, y)
        before = model.predict(X)
    for source in ([(X, y), (X, y)], ((X, y), (X, y)), [(X, y, y)], "rows.svm", Path("rows.svm")):
        with pytest.raises(DataError, match=r"^Chunks must come from an iterator .*; give iter\(list\), or .*\.$"):
            model.fit(source)
    for chunk in ((X, None), (X, 5), (X, None, None)):
        for chunks in ([chunk], [(X, y), chunk]):
            with pytest.raises(DataError, match=r"^Each chunk must hold labels for its rows, got .*; give \(X, y\)\.$"):
                model.fit(iter(chunks))
    assert hasattr(model, "_state") == fitted
    if fitted:
        np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize(
    ("container", "settings"),
    [(np.asarray, {}), (np.asarray, {"steps": "asset", "loss": "log_loss", "n_total": 600}), (csr_matrix, {})],
)
def test_a_width_that_suits_the_whole_stream(problem, settings, container):
    """gamma="scale" is that of the sample the landmarks are drawn from, however the stream is cut."""
    X, y = 1000.0 * problem[0][:600] + [0.0, 0.0, 3.0], problem[1][:600]
    models = []
    for size in (1, 7, 600):
        model = ApproximateSVC(n_components=40, C=10.0, n_jobs=1, random_state=0, **settings)
        for start in range(0, 600, size):
            model.partial_fit(container(X[start : start + size]), y[start : start + size], classes=[0, 1])
        models.append(model)
    for model in models:
        gamma = model._state.kernel.gamma
        assert gamma == pytest.approx(1.0 / (3.0 * X[:160].var()), rel=1e-9)
        np.testing.assert_allclose(model.decision_function(X), models[-1].decision_function(X), atol=1e-6)
        np.testing.assert_array_equal(model.support_, models[-1].support_)
        if not settings:
            assert model.score(X, y) > 0.85


def test_a_width_is_not_that_of_the_first_row():
    """The columns of the first row are nearly alike, which says nothing about the others."""
    random = np.random.default_rng(0)
    X = 1e4 * random.normal(size=(2000, 5))
    X[0] = [5.0, 5.0, 5.0, 5.0, 5.001]
    y = (X[:, 0] > X[:, 1]).astype(int)
    model = ApproximateSVC(n_components=100, random_state=0).partial_fit(X[:1], y[:1], classes=[0, 1])
    model.partial_fit(X[1:], y[1:])
    assert model.score(X, y) > 0.93
