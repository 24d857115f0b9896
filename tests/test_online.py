"""`OnlineSVC` against independent solutions, and against itself by other ways."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from hinge import OnlineSVC

KERNELS = {
    "linear": {},
    "rbf": {"gamma": 0.7},
    "poly": {"gamma": 0.5, "coef0": 1.0, "degree": 2},
    "sigmoid": {"gamma": 0.1, "coef0": 0.0},
    "laplacian": {"gamma": 0.4},
}


def gram(kernel, X, Y=None, **parameters):
    return pairwise_kernels(X, Y, metric=kernel, **parameters)


def exact(K, y, **parameters):
    """libsvm's solution for a matrix of kernel values."""
    return SVC(kernel="precomputed", tol=1e-9, **parameters).fit(K, y)


def dual(K, reference):
    """The dual objective of libsvm's solution."""
    alpha = reference.dual_coef_.ravel()
    return np.abs(alpha).sum() - 0.5 * alpha @ K[np.ix_(reference.support_, reference.support_)] @ alpha


def same_decisions(one, other, X, **tolerance):
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), **tolerance)


class TestSolution:
    @pytest.mark.parametrize("epochs", ["auto", "converge"])
    @pytest.mark.parametrize("kernel", KERNELS)
    @pytest.mark.parametrize("C", [0.5, 10.0])
    def test_two_classes_are_those_of_libsvm(self, two, kernel, C, epochs):
        X, y = two
        K = gram(kernel, X, **KERNELS[kernel])
        reference = exact(K, y, C=C)
        model = OnlineSVC(kernel=kernel, C=C, epochs=epochs, tol=1e-6, random_state=0, **KERNELS[kernel]).fit(X, y)
        np.testing.assert_allclose(model.dual_objective(), dual(K, reference), rtol=1e-6)
        np.testing.assert_allclose(model.decision_function(X), reference.decision_function(K), atol=2e-4)
        np.testing.assert_allclose(model.intercept_, reference.intercept_, atol=1e-4)
        assert model.kkt_violation(X, y) <= 2e-6
        assert model.duality_gap(X, y) <= 1e-4 * abs(model.dual_objective())

    def test_support_is_that_of_libsvm(self, two):
        X, y = two
        reference = exact(rbf_kernel(X, gamma=0.7), y)
        model = OnlineSVC(gamma=0.7).fit(X, y)
        np.testing.assert_array_equal(model.support_, reference.support_)
        np.testing.assert_array_equal(model.n_support_, reference.n_support_)
        np.testing.assert_allclose(model.dual_coef_, reference.dual_coef_, atol=1e-6)
        np.testing.assert_array_equal(model.support_vectors_, X[reference.support_])

    @pytest.mark.parametrize("kernel", ["rbf", "poly"])
    def test_several_classes_are_one_against_the_rest(self, three, kernel):
        X, y = three
        K = gram(kernel, X, **KERNELS[kernel])
        model = OnlineSVC(kernel=kernel, **KERNELS[kernel]).fit(X, y)
        machines = [exact(K, y == label) for label in range(3)]
        expected = np.stack([machine.decision_function(K) for machine in machines], axis=1)
        np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-5)
        np.testing.assert_allclose(model.dual_objective(), sum(dual(K, machine) for machine in machines), rtol=1e-8)
        np.testing.assert_array_equal(model.predict(X), expected.argmax(axis=1))
        np.testing.assert_array_equal(np.sort(model.support_), np.unique([i for m in machines for i in m.support_]))

    def test_decisions_are_those_of_the_attributes(self, three):
        X, y = three
        model = OnlineSVC(gamma=0.3).fit(X, y)
        K = rbf_kernel(X, model.support_vectors_, gamma=0.3)
        np.testing.assert_allclose(K @ model.dual_coef_.T + model.intercept_, model.decision_function(X), atol=1e-10)
        assert model.n_support_.sum() == len(model.support_)
        np.testing.assert_array_equal(y[model.support_], np.repeat([0, 1, 2], model.n_support_))

    def test_sparse_attributes(self, two):
        X, y = two
        dense, sparse = OnlineSVC(gamma=1.0).fit(X, y), OnlineSVC(gamma=1.0).fit(csr_matrix(X), y)
        np.testing.assert_array_equal(sparse.support_, dense.support_)
        np.testing.assert_array_equal(sparse.support_vectors_.toarray(), dense.support_vectors_)

    @pytest.mark.parametrize("weights", ["sample", "class", "balanced"])
    def test_weights_are_those_of_libsvm(self, two, weights):
        X, y = two
        y = np.where(np.arange(120) % 3 == 0, y, 0)
        sample_weight = np.random.default_rng(0).uniform(0, 3, 120) if weights == "sample" else None
        class_weight = {"class": {0: 0.5, 1: 4.0}, "balanced": "balanced", "sample": None}[weights]
        K = rbf_kernel(X, gamma=1.0)
        reference = SVC(kernel="precomputed", tol=1e-9, class_weight=class_weight).fit(K, y, sample_weight)
        model = OnlineSVC(gamma=1.0, class_weight=class_weight).fit(X, y, sample_weight=sample_weight)
        np.testing.assert_allclose(model.decision_function(X), reference.decision_function(K), atol=1e-6)

    @pytest.mark.parametrize("shift", [0.0, 1e4])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_features_far_from_zero_give_the_same_model(self, two, shift, dtype):
        X, y = two
        X = np.round(X * 64) / 64 + shift  # so that float32 holds the shifted features exactly
        reference = exact(rbf_kernel(X - shift, gamma=0.7), y)
        model = OnlineSVC(gamma=0.7).fit(X.astype(dtype), y)
        expected = reference.decision_function(rbf_kernel(X - shift, gamma=0.7))
        atol = 1e-6 if dtype == np.float64 else 1e-3
        np.testing.assert_allclose(model.decision_function(X.astype(dtype)), expected, atol=atol)

    def test_columns_of_very_different_size(self, two):
        X, y = two
        X = np.hstack([X, 1e-6 * X[:, :1], 1e3 + X[:, 1:]])
        reference = SVC(gamma=0.5, tol=1e-9).fit(X, y)
        same_decisions(OnlineSVC(gamma=0.5).fit(X, y), reference, X, atol=1e-6)

    def test_one_pass_comes_close(self, stream):
        X, y = stream[0], stream[1] % 2
        optimum = OnlineSVC(gamma=0.2, epochs="converge", tol=1e-4).fit(X, y)
        once = OnlineSVC(gamma=0.2, epochs=1, random_state=0).fit(X, y)
        assert 0.95 * optimum.dual_objective() <= once.dual_objective() <= optimum.dual_objective() * (1 + 1e-4)
        assert once.kkt_violation() <= 1e-3
        assert once.kkt_violation(X, y) > optimum.kkt_violation(X, y)
        assert abs(once.score(X, y) - optimum.score(X, y)) < 0.02

    def test_more_passes_come_closer(self, stream):
        X, y = stream[0], stream[1] % 2
        values = [OnlineSVC(gamma=0.2, C=10, epochs=n, random_state=0).fit(X, y).dual_objective() for n in (1, 3, 9)]
        assert values[0] < values[1] <= values[2] * (1 + 1e-6)

    @pytest.mark.parametrize("selection", ["gradient", "active", "autoactive"])
    def test_every_selection_converges(self, stream, selection):
        X, y = stream
        model = OnlineSVC(gamma=0.2, epochs="converge", selection=selection, random_state=0).fit(X, y)
        assert model.kkt_violation(X, y) <= model.tol * (1 + 1e-9)
        assert model._state.options.selection == selection


