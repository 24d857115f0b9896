"""Streams that go on for long: bounds, selections, and several threads at one model."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from sklearn.datasets import make_circles, make_moons
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

import hinge
from hinge import OnlineSVC


def noisy(n, noise=0.05, seed=0):
    """Examples with a curved boundary, and labels some of which are wrong; then the right labels."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    right = X[:, 0] + X[:, 1] ** 2 > 0.7
    return X, right ^ (random.random(n) < noise), right


class TestMaxSupport:
    def test_the_bound_holds_at_every_moment(self):
        X, y, _ = noisy(600)
        model = OnlineSVC(gamma=0.2, max_support=30)
        for row in range(len(X)):
            model.partial_fit(X[row : row + 1], y[row : row + 1], classes=[False, True])
            assert model._state.native.n_retained <= 30

    @pytest.mark.parametrize("verb", ["fit", "partial_fit"])
    def test_a_bounded_model_learns(self, verb):
        (X, y, _), (X_test, _, right) = noisy(4000), noisy(2000, seed=1)
        bounded = getattr(OnlineSVC(gamma=0.2, max_support=100, random_state=0), verb)(X, y)
        assert len(bounded.support_) <= 100
        assert bounded.score(X_test, right) > 0.75

    @pytest.mark.filterwarnings("ignore::hinge.StreamWarning")  # one class only, on purpose
    def test_both_classes_stay(self):
        X, y, _ = noisy(400)
        model = OnlineSVC(gamma=0.2, max_support=10).partial_fit(X, y)
        model.partial_fit(X[y], y[y])
        assert (model.n_support_ > 0).all()

    def test_a_bound_that_comes_late(self):
        X, y, _ = noisy(600)
        model = OnlineSVC(gamma=0.2).partial_fit(X, y).set_params(max_support=40)
        assert len(model.partial_fit(X[:1], y[:1]).support_) <= 40

    @pytest.mark.parametrize("C", [1, 100])
    @pytest.mark.parametrize("verb", ["fit", "partial_fit"])
    def test_noise_does_not_fill_it(self, C, verb):
        """A bounded model is about as good as one of as many random rows, also where the model fits its noise."""
        differences = []
        for seed in range(3):
            X, y = make_moons(4000, noise=0.35, random_state=seed)
            bounded = getattr(OnlineSVC(C=C, max_support=200, gamma=1.0, random_state=0), verb)(X[:2000], y[:2000])
            sample = SVC(C=C, gamma=1.0).fit(X[:200], y[:200])
            differences.append(bounded.score(X[2000:], y[2000:]) - sample.score(X[2000:], y[2000:]))
        assert np.mean(differences) > -0.01
        assert min(differences) > -0.03

    def test_clean_data_leave_what_matters(self):
        X, y = make_circles(3000, noise=0.02, factor=0.8, random_state=0)
        bounded = OnlineSVC(C=100, max_support=40, gamma=1.0).partial_fit(X, y)
        assert bounded.score(X, y) > SVC(C=100, gamma=1.0).fit(X[-40:], y[-40:]).score(X, y)
        assert bounded.score(X, y) > 0.97

    def test_it_holds_as_much_noise_as_the_stream(self):
        X, y, _ = noisy(2000, noise=0.1)
        model = OnlineSVC(C=100, gamma=0.2, max_support=200)
        share = model.partial_fit(X, y).progressive_score_.error
        assert model._state.native.state()["member_mistakes"].mean() < 1.5 * share

    @pytest.mark.parametrize("C", [1, 100])
    def test_chunks_of_any_size_give_the_same_model(self, C):
        X, y = make_moons(500, noise=0.35, random_state=1)
        models = []
        for size in (1, 7, 500):
            models.append(OnlineSVC(C=C, gamma=1.0, max_support=40))
            for start in range(0, 500, size):
                models[-1].partial_fit(X[start : start + size], y[start : start + size], classes=[0, 1])
        for other in models[1:]:
            np.testing.assert_array_equal(np.sort(other.support_), np.sort(models[0].support_))
            np.testing.assert_allclose(other.decision_function(X), models[0].decision_function(X), atol=1e-6)

    def test_a_saved_model_goes_on_alike(self, tmp_path):
        X, y = make_moons(1000, noise=0.35, random_state=1)
        model = OnlineSVC(C=100, gamma=1.0, max_support=60).partial_fit(X[:600], y[:600])
        hinge.save(model, tmp_path / "model.hinge")
        loaded = hinge.load(tmp_path / "model.hinge")
        for each in (model, loaded):
            each.partial_fit(X[600:], y[600:])._state.native.check_invariants()
        np.testing.assert_array_equal(loaded.support_, model.support_)
        np.testing.assert_allclose(loaded.dual_coef_, model.dual_coef_, rtol=1e-6, atol=1e-6)


