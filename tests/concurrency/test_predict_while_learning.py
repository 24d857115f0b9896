"""Predictions while another thread learns: every one is that of some moment between two calls."""

from __future__ import annotations

import copy
import pickle
import threading
from contextlib import nullcontext

import numpy as np
import pytest

import hinge
from hinge import ApproximateSVC, IncrementalSVC, OnlineSVC

from .common import MODELS, ROWS, VALUES, Gate, X, Y, together, values_of


def by_file(model, folder):
    path = folder / f"{threading.get_ident()}.hinge"
    hinge.save(model, path)
    return values_of(hinge.load(path))


WAYS = {
    "asked": lambda model, _: values_of(model),
    "pickled": lambda model, _: values_of(pickle.loads(pickle.dumps(model))),
    "copied": lambda model, _: values_of(copy.deepcopy(model)),
    "aliased": lambda model, _: values_of(copy.copy(model)),
    "saved": by_file,
}


def is_one_of(answer, moments):
    """Tell whether an answer is that of some moment; looking at a model may cost its last digits."""
    return any(answer.shape == moment.shape and np.allclose(answer, moment, rtol=1e-7, atol=1e-9) for moment in moments)


def moments_of(name):
    """Return what a model says after each call, when nobody disturbs it."""
    make, plan = MODELS[name]
    model = make()
    moments = []
    for call in plan(model):
        call()
        moments.append(values_of(model))
    return moments


def ask_while_learning(name, way, tmp_path, rounds=1, n_threads=2):
    """Return all answers that threads have got while a model learned, and what it said in the end."""
    make, plan = MODELS[name]
    answers, ends = [], []
    for _ in range(rounds):
        model, ended = make(), threading.Event()
        first, *calls = plan(model)
        first()

        def learn(calls=calls, ended=ended):
            try:
                for call in calls:
                    call()
            finally:
                ended.set()

        def ask(model=model, ended=ended):
            last = False
            while not last:
                last = ended.is_set()
                answers.append(WAYS[way](model, tmp_path))

        together(learn, *[ask] * n_threads)
        ends.append(values_of(model))
    return answers, ends


@pytest.mark.parametrize("name", MODELS)
def test_answers_are_those_of_some_moment(name, tmp_path):
    moments = moments_of(name)
    answers, ends = ask_while_learning(name, "asked", tmp_path)
    assert len(answers) > 2
    assert all(is_one_of(answer, moments) for answer in answers)
    assert is_one_of(ends[0], moments[-1:])


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_copies_are_those_of_some_moment(name, way, tmp_path):
    if way == "saved" and name in ("function", "continued"):
        pytest.skip("functions, and what is around a model of ours, cannot be saved")
    moments = moments_of(name)
    answers, ends = ask_while_learning(name, way, tmp_path, rounds=3, n_threads=3)
    assert len(answers) >= 3 * 3
    assert all(is_one_of(answer, moments) for answer in answers)
    assert all(is_one_of(end, moments[-1:]) for end in ends)


# Attributes that are worked out from several parts of what a model knows.
def consistent_classifier(model):
    assert (model.n_support_ >= 0).all()
    assert set(model.predict(ROWS)) <= {"high", "low", "odd"}
    assert 0 <= model.score(X, Y) <= 1
    assert np.isfinite(model.intercept_).all()
    assert model.dual_coef_.shape[0] in (1, 3)


def consistent_surface(model):
    assert np.isfinite(model.score_samples(ROWS)).all()
    assert np.isfinite(model.offset_)
    names = model.ids_
    assert len(set(names)) == len(names)
    assert model.kkt_violation() < 1e-6


def consistent_regression(model):
    assert model.score(X, VALUES) <= 1
    assert model.component_coef_.shape[0] == 1


LOOKS = {
    "online": consistent_classifier,
    "robust": consistent_classifier,
    "tracking": consistent_classifier,
    "perceptron": consistent_classifier,
    "exact": consistent_classifier,
    "nystroem": consistent_classifier,
    "prepared": consistent_classifier,
    "plane": consistent_surface,
    "sphere": consistent_surface,
    "regression": consistent_regression,
}


@pytest.mark.parametrize("name", LOOKS)
def test_attributes_while_learning(name):
    make, plan = MODELS[name]
    model, ended = make(), threading.Event()
    first, *calls = plan(model)
    first()

    def learn():
        try:
            for call in calls:
                call()
        finally:
            ended.set()

    def look():
        while not ended.is_set():
            LOOKS[name](model)

    together(learn, look, look)
    LOOKS[name](model)


@pytest.mark.parametrize("kind", [OnlineSVC, IncrementalSVC, ApproximateSVC])
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_predictions_do_not_wait(kind, verb):
    """While a thread is inside `fit` or `partial_fit`, others get the predictions of the last complete state."""
    gate = Gate()
    model = kind(kernel=gate).fit(X, Y)
    before, after = model.predict(ROWS), kind(kernel="linear").fit(X, Y)
    with gate.holding(lambda: getattr(model, verb)(X + 0.5, Y)):
        np.testing.assert_array_equal(model.predict(ROWS), before)
        assert model.score(ROWS, before) == 1.0
    getattr(after, verb)(X + 0.5, Y)
    np.testing.assert_array_equal(model.predict(ROWS), after.predict(ROWS))


@pytest.mark.usefixtures("asking_at_once")
def test_predictions_do_not_wait_for_kernels_of_ours():
    """A monitor holds up the native code in the middle of `partial_fit`."""
    model = OnlineSVC(gamma=0.5, random_state=0).partial_fit(X, Y)
    before, inside, go_on = values_of(model), threading.Event(), threading.Event()

    def hold_up(_progress):
        inside.set()
        return go_on.wait(60)

    state = model._state
    wide = np.tile(X, (40, 1)) + np.random.default_rng(0).normal(size=(4800, 3))

    def learn():
        state.monitored = lambda _: nullcontext(hold_up)
        model.partial_fit(wide, np.tile(Y, 40))

    learner = threading.Thread(target=learn)
    learner.start()
    assert inside.wait(60)
    during = values_of(model)
    go_on.set()
    learner.join()
    np.testing.assert_array_equal(during, before)
    assert not np.array_equal(values_of(model), before)


def test_a_loaded_model_is_built_once():
    """Threads that ask a copy at the same time get the answers of the original."""
    model = OnlineSVC(gamma=0.5, random_state=0).fit(X, Y)
    expected, packed = values_of(model), pickle.dumps(model)
    for _ in range(20):
        copied, answers = pickle.loads(packed), []
        together(*[lambda copied=copied, answers=answers: answers.append(values_of(copied))] * 4)
        assert all(np.array_equal(answer, expected) for answer in answers)
        assert np.array_equal(values_of(copied), expected)
