"""`hinge train --probabilities`, and what `hinge evaluate` says about them."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import average_precision_score, log_loss

import hinge
from hinge.cli._scores import ScoredRows


def test_measures_are_those_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    model = hinge.OnlineSVC(calibration="temperature").fit(X[:300], y[:300])
    scored = ScoredRows()
    for rows in np.array_split(np.arange(300, len(y)), 3):
        scored.add_pair(y[rows] == 1, model.decision_function(X[rows]), ("malignant", "benign"))
        scored.add_probabilities(y[rows], model.classes_, model.predict_proba(X[rows]))
    found = scored.summarise()
    assert abs(found["log_loss"] - log_loss(y[300:], model.predict_proba(X[300:]))) < 1e-12
    expected = average_precision_score(y[300:] == 0, -model.decision_function(X[300:]))
    assert found["average_precision_class"] == "malignant"  # the rarer one
    assert abs(found["average_precision"] - expected) < 1e-12
    assert 0 < found["calibration_error"] < 0.1


def test_without_rows_there_is_nothing_to_say():
    assert set(ScoredRows().summarise().values()) == {None}
