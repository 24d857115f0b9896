"""Feature maps: inner products that are kernel values, and machines that are kernel expansions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import pairwise_kernels

from hinge import ApproximateSVC, ApproximateSVR
from hinge._model.kernels import KernelSpec
from hinge._model.validation import Storage
from hinge.approximate._maps import Features

from .common import KERNELS, features, values

CONTAINERS = {"dense": np.asarray, "sparse": csr_matrix}


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 5)) * (random.random((200, 5)) < 0.6)
    y = np.digitize(X[:, 0] * X[:, 1] + 0.2 * random.normal(size=200), [-0.1, 0.1])
    return X, y


def make(kernel="rbf", **parameters):
    parameters = {"n_components": 30, "epochs": 3} | KERNELS.get(kernel, {}) | parameters
    return ApproximateSVC(kernel=kernel, random_state=0, **parameters)


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("steps", ["asset", "adaptive"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian"])
def test_inner_products_with_landmarks(data, kernel, steps, container):
    X, y = data
    model = make(kernel, steps=steps).fit(container(X), y)
    products = features(model, X) @ features(model, model.support_vectors_).T
    np.testing.assert_allclose(products, values(kernel, X, model.support_vectors_), atol=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_one_scale_for_all_features(data, kernel):
    X, y = data
    model = make(kernel, steps="asset").fit(X, y)
    assert set(model._state.features.arrays["penalty"]) == {1.0}
    np.testing.assert_allclose(np.mean(np.sum(features(model, model.support_vectors_) ** 2, axis=1)), 1.0)


def test_all_rows_are_landmarks(data):
    X, y = data
    model = make(n_components=5000, steps="asset", gamma=3.0).fit(X, y)
    distinct = np.unique(X, axis=0)
    assert len(model.support_) == 200
    assert model.n_components_ <= len(distinct)
    products = features(model, X) @ features(model, X).T
    np.testing.assert_allclose(products, pairwise_kernels(X, metric="rbf", gamma=3.0), atol=1e-6)


@pytest.mark.parametrize("threshold", [0.0, 1e-9, 1e-4, 1e-2, 0.3, 0.999])
def test_rank_follows_the_threshold(data, threshold):
    X, y = data
    model = make(eigen_threshold=threshold).fit(X, y)
    spectrum = np.linalg.eigvalsh(values("rbf", model.support_vectors_, model.support_vectors_))
    expected = np.sum(spectrum > threshold * spectrum[-1])
    assert model.n_components_ == expected if threshold else model.n_components_ >= np.sum(spectrum > 1e-14)
    assert model.component_coef_.shape == (3, model.n_components_)
    assert np.isfinite(model.decision_function(X)).all()


def test_rank_of_a_linear_kernel_is_the_number_of_columns(data):
    X, y = data
    for dtype in (np.float32, np.float64):
        assert make("linear").fit(X.astype(dtype), y).n_components_ == 5
        assert make("linear").fit(csr_matrix(X.astype(dtype)), y).n_components_ == 5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_landmarks_that_are_alike(data, dtype):
    X, y = data
    X = np.repeat(X[:10], 20, axis=0).astype(dtype)
    y = np.repeat(y[:10], 20)
    model = make(n_components=100).fit(X, y)
    assert model.n_components_ <= 10
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_kernel_that_is_zero(dtype):
    X, y = np.zeros((40, 3), dtype=dtype), np.repeat([0, 1], [30, 10])
    model = make("linear").fit(X, y)
    assert model.n_components_ == 1
    assert set(model.predict(X)) == {0}
    np.testing.assert_array_equal(model.decision_function(X), np.full(40, model.intercept_[0]))
    assert np.isfinite(model.dual_coef_).all()


def test_an_indefinite_kernel(data):
    X, y = data
    model = make("sigmoid", gamma=2.0, coef0=-1.0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.n_components_ < 30


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS)
def test_decisions_are_a_kernel_expansion(data, kernel, dtype, container):
    X, y = data
    model = make(kernel).fit(container(X.astype(dtype)), y)
    expansion = values(kernel, X.astype(dtype), model.support_vectors_) @ model.dual_coef_.T + model.intercept_
    rows = X if kernel == "linear" else features(model, X)
    by_features = rows @ model.component_coef_.T + model.intercept_
    scale = np.abs(model.dual_coef_).sum() * np.finfo(dtype).eps * 100
    np.testing.assert_allclose(model.decision_function(X), expansion, atol=scale)
    np.testing.assert_allclose(model.decision_function(X), by_features, atol=scale)
    assert model.support_vectors_.dtype == dtype
    assert model.n_support_.tolist() == np.bincount(y[model.support_], minlength=3).tolist()
    np.testing.assert_array_equal(np.sort(y[model.support_]), y[model.support_])


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("column", range(5))
def test_weights_of_a_linear_kernel_are_those_of_columns(column, container, verb):
    X = np.random.default_rng(2).normal(size=(400, 5))
    regression = ApproximateSVR(kernel="linear", epochs=20, random_state=0)
    for model, y in ((make("linear", epochs=20), X[:, column] > 0), (regression, X[:, column])):
        getattr(model, verb)(container(X), y)
        assert model.coef_.shape == (1, 5)
        assert np.abs(model.coef_[0]).argmax() == column
        assert 8.0 * np.delete(np.abs(model.coef_[0]), column).max() < model.component_coef_[0, column]
        np.testing.assert_allclose(model.coef_, model.dual_coef_ @ model.support_vectors_, atol=1e-12)
        answers = model.decision_function(X) if isinstance(model, ApproximateSVC) else model.predict(X)
        np.testing.assert_allclose(answers, X @ model.coef_[0] + model.intercept_[0], atol=1e-9)


@pytest.mark.parametrize("stream", [False, True], ids=["fit", "partial_fit"])
def test_two_classes_and_regressions_are_expansions_too(data, stream):
    X, y = data
    for model, target in ((make(), y > 1), (ApproximateSVR(n_components=30, gamma=0.3, random_state=0), 1.0 * y)):
        (model.partial_fit if stream else model.fit)(X, target)
        expansion = values("rbf", X, model.support_vectors_) @ model.dual_coef_[0] + model.intercept_[0]
        answers = model.decision_function(X) if isinstance(model, ApproximateSVC) else model.predict(X)
        np.testing.assert_allclose(answers, expansion, atol=1e-9)
        np.testing.assert_array_equal(X[model.support_], model.support_vectors_)


@pytest.mark.parametrize("stream", [False, True], ids=["fit", "partial_fit"])
def test_a_precomputed_kernel(data, stream):
    X, y = data
    K, plain = values("rbf", X, X), make()
    model = make("precomputed")
    (model.partial_fit if stream else model.fit)(K, y)
    (plain.partial_fit if stream else plain.fit)(X, y)
    np.testing.assert_allclose(model.decision_function(K), plain.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(model.support_, plain.support_)
    expansion = K[:, model.support_] @ model.dual_coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(K), expansion, atol=1e-9)
    assert model.support_vectors_.shape == (30, 0)


@pytest.mark.parametrize("stream", [False, True], ids=["fit", "partial_fit"])
@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_a_kernel_function(data, container, stream):
    X, y = data
    model, plain = make(lambda A, B: values("rbf", A, B)), make()
    for each in (model, plain):
        (each.partial_fit if stream else each.fit)(container(X), y)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_fourier_features_approach_the_kernel(data, kernel, container):
    X, y = data
    X = X[:40]
    model = make(kernel, approximation="fourier", n_components=4000, epochs=1).fit(container(X), y[:40])
    rows = features(model, X)
    difference = rows @ rows.T - values(kernel, X, X)
    assert np.abs(difference).max() < 5.0 / np.sqrt(4000)
    assert abs(difference.mean()) < 5.0 / np.sqrt(4000)


def test_more_fourier_features_are_nearer(data):
    X, y = data
    errors = []
    for n_components in (10, 300, 10_000):
        rows = features(make(approximation="fourier", n_components=n_components, epochs=1).fit(X[:40], y[:40]), X[:40])
        errors.append(np.sqrt(np.mean((rows @ rows.T - values("rbf", X[:40], X[:40])) ** 2)))
    np.testing.assert_allclose(np.array(errors) * np.sqrt([10, 300, 10_000]), 0.7, atol=0.4)


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_decisions_from_fourier_features(data, dtype, container):
    X, y = data
    model = make(approximation="fourier").fit(container(X.astype(dtype)), y)
    expected = features(model, X) @ model.component_coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-5 if dtype == np.float32 else 1e-12)
    assert model.n_components_ == 30
    with pytest.raises(AttributeError, match="no support vectors; see component_coef_"):
        _ = model.support_vectors_
    assert not hasattr(model, "dual_coef_")


def cosines(arguments, dtype):
    """Return the cosines of numbers, as Fourier features compute them."""
    shape = (1, len(arguments))
    arrays = {"frequencies": arguments.reshape(shape), "phases": np.zeros(len(arguments)), "shift": np.zeros(0)}
    arrays = {name: array.astype(dtype) for name, array in arrays.items()} | {"penalty": np.ones(len(arguments))}
    storage = Storage(np.dtype(dtype), sparse=False, n_features=1)
    native = Features(arrays, 1.0).native(KernelSpec("rbf"), storage)
    ((_, batch),) = storage.batches(np.ones((1, 1), dtype=dtype))
    return native.features(batch)[0].astype(float) / np.sqrt(2.0 / len(arguments))


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 1e-6), (np.float64, 1e-11)])
def test_accuracy_of_cosines(dtype, error):
    random = np.random.default_rng(0)
    for size in (1e-6, 1.0, np.pi, 10.0, 100.0, 1e3, 1e4):
        arguments = np.concatenate([random.uniform(-size, size, 20_000), np.arange(-2, 3) * np.pi / 2]).astype(dtype)
        assert np.abs(cosines(arguments, dtype) - np.cos(arguments.astype(float))).max() < error


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cosines_of_absurd_numbers(dtype):
    sizes = np.array([1e6, 1e7, 1e8, 1e12, 1e20, 1e37, np.finfo(dtype).max, np.inf, np.nan])
    found = cosines(np.concatenate([sizes, -sizes]), dtype)
    assert (np.abs(found) <= 1.0 + 1e-6).all()


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("approximation", ["nystroem", "fourier"])
def test_rows_far_from_zero(data, dtype, approximation, container):
    """What is subtracted from dense rows keeps the digits of kernels of differences."""
    X, y = data
    near = (np.round(X * 64) / 64).astype(dtype)
    far = near + dtype(1024 if container is csr_matrix and dtype == np.float32 else 2**14)
    model = make(approximation=approximation, n_components=200).fit(container(far), y)
    expected = make(approximation=approximation, n_components=200).fit(container(near), y)
    assert abs(model.score(far, y) - expected.score(near, y)) < 0.1
    products = features(model, far) @ features(model, far).T
    assert np.abs(products - values("rbf", near, near)).max() < 0.5
