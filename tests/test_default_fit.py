"""`OnlineSVC().fit` is as good as the exact solution by default, also where one pass is not."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_blobs, make_circles, make_classification, make_moons
from sklearn.svm import SVC

from hinge import OnlineSVC
from hinge._fit import dismissed, passes
from hinge._fit.dismissed import MOST_DISMISSED, share_dismissed
from hinge._fit.passes import PassPlan


def noisy(n):
    return make_circles(n, noise=0.2, factor=0.5, random_state=0)


@pytest.fixture
def no_small_sets(monkeypatch):
    """Make passes over training sets that would be solved at once, so that few rows suffice."""
    monkeypatch.setattr(passes, "_MAX_EXACT_ROWS", 100)
    monkeypatch.setattr(passes, "_MAX_EXACT_TARGETS", 100)


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
@pytest.mark.usefixtures("no_small_sets")
def test_noise_at_large_costs(kind):
    X, y = noisy(7500)
    learned, tested = slice(0, 6000), slice(6000, None)
    model, one_pass = (OnlineSVC(C=100, epochs=epochs, random_state=0) for epochs in ("auto", 1))
    exact = SVC(C=100, gamma=1 / (2 * X[learned].var())).fit(X[learned], y[learned])
    model.fit(kind(X[learned]), y[learned])
    assert np.mean(model.predict(kind(X[tested])) == exact.predict(X[tested])) > 0.998
    one_pass.fit(X[learned], y[learned])  # the reason for all this
    assert np.mean(one_pass.predict(X[tested]) == exact.predict(X[tested])) < 0.98


@pytest.mark.usefixtures("no_small_sets")
def test_several_classes():
    X, y = make_classification(2000, 10, n_informative=6, n_classes=4, flip_y=0.1, random_state=0)
    models = [OnlineSVC(C=100, epochs=epochs, random_state=0).fit(X, y) for epochs in ("auto", "converge")]
    decisions = [model.decision_function(X) for model in models]
    np.testing.assert_allclose(*decisions, atol=0.02)


def test_moderate_sets_are_solved():
    X, y = make_moons(4000, noise=0.3, random_state=0)
    model = OnlineSVC(random_state=0).fit(X, y)
    exact = SVC(gamma=1 / (2 * X.var()), tol=1e-4).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=0.01)


def test_clean_sets_take_one_pass():
    X, y = make_blobs(12_000, 5, centers=2, cluster_std=2.0, random_state=0)
    models = [OnlineSVC(epochs=epochs, random_state=0).fit(X, y) for epochs in ("auto", 1)]
    np.testing.assert_array_equal(*(model.decision_function(X) for model in models))
    assert len({model.n_iter_ for model in models}) == 1


@pytest.mark.parametrize("weight", [1.0, 7.0])
def test_share_dismissed_is_that_of_a_count(weight, monkeypatch):
    monkeypatch.setattr(dismissed, "_LOOKED_AT", 10_000)
    X, y = noisy(6000)
    model = OnlineSVC(C=100 / weight, epochs=1, random_state=0)
    counted = {}

    class Watched(OnlineSVC):
        """Looks at what training leaves."""

        def _pass_plan(self, data):
            counted["data"] = data
            return PassPlan(1, finishing=True)

    watched = Watched(**model.get_params()).fit(X, y, np.full(len(y), weight))
    held = np.zeros(len(y), dtype=bool)
    held[watched.support_] = True
    wrong = (watched.predict(X) != y) & ~held
    assert wrong.mean() > MOST_DISMISSED
    assert share_dismissed(watched._state, counted["data"]) == pytest.approx(wrong.mean())
