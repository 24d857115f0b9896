"""Threads, forks and Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time
from copy import deepcopy

import numpy as np
import pytest

from hinge.stream import AdaptiveSVC

SMALL = {"windows": (20, 60), "max_informative": 60}
rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 4))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


def test_predictions_while_learning_are_those_before_or_after():
    model = AdaptiveSVC(**SMALL).partial_fit(X[:200], Y[:200])
    answers, done = [], threading.Event()

    def ask():
        while not done.is_set():
            answers.append(model.decision_function(X[:20]))

    before = model.decision_function(X[:20])
    thread = threading.Thread(target=ask)
    thread.start()
    try:
        for start in range(200, 1400, 400):
            model.partial_fit(X[start : start + 400], Y[start : start + 400])
    finally:
        done.set()
        thread.join()
    stages, single = [before], AdaptiveSVC(**SMALL).partial_fit(X[:200], Y[:200])
    for start in range(200, 1400, 400):
        single.partial_fit(X[start : start + 400], Y[start : start + 400])
        stages.append(single.decision_function(X[:20]))
    assert answers
    for answer in answers:
        assert any(np.array_equal(answer, stage) for stage in stages)
    np.testing.assert_array_equal(model.decision_function(X[:20]), stages[-1])


def test_two_threads_learn_one_after_the_other():
    model = AdaptiveSVC(**SMALL).partial_fit(X[:10], Y[:10])
    parts = [slice(10, 210), slice(210, 410)]
    threads = [threading.Thread(target=lambda part=part: model.partial_fit(X[part], Y[part])) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    orders = []
    for order in (parts, parts[::-1]):
        single = AdaptiveSVC(**SMALL).partial_fit(X[:10], Y[:10])
        for part in order:
            single.partial_fit(X[part], Y[part])
        orders.append(single.decision_function(X[:50]))
    assert any(np.array_equal(model.decision_function(X[:50]), expected) for expected in orders)


def _learn_for_ever(model):
    while True:
        first = model.n_seen_ % 4000 if hasattr(model, "_state") else 0
        model.partial_fit(X[first:], Y[first:])


@pytest.mark.parametrize("is_new", [True, False])
def test_ctrl_c_loses_no_row(is_new):
    model = AdaptiveSVC()
    if not is_new:
        model.partial_fit(X[:100], Y[:100])
    timer = threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        _learn_for_ever(model)
    timer.join()
    seen = model.n_seen_
    rows = np.arange(seen) % 4000
    same = AdaptiveSVC().partial_fit(X[rows], Y[rows])
    np.testing.assert_array_equal(model.decision_function(X[:50]), same.decision_function(X[:50]))
    assert model.drifts_ == same.drifts_
    assert model.progressive_score_ == same.progressive_score_
    assert model.partial_fit(X[:5], Y[:5]).n_seen_ == seen + 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_predicts_and_learns():
    model = AdaptiveSVC(**SMALL).partial_fit(X[:100], Y[:100])
    expected = deepcopy(model).partial_fit(X[100:150], Y[100:150]).decision_function(X[:20])
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            answer = model.partial_fit(X[100:150], Y[100:150]).decision_function(X[:20])
            os.write(writer, answer.tobytes())
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(np.frombuffer(os.read(reader, 10_000)), expected)
    os.close(reader)
    os.close(writer)
    np.testing.assert_array_equal(model.partial_fit(X[100:150], Y[100:150]).decision_function(X[:20]), expected)


def test_a_slow_detector_does_not_block_predictions():
    class Slow:
        drift_detected = False

        def update(self, value):
            time.sleep(0.002)

    model = AdaptiveSVC(**SMALL, detector=Slow()).partial_fit(X[:20], Y[:20])
    thread = threading.Thread(target=model.partial_fit, args=(X[:400], Y[:400]))
    thread.start()
    while model.n_seen_ == 20:  # the call has begun
        time.sleep(0.001)
    model.predict(X[:5])
    assert thread.is_alive()  # the answer came from the snapshot
    thread.join()