class TestSameModelByOtherWays:
    @pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian"])
    def test_dense_and_sparse(self, three, kernel):
        X, y = three
        X = np.where(np.abs(X) > 0.5, X, 0.0)
        model = OnlineSVC(kernel=kernel, **KERNELS[kernel])
        same_decisions(clone(model).fit(X, y), clone(model).fit(csr_matrix(X), y), X, atol=1e-5)

    def test_function_and_name(self, three):
        X, y = three
        named = OnlineSVC(kernel="laplacian", gamma=0.4).fit(X, y)
        function = OnlineSVC(kernel=lambda A, B: laplacian_kernel(A, B, gamma=0.4)).fit(X, y)
        same_decisions(function, named, X, atol=1e-6)

    def test_precomputed_and_name(self, three):
        X, y = three
        K = rbf_kernel(X, gamma=0.3)
        named, computed = OnlineSVC(gamma=0.3).fit(X, y), OnlineSVC(kernel="precomputed").fit(K, y)
        np.testing.assert_allclose(computed.decision_function(K), named.decision_function(X), atol=1e-6)
        np.testing.assert_array_equal(computed.support_, named.support_)
        assert computed.kkt_violation(K, y) <= 1e-3
        assert computed.support_vectors_.shape == (len(computed.support_), 0)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("container", [np.asarray, csr_matrix])
    def test_chunks_and_one_by_one(self, stream, dtype, container):
        X, y = container(stream[0][:300].astype(dtype)), stream[1][:300] == 0
        models = []
        for pieces in (1, 7, 300):
            models.append(OnlineSVC(gamma=0.2))
            for part in np.array_split(np.arange(300), pieces):
                models[-1].partial_fit(X[part], y[part], classes=[False, True])
        whole = models[0]
        for model in models[1:]:
            same_decisions(model, whole, X, atol=1e-9 if dtype == np.float64 else 1e-3)
            assert model.n_seen_ == whole.n_seen_ == 300

    def test_precomputed_stream(self, stream):
        X, y = stream[0], stream[1] == 0
        K = rbf_kernel(X, gamma=0.2)
        named, computed = OnlineSVC(gamma=0.2), OnlineSVC(kernel="precomputed")
        for part in np.array_split(np.arange(600), 4):
            named.partial_fit(X[part], y[part])
            computed.partial_fit(K[part], y[part])
        np.testing.assert_allclose(computed.decision_function(K), named.decision_function(X), atol=1e-9)

    def test_float32_and_float64(self, three):
        X, y = three[0].astype(np.float32), three[1]
        same_decisions(OnlineSVC(gamma=0.3).fit(X, y), OnlineSVC(gamma=0.3).fit(X.astype(float), y), X, atol=2e-3)

    def test_float32_and_float64_far_from_zero(self):
        random = np.random.RandomState(0)
        centres = 30 * random.randn(6, 5)
        X, y = centres[random.randint(6, size=600)] + random.randn(600, 5), random.randint(3, size=600)
        single, double = (OnlineSVC(C=10, gamma=0.3, random_state=0).fit(X.astype(t), y) for t in ("f4", "f8"))
        assert single.score(X, y) == pytest.approx(double.score(X, y), abs=0.02)

    @pytest.mark.parametrize("container", [np.asarray, csr_matrix])
    @pytest.mark.parametrize("kernel", ["rbf", "linear"])
    def test_weights_and_repetitions(self, three, kernel, container):
        X, y = three
        counts = np.random.default_rng(1).integers(0, 4, len(y))
        weighted = OnlineSVC(kernel=kernel, C=0.5).fit(container(X), y, sample_weight=counts)
        repeated = OnlineSVC(kernel=kernel, C=0.5).fit(container(np.repeat(X, counts, axis=0)), np.repeat(y, counts))
        same_decisions(weighted, repeated, X, rtol=1e-7, atol=1e-9)

    def test_class_weights_and_sample_weights(self, three):
        X, y = three
        by_class = OnlineSVC(gamma=0.3, class_weight={0: 3.0, 2: 0.5}).fit(X, y)
        by_sample = OnlineSVC(gamma=0.3).fit(X, y, sample_weight=np.array([3.0, 1.0, 0.5])[y])
        same_decisions(by_class, by_sample, X, rtol=1e-7, atol=1e-9)

    @pytest.mark.parametrize(
        "names", [["c", "a", "b"], [2.0, -1.0, 7.0], [30, 10, 20], np.array(["x", "yy", "z"], dtype=object)]
    )
    def test_names_of_classes_do_not_matter(self, three, names):
        X, y = three
        names = np.asarray(names)
        plain, named = OnlineSVC(gamma=0.3).fit(X, y), OnlineSVC(gamma=0.3).fit(X, names[y])
        np.testing.assert_array_equal(named.classes_, np.sort(names))
        np.testing.assert_array_equal(named.predict(X), names[plain.predict(X)])
        order = np.argsort(names)
        np.testing.assert_allclose(named.decision_function(X), plain.decision_function(X)[:, order], atol=1e-8)

    @pytest.mark.parametrize("names", [["b", "a"], [False, True], [1, -1]])
    def test_two_classes_named_the_other_way_round(self, two, names):
        X, y = two
        names = np.asarray(names)
        plain, named = OnlineSVC(gamma=1.0).fit(X, y), OnlineSVC(gamma=1.0).fit(X, names[y])
        sign = 1 if names[1] > names[0] else -1
        np.testing.assert_allclose(named.decision_function(X), sign * plain.decision_function(X), atol=1e-8)
        np.testing.assert_array_equal(named.predict(X), names[plain.predict(X)])

    @pytest.mark.parametrize("container", [np.asarray, csr_matrix])
    @pytest.mark.parametrize("epochs", [1, "converge"])
    def test_a_tiny_cache(self, stream, epochs, container):
        X, y = stream[0], stream[1] == 0
        model = OnlineSVC(gamma=0.2, epochs=epochs, random_state=0)
        large, tiny = clone(model).fit(container(X), y), clone(model).set_params(cache_size=1e-3).fit(container(X), y)
        same_decisions(large, tiny, X, atol=1e-9)

    @pytest.mark.parametrize("cache_size", [0.1, 0.2, 0.5, 1.0, 2.0, 5.0])
    def test_caches_of_every_size(self, cache_size):
        random = np.random.default_rng(0)
        X = random.normal(size=(1500, 5))
        y = X[:, 0] + random.normal(size=1500) > 0
        model = OnlineSVC(C=10.0, gamma=0.1, epochs=1, random_state=0)
        objective = clone(model).fit(X, y).dual_objective()
        np.testing.assert_allclose(
            model.set_params(cache_size=cache_size).fit(X, y).dual_objective(), objective, rtol=1e-9
        )

    @pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
    @pytest.mark.parametrize("container", [np.asarray, csr_matrix])
    def test_one_and_two_threads(self, kernel, container):
        random = np.random.default_rng(0)
        X = random.normal(size=(900, 100))  # less would not be worth a second thread
        y = np.digitize(X[:, 0] + random.normal(size=900), [-0.5, 0.5])
        model = OnlineSVC(kernel=kernel, gamma=0.01, epochs=2, random_state=0)
        one, two = (clone(model).set_params(n_jobs=n).fit(container(X), y) for n in (1, 2))
        np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
        np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))

    def test_a_seed_makes_fit_reproducible(self, stream):
        X, y = stream
        for selection in ("random", "gradient", "active", "autoactive"):
            model = OnlineSVC(gamma=0.2, epochs=1, selection=selection, random_state=4)
            np.testing.assert_array_equal(clone(model).fit(X, y).dual_coef_, clone(model).fit(X, y).dual_coef_)

    @pytest.mark.parametrize("working_set", ["first-order", "second-order"])
    def test_either_choice_of_pairs(self, two, working_set):
        X, y = two
        K = rbf_kernel(X, gamma=1.0)
        reference = exact(K, y, C=10)
        model = OnlineSVC(gamma=1.0, C=10, working_set=working_set, epochs="converge", tol=1e-7).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), reference.decision_function(K), atol=1e-5)


