"""Rows that a model learns from a pool stay there while it may need them again."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array

from hinge import OnlineSVC
from hinge._model.validation import PooledRows
from hinge.active import ActiveLearner


@pytest.fixture
def pool():
    random = np.random.default_rng(0)
    X = csr_matrix(random_array((3000, 200), density=0.1, rng=random))
    weights = np.repeat([1.0, -1.0, 0.0], [20, 20, 160])
    return X, (X @ weights > 0).astype(int)


@pytest.mark.parametrize("container", [csr_matrix, lambda X: X.toarray()])
def test_first_rows_are_learned_again_from_the_pool(pool, container):
    """As `gamma="scale"` is chosen again after 4, 16, 64 and 256 rows."""
    X, y = container(pool[0]), pool[1]
    rows, pooled = np.random.default_rng(1).permutation(3000)[:300], PooledRows(X)
    model, plain = OnlineSVC().partial_fit(X[rows[:3]], y[rows[:3]], classes=[0, 1]), OnlineSVC()
    for row in rows[3:]:
        model.partial_fit(pooled.take(np.array([row])), y[[row]])
    plain.partial_fit(X[rows], y[rows])
    assert model._state.kernel == plain._state.kernel
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-10)


def test_a_copy_does_not_contain_the_pool(pool):
    X, y = pool
    learner = ActiveLearner(OnlineSVC(), X, random_state=0).tell(range(40), y[:40])
    learner.tell(range(40, 45), y[40:45])
    for row in range(45, 60):
        learner.tell(row, y[row])
    saved = pickle.dumps(learner.model)
    assert len(saved) < len(pickle.dumps(X)) / 4
    loaded = pickle.loads(saved).partial_fit(X[60:300], y[60:300])
    np.testing.assert_allclose(
        loaded.decision_function(X), learner.model.partial_fit(X[60:300], y[60:300]).decision_function(X), atol=1e-10
    )
