"""`IncrementalSVC`: new and removed classes, windows, leave-one-out and attributes."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from hinge import DataError, IncrementalSVC, KernelError, ParameterError

from .common import GAMMA, assert_same, make


class TestClasses:
    def test_disappear_with_their_last_example(self, few):
        X, y, _ = few
        model = make().fit(X, y)
        for label in ("elm", "ash"):
            rows = np.flatnonzero(y == label)
            model.forget(rows[:-1])
            assert label in model.classes_
            assert label not in model.forget(rows[-1]).classes_
            left = np.array(model.ids_)
            assert_same(model, make().partial_fit(X[left], y[left]), X)
        assert set(model.predict(X)) == {"oak"}

    @pytest.mark.parametrize("order", [["oak", "elm", "ash"], ["elm", "oak", "ash"], ["ash", "oak", "elm"]])
    def test_any_order_of_classes(self, few, order):
        X, y, _ = few
        model, rows = make(), np.concatenate([np.flatnonzero(y == label) for label in order])
        for row in rows:
            model.partial_fit(X[row : row + 1], y[row : row + 1], ids=[int(row)])
        for gone in order:
            shorter = clone(model).partial_fit(X[rows], y[rows], ids=rows).forget(rows[y[rows] == gone])
            assert_same(shorter, make().fit(X[y != gone], y[y != gone]), X)
            shorter.partial_fit(X[y == gone], y[y == gone])
            assert_same(shorter, model, X)

    def test_announced_classes_stay(self, few):
        X, y, _ = few
        model = make().partial_fit(X, y, classes=["ash", "elm", "oak", "yew"])
        model.forget(np.flatnonzero(y == "elm"))
        assert model.classes_.tolist() == ["ash", "elm", "oak", "yew"]
        assert model.decision_function(X).shape == (40, 4)
        assert "elm" not in model.predict(X)
        model.forget(model.ids_)
        assert model.classes_.tolist() == ["ash", "elm", "oak", "yew"]
        assert set(model.partial_fit(X[:1], y[:1]).predict(X)) == {y[0]}

    def test_single_class(self, few):
        X, y, _ = few
        with pytest.raises(DataError, match="fit needs examples of at least two classes"):
            make().fit(X[:2], ["elm", "elm"])
        model = make().partial_fit(X[:2], ["elm", "elm"])
        assert model.predict(X[:3]).tolist() == ["elm"] * 3
        assert_same(model.partial_fit(X, y).forget([0, 1]), make().fit(X, y), X)

    def test_readers_in_other_threads(self, few):
        X, y, names = few
        model = make().fit(X, y, ids=names)
        answers, stop = [], threading.Event()

        def read():
            while not stop.is_set():
                answers.append((model.decision_function(X).shape, model.dual_coef_.shape[0], set(model.predict(X))))

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for _ in range(30):
            model.relabel(names[0], "yew").relabel(names[0], y[0])
        stop.set()
        for reader in readers:
            reader.join()
        assert answers
        assert all(shape in {(40, 3), (40, 4)} and rows in {3, 4} for shape, rows, _ in answers)
        assert_same(model, make().fit(X, y), X)


class TestWindow:
    @pytest.mark.parametrize("eviction", ["balanced", "relevance", "weight", "age"])
    @pytest.mark.parametrize("kinds", [2, 3])
    def test_ids_are_evicted_with_their_examples(self, few, eviction, kinds):
        X, y, names = few
        y = np.unique(y, return_inverse=True)[1] % kinds
        model = make(max_examples=10, eviction=eviction)
        for row in range(40):
            model.partial_fit(X[row : row + 1], y[row : row + 1], ids=names[row : row + 1])
            assert len(model.ids_) <= 10 * (kinds if kinds > 2 and eviction != "age" else 1)
        together = make(max_examples=10, eviction=eviction).partial_fit(X, y, ids=names)
        assert model.ids_ == together.ids_
        assert_same(model, together, X)
        assert model.kkt_violation() <= 1e-6
        gone = next(name for name in names if name not in model.ids_)
        with pytest.raises(DataError, match=f"got '{gone}'; ids_ lists them"):
            model.forget(gone)
        model.partial_fit(X[:1], y[:1], ids=[gone])

    def test_evicts_the_oldest(self, few):
        X, y, names = few
        model = make(max_examples=25, eviction="age").fit(X, y, ids=names)
        assert model.ids_ == names[15:]
        assert_same(model, make().fit(X[15:], y[15:]), X)

    @pytest.mark.parametrize("eviction", ["balanced", "relevance", "weight", "age"])
    def test_two_classes_are_those_of_the_examples_held(self, two, eviction):
        X, y = two
        model = make(max_examples=30, eviction=eviction).fit(X, y)
        left = np.array(model.ids_)
        assert len(left) == 30
        assert_same(model, make().fit(X[left], y[left]), X)

    @pytest.mark.parametrize("eviction", ["balanced", "relevance"])
    def test_relevance_keeps_support_vectors(self, eviction):
        X, y = make_moons(300, noise=0.1, random_state=0)
        whole = make(gamma=2.0).fit(X, y)
        assert make(gamma=2.0, max_examples=40, eviction=eviction).fit(X, y).score(X, y) >= whole.score(X, y) - 0.03

    def test_classes_stay_known(self, two):
        X, y = two
        order = np.argsort(y, kind="stable")
        model = make(max_examples=5, eviction="age").partial_fit(X[order], y[order])
        assert model.classes_.tolist() == [0, 1]
        assert set(model.predict(X)) == {1}

    @pytest.mark.parametrize(
        ("parameters", "complaint"),
        [
            ({"max_examples": 1}, "max_examples must be a whole number of at least 2, got 1; None sets no bound"),
            ({"max_examples": 2.5}, "max_examples must be a whole number"),
            ({"eviction": "random"}, "eviction must be one of 'balanced', 'relevance', 'weight', 'age', got 'random'"),
            ({"tol": 0}, "tol must be a finite number above 0"),
            ({"C": -1}, "C must be a finite number above 0"),
        ],
    )
    def test_parameters(self, two, parameters, complaint):
        with pytest.raises(ParameterError, match=complaint):
            make(**parameters).fit(*two)
        model = make().fit(*two)
        with pytest.raises(ParameterError, match=complaint):
            model.set_params(**parameters).forget(1)
        assert len(model.ids_) == 120


class TestLeaveOneOut:
    @pytest.mark.parametrize("container", [np.asarray, csr_matrix])
    def test_several_classes(self, few, container):
        X, y, names = few
        model = make().fit(container(X), y, ids=names)
        before = model.decision_function(X)
        values, labels = model.leave_one_out("decision_function"), model.leave_one_out()
        for row in range(40):
            rest = np.arange(40) != row
            alone = make().fit(X[rest], y[rest])
            np.testing.assert_allclose(values[row], alone.decision_function(X[row : row + 1])[0], atol=1e-6)
            assert labels[row] == alone.predict(X[row : row + 1])[0]
        np.testing.assert_allclose(model.decision_function(X), before, atol=1e-9)
        assert model.ids_ == names

    def test_two_classes(self, two):
        X, y = two
        model = make().fit(X, y).forget([3, 5])
        values = model.leave_one_out(method="decision_function")
        assert values.shape == (118,)
        assert model.leave_one_out().dtype == y.dtype
        for place in (0, 3, 50, 117):
            rest = np.array([name for name in model.ids_ if name != model.ids_[place]])
            row = X[model.ids_[place]][None]
            np.testing.assert_allclose(values[place], make().fit(X[rest], y[rest]).decision_function(row)[0], atol=1e-6)

    def test_method(self, two):
        with pytest.raises(ParameterError, match="method must be one of 'predict', 'decision_function', got 'proba'"):
            make().fit(*two).leave_one_out("proba")

    def test_the_only_example_of_a_class(self):
        model = make().fit([[0.0], [0.2], [2.0]], ["a", "a", "b"])
        assert model.leave_one_out().tolist() == ["a", "a", "a"]


class TestAttributes:
    def test_kkt_violation(self, few):
        X, y, _ = few
        model = make().fit(X, y)
        assert model.kkt_violation() <= 1e-9
        assert model.kkt_violation(X, y) <= 1e-6
        assert model.duality_gap() <= 1e-8 * model.dual_objective()
        assert model.kkt_violation([[0.0] * 4], [y[0]]) >= 0

    def test_margin_and_bounded(self, few):
        X, y, _ = few
        model = make().fit(X, y)
        sizes = np.abs(model.dual_coef_)
        np.testing.assert_array_equal(model.n_bounded_, (sizes > 2 - 1e-9).sum(axis=1))
        np.testing.assert_array_equal(model.n_margin_, ((sizes > 1e-9) & (sizes < 2 - 1e-9)).sum(axis=1))

    def test_two_classes_in_any_order(self, two):
        X, y = two
        one, other = make().partial_fit(X, y), make().partial_fit(X[::-1], y[::-1])
        assert_same(one, other, X)
        np.testing.assert_array_equal(one.n_margin_, other.n_margin_)
        assert one.n_margin_.shape == (1,)

    def test_attributes_are_those_of_the_solution(self, few):
        X, y, _ = few
        model = make().fit(X, y)
        shown = rbf_kernel(X, model.support_vectors_, gamma=GAMMA) @ model.dual_coef_.T + model.intercept_
        np.testing.assert_allclose(shown, model.decision_function(X), atol=1e-9)
        np.testing.assert_allclose(model.dual_coef_.sum(axis=1), 0.0, atol=1e-9)

    def test_single_precision_is_kept_as_double(self, two):
        X, y = two
        model = make().fit(X.astype(np.float32), y)
        assert model.support_vectors_.dtype == np.float64
        model.partial_fit(X[:3].astype(np.float32), y[:3])
        sparse = make().fit(csr_matrix(X.astype(np.float32)), y)
        assert sparse.support_vectors_.dtype == np.float64
        reference = SVC(gamma=GAMMA, C=2.0, tol=1e-9).fit(X.astype(np.float32).astype(np.float64), y)
        np.testing.assert_allclose(sparse.decision_function(X), reference.decision_function(X), atol=1e-5)

    def test_first_rows_determine_gamma(self, two):
        X, y = two
        model = IncrementalSVC().partial_fit(X[:50], y[:50]).partial_fit(X[50:] * 3, y[50:])
        rows = np.vstack([X[:50], X[50:] * 3])
        assert_same(model, make(C=1.0, gamma=1 / (2 * rows[:64].var())).fit(rows, y), X)

    def test_warnings(self, two):
        X, y = two
        model = make(tol=1e-300)  # beyond the last digit
        for learn in (model.fit, model.partial_fit):
            with pytest.warns(
                ConvergenceWarning, match=r"^The optimality conditions are violated by .*, more than tol=1"
            ):
                learn(X, y)
        with pytest.warns(
            ConvergenceWarning, match="scale the features, lower C, or use a positive semi-definite kernel"
        ):
            model.forget(range(10))


class TestKernelFunctions:
    @pytest.mark.parametrize("act", ["partial_fit", "forget", "relabel", "leave_one_out"])
    @pytest.mark.parametrize("problem", [ValueError("no"), None])
    def test_failures_half_way_change_nothing(self, few, act, problem):
        X, y, names = few
        calls, fails = 0, False

        def kernel(A, B):
            nonlocal calls
            calls += 1
            if fails and calls > 3:
                if problem is None:
                    return np.full((len(A), len(B)), np.nan)
                raise problem
            return rbf_kernel(A, B, gamma=GAMMA)

        model = make(kernel=kernel, cache_size=0.001).fit(X[:30], y[:30], ids=names[:30])
        before, classes = model.decision_function(X), model.classes_
        acts = {
            "partial_fit": lambda: model.partial_fit(X[30:], [*y[30:-1], "yew"], ids=names[30:]),
            "forget": lambda: model.forget(names[:20]),
            "relabel": lambda: model.relabel(names[:10], [*np.roll(y, 1)[:9], "yew"]),
            "leave_one_out": model.leave_one_out,
        }
        calls, fails = 0, True
        try:
            acts[act]()
        except (ValueError, KernelError):
            fails = False
            np.testing.assert_array_equal(model.decision_function(X), before)
            assert model.ids_ == names[:30]
            np.testing.assert_array_equal(model.classes_, classes)
        else:
            assert act != "partial_fit"  # kernel values that are kept need no function