class TestStream:
    def test_new_classes_on_the_way(self, stream):
        X, y = stream
        y = np.array(["d", "a", "c", "b"])[y]
        model = OnlineSVC(gamma=0.2)
        known: set[str] = set()
        for part in np.array_split(np.arange(600), 20):
            model.partial_fit(X[part], y[part])
            known |= set(y[part])
            assert model.classes_.tolist() == sorted(known)
            assert set(model.predict(X)) <= known
        reference = OnlineSVC(gamma=0.2, epochs=1, random_state=0).fit(X, y)
        assert model.finish().score(X, y) > reference.score(X, y) - 0.05

    def test_one_class_at_first(self, two):
        X, y = two
        names = np.array(["no", "yes"])
        model = OnlineSVC(gamma=1.0).partial_fit(X[y == 1], names[y[y == 1]])
        assert model.classes_.tolist() == ["yes"]
        assert set(model.predict(X)) == {"yes"}
        assert model.decision_function(X).shape == (120,)
        assert model.partial_fit(X, names[y]).classes_.tolist() == ["no", "yes"]
        assert model.score(X, names[y]) > 0.85

    def test_declared_classes_that_have_not_come(self, three):
        X, y = three
        model = OnlineSVC(gamma=0.3).partial_fit(X[y == 1], y[y == 1], classes=[0, 1, 2])
        assert model.classes_.tolist() == [0, 1, 2]
        assert set(model.predict(X)) == {1}
        assert model.decision_function(X).shape == (150, 3)
        assert model.partial_fit(X, y).score(X, y) > 0.7

    def test_sign_follows_the_classes_when_they_come_out_of_order(self, two):
        X, y = two
        model = OnlineSVC(gamma=1.0)
        for i in [np.argmax(y == 1), *range(120)]:  # class 1 first
            model.partial_fit(X[i : i + 1], y[i : i + 1])
        model.finish()
        assert model.decision_function(X)[y == 1].mean() > 0 > model.decision_function(X)[y == 0].mean()
        K = rbf_kernel(X, model.support_vectors_, gamma=1.0)
        decisions = (K @ model.dual_coef_.T + model.intercept_).ravel()
        np.testing.assert_allclose(decisions, model.decision_function(X), atol=1e-8)

    def test_ids_are_places_in_the_stream(self, stream):
        X, y = stream
        model = OnlineSVC(gamma=0.2)
        for part in np.array_split(np.arange(600), 9):
            model.partial_fit(X[part], y[part])
        np.testing.assert_allclose(model.support_vectors_, X[model.support_], atol=1e-12)
        np.testing.assert_array_equal(np.repeat(model.classes_, model.n_support_), y[model.support_])

    def test_rows_of_weight_zero_are_passed_over(self, two):
        X, y = two
        weights = (np.arange(120) % 2).astype(float)
        model = OnlineSVC(gamma=1.0).partial_fit(X, y, sample_weight=weights)
        some = OnlineSVC(gamma=1.0).partial_fit(X[1::2], y[1::2])
        same_decisions(model, some, X, atol=1e-8)
        assert model.n_seen_ == 120
        assert np.all(model.support_ % 2 == 1)
        assert model.partial_fit(X, y + 5, sample_weight=np.zeros(120)).classes_.tolist() == [0, 1]

    def test_fit_forgets(self, two, three):
        model = OnlineSVC(random_state=0).partial_fit(*three).fit(*two)
        fresh = OnlineSVC(random_state=0).fit(*two)
        np.testing.assert_array_equal(model.decision_function(two[0]), fresh.decision_function(two[0]))
        assert model.n_seen_ == 120

    def test_partial_fit_goes_on_after_fit_and_finish(self, stream):
        X, y = stream
        model = OnlineSVC(gamma=0.2, random_state=0).fit(X[:300], y[:300])
        before = model.score(X[300:], y[300:])
        model.partial_fit(X[300:], y[300:]).finish().partial_fit(X[300:], y[300:])
        assert model.n_seen_ == 900
        assert model.score(X[300:], y[300:]) > before

    def test_finish_optimises_what_is_held(self, stream):
        model = OnlineSVC(gamma=0.2, tol=1e-4).partial_fit(*stream)
        before, objective = model.kkt_violation(), model.dual_objective()
        model.finish()
        assert model.kkt_violation() <= 1e-4 < before
        assert model.dual_objective() > objective
        assert 0 <= model.duality_gap() <= 1e-2 * model.dual_objective()

    def test_without_finishing(self, stream):
        model = OnlineSVC(gamma=0.2, finishing=False, random_state=0).fit(*stream)
        assert model.kkt_violation() > model.tol

    def test_max_gap_bounds_the_violation(self, stream):
        X, y = stream
        model = OnlineSVC(gamma=0.2, C=10, max_gap=0.05).partial_fit(X, y % 2)
        plain = OnlineSVC(gamma=0.2, C=10, max_gap=None).partial_fit(X, y % 2)
        assert model.kkt_violation() <= 0.05 < plain.kkt_violation()

    @pytest.mark.parametrize("verb", ["fit", "partial_fit"])
    def test_max_support_is_a_bound(self, stream, verb):
        X, y = stream
        model = OnlineSVC(gamma=0.2, max_support=40, random_state=0)
        getattr(model, verb)(X, y % 2)
        assert 10 <= len(model.support_) <= 40
        assert model.score(X, y % 2) > 0.6
        assert abs(model.dual_coef_.sum()) < 1e-6

    @pytest.mark.parametrize("selection", ["gradient", "active", "autoactive"])
    def test_selections_learn(self, stream, selection):
        X, y = stream
        model = OnlineSVC(gamma=0.2, selection=selection, random_state=0).fit(X, y)
        assert model.score(X, y) > OnlineSVC(gamma=0.2, random_state=0).fit(X, y).score(X, y) - 0.05

    def test_counters_rise(self, two):
        model = OnlineSVC(gamma=1.0).partial_fit(*two)
        steps, values = model.n_iter_, model.n_kernel_evals_
        assert steps > 0
        assert values > 0
        model.partial_fit(*two)
        assert model.n_iter_ > steps
        assert model.n_kernel_evals_ > values


