"""`TableClassifier`: data frames as they are."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import hinge
from hinge import DataError, IncrementalSVC, OnlineSVC
from hinge.tables import DateColumn, IdColumn, TableClassifier


@pytest.fixture
def frame():
    """Customers and whether they stay."""
    random = np.random.default_rng(0)
    n = 200
    X = pd.DataFrame(
        {
            "customer_id": random.permutation(10_000)[:n],
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 1000, n), unit="D"),
            "revenue": [f"{value:,.2f} $" for value in random.lognormal(7, 1, n)],
            "class": random.choice(["gold", "silver"], n),
            "age": np.where(random.random(n) < 0.1, np.nan, random.integers(18, 80, n)),
        }
    )
    y = np.where(X["class"] == "gold", "stays", "leaves")
    y[random.random(n) < 0.02] = "leaves"
    return X, y


def test_learns_and_predicts(frame):
    X, y = frame
    model = TableClassifier().fit(X[:150], y[:150])
    assert model.score(X[150:], y[150:]) > 0.9
    kinds = {column.name: type(column) for column in model.prepared_.preparation.columns}
    assert (kinds["customer_id"], kinds["since"]) == (IdColumn, DateColumn)
    assert "customer_id" in model.notes_[0]
    assert model.feature_names_in_.tolist() == list(X.columns)
    assert model.classes_.tolist() == ["leaves", "stays"]
    assert model.n_features_in_ == 5
    assert len(model.decision_function(X)) == len(model.transform(X)) == 200


def test_works_with_scikit_learn(frame):
    X, y = frame
    model = TableClassifier(IncrementalSVC(C=5), kinds={"customer_id": "id"})
    assert clone(model).get_params()["model__C"] == 5
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9
    assert not hasattr(model.model, "classes_")  # it is cloned


def test_more_rows_later(frame):
    X, y = frame
    model = TableClassifier().partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert model.prepared_.n_seen_ == 200
    unknown = X[:1].assign(**{"class": "bronze"})
    assert model.predict(unknown).shape == (1,)
    with pytest.raises(DataError, match="'bronze'"):
        TableClassifier(unknown="error").fit(X, y).predict(unknown)


def test_is_saved_with_its_preparation(frame, tmp_path):
    X, y = frame
    model = TableClassifier().fit(X, y)
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    assert (loaded.predict(X) == model.predict(X)).all()
    assert loaded.partial_fit(X, y).n_seen_ == 400


def test_probabilities_of_a_calibrated_model(frame, tmp_path):
    X, y = frame
    assert not hasattr(TableClassifier().fit(X, y), "predict_proba")
    model = TableClassifier(OnlineSVC(calibration="sigmoid")).fit(X, y)
    hinge.save(model, tmp_path / "model.hinge")
    proba = hinge.load(tmp_path / "model.hinge").predict_proba(X)
    np.testing.assert_array_equal(proba, model.prepared_.model.predict_proba(model.transform(X)))
    np.testing.assert_allclose(proba, np.exp(model.predict_log_proba(X)))
    assert (model.classes_[proba.argmax(axis=1)] == model.predict(X)).all()


def test_bad_input(frame):
    X, y = frame
    with pytest.raises(DataError, match="X must be a DataFrame, got ndarray"):
        TableClassifier().fit(np.ones((4, 2)), [0, 1, 0, 1])
    with pytest.raises(DataError, match="'age' has no value in line"):
        TableClassifier(missing="error").fit(X, y)
    with pytest.raises(ValueError, match="decimal"):
        TableClassifier(decimal=";").fit(X, y)
