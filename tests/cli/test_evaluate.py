"""`hinge evaluate`: measures of several classes, cross-validation, the picture."""

from __future__ import annotations

import json

import matplotlib.image
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import hinge
from hinge.conformal import ConformalSVC


@pytest.fixture
def digits(folder):
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    np.savez("test.npz", X=X[200:], y=y[200:])
    model = hinge.OnlineSVC(gamma=0.001, calibration="temperature", random_state=0).fit(X[:200], y[:200])
    hinge.save(model, "model.hinge")
    return model, X[200:], y[200:]


def test_several_classes_have_means_of_areas(run, digits):
    model, X, y = digits
    result = json.loads(run("evaluate", "model.hinge", "test.npz", "--json").out)
    values = model.decision_function(X)
    areas = [roc_auc_score(y == label, values[:, label]) for label in range(10)]
    precisions = [average_precision_score(y == label, values[:, label]) for label in range(10)]
    assert result["roc_area"] == pytest.approx(np.mean(areas))
    assert result["average_precision"] == pytest.approx(np.mean(precisions))
    assert result["roc_area_by_class"]["3"] == pytest.approx(areas[3])
    assert result["macro_F1"] == pytest.approx(f1_score(y, model.predict(X), average="macro"))
    said = run("evaluate", "model.hinge", "test.npz").out
    assert "Predicted as" in said
    assert "Most frequent mistakes" in said
    assert f"average precision {np.mean(precisions):.4f}" in said


def test_confusions_that_do_not_fit_are_left_out(run, digits, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    said = run("evaluate", "model.hinge", "test.npz").out
    assert "Predicted as" not in said
    assert "Most frequent mistakes" in said


def test_folds_are_those_of_scikit_learn(run, digits):
    model, X, y = digits
    result = json.loads(run("evaluate", "model.hinge", "test.npz", "--cv", "3", "--json").out)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    right = cross_val_predict(clone(model), X, y, cv=folds) == y
    assert result["accuracy"] == pytest.approx(right.mean())
    errors = [100 * np.mean(~right[test]) for _, test in folds.split(X, y)]
    assert result["error_by_fold"] == pytest.approx(errors)
    assert result["error_deviation"] == pytest.approx(np.std(errors, ddof=1))
    assert "3-fold cross-validation: 200 rows" in run("evaluate", "model.hinge", "test.npz", "--cv", "3").out
    assert hinge.load("model.hinge").n_seen_ == 200  # the model in the file is as it was


def test_folds_of_values_and_of_tables(run, folder):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X.assign(target=y).head(120).to_csv("values.csv", index=False)
    assert run("train", "values.csv", "--task", "regression", "-o", "values.hinge").code == 0
    result = json.loads(run("evaluate", "values.hinge", "values.csv", "--cv", "4", "--json").out)
    assert (result["rows"], result["cv"]) == (120, 4)
    assert 0 < result["r2"] < 0.7
    assert (
        "there are pictures of classifiers only" in run("evaluate", "values.hinge", "values.csv", "--plot", "p.png").err
    )


@pytest.mark.parametrize(
    ("options", "said"), [(("--cv", "1"), "--cv must be at least 2"), (("--cv", "201"), "at least as many rows")]
)
def test_impossible_folds(run, digits, options, said):
    done = run("evaluate", "model.hinge", "test.npz", *options)
    assert (done.code, said in done.err) == (2, True)


def test_pictures_with_and_without_sets(run, digits):
    _, X, y = digits
    assert json.loads(run("evaluate", "model.hinge", "test.npz", "--plot", "one.png", "--json").out)["picture"]
    hinge.save(ConformalSVC(gamma=0.001, alpha=0.2).fit(X[:60], y[:60]), "sets.hinge")
    np.savez("some.npz", X=X[60:90], y=y[60:90])
    assert run("evaluate", "sets.hinge", "some.npz", "--plot", "two.png").code == 0
    for name in ("one.png", "two.png"):
        picture = matplotlib.image.imread(name)
        assert picture.shape[1] > 1200
        assert np.ptp(picture[:, :, :3]) > 0.5
