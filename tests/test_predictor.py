"""Predictors: what a model knew at one moment stays so, whatever the model does afterwards."""

from __future__ import annotations

import copy
import gc
import threading
import weakref
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel

from hinge import (
    ApproximateSVC,
    ApproximateSVR,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    _core,
)
from hinge._model.validation import Storage

random = np.random.default_rng(0)
X = random.normal(size=(160, 5))
X[random.random(X.shape) < 0.3] = 0.0
Y = (X[:, 0] + 0.5 * random.normal(size=160) > 0).astype(int)
Y[100:] += X[100:, 1] > 0.8  # a class that comes late
GRAM = rbf_kernel(X, gamma=0.3)


def online(model, rows=X):
    """Learn in parts of different sizes, and finish in between."""
    parts = [0, 1, 30, 31, 60, 100, 101, 160]
    learned = [lambda a=a, b=b: model.partial_fit(rows[a:b], Y[a:b]) for a, b in pairwise(parts)]
    return [*learned[:5], model.finish, *learned[5:], model.finish]


def exact(model, rows=X):
    learned = [lambda a=a: model.partial_fit(rows[a : a + 20], Y[a : a + 20]) for a in range(0, 160, 20)]
    return [
        *learned[:4],
        lambda: model.forget(range(10, 40)),
        lambda: model.relabel([0, 1, 2], [1, 0, 1]),
        *learned[4:],
        lambda: model.forget(range(100, 159)),
    ]


def one_class(model, rows=X):
    learned = [lambda a=a: model.partial_fit(rows[a : a + 20]) for a in range(0, 160, 20)]
    return [*learned[:4], lambda: model.forget(range(10, 40)), *learned[4:]]


def labelled(model, rows=X):
    return [lambda a=a: model.partial_fit(rows[a : a + 20], Y[a : a + 20]) for a in range(0, 160, 20)]


CASES = {
    "dense64": (lambda: OnlineSVC(gamma=0.3), online, X),
    "dense32": (lambda: OnlineSVC(gamma=0.3), online, X.astype(np.float32)),
    "shifted": (lambda: OnlineSVC(gamma=0.3), online, X.astype(np.float32) + 100),
    "sparse64": (lambda: OnlineSVC(gamma=0.3), online, csr_matrix(X)),
    "sparse32": (lambda: OnlineSVC(gamma=0.3), online, csr_matrix(X.astype(np.float32))),
    "small": (lambda: OnlineSVC(gamma=0.3, max_support=12), online, csr_matrix(X)),
    "precomputed": (lambda: OnlineSVC(kernel="precomputed"), online, GRAM),
    "callable": (lambda: OnlineSVC(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.3)), online, X),
    "perceptron": (lambda: KernelPerceptron(gamma=0.3, max_support=10), labelled, X),
    "exact": (lambda: IncrementalSVC(gamma=0.3), exact, X),
    "exact sparse": (lambda: IncrementalSVC(gamma=0.3), exact, csr_matrix(X)),
    "exact precomputed": (lambda: IncrementalSVC(kernel="precomputed"), exact, GRAM),
    "window": (lambda: IncrementalSVC(gamma=0.3, max_examples=25), labelled, X),
    "one class": (lambda: IncrementalOneClassSVM(gamma=0.3, nu=0.3), one_class, X),
    "nystroem": (lambda: ApproximateSVC(gamma=0.3, n_components=12, random_state=0), labelled, X),
    "nystroem sparse": (lambda: ApproximateSVC(gamma=0.3, n_components=12, random_state=0), labelled, csr_matrix(X)),
    "fourier": (lambda: ApproximateSVC(gamma=0.3, approximation="fourier", random_state=0), labelled, X),
    "regression": (lambda: ApproximateSVR(gamma=0.3, n_components=12, random_state=0), labelled, X),
}
SOME_CASES = ["dense32", "sparse64", "callable", "exact", "nystroem sparse"]


def answers(predictor, storage, rows):
    """Return the answers to all rows at once, to a few and to one."""
    asked = [rows, rows[:3], rows[5:6]]
    return [
        predictor.decide(batch, threads) for part in asked for _, batch in storage.batches(part) for threads in (1, 2)
    ]


def same(found, expected):
    return all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("case", CASES)
