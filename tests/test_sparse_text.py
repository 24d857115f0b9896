"""Sparse rows as text has them: some features in most rows, most features in few."""

import numpy as np
import pytest
from scipy import sparse

from hinge import OnlineSVC

KERNELS = [{"kernel": "rbf", "gamma": 0.7}, {"kernel": "linear"}, {"kernel": "laplacian", "gamma": 0.05}]


@pytest.fixture(scope="module")
def text():
    """900 rows of up to 40 words out of 5000, by Zipf's law; the label is the sign of a linear function with noise."""
    random = np.random.RandomState(3)
    share = np.minimum(0.9, 3.0 / np.arange(1, 5001))
    X = sparse.csr_matrix((random.rand(900, 5000) < share) * random.rand(900, 5000))
    truth = X @ random.randn(5000)
    return X, (truth + 0.5 * truth.std() * random.randn(900) > np.median(truth)).astype(int)


@pytest.mark.parametrize(
    "settings",
    [pytest.param(kernel, marks=[pytest.mark.slow] * (kernel["kernel"] == "laplacian")) for kernel in KERNELS],
    ids=lambda settings: settings["kernel"],
)
@pytest.mark.parametrize("cache_size", [0.05, 200])
def test_sparse_and_dense_rows_give_the_same_model(text, settings, cache_size):
    X, y = text
    settings = {**settings, "C": 5.0, "random_state": 0, "epochs": "converge", "tol": 1e-6}
    dense = OnlineSVC(**settings).fit(X.toarray(), y)
    sparse_model = OnlineSVC(cache_size=cache_size, **settings).fit(X, y)
    np.testing.assert_allclose(sparse_model.dual_objective(), dense.dual_objective(), rtol=1e-9)
    np.testing.assert_allclose(sparse_model.decision_function(X), dense.decision_function(X.toarray()), atol=1e-4)
    assert sparse_model.kkt_violation() <= 2e-6


@pytest.mark.parametrize("settings", KERNELS, ids=lambda settings: settings["kernel"])
def test_chunks_and_caches_do_not_change_the_model_of_a_stream(text, settings):
    X, y = text
    models = []
    for cache_size, size in ((200, 900), (0.05, 7), (1e-9, 250)):
        model = OnlineSVC(C=5.0, cache_size=cache_size, **settings)
        for start in range(0, len(y), size):
            model.partial_fit(X[start : start + size], y[start : start + size], classes=[0, 1])
        models.append(model.decision_function(X))
    np.testing.assert_allclose(models[1], models[0], atol=1e-6)
    np.testing.assert_allclose(models[2], models[0], atol=1e-6)


@pytest.mark.parametrize("share_far", [0.02, 0.5])
def test_large_gamma_in_float32_is_as_precise_as_promised(share_far):
    """Few or many pairs are imprecise: both ways of mending them give what differences in double precision give."""
    random = np.random.RandomState(5)
    X = random.rand(400, 30).astype(np.float32) * np.float32(0.1)
    far = random.rand(400) < share_far
    X[far] += np.float32(3.0) * random.choice([-1, 1], size=(1, 30)).astype(np.float32)
    y = (X[:, 0] > np.median(X[:, 0])).astype(int)
    model = OnlineSVC(C=10.0, gamma=40.0, random_state=0).fit(X[:300], y[:300])
    vectors = np.asarray(model.support_vectors_, dtype=np.float64)
    distances = ((X[300:, None, :].astype(np.float64) - vectors[None]) ** 2).sum(axis=2)
    terms = np.exp(-40.0 * distances)
    expected = terms @ model.dual_coef_[0] + model.intercept_[0]
    bound = 2e-5 * (terms @ np.abs(model.dual_coef_[0])) + 1e-9
    assert np.all(np.abs(model.decision_function(X[300:]) - expected) <= bound)
