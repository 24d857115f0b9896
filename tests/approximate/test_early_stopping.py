"""Passes end when a share of the rows, which are not learned, says that it is enough."""

from __future__ import annotations

import numpy as np
import pytest

from hinge import ApproximateSVC, ApproximateSVR

from .common import features, snapshot


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(2)
    X = random.normal(size=(200, 3))
    return X, (X[:, 0] * X[:, 1] + 0.3 * random.normal(size=200) > 0).astype(int)


def make(kind=ApproximateSVC, **parameters):
    defaults = {"n_components": 15, "gamma": 0.4, "random_state": 6, "early_stopping": True}
    return kind(**defaults | parameters)


def held_out(y, share, seed=6):
    """Return the rows that are asked about: the first of a random order, but for one of each class."""
    order = np.random.RandomState(seed).permutation(len(y))
    _, kept = np.unique(y[order], return_index=True)
    return np.delete(order, kept)[: max(1, round(share * len(y)))]


def scripted(monkeypatch, kind, scores):
    """Let validation scores be those of a script; return what the model is at each of them."""
    moments = []

    def score(self, state, X, y, weights):
        intercept = state.table.arrange(state.native.bias[None, :]).ravel()
        moment = {"coef": state.weights(), "intercept": intercept, "steps": state.native.n_steps}
        moments.append(moment | {"rows": X, "y": y})
        return scores[len(moments) - 1]

    monkeypatch.setattr(kind, "_validation_score", score)
    return moments


@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
@pytest.mark.parametrize(
    "script",
    [
        ([0.5, 0.9, 0.7, 0.95, 0.1, 0.2, 0.3], 3, 7, 3),
        ([0.9, 0.1, 0.2], 2, 3, 0),
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], 1, 8, 7),
        ([0.5, 0.5005, 0.501, 0.5], 3, 4, 2),  # smaller than tol: no improvement, but better
        ([-1e9, -1e8, -2e8], 1, 3, 1),
        ([0.5, 0.5], 1, 2, 0),
    ],
)
def test_the_best_model_is_kept(monkeypatch, data, kind, script):
    (X, y), (scores, patience, passes, best) = data, script
    moments = scripted(monkeypatch, kind, scores)
    model = make(kind, epochs=8, n_iter_no_change=patience, tol=1e-2).fit(X, y)
    assert len(moments) == passes
    np.testing.assert_array_equal(model.component_coef_, moments[best]["coef"])
    np.testing.assert_array_equal(model.intercept_, moments[best]["intercept"])
    assert [moment["steps"] for moment in moments] == [180 * (number + 1) for number in range(passes)]
    assert model.n_kernel_evals_ > 0
    assert model.n_seen_ == 200
    assert model.partial_fit(X, y).n_seen_ == 400


def test_the_rows_that_are_asked_about(monkeypatch, data):
    X, y = data
    moments = scripted(monkeypatch, ApproximateSVC, [0.0] * 9)
    make(validation_fraction=0.25).fit(X, y)
    rows = held_out(y, 0.25)
    np.testing.assert_array_equal(moments[0]["rows"], X[rows])
    np.testing.assert_array_equal(moments[0]["y"], y[rows])


@pytest.mark.parametrize("approximation", ["nystroem", "fourier"])
@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
def test_they_are_not_learned(data, kind, approximation):
    X, y = data
    rows = held_out(y if kind is ApproximateSVC else np.zeros(200), 0.3)
    other_rows, other_labels = X.copy(), y.copy()
    other_rows[rows] = np.random.default_rng(0).normal(size=(60, 3))
    if kind is ApproximateSVR:  # other classes might be other rows to keep
        other_labels[rows] = 1 - other_labels[rows]
    common = {"epochs": 1, "validation_fraction": 0.3, "approximation": approximation}
    (arrays, _), (others, _) = (
        snapshot(make(kind, **common).fit(*each)) for each in ((X, y), (other_rows, other_labels))
    )
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, others[name])
    if approximation == "nystroem":
        assert not np.isin(rows, arrays["ids"]).any()


def test_the_score_is_that_of_the_rows_held_out(data):
    X, y = data
    rows, weights = held_out(y, 0.1), np.random.default_rng(3).uniform(0.1, 2.0, 200)
    model = make().fit(X, y, weights)
    expected = np.average(model.predict(X[rows]) == y[rows], weights=weights[rows])
    assert model._validation_score(model._state, X[rows], y[rows], weights[rows]) == pytest.approx(expected)


def test_rows_of_weight_zero_are_not_held_out(monkeypatch, data):
    X, y = data
    moments = scripted(monkeypatch, ApproximateSVC, [0.0] * 9)
    make(validation_fraction=0.5).fit(X, y, (np.arange(200) % 2).astype(float))
    assert len(moments[0]["y"]) == 50
    assert all((row == X[1::2]).all(axis=1).any() for row in moments[0]["rows"])


def test_it_stops_and_is_no_worse(data):
    X, y = data
    long, short = make(early_stopping=False, epochs=200).fit(X, y), make(epochs=200).fit(X, y)
    assert short.n_iter_ < 0.5 * long.n_iter_
    assert short.score(X, y) > long.score(X, y) - 0.05


@pytest.mark.parametrize(
    ("kind", "n"), [*((ApproximateSVC, n) for n in (3, 5, 11)), *((ApproximateSVR, n) for n in (2, 3, 5, 11))]
)
def test_few_rows(data, kind, n):
    X, _ = data
    y = np.arange(n) % 2
    model = make(kind, epochs=20).fit(X[:n], y)
    assert np.isfinite(model.predict(X)).all()
    assert model.n_iter_ >= n - max(1, round(0.1 * n))


@pytest.mark.parametrize("rare", [1, 2])
def test_a_row_of_each_class_is_learned(monkeypatch, data, rare):
    X, _ = data
    moments = scripted(monkeypatch, ApproximateSVC, [0.0] * 30)
    y = np.zeros(200, dtype=int)
    y[:rare], y[100:] = 2, 1
    for seed in range(6):
        moments.clear()
        model = make(validation_fraction=0.9, n_iter_no_change=1, random_state=seed).fit(X, y)
        asked = np.bincount(moments[0]["y"], minlength=3)
        assert asked.sum() == 180
        assert (asked < np.bincount(y)).all()
        assert (model.decision_function(X[:rare])[:, 2] > -1.0).any()


def test_a_regression_whose_held_values_are_alike():
    X = np.linspace(0, 1, 50)[:, None]
    model = make(ApproximateSVR, epochs=30).fit(X, np.ones(50))
    np.testing.assert_allclose(model.predict(X), 1.0, atol=0.11)


def test_features_serve_all_passes(data):
    X, y = data
    model = make(epochs=6, n_iter_no_change=50).fit(X, y)
    assert model.n_kernel_evals_ == 180 * 15
    assert features(model, X).shape == (200, model.n_components_)
