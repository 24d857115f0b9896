"""What random histories have found, as small as it can be told."""

from __future__ import annotations

import contextlib
import copy
import pickle

import numpy as np
import pytest

import hinge
from tests.invariants import check

random = np.random.default_rng(0)


def test_a_small_set_gone_through_more_than_once_can_be_saved(tmp_path):
    """The examples that a machine begins with are counted again in the next pass, and were more than there are rows."""
    X = np.array([[2.0, 2.0], [-1.0, -1.0], [2.0, 0.0]])
    model = hinge.OnlineSVC(kernel="linear", random_state=0).fit(X, [0, 2, 0])
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_copies_know_who_is_on_the_margin():
    X = random.normal(size=(20, 2))
    model = hinge.IncrementalSVC().fit(X, X[:, 0] > 0)
    other = copy.deepcopy(model)
    assert other.n_margin_ == model.n_margin_ > 0
    assert other.n_bounded_ == model.n_bounded_


def test_copies_of_a_detector_agree_on_what_is_rounding():
    """A plane through the origin: all decisions are zero but for rounding, of which a copy had another idea."""
    for _ in range(20):
        X = random.normal(size=(7, 2))
        model = hinge.IncrementalOneClassSVM(kernel="linear").fit(X[:1]).partial_fit(X[1:])
        np.testing.assert_array_equal(copy.deepcopy(model).decision_function(X), model.decision_function(X))


def test_extremes_of_gradients_among_huge_kernel_values():
    """A step that should level two gradients left them far apart, and others between."""
    X = [-4.0e-46, 7.2e-64, 2.2753678601561892e3, -5.2595840785100842e97, -2.1810771613883076e101]
    X = np.array([*X, 1.0937261020623135e87, -1.6436993933186236e38, -7.953393548426769e40])[:, None]
    y = np.array(["yew", "yew", "yew", "oak", "ash", "oak", "ash", "yew"])
    weights = np.where(y == "oak", 0.5, 1.0)
    model = hinge.OnlineSVC(kernel="linear", C=0.05).partial_fit(X[:7], y[:7], sample_weight=weights[:7])
    model.partial_fit(X[7:], y[7:], sample_weight=weights[7:])
    arrays = model._state.to_arrays()[0]
    ends = np.cumsum(arrays["member_counts"])[:-1]
    parts = (np.split(arrays[name], ends) for name in ("alpha", "gradient", "member_lows", "member_costs"))
    for found, alpha, gradient, low, cost in zip(model._state.native.extremes, *parts, strict=True):
        assert set(found.tolist()) == {gradient[alpha < low + cost].max(), gradient[alpha > low].min()}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_decisions_about_examples_left_out_are_numbers():
    """They were infinite, where `decision_function` has a word to say."""
    answered = 0
    for seed in range(100, 140):
        rows = 10.0 ** np.random.default_rng(seed).uniform(-150, 150, (8, 1))
        model = hinge.IncrementalOneClassSVM(kernel="linear", shape="sphere", C=2.0).partial_fit(rows)
        with contextlib.suppress(hinge.DataError):
            assert np.isfinite(model.leave_one_out()).all()
            answered += 1
    assert answered


def test_equal_members_of_a_full_perceptron_leave_in_the_order_in_which_they_came():
    """Without its own help, each of two members has the same sum: rounding chose who leaves."""
    X = random.normal(size=(40, 2))
    model = hinge.KernelPerceptron(gamma=0.5, max_support=1, margin=0.9).partial_fit(X[:1], [1], classes=[0, 1])
    for row in range(1, 40):
        is_learned = model.decision_function(X[[row]])[0] <= 0.9
        before = model.support_.tolist()
        assert model.partial_fit(X[[row]], [1]).support_.tolist() == ([row] if is_learned else before)


@pytest.mark.parametrize("classes", [[1], [0, 1]])
def test_both_of_a_pair_arrive_at_the_ends_of_their_boxes(classes):
    """Rounding decided whether the second did, and with it which pair came next: copies went other ways."""
    for seed in (72, 79):
        generator = np.random.default_rng(seed)
        X, y = generator.normal(size=(30, 2)), generator.integers(0, 2, 26)
        model = hinge.OnlineSVC(gamma=0.5).partial_fit(X[:4], [1] * 4, classes=classes)
        other = copy.deepcopy(model)
        for row in range(4, 30):
            for each in (model, other):
                each.partial_fit(X[[row]], y[[row - 4]])
        np.testing.assert_allclose(other.decision_function(X), model.decision_function(X), atol=1e-9)


