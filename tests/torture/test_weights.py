"""Weights, values of C and classes of any size."""

from __future__ import annotations

import numpy as np
import pytest

from hinge import ApproximateSVC, DataError, IncrementalSVC, KernelPerceptron, OnlineSVC, RobustOnlineSVC, TrackingSVC

from .common import MAKERS, learn_or_refuse, make, overlapping, try_grid

X, Y = overlapping()


def weighted(*weights):
    return lambda: (X, Y, np.resize(weights, 24).astype(float))


WEIGHTS = {
    "tiny": weighted(1e-300),
    "subnormal": weighted(5e-324, 1.0),
    "huge": weighted(1e300),
    "zeros": weighted(0.0, 1.0),
    "of both sizes": weighted(1e-6, 1e6),
    "far apart": weighted(1e-150, 1e150),
    "of all sizes": weighted(1e-300, 1.0, 1e300),
}


@pytest.mark.parametrize("name", MAKERS)
def test_weights(name):
    try_grid(name, WEIGHTS, every=40)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_more_weights(name):
    try_grid(name, WEIGHTS, every=4)


@pytest.mark.parametrize("name", ["online", "hinge", "tracking", "perceptron", "incremental", "plane"])
def test_huge_weights_are_refused_without_change(name):
    model = make(name, kernel="linear")
    assert learn_or_refuse(model, "partial_fit", X, Y) is None
    before = model.decision_function(X)
    refusal = learn_or_refuse(model, "partial_fit", X, Y, np.full(24, 1e300))
    assert refusal.startswith("C times the weights of all rows must be at most")
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.n_seen_ == 24


def test_overflowing_weights_are_refused():
    with pytest.raises(DataError, match="got inf; scale the features or the weights, or lower C"):
        OnlineSVC(C=1e300).fit(X, Y, sample_weight=np.full(24, 1e300))


RARE = {
    "online": OnlineSVC,
    "robust": RobustOnlineSVC,
    "tracking": lambda: TrackingSVC(keep="support", average=False),
    "perceptron": KernelPerceptron,
    "nystroem": lambda: ApproximateSVC(n_components=20, epochs=1),
    "window": lambda: IncrementalSVC(max_examples=50),
}


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize("name", RARE)
def test_one_positive_in_a_hundred_thousand(name, verb):
    random = np.random.default_rng(0)
    rows = random.normal(size=(100_001, 2)).astype(np.float32)
    labels = np.zeros(len(rows), dtype=int)
    labels[50_000], rows[50_000] = 1, 4.0
    n = 5_001 if name == "window" else len(rows)
    start = 50_000 - n // 2 if name == "window" else 0
    part = slice(start, start + n)
    model = RARE[name]().set_params(gamma=0.5, random_state=0)
    if "C" in model.get_params():
        model.set_params(C=10.0, class_weight={1: 1000.0})
    assert learn_or_refuse(model, verb, rows[part], labels[part]) is None
    assert model.classes_.tolist() == [0, 1]
    if name in ("online", "robust"):
        assert model.predict(rows[50_000:50_001]).tolist() == [1]


@pytest.mark.parametrize("weight", [1e160, 1e300])
def test_relabelling_to_a_huge_class_weight_is_refused_without_change(weight):
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = IncrementalSVC(C=1e10, class_weight={"c": weight}).fit(X, np.repeat(["a", "b"], 10))
    before = model.decision_function(X)
    with pytest.raises(DataError, match="C times the weights of all rows must be at most"):
        model.relabel([0, 1], ["c", "c"])
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.classes_.tolist() == ["a", "b"]
