"""The progressive score: counts since the beginning, and of the last 1000 examples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hinge import ApproximateSVC, IncrementalOneClassSVM, IncrementalSVC, KernelPerceptron, OnlineSVC
from hinge.streaming import ProgressiveScore, progressive_score


def stream(n=2500):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 3))
    return X, ((X[:, 0] > 0) ^ (random.random(n) < np.linspace(0.5, 0, n))).astype(int)


@pytest.mark.parametrize("sizes", [[1] * 1200 + [3800], [5000], [999, 1, 1000, 3000], [700, 17, 2900, 1383]])
@pytest.mark.parametrize("rate", [0.0, 0.1, 1.0])
def test_it_is_that_of_the_last_examples(sizes, rate):
    wrong = np.random.default_rng(1).random(5000) < rate
    score, start = ProgressiveScore(), 0
    for size in sizes:
        score.add(size, np.flatnonzero(wrong[start : start + size]))
        start += size
        if size == 1 and start % 50:
            continue
        last = wrong[max(0, start - 1000) : start]
        assert score.recent_error == pytest.approx(last.mean())
        assert (score.n_recent, score.n_mistakes) == (len(last), wrong[:start].sum())
        assert len(score.recent_mistakes) <= 1000


@pytest.mark.parametrize(
    "make",
    [
        lambda: OnlineSVC(gamma=0.3),
        lambda: KernelPerceptron(gamma=0.3),
        lambda: IncrementalSVC(gamma=0.3, max_examples=50, eviction="age"),
        lambda: ApproximateSVC(gamma=0.3, n_components=16, random_state=0),
    ],
)
def test_the_size_of_calls_does_not_matter(make):
    X, y = stream()
    once = make().partial_fit(X, y, classes=[0, 1]).progressive_score_
    parts, before = make(), []
    for start in range(0, 2500, 170):
        parts.partial_fit(X[start : start + 170], y[start : start + 170], classes=[0, 1])
        before.append(progressive_score(parts))
    assert parts.progressive_score_ == once == before[-1]
    assert once.recent_error < once.error - 0.05
    assert before[0].n_examples == 170  # a copy does not change any more


def test_one_row_at_a_time_is_predict_and_compare():
    X, y = stream(1100)
    model = OnlineSVC(gamma=0.3).partial_fit(X[:10], y[:10])
    wrong = []
    for row in range(10, 1100):
        wrong.append(model.predict(X[row : row + 1])[0] != y[row])
        model.partial_fit(X[row : row + 1], y[row : row + 1])
    assert model.progressive_score_.recent_error == np.mean(wrong[-1000:])


def test_one_class():
    X, _ = stream(1200)
    score = IncrementalOneClassSVM(nu=0.1, gamma=0.3, max_examples=30).partial_fit(X).progressive_score_
    assert 0 < score.recent_error < 1


def test_nothing_yet():
    assert np.isnan(ProgressiveScore().recent_error)
    assert replace(ProgressiveScore()) == ProgressiveScore()