class TestSelections:
    @pytest.mark.parametrize("selection", ["gradient", "active", "autoactive"])
    def test_single_rows_are_learned(self, selection):
        X, y, right = noisy(400, noise=0.0)
        model = OnlineSVC(gamma=0.2, selection=selection, random_state=0)
        for row in range(len(X)):
            model.partial_fit(X[row : row + 1], y[row : row + 1], classes=[False, True])
        assert model.score(X, right) > 0.85

    @pytest.mark.parametrize("selection", ["gradient", "active", "autoactive"])
    def test_one_class_first(self, selection):
        X, y, right = noisy(600, noise=0.0)
        model = OnlineSVC(gamma=0.2, selection=selection, random_state=0)
        model.partial_fit(X[y][:20], y[y][:20]).partial_fit(X, y)
        assert model.score(X, right) > 0.85


class TestThreads:
    @pytest.mark.filterwarnings("ignore::hinge.StreamWarning")  # the classes come one after the other
    def test_predicting_while_new_classes_come(self):
        random = np.random.default_rng(0)
        X = random.normal(size=(2000, 4))
        y = np.repeat(np.arange(20), 100)
        model = OnlineSVC(gamma=0.5).partial_fit(X[:200], y[:200])
        failures = []

        def ask():
            try:
                while not done.is_set():
                    assert set(model.predict(X[:50])) <= set(range(20))
                    assert model.n_support_.sum() > 0
            except Exception as error:  # noqa: BLE001 - whatever it is, the test must see it
                failures.append(error)

        done = threading.Event()
        askers = [threading.Thread(target=ask) for _ in range(3)]
        for asker in askers:
            asker.start()
        for start in range(200, 2000, 100):
            model.partial_fit(X[start : start + 100], y[start : start + 100])
        done.set()
        for asker in askers:
            asker.join()
        assert not failures
        assert len(model.classes_) == 20

    def test_a_kernel_function_may_ask_its_own_model(self):
        """It gets the answers of the last complete state."""
        X, y, _ = noisy(60)
        model, answers = OnlineSVC(kernel=lambda A, B: A @ B.T).fit(X, y), []
        before = model.decision_function(X[:1])

        def curious(A, B):
            answers.append(model.decision_function(X[:1]))
            return 2.0 * A @ B.T

        model.set_params(kernel=curious).fit(X, y)
        assert answers
        np.testing.assert_array_equal(np.ravel(answers), before[0])


@pytest.mark.parametrize("seed", range(3))
def test_classes_that_come_late_to_many_support_vectors(seed):
    """Examples that only the new machine held left during its first look at them."""
    random = np.random.default_rng(seed)
    X = random.uniform(size=(1200, 6)).astype(np.float32)
    y = (X[:, 0] > 0.5).astype(int)
    y[600:] += 2 * (X[600:, 1] > 0.8)
    model = OnlineSVC(C=1, gamma=0.5).partial_fit(X[:600], y[:600]).partial_fit(X[600:], y[600:])
    assert model.classes_.tolist() == [0, 1, 2, 3]
    exact = OneVsRestClassifier(SVC(C=1, gamma=0.5)).fit(X, y)  # new labels contradict old ones, so neither is perfect
    assert model.score(X[600:], y[600:]) > exact.score(X[600:], y[600:]) - 0.02


@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_example_is_tested_before_it_is_learned(n_classes):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5) * (n_classes == 3)
    model, other = (OnlineSVC(gamma=0.3).partial_fit(X[:20], y[:20]) for _ in range(2))
    mistakes = 0
    for row in range(20, len(X)):
        mistakes += int(other.predict(X[row : row + 1])[0] != y[row])
        other.partial_fit(X[row : row + 1], y[row : row + 1])
    before = model._state.progressive_score.n_mistakes
    model.partial_fit(X[20:], y[20:])
    assert model._state.progressive_score.n_examples == len(X)
    assert model._state.progressive_score.n_mistakes - before == mistakes
