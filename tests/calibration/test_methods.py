"""The methods against independent programs, and probabilities that agree with decisions."""

import numpy as np
import pytest
from scipy.special import expit, log_softmax
from sklearn.isotonic import IsotonicRegression

from hinge._calibration import IsotonicCalibration, SigmoidCalibration, TemperatureScaling, agreeing


@pytest.fixture
def scored():
    random = np.random.RandomState(0)
    scores = random.randn(3000)
    return scores[:, None], (random.rand(3000) < expit(2.5 * scores - 0.7)).astype(int), random.rand(3000) + 0.5


def test_sigmoid_finds_the_truth_of_a_simulation(scored):
    fitted = SigmoidCalibration.fit(*scored)
    assert abs(fitted.slopes[0] - 2.5) < 0.25
    assert abs(fitted.offsets[0] + 0.7) < 0.12


def test_sigmoid_is_stationary(scored):
    scores, places, weights = scored
    fitted = SigmoidCalibration.fit(*scored)
    above, below = weights[places == 1].sum(), weights[places == 0].sum()
    targets = np.where(places == 1, (above + 1) / (above + 2), 1 / (below + 2))
    errors = weights * (fitted.probabilities(scores)[:, 1] - targets)
    assert abs(errors.sum()) < 1e-3
    assert abs(errors @ scores[:, 0]) < 1e-3


def test_scores_worse_than_chance_give_the_share_of_the_classes(scored):
    scores, places, weights = scored
    found = SigmoidCalibration.fit(-scores, places, weights).probabilities(scores)[:, 1]
    assert np.ptp(found) == 0
    assert abs(found[0] - np.average(places, weights=weights)) < 1e-3


def test_isotonic_is_that_of_scikit_learn_but_for_the_ends(scored):
    scores, places, weights = scored
    found = IsotonicCalibration.fit(*scored).probabilities(scores)[:, 1]
    known = IsotonicRegression(y_min=0, y_max=1).fit(scores[:, 0], places, weights).predict(scores[:, 0])
    inside = (known > 0.03) & (known < 0.97)
    np.testing.assert_allclose(found[inside], known[inside], atol=1e-12)
    assert 0 < found.min() < found.max() < 1


@pytest.mark.parametrize("n_classes", [2, 4])
def test_temperature_is_the_best_of_a_grid(n_classes):
    random = np.random.RandomState(1)
    scores = random.randn(2000, n_classes if n_classes > 2 else 1)
    logits = scores * 3.0 if n_classes > 2 else np.column_stack([np.zeros(2000), 3.0 * scores[:, 0]])
    places = (logits + random.gumbel(size=logits.shape)).argmax(axis=1)
    fitted = TemperatureScaling.fit(scores, places, np.ones(2000))

    def loss(temperature):
        return -log_softmax(logits / 3.0 / temperature, axis=1)[np.arange(2000), places].sum()

    assert abs(1 / fitted.temperature - 3.0) < 0.3
    assert loss(fitted.temperature) < min(loss(each) for each in np.geomspace(0.1, 1, 60)) + 0.05


def test_agreement_is_the_nearest_distribution():
    random = np.random.RandomState(2)
    chances, chosen = random.dirichlet(np.ones(4), 200), random.randint(4, size=200)
    found = agreeing(chances, chosen)
    assert (found.argmax(axis=1) == chosen).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)
    right = chances.argmax(axis=1) == chosen
    assert (found[right] == chances[right]).all()
    for row in np.flatnonzero(~right)[:20]:  # no distribution that agrees is nearer
        others = random.dirichlet(np.ones(4), 2000)
        others = others[others.argmax(axis=1) == chosen[row]]
        nearest = np.square(others - chances[row]).sum(axis=1).min()
        assert np.square(found[row] - chances[row]).sum() <= nearest + 1e-12


def test_without_examples_there_are_probabilities():
    for method in (SigmoidCalibration, IsotonicCalibration, TemperatureScaling):
        for columns in (1, 3):
            fitted = method.fit(np.zeros((0, columns)), np.zeros(0, dtype=int), np.zeros(0))
            found = fitted.probabilities(np.ones((2, columns)))
            np.testing.assert_allclose(found.sum(axis=1), 1.0)