class TestMeasures:
    def test_gap_encloses_the_optimum(self, three):
        X, y = three
        optimum = OnlineSVC(gamma=0.3, C=5).fit(X, y)
        once = OnlineSVC(gamma=0.3, C=5, epochs=1, finishing=False, random_state=0).fit(X, y)
        assert once.dual_objective() < optimum.dual_objective() < once.dual_objective() + once.duality_gap(X, y)
        assert optimum.duality_gap(X, y) < 1e-6 * optimum.dual_objective()
        assert once.dual_objective(X, y) == once.dual_objective()

    def test_gap_by_hand(self, two):
        X, y = two
        weights = np.linspace(0.5, 2, 120)
        model = OnlineSVC(gamma=1.0, C=2.0, epochs=1, random_state=0).fit(X, y, sample_weight=weights)
        alpha, sign = model.dual_coef_.ravel(), np.where(y == 1, 1, -1)
        norm = alpha @ rbf_kernel(model.support_vectors_, gamma=1.0) @ alpha
        hinge = np.maximum(0, 1 - sign * model.decision_function(X))
        expected = norm / 2 + 2.0 * weights @ hinge - (np.abs(alpha).sum() - norm / 2)
        np.testing.assert_allclose(model.duality_gap(X, y, sample_weight=weights), expected, rtol=1e-6)

    @pytest.mark.parametrize("container", [np.asarray, csr_matrix])
    def test_violation_by_hand(self, two, container):
        X, y = two
        X = X + 100.0
        model = OnlineSVC(gamma=1.0, C=2.0, epochs=1, finishing=False, random_state=0).fit(container(X), y)
        alpha, sign = np.zeros(120), np.where(y == 1, 1.0, -1.0)
        alpha[model.support_] = model.dual_coef_.ravel()
        g = sign - (model.decision_function(X) - model.intercept_)
        rise, fall = alpha < np.maximum(0, 2 * sign), alpha > np.minimum(0, 2 * sign)
        expected = g[rise].max() - g[fall].min()
        np.testing.assert_allclose(model.kkt_violation(container(X), y), expected, rtol=1e-6)

    def test_an_example_given_twice_violates_though_its_twin_is_at_the_bound(self, two):
        X, y = two
        model = OnlineSVC(gamma=1.0, C=0.1, tol=1e-6).fit(X, y)
        bounded = model.support_[np.abs(model.dual_coef_.ravel()) == 0.1][:1]
        assert model.kkt_violation(X, y) <= 1e-6
        assert model.kkt_violation(np.vstack([X, X[bounded]]), np.append(y, y[bounded])) > 0.01


