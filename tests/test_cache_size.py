"""`cache_size="auto"`: bounded, and independent of what is free at the moment."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC

from hinge import OnlineSVC
from hinge._model import cache
from hinge.exceptions import ParameterError
from hinge.export import to_sklearn


@pytest.mark.parametrize(
    ("memory", "megabytes"), [(2**40, 1000.0), (2**32, 1000.0), (2**31, 512.0), (400 * 2**20, 100.0)]
)
def test_auto_is_a_quarter_of_the_memory_and_at_most_a_gigabyte(monkeypatch, memory, megabytes):
    monkeypatch.setattr(cache, "memory_bytes", lambda: memory)
    assert cache.cache_megabytes("auto") == megabytes


def test_a_container_has_less_than_its_machine(monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(cache, "_CONTAINER_LIMITS", (str(limit), str(tmp_path / "missing")))
    limit.write_text("max\n")
    whole = cache.memory_bytes.__wrapped__()
    limit.write_text("1048576\n")
    assert cache.memory_bytes.__wrapped__() == 1048576 < whole


def test_other_words_are_refused():
    with pytest.raises(ParameterError, match="cache_size must be a finite number above 0 or 'auto', got 'much'"):
        OnlineSVC(cache_size="much").fit([[0.0], [1.0]], [0, 1])


def test_scikit_learn_gets_a_number():
    model = OnlineSVC().fit(np.arange(8.0).reshape(-1, 1), [0, 0, 0, 0, 1, 1, 1, 1])
    exported = to_sklearn(model)
    assert isinstance(exported, SVC)
    assert exported.cache_size == SVC().cache_size


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
@pytest.mark.parametrize("n_features", [3, 37, 64])
def test_rows_computed_together(kernel, dtype, n_features):
    """Evicted rows come back several at a time: the cached values are right, and so is the model."""
    random = np.random.RandomState(0)
    X = random.normal(size=(900, n_features)).astype(dtype)
    y = np.sign(X[:, 0] + random.normal(size=900))
    model = OnlineSVC(kernel=kernel, gamma=0.1, epochs=1, random_state=0)
    large, small = clone(model).fit(X, y), clone(model).set_params(cache_size=0.4).fit(X, y)
    small._state.native.check_invariants()
    assert small._state.native.n_kernel_evals > large._state.native.n_kernel_evals
    np.testing.assert_allclose(small.dual_objective(), large.dual_objective(), rtol=1e-4)


def test_rows_computed_together_where_distances_cancel():
    random = np.random.RandomState(0)
    X = (random.normal(size=(900, 20)) + 300 * random.choice([-1, 1], size=(900, 1))).astype(np.float32)
    y = np.sign(X[:, 0] - X[:, 1] + random.normal(size=900))
    model = OnlineSVC(gamma=0.1, epochs=1, random_state=0, cache_size=0.2).fit(X, y)
    model._state.native.check_invariants()
    reference = OnlineSVC(gamma=0.1, epochs=1, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.dual_objective(), reference.dual_objective(), rtol=1e-4)
