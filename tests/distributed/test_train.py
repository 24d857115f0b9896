"""Training over partitions: as good as `fit`, the same wherever it runs, and sensible about bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_blobs, make_moons
from sklearn.preprocessing import StandardScaler

from hinge import ApproximateSVC, ApproximateSVR, distributed
from hinge.distributed import _train
from hinge.distributed._train import assign_partitions

pytestmark = pytest.mark.slow  # together they take seconds

da = pytest.importorskip("dask.array", reason="dask is not installed")


@pytest.fixture(scope="module")
def moons():
    """Two classes that touch."""
    X, y = make_moons(1500, noise=0.15, random_state=1)
    return StandardScaler().fit_transform(X), y


def classifier(**changes):
    return ApproximateSVC(**{"n_components": 64, "C": 10.0, "random_state": 0} | changes)


def chunks(X, y, n=200):
    return da.from_array(X, chunks=(n, 1)), da.from_array(y, chunks=n + 30)


def test_as_good_as_fit(scheduler, moons):
    X, y = moons
    model = distributed.train(classifier(), *chunks(X[:1000], y[:1000]), learners=3)
    plain = classifier().fit(X[:1000], y[:1000])
    assert type(model) is ApproximateSVC
    assert model.get_params() == classifier().get_params()
    assert model.score(X[1000:], y[1000:]) > plain.score(X[1000:], y[1000:]) - 0.02


@pytest.fixture(scope="module")
def expected(moons):
    """Decisions of a model that was trained in this thread."""
    dask = pytest.importorskip("dask", reason="dask is not installed")
    with dask.config.set(scheduler="synchronous"):
        return distributed.train(classifier(), *chunks(*moons), learners=3).decision_function(moons[0])


@pytest.mark.parametrize("persist", [True, False])
def test_the_same_wherever_it_runs(scheduler, moons, expected, persist):
    model = distributed.train(classifier(), *chunks(*moons), learners=3, persist=persist)
    np.testing.assert_array_equal(model.decision_function(moons[0]), expected)


def test_a_client_by_name(cluster, moons, expected):
    model = distributed.train(classifier(), *chunks(*moons), learners=3, client=cluster, persist=False)
    np.testing.assert_array_equal(model.decision_function(moons[0]), expected)
    assert distributed.train(classifier(), *chunks(*moons), client=cluster).score(*moons) > 0.95


def test_a_fitted_model_is_trained_from_scratch(moons, expected):
    X, y = moons
    fitted = classifier().fit(X, 1 - y)
    before = fitted.decision_function(X)
    model = distributed.train(fitted, *chunks(X, y), learners=3)
    np.testing.assert_array_equal(model.decision_function(X), expected)
    np.testing.assert_array_equal(fitted.decision_function(X), before)


@pytest.mark.parametrize("epochs", ["auto", 1, 40])
def test_rounds_replace_epochs(moons, expected, epochs):
    model = distributed.train(classifier(epochs=epochs), *chunks(*moons), learners=3)
    np.testing.assert_array_equal(model.decision_function(moons[0]), expected)
    assert model.epochs == epochs


def objective(model, X, y):
    """What a classifier of two classes minimises."""
    losses = np.maximum(0.0, 1.0 - np.where(y == 1, 1.0, -1.0) * model.decision_function(X))
    return 0.5 * float((model.component_coef_**2).sum()) + model.C * losses.sum()


@pytest.mark.parametrize("sizes", [(1501, 1500), (7, 994, 2000), (1000, 1000, 1001), (600, 600, 600, 600, 600, 1)])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_unequal_partitions_minimise_what_fit_does(sizes, C):
    random = np.random.default_rng(0)
    X = random.normal(size=(3001, 3))
    y = (X[:, 0] * X[:, 1] + 0.5 * random.normal(size=3001) > 0).astype(int)
    plain = classifier(C=C, gamma=0.5, epochs=40).fit(X, y)
    model = distributed.train(plain, da.from_array(X, chunks=(sizes, 3)), y, learners=4, rounds=12)
    assert objective(model, X, y) < 1.1 * objective(plain, X, y)
    assert (model.component_coef_**2).sum() < 1.3 * (plain.component_coef_**2).sum()


@pytest.mark.parametrize("sample", [100, 10_000])
def test_landmarks_are_rows_of_all_partitions(moons, monkeypatch, sample):
    X, y = moons
    monkeypatch.setattr(_train, "_MIN_SAMPLE", sample)
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    model = distributed.train(classifier(n_components=20), *chunks(X, y), sample_weight=weights, learners=2)
    assert len(model.support_) == 20
    assert (weights[model.support_] > 0).all()
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    np.testing.assert_array_equal(np.repeat([0, 1], model.n_support_), y[model.support_])


def test_a_class_of_weight_zero():
    """A class of weight 0 is ignored, and C does not refer to its rows, as in fit."""
    X, y = make_blobs(1500, centers=3, n_features=5, cluster_std=4.0, random_state=2)
    order = np.argsort(y == 0, kind="stable")  # some partitions have nothing but that class
    X, y = X[order], y[order]
    plain = classifier(C=0.01, class_weight={0: 0.0}, epochs=20).fit(X, y)
    model = distributed.train(plain, *chunks(X, y), learners=2, rounds=10)
    assert model.classes_.tolist() == plain.classes_.tolist() == [1, 2]
    held = y > 0
    assert objective(model, X[held], y[held] - 1) < 1.1 * objective(plain, X[held], y[held] - 1)
    assert (model.component_coef_**2).sum() == pytest.approx((plain.component_coef_**2).sum(), rel=0.1)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])


def test_the_model_keeps_learning(moons):
    X, y = moons
    model = distributed.train(classifier(), *chunks(X, y), learners=2)
    assert model.partial_fit(X[:100], y[:100]).score(X, y) > 0.95


def test_several_classes_of_text():
    X, y = make_blobs(900, centers=4, n_features=5, cluster_std=2.0, random_state=2)
    labels = np.array(["north", "east", "south", "west"])[y]
    model = distributed.train(classifier(), *chunks(X, labels), learners=2)
    assert model.classes_.tolist() == ["east", "north", "south", "west"]
    assert model.score(X, labels) > classifier().fit(X, labels).score(X, labels) - 0.02


def test_regression():
    random = np.random.default_rng(0)
    X = random.uniform(-3, 3, size=(1200, 1))
    y = np.sin(X[:, 0]) + random.normal(scale=0.05, size=1200)
    model = distributed.train(
        ApproximateSVR(n_components=32, C=10.0, random_state=0), da.from_array(X, chunks=(200, 1)), y, learners=2
    )
    assert model.score(X, y) > 0.95
    answers = distributed.predict(model, da.from_array(X, chunks=(500, 1)))
    np.testing.assert_allclose(answers.compute(), model.predict(X), atol=1e-12)


def test_probabilities(moons):
    X, y = moons
    model = distributed.train(classifier(loss="log_loss"), *chunks(X, y), learners=2)
    chances = distributed.predict_proba(model, da.from_array(X, chunks=(500, 2))).compute()
    np.testing.assert_allclose(chances, model.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("approximation", ["nystroem", "fourier"])
def test_rows_of_weight_zero_are_ignored(moons, approximation):
    X, y = moons
    wrong = np.random.default_rng(0).random(len(y)) < 0.5
    labels, weights = np.where(wrong, 1 - y, y), np.where(wrong, 0.0, 2.0)
    model = classifier(approximation=approximation)
    parts = da.from_array(X, chunks=(200, 2)), labels
    assert distributed.train(model, *parts, sample_weight=weights, learners=2).score(X, y) > 0.95


def test_balanced_weights_are_computed_over_all_partitions(moons):
    X, y = moons
    order = np.argsort(y + np.random.default_rng(0).normal(size=len(y)))  # shares of the classes differ by partition
    X, y = X[order][:1100], y[order][:1100]
    factors = len(y) / (2 * np.bincount(y))
    parts = da.from_array(X, chunks=(200, 2)), y
    model = distributed.train(classifier(class_weight="balanced"), *parts, learners=2)
    by_hand = distributed.train(classifier(class_weight={0: factors[0], 1: factors[1]}), *parts, learners=2)
    np.testing.assert_allclose(model.decision_function(X), by_hand.decision_function(X), atol=1e-9)
    assert model.class_weight == "balanced"


def test_frames_of_unknown_sizes(scheduler, moons):
    dd = pytest.importorskip("dask.dataframe", reason="dask's DataFrames are not installed")
    X, y = moons
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "label": y, "weight": 1.0, "row": range(1500)})
    parts = dd.from_pandas(frame, npartitions=5)
    some = parts[parts["row"] % 1000 < 600]  # one partition loses all of its rows
    model = distributed.train(
        classifier(), some[["a", "b"]], some["label"], sample_weight=some["weight"], learners=2, rounds=3
    )
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.score(frame[["a", "b"]], y) > 0.95


def test_sparse_blocks_and_empty_partitions(scheduler, moons):
    X, y = moons
    sparse = da.from_array(X, chunks=((700, 0, 800), 2)).map_blocks(csr_matrix)
    assert distributed.train(classifier(), sparse, y, learners=2).score(csr_matrix(X), y) > 0.95


def test_partitions_are_assigned_evenly():
    random = np.random.default_rng(0)
    for learners in (1, 3, 20):
        sizes = random.integers(0, 1000, size=15).tolist()
        assignments = assign_partitions(sizes, learners, random)
        assert sorted(place for held, _ in assignments for place in held) == np.flatnonzero(sizes).tolist()
        assert all(rows == sum(sizes[place] for place in held) for held, rows in assignments)
        assert len(assignments) == min(learners, np.count_nonzero(sizes))
        if learners == 3:
            assert max(rows for _, rows in assignments) < 1.3 * min(rows for _, rows in assignments)
