"""A cascade ends at the solution for all examples."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from hinge import IncrementalSVC, KernelPerceptron, OnlineSVC, ParameterError, distributed

pytestmark = pytest.mark.slow  # together they take seconds

da = pytest.importorskip("dask.array", reason="dask is not installed")

MODELS = {"online": OnlineSVC(C=10, random_state=0), "incremental": IncrementalSVC(C=10)}


@pytest.fixture(scope="module")
def moons():
    """Enough rows for several levels of the tree."""
    return make_moons(700, noise=0.25, random_state=2)


def chunks(X, y, n=100):
    return da.from_array(X, chunks=(n, 1)), da.from_array(y, chunks=n + 30)


@pytest.mark.parametrize("name", MODELS)
def test_the_solution_for_all_examples(scheduler, moons, name):
    X, y = moons
    model = distributed.cascade(MODELS[name], *chunks(X, y))
    exact = SVC(C=10).fit(X, y)
    assert type(model) is type(MODELS[name])
    assert model.get_params() == MODELS[name].get_params()
    assert model.kkt_violation(X, y) < 3e-3
    assert model.duality_gap(X, y) < 1e-3 * model.dual_objective()
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=0.01)
    np.testing.assert_array_equal(np.sort(model.predict(X) == y), np.sort(exact.predict(X) == y))


def test_several_classes(three):
    X, y = three
    model = distributed.cascade(OnlineSVC(random_state=0), *chunks(X, y, 40))
    exact = OnlineSVC(random_state=0).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=0.01)


@pytest.fixture(scope="module", params=[3, 4])
def overlapping(request):
    """Overlapping classes: support vectors of one binary model are on the wrong side of another."""
    random = np.random.default_rng(0)
    X = random.normal(size=(480, 4))
    blurred = X[:, 0] * X[:, 1] + 0.3 * random.normal(size=480)
    return X, np.digitize(blurred, np.quantile(blurred, np.arange(1, request.param) / request.param))


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("kind", [OnlineSVC, IncrementalSVC])
def test_several_classes_that_overlap(overlapping, kind, C):
    X, y = overlapping
    model = distributed.cascade(kind(C=C), *chunks(X, y, 40))
    exact = OnlineSVC(C=C, epochs="converge", random_state=0).fit(X, y)
    assert model.kkt_violation(X, y) < 3e-3
    assert model.duality_gap(X, y) < 1.5 * exact.duality_gap(X, y)
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=0.05)


def test_several_classes_whatever_the_epochs(overlapping):
    X, y = overlapping
    model = distributed.cascade(OnlineSVC(epochs=1, finishing=False, random_state=0), *chunks(X, y, 40))
    assert model.kkt_violation(X, y) < 3e-3
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    assert (model.epochs, model.get_params()["finish"]) == (1, False)


def test_several_classes_that_have_not_converged(overlapping):
    X, y = overlapping
    with pytest.warns(ConvergenceWarning, match="violate the margin after 1 rounds"):
        distributed.cascade(OnlineSVC(C=100.0, random_state=0), *chunks(X, y, 40), rounds=1)


def test_support_vectors_are_rows_of_all_examples(moons):
    X, y = moons
    model = distributed.cascade(OnlineSVC(C=10, random_state=0), *chunks(X, y))
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    assert model.n_seen_ == 700
    model.partial_fit(X[:5] + 0.5, y[:5]).finish()
    assert model.n_seen_ == 705


def test_exact_models_know_their_examples_by_row(moons):
    X, y = moons
    model = distributed.cascade(IncrementalSVC(C=10), *chunks(X, y))
    held = model.ids_
    assert len(held) < 400
    model.forget(held[:3])
    gamma = 1 / (2 * X.var())
    left = SVC(C=10, gamma=gamma, tol=1e-6).fit(X[held[3:]], y[held[3:]])
    np.testing.assert_allclose(model.decision_function(X), left.decision_function(X), atol=1e-4)


def test_exact_models_keep_learning(moons):
    X, y = moons
    model = distributed.cascade(IncrementalSVC(C=10), *chunks(X[:600], y[:600]))
    held, before = model.ids_, model.decision_function(X)
    assert model.n_seen_ == 600
    model.partial_fit(X[600:], y[600:])
    assert model.n_seen_ == 700
    assert model.ids_[-100:] == list(range(600, 700))
    assert model.kkt_violation() < 1e-6
    again = pickle.loads(pickle.dumps(model)).forget(range(600, 700))
    assert again.ids_ == held
    np.testing.assert_allclose(again.decision_function(X), before, atol=1e-6)


def test_weights_and_class_weights(scheduler, moons):
    X, y = moons
    weights = np.random.default_rng(0).integers(0, 3, size=700).astype(float)
    parts = da.from_array(X, chunks=(150, 2)), y
    model = distributed.cascade(OnlineSVC(class_weight="balanced"), *parts, sample_weight=weights)
    exact = OnlineSVC(class_weight="balanced").fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=0.01)
    assert (weights[model.support_] > 0).all()


def test_a_class_of_weight_zero(three):
    X, y = three
    order = np.argsort(y, kind="stable")  # a partition has nothing but that class
    X, y = X[order], y[order]
    model = distributed.cascade(OnlineSVC(class_weight={0: 0.0}, random_state=0), *chunks(X, y, 30), rounds=20)
    exact = OnlineSVC(gamma=1 / (4 * X.var()), random_state=0).fit(X[y > 0], y[y > 0])
    assert model.classes_.tolist() == [1, 2]
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=0.01)


def test_rows_sorted_by_class(moons):
    """Partitions of a single class send a sample; the examples that they hold back follow as margin violators."""
    X, y = moons
    order = np.argsort(y, kind="stable")
    model = distributed.cascade(OnlineSVC(C=10, random_state=0), *chunks(X[order], y[order]), rounds=20)
    np.testing.assert_allclose(model.decision_function(X), SVC(C=10).fit(X, y).decision_function(X), atol=0.01)


@pytest.mark.parametrize("n_parts", [1, 2, 3])
def test_small_trees(moons, n_parts):
    X, y = moons
    model = distributed.cascade(OnlineSVC(random_state=0), da.from_array(X, chunks=(-(-700 // n_parts), 2)), y)
    np.testing.assert_allclose(model.decision_function(X), SVC().fit(X, y).decision_function(X), atol=0.01)


def test_frames_sparse_blocks_and_empty_partitions(scheduler, two):
    dd = pytest.importorskip("dask.dataframe", reason="dask's DataFrames are not installed")
    X, y = two
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "label": np.where(y == 1, "yes", "no")})
    parts = dd.from_pandas(frame, npartitions=6)
    some = parts[parts["a"].abs() < 1.0]
    model = distributed.cascade(OnlineSVC(random_state=0), some[["a", "b"]], some["label"])
    held = frame[frame["a"].abs() < 1.0]
    exact = OnlineSVC(random_state=0).fit(held[["a", "b"]], held["label"])
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_allclose(
        model.decision_function(frame[["a", "b"]]), exact.decision_function(frame[["a", "b"]]), atol=0.01
    )
    sparse = da.from_array(X, chunks=((50, 0, 70), 2)).map_blocks(csr_matrix)
    model = distributed.cascade(OnlineSVC(random_state=0), sparse, y)
    np.testing.assert_allclose(
        model.decision_function(X), OnlineSVC(random_state=0).fit(X, y).decision_function(X), atol=0.01
    )


def test_it_warns_when_it_has_not_converged(moons):
    X, y = moons
    with pytest.warns(ConvergenceWarning, match="violate the margin after 1 rounds"):
        distributed.cascade(OnlineSVC(C=10, random_state=0), *chunks(X, y, 50), rounds=1)


def test_a_fitted_model_is_trained_from_scratch(moons):
    X, y = moons
    parts = da.from_array(X, chunks=(300, 2)), y
    fitted = OnlineSVC(random_state=0).fit(-X, y)
    before = fitted.decision_function(X)
    np.testing.assert_array_equal(
        distributed.cascade(fitted, *parts).decision_function(X),
        distributed.cascade(OnlineSVC(random_state=0), *parts).decision_function(X),
    )
    np.testing.assert_array_equal(fitted.decision_function(X), before)


UNSUITED = {
    "perceptron": (KernelPerceptron(), "model must be an OnlineSVC or an IncrementalSVC, got KernelPerceptron"),
    "bounded": (OnlineSVC(max_support=10), "max_support must be None in a cascade, got 10"),
    "window": (IncrementalSVC(max_examples=10), "max_examples must be None in a cascade, got 10"),
    "precomputed": (OnlineSVC(kernel="precomputed"), "kernel must not be 'precomputed' over partitions"),
}


@pytest.mark.parametrize("name", UNSUITED)
def test_models_that_do_not_converge(two, name):
    model, complaint = UNSUITED[name]
    with pytest.raises(ParameterError, match=complaint):
        distributed.cascade(model, *chunks(*two))