class TestTogetherWithScikitLearn:
    def test_grid_search_in_a_pipeline(self, three):
        pipeline = make_pipeline(StandardScaler(), OnlineSVC(random_state=0))
        grid = {"onlinesvc__gamma": [0.3, 1e4], "onlinesvc__finishing": [True, False]}
        search = GridSearchCV(pipeline, grid, cv=3).fit(*three)
        assert search.best_params_["onlinesvc__gamma"] == 0.3
        assert search.score(*three) > 0.7

    def test_cross_validation_of_a_precomputed_kernel(self, three):
        X, y = three
        named = cross_val_score(OnlineSVC(gamma=0.3), X, y, cv=3)
        computed = cross_val_score(OnlineSVC(kernel="precomputed"), rbf_kernel(X, gamma=0.3), y, cv=3)
        np.testing.assert_allclose(computed, named)

    def test_probabilities_by_calibration(self, three):
        X, y = three
        calibrated = CalibratedClassifierCV(OnlineSVC(gamma=0.3), ensemble=False).fit(X, y)
        probabilities = calibrated.predict_proba(X)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        assert (probabilities.argmax(axis=1) == y).mean() > 0.7

    def test_frames_and_series(self, three):
        X, y = pd.DataFrame(three[0], columns=list("abcd")), pd.Series(np.array(["x", "y", "z"])[three[1]])
        model = OnlineSVC(random_state=0).fit(X, y)
        assert model.feature_names_in_.tolist() == list("abcd")
        assert set(model.predict(X)) == {"x", "y", "z"}


@pytest.mark.parametrize("seed", [0, 1])
def test_uneven_weights_get_a_second_pass(seed):
    """One pass leaves gaps of 10 % and 36 % of the objective."""
    X, y = make_moons(2500, noise=0.3, random_state=seed)
    weights = np.where(np.random.default_rng(seed).random(2500) < 0.05, 5.0, 1.0)
    model = OnlineSVC(gamma=2.0, random_state=0).fit(X, y, sample_weight=weights)
    assert model.duality_gap(X, y, sample_weight=weights) < 0.01 * model.dual_objective()