def test_a_predictor_answers_as_when_it_was_made(case):
    make, plan, rows = CASES[case]
    model = make()
    promises = []
    for number, change in enumerate(plan(model, rows)):
        change()
        predictor, twin = model._state.native.predictor(), copy.deepcopy(model)._state
        expected = answers(twin.native.predictor(), twin.storage, rows)
        if number % 2:  # the others are asked for the first time at the end
            assert same(answers(predictor, twin.storage, rows), expected)
        promises.append((predictor, twin.storage, expected))
        model._state.native.check_invariants()
    assert not same(promises[2][2][:1], promises[-1][2][:1])
    for predictor, storage, expected in promises:
        assert same(answers(predictor, storage, rows), expected)


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] * (case not in SOME_CASES)) for case in CASES]
)
def test_a_predictor_outlives_its_model(case):
    make, plan, rows = CASES[case]
    model = make()
    for change in plan(model, rows)[:3]:
        change()
    predictor, storage = model._state.native.predictor(), model._state.storage
    expected = answers(model._state.native.predictor(), storage, rows)
    del model, change
    gc.collect()
    assert same(answers(predictor, storage, rows), expected)


@pytest.mark.parametrize("case", SOME_CASES)
def test_threads_ask_one_predictor_while_the_model_learns(case):
    make, plan, rows = CASES[case]
    model = make()
    first, *others = plan(model, rows)
    first()
    predictor, storage = model._state.native.predictor(), model._state.storage
    found, done = [[], []], threading.Event()

    def ask(own):
        while not done.is_set() or not own:
            own.append(answers(predictor, storage, rows))

    askers = [threading.Thread(target=ask, args=(own,)) for own in found]
    for asker in askers:
        asker.start()
    for change in others:
        change()
    done.set()
    for asker in askers:
        asker.join()
    expected = answers(predictor, storage, rows)
    assert all(same(one, expected) for own in found for one in own)


def native_model(function, n=60):
    """Return a native model with a kernel function of the user, and the arguments of `learn` for the first rows."""
    kernel = _core.Kernel("callable", function=function)
    options = OnlineSVC()._check_params(streaming=True)
    batch = (_core.Batch64.dense(X[:n]), Y[:n].astype(np.int32), np.ones(n), 0, np.arange(n))
    return _core.KernelModel64(kernel, options, X.shape[1], False, 2), batch


def test_a_model_in_use_is_busy_but_its_predictor_answers():
    inside, leave, batch = threading.Event(), threading.Event(), _core.Batch64.dense(X[60:])

    def function(A, B):
        if threading.current_thread() is learner:
            inside.set()
            assert leave.wait(60)
        return A @ B.T

    learner = None
    native, arguments = native_model(function)
    native.learn(*arguments)
    predictor = native.predictor()
    expected = predictor.decide(batch)
    learner = threading.Thread(target=native.learn, args=arguments)
    learner.start()
    assert inside.wait(60)
    try:
        np.testing.assert_array_equal(predictor.decide(batch), expected)
        for use in (lambda: native.n_retained, native.state, native.predictor, lambda: native.learn(*arguments)):
            with pytest.raises(RuntimeError, match="busy"):
                use()
    finally:
        leave.set()
        learner.join()
    assert not native.broken
    assert native.n_retained > 0


def test_a_kernel_function_cannot_use_its_own_model():
    def function(A, B):
        return native.n_retained * (A @ B.T)

    native, arguments = native_model(function)
    with pytest.raises(RuntimeError, match="busy"):
        native.learn(*arguments)
    assert native.broken
    with pytest.raises(RuntimeError, match="after an error"):
        native.predictor()


def test_a_broken_model_leaves_its_predictors_whole():
    fails, batch = False, _core.Batch64.dense(X[60:])

    def function(A, B):
        if fails:
            raise ZeroDivisionError
        return A @ B.T

    native, arguments = native_model(function)
    native.learn(*arguments)
    predictor = native.predictor()
    expected = predictor.decide(batch)
    fails = True
    with pytest.raises(ZeroDivisionError):
        predictor.decide(batch)
    assert not native.broken
    with pytest.raises(ZeroDivisionError):
        native.learn(*arguments)
    fails = False
    assert native.broken
    np.testing.assert_array_equal(predictor.decide(batch), expected)


def test_a_kernel_function_that_holds_its_predictor_is_collected():
    class Function:
        def __call__(self, A, B):
            return A @ B.T

    function = Function()
    native, arguments = native_model(function)
    native.learn(*arguments)
    function.predictor = native.predictor()
    watched = weakref.ref(function)
    del function, native, arguments
    gc.collect()
    assert watched() is None


@pytest.mark.parametrize("case", ["dense64", "exact sparse", "fourier"])
def test_rows_that_do_not_fit(case):
    make, plan, rows = CASES[case]
    model = make()
    plan(model, rows)[0]()
    predictor = model._state.native.predictor()
    storage = Storage.of(csr_matrix(X) if case != "exact sparse" else X)
    ((_, other),) = storage.batches(csr_matrix(X) if storage.sparse else X)
    for batch in (_core.Batch64.dense(X[:, :4]), other):
        with pytest.raises(ValueError, match="features or the storage"):
            predictor.decide(batch)
