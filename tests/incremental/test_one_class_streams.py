"""`IncrementalOneClassSVM` over long sequences of learning and forgetting."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import OneClassSVM

from hinge import IncrementalOneClassSVM, datasets


def refit(X, **parameters):
    return OneClassSVM(tol=1e-10, **parameters).fit(X)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("limits", [{"nu": 0.1}, {"nu": 0.5}, {"C": 0.05}])
@pytest.mark.parametrize("shape", ["plane", "sphere"])
def test_the_progressive_score_counts_examples_that_are_outliers_before_they_are_learned(shape, limits, kernel):
    X = np.random.default_rng(0).normal(size=(80, 3)) + (2.0 if kernel == "linear" else 0.0)
    single, whole = (IncrementalOneClassSVM(shape=shape, kernel=kernel, gamma=0.3, **limits) for _ in range(2))
    single.partial_fit(X[:1])
    flagged = 0
    for row in X[1:]:
        flagged += int(single.predict([row])[0] == -1)
        single.partial_fit([row])
    scores = [model.progressive_score_ for model in (single, whole.partial_fit(X))]
    assert [(score.n_examples, score.n_mistakes) for score in scores] == [(80, flagged)] * 2
    assert flagged > 0


def test_window_by_age():
    X = np.random.default_rng(0).normal(size=(200, 3)) + np.linspace(0, 5, 200)[:, None]
    model = IncrementalOneClassSVM(nu=0.15, gamma=0.1, max_examples=40)
    for start in range(0, 200, 7):
        model.partial_fit(X[start : start + 7])
        seen = model.n_seen_
        assert list(model.ids_) == list(range(max(0, seen - 40), seen))
    reference = refit(X[160:], nu=0.15, gamma=0.1)
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-5)
    assert (model.predict(X[:20]) == -1).all()  # the stream has moved on


def test_window_in_one_call():
    X = np.random.default_rng(1).normal(size=(90, 3))
    whole = IncrementalOneClassSVM(nu=0.2, gamma=0.1, max_examples=25).fit(X)
    single = IncrementalOneClassSVM(nu=0.2, gamma=0.1, max_examples=25)
    for row in X:
        single.partial_fit(row[None])
    assert list(whole.ids_) == list(single.ids_) == list(range(65, 90))
    np.testing.assert_allclose(whole.decision_function(X), single.decision_function(X), atol=1e-9)


def test_window_by_relevance():
    X = np.random.default_rng(2).normal(size=(150, 2))
    window = IncrementalOneClassSVM(nu=0.05, gamma=0.3, max_examples=60, eviction="relevance").fit(X)
    assert len(window.ids_) == 60
    held = np.asarray(window.ids_)
    assert held.min() < 90  # old examples stay when they matter
    reference = refit(X[held], nu=0.05, gamma=0.3)
    np.testing.assert_allclose(window.decision_function(X), reference.decision_function(X), atol=1e-5)


def test_shrinking_the_window():
    X = np.random.default_rng(3).normal(size=(60, 2))
    model = IncrementalOneClassSVM(nu=0.2, gamma=0.3).fit(X[:50])
    model.set_params(max_examples=20).partial_fit(X[50:])
    assert list(model.ids_) == list(range(40, 60))
    reference = refit(X[40:], nu=0.2, gamma=0.3)
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-5)


def test_forgotten_ids_can_be_used_again():
    X = np.random.default_rng(4).normal(size=(30, 2))
    names = [f"person {row}" for row in range(30)]
    model = IncrementalOneClassSVM(nu=0.2, gamma=0.3).fit(X, ids=names)
    before = model.decision_function(X)
    model.forget(names[5:9])
    with pytest.raises(ValueError, match="person 5"):
        model.forget(["person 5"])
    with pytest.raises(ValueError, match="person 4"):
        model.partial_fit(X[:1], ids=["person 4"])
    model.partial_fit(X[5:9], ids=names[5:9])
    np.testing.assert_allclose(model.decision_function(X), before, atol=1e-9)
    assert model.ids_[-4:] == names[5:9]


@st.composite
def histories(draw):
    """Draw rows to learn and rows to forget; values are small integers, so that many rows are equal."""
    value = st.integers(-2, 2)
    row = st.tuples(value, value, st.sampled_from([1.0, 1.0, 1.0, 0.5, 2.0]))
    return draw(st.lists(st.one_of(st.lists(row, min_size=1, max_size=6), st.integers(0, 10**6)), max_size=25))


@settings(max_examples=20, deadline=None)
@given(
    history=histories(),
    nu=st.sampled_from([0.05, 0.3, 0.5, 0.99, 1.0]),
    shape=st.sampled_from(["plane", "sphere"]),
    kernel=st.sampled_from(["rbf", "linear", "poly"]),
)
def test_any_history_equals_learning_what_is_left(history, nu, shape, kernel):
    run_history(history, {"nu": nu, "shape": shape, "kernel": kernel, "gamma": 0.5, "degree": 2, "coef0": 1.0})


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(
    history=histories(),
    rule=st.one_of(
        st.builds(lambda nu: {"nu": nu}, st.floats(0.01, 1.0)),
        st.builds(lambda C: {"C": C}, st.sampled_from([1e-3, 0.1, 0.2, 1.0, 1e3])),
    ),
    shape=st.sampled_from(["plane", "sphere"]),
    kernel=st.sampled_from(["rbf", "linear", "poly", "laplacian"]),
    window=st.sampled_from([None, 2, 3, 10]),
)
def test_any_history_with_any_parameters(history, rule, shape, kernel, window):
    parameters = {"shape": shape, "kernel": kernel, "gamma": 0.2, "degree": 2, "coef0": 1.0, "max_examples": window}
    run_history(history, parameters | rule)


def run_history(history, parameters):
    """Learn and forget rows; check that the model equals one that learned only those left."""
    model, rows, count = IncrementalOneClassSVM(**parameters), {}, 0
    queries = np.array([[x, y] for x in range(-3, 4) for y in range(-3, 4)], dtype=float)
    for event in history:
        if isinstance(event, list):
            values = np.array(event)
            model.partial_fit(values[:, :2], sample_weight=values[:, 2])
            rows |= {count + place: row for place, row in enumerate(values)}
            count += len(values)
        elif rows:
            model.forget([sorted(rows)[event % len(rows)]])
        rows = {place: rows[place] for place in model.ids_} if count else {}
        if not rows:
            continue
        size = max(1.0, model.dual_coef_.sum()) * 100  # no kernel value is larger
        assert model.kkt_violation() <= 1e-9 * size
        survivors = np.array(list(rows.values()))
        fresh = IncrementalOneClassSVM(**parameters).fit(survivors[:, :2], sample_weight=survivors[:, 2])
        assert model.dual_objective() == pytest.approx(fresh.dual_objective(), rel=1e-8, abs=1e-9 * size)
        difference = model.decision_function(queries) - fresh.decision_function(queries)
        assert np.abs(difference).max() <= 1e-8 * size


@pytest.mark.slow
def test_thousands_of_learn_and_forget_cycles():
    random = np.random.default_rng(5)
    X = random.normal(size=(200, 3))
    model = IncrementalOneClassSVM(nu=0.2, gamma=0.3).fit(X)
    held = list(range(200))
    for cycle in range(4000):
        model.forget([held.pop(random.integers(len(held)))]).partial_fit(X[[cycle % 200]])
        held.append(200 + cycle)
    rows = [place if place < 200 else (place - 200) % 200 for place in held]
    assert model.kkt_violation() < 1e-8
    reference = refit(X[rows], nu=0.2, gamma=0.3)
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-5)


@pytest.mark.slow
def test_window_over_network_traffic(data_folder):
    data = datasets.load("kddcup99")
    normal = data.X_train[data.y_train == "normal."][:4000].astype(np.float64)
    attacks = data.X_test[data.y_test != "normal."][::400].astype(np.float64)
    model = IncrementalOneClassSVM(nu=0.05, gamma=0.1, max_examples=1000)
    for start in range(0, 4000, 500):
        model.partial_fit(normal[start : start + 500])
        if start in {500, 1500, 3500}:
            reference = refit(normal[max(0, start - 500) : start + 500], nu=0.05, gamma=0.1)
            for X in (normal[::10], attacks):
                np.testing.assert_allclose(model.score_samples(X), reference.score_samples(X), atol=1e-5)
            assert model.offset_ == pytest.approx(reference.offset_[0], abs=1e-5)
            assert model.kkt_violation() < 1e-6


SCRIPT = """
import os, signal, threading
import numpy as np
from hinge import IncrementalOneClassSVM

X = np.random.default_rng(0).normal(size=(100_000, 20)) + 2.0
model = IncrementalOneClassSVM(nu=0.5, gamma=0.05, kernel={kernel})
if "{verb}" == "partial_fit":
    model.partial_fit(X[:20])
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    model.{verb}(X)
except KeyboardInterrupt:
    print("interrupted")
held = list(model.ids_)
assert 20 < len(held) < 100_000 and held == list(range(len(held))), len(held)
model.forget(held[30:])
first = X[:30] if "{verb}" == "fit" else np.concatenate([X[:20], X[:10]])
fresh = IncrementalOneClassSVM(nu=0.5, gamma=0.05, kernel={kernel}).fit(first)
np.testing.assert_allclose(model.decision_function(X[:99]), fresh.decision_function(X[:99]), atol=1e-9)
seen = model.n_seen_
model.partial_fit(X[:5])
assert model.n_seen_ == seen + 5 and list(model.ids_)[-5:] == list(range(seen, seen + 5))
print("resumed")
"""


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize("kernel", ["'rbf'", "lambda A, B: A @ B.T"])
def test_interrupted(verb, kernel):
    script = SCRIPT.format(verb=verb, kernel=kernel)
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.split() == ["interrupted", "resumed"]