def test_copies_of_a_machine_of_one_class_know_who_is_first():
    """All gradients are equal then, and who takes part in the first step must be the same."""
    model = hinge.OnlineSVC(max_support=2).partial_fit(np.ones((4, 1)), [1] * 4)
    other = pickle.loads(pickle.dumps(model))
    other.decision_function([[1.0]])
    (others, _), (arrays, _) = other._state.to_arrays(), model._state.to_arrays()
    for name in ("seeds", "bracket_ends", "n_kernel_evals", "n_steps"):
        np.testing.assert_array_equal(others[name], arrays[name])


def test_copies_find_the_same_constant_between_gradients_that_are_nearly_equal():
    """A step levelled the two largest gradients, and overlooked a third in between."""
    X = np.array([[0.75, 0.9375, 0.0], [0.75, 0.9375, 2.0], [1.25, 0.9375, -6.0], [1.25, -0.3125, 0.0]])
    model = hinge.OnlineSVC(kernel="poly", gamma=0.5, coef0=1.0, degree=2, random_state=0).fit(X[:2], [0, 1])
    model.partial_fit(X[2:], [1, 1])
    assert copy.deepcopy(model).intercept_[0] == model.intercept_[0]


def test_an_example_left_out_may_have_bounded_the_constant_without_a_coefficient():
    """Of three equal rows one of the two that agree has none; without it, any constant between -1 and 1 is as good."""
    X = np.full((3, 1), 0.3)
    model = hinge.IncrementalSVC().fit(X, ["oak", "oak", "ash"])
    alone = [copy.deepcopy(model).forget([place]).decision_function(X[:1])[0] for place in (0, 1)]
    assert model.leave_one_out("decision_function")[:2].tolist() == alone == [0.0, 0.0]


def test_copies_of_a_finished_model_let_the_same_members_go():
    """Those who had become idle while others were set aside were not listed, and stayed where a copy let them go."""
    for _ in range(10):
        X, y = random.normal(size=(80, 2)), random.random(80) < 0.3
        model = hinge.OnlineSVC(kernel="poly", gamma=0.5, coef0=1.0, degree=2, random_state=0).fit(X[:60], y[:60])
        check(model)
        other = copy.deepcopy(model)
        for each in (model, other):
            each.partial_fit(X[60:], y[60:])
        np.testing.assert_allclose(other.decision_function(X), model.decision_function(X), rtol=1e-9, atol=1e-9)


def test_who_leaves_a_full_model_does_not_hang_on_rounding():
    """Both ends of a bracket are equally wrong, as the bias is its middle: rounding and places chose."""
    classes = [False, True]
    for _ in range(20):
        X, y = random.normal(size=(60, 2)), random.random(60) < 0.4
        one, many = (hinge.OnlineSVC(gamma=0.5, C=30.0, max_support=6, random_state=0) for _ in range(2))
        one.partial_fit(X, y, classes=classes)
        for row in range(60):
            many.partial_fit(X[[row]], y[[row]], classes=classes)
        np.testing.assert_allclose(many.decision_function(X), one.decision_function(X), rtol=1e-7, atol=1e-7)


def test_copies_of_a_sphere_have_the_same_total():
    """It was the sum of all costs less that of who left, and in a copy the sum of those that are held."""
    for _ in range(40):
        X, weights = random.normal(size=(13, 2)), random.choice([0.5, 1.0, 3.0], 13)
        model = hinge.IncrementalOneClassSVM(gamma=0.5, C=0.2, shape="sphere")
        model.partial_fit(X[:8], sample_weight=weights[:8]).forget(random.choice(8, 5, replace=False))
        model.partial_fit(X[8:], sample_weight=weights[8:]).forget(8 + random.choice(5, 3, replace=False))
        np.testing.assert_array_equal(copy.deepcopy(model).decision_function(X), model.decision_function(X))
