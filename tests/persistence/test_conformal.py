"""Prediction sets around other models survive files, which are checked like others."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import hinge
from hinge import IncrementalSVC, ModelFileError, OnlineSVC
from hinge.conformal import CrossConformalClassifier, SplitConformalClassifier

random = np.random.default_rng(0)
X = random.normal(size=(60, 2))
Y = np.array(["low", "mid", "top"])[np.digitize(X[:, 0], [-0.5, 0.5])]
MODELS = {
    "split": SplitConformalClassifier(OnlineSVC(gamma=0.5), alpha=0.2, mondrian=True, random_state=0),
    "cross": CrossConformalClassifier(IncrementalSVC(gamma=0.5), cv=3),
}


@pytest.fixture(params=MODELS)
def saved(request, file):
    model = MODELS[request.param].fit(X, Y)
    hinge.save(model, file)
    return model


def test_sets_are_the_same_and_fit_goes_on(saved, file):
    loaded = hinge.load(file)
    assert type(loaded) is type(saved)
    np.testing.assert_array_equal(loaded.p_values(X), saved.p_values(X))
    np.testing.assert_array_equal(loaded.predict_set(X), saved.predict_set(X))
    np.testing.assert_array_equal(loaded.predict(X), saved.predict(X))
    np.testing.assert_array_equal(loaded.labels_, saved.labels_)
    np.testing.assert_array_equal(loaded.fit(X, Y).p_values(X), saved.p_values(X))


def test_labels_that_the_model_does_not_know(file):
    fitted = OnlineSVC(gamma=0.5).fit(X[Y != "mid"], Y[Y != "mid"])
    model = SplitConformalClassifier(fitted).conformalize(X, Y)
    hinge.save(model, file)
    np.testing.assert_array_equal(hinge.load(file).p_values(X), model.p_values(X))


def test_models_of_others_are_refused(file):
    with pytest.raises(ModelFileError, match="Only models of hinge can be saved, not GaussianNB"):
        hinge.save(SplitConformalClassifier(GaussianNB()).fit(X, Y), file)
    assert not file.exists()


def set_to(name, value):
    def damage(arrays, header):
        (arrays if name.startswith("conformal.") else header)[name] = value

    return damage


def without_a_model(arrays, header):
    header["models"].pop()


@pytest.mark.parametrize(
    "damage",
    [
        set_to("conformal.scores", np.full(60, np.nan)),
        set_to("conformal.scores", np.zeros(0)),
        set_to("conformal.labels", np.full(60, 7)),
        set_to("conformal.folds", np.full(60, 3)),
        set_to("models", []),
        set_to("labels", ["top", "low", "mid"]),
        set_to("parameters", {"gamma": 1.0}),
        set_to("parameters", {"estimator": 1.0}),
        without_a_model,
    ],
)
def test_damaged_files_are_refused(saved, file, parts, rewrite, damage):
    arrays, header = parts(file)
    damage(arrays, header)
    rewrite(file, arrays, header)
    with pytest.raises(ModelFileError, match="damaged"):
        hinge.load(file)
