"""How a stream is cut into calls does not matter, also before all classes have appeared."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest

from hinge import ApproximateSVC, IncrementalSVC, KernelPerceptron, OnlineSVC, RobustOnlineSVC, TrackingSVC
from hinge.stream import AdaptiveSVC

N = 150
RANDOM = np.random.default_rng(0)
X, QUERIES = RANDOM.normal(size=(N, 2)), RANDOM.normal(size=(200, 2))
Y = 2 - np.digitize(np.hypot(*X.T), [0.8, 1.5])  # begins with 2 2 2 0 1
WEIGHTS = np.where(np.isin(np.arange(N), [1, 3, 7]), 0.0, 1.0)  # row 3 brings a class, but has no weight
CUTS = {"4 and 60": [4, 60], "all": list(range(1, N))}
MORE_CUTS = {"1": [1], "2": [2], "4": [4]}

MODELS = {
    "online": lambda: OnlineSVC(C=10, gamma=1.0),
    "plain": lambda: OnlineSVC(C=10, gamma=1.0, max_gap=None),
    "scale": lambda: OnlineSVC(C=10),
    "bounded": lambda: OnlineSVC(C=10, gamma=1.0, max_support=40),
    "forgetting": lambda: OnlineSVC(C=10, gamma=1.0, half_life=50),
    "robust": lambda: RobustOnlineSVC(gamma=1.0),
    "tracking": lambda: TrackingSVC(gamma=1.0, random_state=0),
    "perceptron": lambda: KernelPerceptron(gamma=1.0),
    "window": lambda: IncrementalSVC(C=10, gamma=1.0, max_examples=40),
    "nystroem": lambda: ApproximateSVC(gamma=0.5, n_components=10, random_state=0),
    "fourier": lambda: ApproximateSVC(approximation="fourier", n_components=10, random_state=0),
    "adaptive": lambda: AdaptiveSVC(windows=(20, 60), max_informative=60),
}


def learned(model, order, weights, cuts):
    for start, stop in pairwise([0, *cuts, N]):
        rows = order[start:stop]
        model.partial_fit(X[rows], Y[rows], sample_weight=weights[rows])
    return model


@pytest.mark.filterwarnings("ignore::hinge.StreamWarning")
@pytest.mark.parametrize(
    "cuts",
    [
        *(pytest.param(cuts, id=name) for name, cuts in CUTS.items()),
        *(pytest.param(cuts, id=name, marks=pytest.mark.slow) for name, cuts in MORE_CUTS.items()),
    ],
)
@pytest.mark.parametrize("order", [np.arange(N), np.argsort(Y, kind="stable")], ids=["mixed", "sorted"])
@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_calls_of_any_size_give_the_same_model(make, order, cuts):
    for weights in (np.ones(N), WEIGHTS):
        whole, cut = learned(make(), order, weights, []), learned(make(), order, weights, cuts)
        np.testing.assert_allclose(
            cut.decision_function(QUERIES), whole.decision_function(QUERIES), rtol=1e-7, atol=1e-9
        )
        assert cut.progressive_score_ == whole.progressive_score_


def test_names_of_classes_do_not_matter_to_the_vote():
    named = np.array(["c", "b", "a"])[Y]
    model, other = (AdaptiveSVC(windows=(20, 60), max_informative=60).partial_fit(X, labels) for labels in (Y, named))
    np.testing.assert_array_equal(model.decision_function(QUERIES), other.decision_function(QUERIES)[:, ::-1])


def test_announced_classes_count_from_the_call_that_announces_them():
    announced = OnlineSVC(gamma=1.0).partial_fit(X[:1], Y[:1], classes=[0, 1, 2])
    assert announced.classes_.tolist() == [0, 1, 2]
    assert OnlineSVC(gamma=1.0).partial_fit(X[:1], Y[:1]).classes_.tolist() == [2]


@pytest.mark.filterwarnings("ignore::hinge.StreamWarning")
def test_a_sample_of_a_long_beginning_does_not_depend_on_calls():
    X, y = long_beginning(1050, 150)
    whole, cut = OnlineSVC(gamma=0.5), OnlineSVC(gamma=0.5)
    whole.partial_fit(X, y, classes=[0, 1, 2])
    for start, stop in pairwise([0, 7, 1040, 1041, 1130, 1250, len(y)]):
        cut = pickle.loads(pickle.dumps(cut.partial_fit(X[start:stop], y[start:stop], classes=[0, 1, 2])))
    np.testing.assert_allclose(cut.decision_function(X), whole.decision_function(X), rtol=1e-7, atol=1e-9)


@pytest.mark.filterwarnings("ignore::hinge.StreamWarning")
def test_the_rest_of_a_class_is_not_only_the_first_thousand_rows():
    X, y = long_beginning(1000, 600)
    model = OnlineSVC(gamma=0.5).partial_fit(X, y, classes=[0, 1, 2])
    mistaken = model.decision_function(X[1000:1600])[:, 2] > 0
    assert np.mean(mistaken) < 0.5  # 0.86 if the model of the last class knows nothing of the one before


def long_beginning(first, second):
    """Return rows sorted by class; the last class is near the second one only."""
    sizes, centres = [first, second, 200], [[-4.0, 0.0], [0.0, 0.0], [1.5, 0.0]]
    return np.random.default_rng(0).normal(np.repeat(centres, sizes, axis=0)), np.repeat(np.arange(3), sizes)
