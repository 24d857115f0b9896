"""The pictures show what the numbers say; what cannot be drawn is refused in one sentence."""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.sparse import csr_matrix
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from hinge import IncrementalSVC, OnlineSVC
from hinge.conformal import SplitConformalClassifier
from hinge.exceptions import DataError, ParameterError
from hinge.inspection import ReliabilityDisplay, SetSizeDisplay, SuspectsDisplay


@pytest.fixture(autouse=True)
def without_screen():
    with mpl.rc_context({"backend": "agg"}):
        yield
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")


def data(n_classes=3):
    X, y = make_blobs(240, 4, centers=n_classes, cluster_std=4.0, random_state=0)
    return X, np.array(["ash", "birch", "cedar"])[y]


def test_reliability_is_that_of_scikit_learn_for_two_classes():
    random = np.random.default_rng(0)
    chances = 0.5 + random.random(500) / 2  # the second class is always predicted
    y = random.random(500) < chances
    display = ReliabilityDisplay.from_predictions(y, chances, n_groups=5, ax=Figure().subplots())
    share, mean = calibration_curve(y, chances, n_bins=5, strategy="quantile")
    np.testing.assert_allclose(display.probability, mean)
    np.testing.assert_allclose(display.accuracy, share)
    np.testing.assert_allclose(np.transpose(display.line_.get_data()), np.stack([mean, share], axis=1))
    assert display.calibration_error == pytest.approx(np.abs(share - mean).mean())


def test_reliability_of_several_estimators_in_one_picture():
    X, y = data()
    first = ReliabilityDisplay.from_estimator(OnlineSVC(calibration="temperature").fit(X[:160], y[:160]), X, y)
    other = LogisticRegression().fit(X[:160], y[:160])
    second = ReliabilityDisplay.from_estimator(other, X, y, ax=first.ax_, name="peer", n_groups=4)
    said = [text.get_text().split(",")[0] for text in second.ax_.get_legend().get_texts()]
    assert said == ["as sure as right", "OnlineSVC", "peer"]
    assert first.line_.get_color() != second.line_.get_color()
    right = other.predict(X) == y
    assert second.counts @ second.accuracy == pytest.approx(right.sum())
    with pytest.raises(ParameterError, match="predict_proba"):
        ReliabilityDisplay.from_estimator(OnlineSVC().fit(X, y), X, y)
    with pytest.raises(DataError, match="3 columns"):
        ReliabilityDisplay.from_predictions(y, np.zeros((len(y), 2)))


def test_set_sizes_are_counted():
    X, y = data()
    model = SplitConformalClassifier(OnlineSVC(), alpha=0.3, random_state=0).fit(X[:160], y[:160])
    display = SetSizeDisplay.from_estimator(model, X[160:], y[160:])
    sets = model.predict_set(X[160:])
    assert display.counts.tolist() == np.bincount(sets.sum(axis=1), minlength=4).tolist()
    assert display.mean_size == pytest.approx(sets.sum(axis=1).mean())
    covered = sets[np.arange(80), np.searchsorted(model.classes_, y[160:])]
    assert display.coverage == pytest.approx(covered.mean())
    assert display.missed.sum() == np.count_nonzero(~covered)
    assert f"{covered.mean():.1%} right" in display.ax_.get_title(loc="left")
    assert SetSizeDisplay.from_estimator(model, X[160:], alpha=0.9).coverage is None
    with pytest.raises(ParameterError, match="predict_set"):
        SetSizeDisplay.from_estimator(OnlineSVC().fit(X, y), X)


def test_suspects_of_exact_models_as_images():
    X, y = load_digits(return_X_y=True)
    X, y = X[:150], y[:150].copy()
    y[[3, 40]] = (y[[3, 40]] + 1) % 10
    names = [f"digit-{row}" for row in range(150)]
    model = IncrementalSVC(C=10, gamma=0.001).fit(X, y, ids=names)
    expected = model.suspects(4)
    display = SuspectsDisplay.from_estimator(model, X, ids=names, n=4, image_shape=(8, 8))
    assert display.suspects == expected
    assert {"digit-3", "digit-40"} <= {each.id for each in expected}
    drawn = [axes.get_images()[0].get_array() for axes in display.ax_.child_axes]
    for image, suspect in zip(drawn, expected, strict=True):
        np.testing.assert_array_equal(image, X[names.index(suspect.id)].reshape(8, 8))
    bars = SuspectsDisplay.from_estimator(model, n=4).ax_
    assert [text.get_text().split(":")[0] for text in bars.get_yticklabels()] == [each.id for each in expected]
    with pytest.raises(DataError, match="is not among them"):
        SuspectsDisplay.from_estimator(model, X, image_shape=(8, 8))
    with pytest.raises(DataError, match="image_shape"):
        SuspectsDisplay.from_estimator(model, X, ids=names, image_shape=(8, 9))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_mistakes_of_any_classifier(n_classes):
    X, y = data(n_classes)
    y[0] = "ash" if y[0] != "ash" else "birch"
    y[1] = y[0]
    values = cross_val_predict(LogisticRegression(), X, y, method="decision_function")
    chances = cross_val_predict(LogisticRegression(), X, y, method="predict_proba")
    classes = np.unique(y)
    by_values = SuspectsDisplay.from_predictions(y, values, n=500, ax=Figure().subplots())
    by_chances = SuspectsDisplay.from_predictions(
        y, chances, csr_matrix(X), n=500, image_shape=(2, 2), ax=Figure().subplots()
    )
    guesses = classes[chances.argmax(axis=1)]
    for display in (by_values, by_chances):
        assert {each.id for each in display.suspects} == set(np.flatnonzero(guesses != y))
        assert all(each.prediction == guesses[each.id] and each.label == y[each.id] for each in display.suspects)
        margins = [each.margin for each in display.suspects]
        assert margins == sorted(margins)
    if n_classes == 2:
        same = SuspectsDisplay.from_predictions(y, chances[:, 1], n=500, ax=Figure().subplots())
        assert [each.id for each in same.suspects] == [each.id for each in by_chances.suspects]
    else:
        with pytest.raises(DataError, match="3 columns"):
            SuspectsDisplay.from_predictions(y, chances[:, :2])
    nothing = SuspectsDisplay.from_predictions(guesses, chances, classes=classes)
    assert nothing.ax_.texts[0].get_text() == "no label is contradicted"
