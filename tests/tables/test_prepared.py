"""Models with a preparation: raw rows in, labels out; copies, pickles and files."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import hinge
from hinge.io import Table
from hinge.tables import OneClassPreparation, OneClassSurvey, PreparedDetector, Survey

random = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": random.integers(18, 80, 300),
        "city": random.choice(["Rome", "Oslo", "Paris"], 300),
        "hours": random.normal(40, 10, 300),
    }
)
LABELS = np.where(FRAME["age"] + 20 * (FRAME["city"] == "Oslo") + FRAME["hours"] > 95, "high", "low")


def table_of(frame, labels):
    columns = {name: frame[name].to_numpy().astype(object) for name in frame}
    return Table(columns | {"income": np.array(labels, dtype=object)}, range(1, len(labels) + 1), named=True)


@pytest.fixture
def model():
    survey = Survey(label="income", missing="fill")
    survey.add(table_of(FRAME, LABELS))
    preparation = survey.preparation(dtype="float32")
    return hinge.PreparedClassifier(hinge.OnlineSVC(C=10), preparation).partial_fit(FRAME, LABELS)


def test_learns_from_raw_rows(model):
    assert model.score(FRAME, LABELS) > 0.95
    assert model.classes_.tolist() == ["high", "low"]
    assert model.n_seen_ == 300
    assert model.transform(FRAME).shape == (300, 5)
    assert model.fit(FRAME, LABELS).n_seen_ == 300


def test_data_frames_and_plain_rows_agree(model):
    rows = [list(row) for row in FRAME.itertuples(index=False)]
    as_objects = np.array(rows, dtype=object)
    shuffled = FRAME[["hours", "age", "city"]].assign(extra=1)
    expected = model.decision_function(FRAME)
    np.testing.assert_array_equal(model.decision_function(as_objects), expected)
    np.testing.assert_array_equal(model.decision_function(shuffled), expected)
    np.testing.assert_array_equal(model.decision_function(FRAME.astype({"city": "category"})), expected)


def test_missing_values_of_a_frame(model):
    frame = pd.DataFrame({"age": [None, 30], "city": ["Oslo", "Rome"], "hours": [40.0, np.nan]})
    filled = pd.DataFrame(
        {"age": [FRAME["age"].mean(), 30], "city": ["Oslo", "Rome"], "hours": [40.0, FRAME["hours"].mean()]}
    )
    np.testing.assert_allclose(model.decision_function(frame), model.decision_function(filled), rtol=1e-6)


def test_copies_and_files_predict_the_same(model, tmp_path):
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    expected = model.decision_function(FRAME)
    for other in (loaded, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.decision_function(FRAME), expected)
        other.partial_fit(FRAME[:10], LABELS[:10])
        assert other.n_seen_ == 310
    assert model.n_seen_ == 300
    assert loaded.preparation.columns == model.preparation.columns
    assert loaded.preparation.scaling.description == model.preparation.scaling.description


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[1, "Rome"]], r"Rows must have 3 values \(age, city, hours\), got an array of shape \(1, 2\)"),
        (pd.DataFrame({"age": [1]}), "There must be a column 'city'"),
        ([["old", "Rome", 40]], "Column 'age' must hold numbers, got 'old'"),
        ([[30, "Mars", 40]], "one of the 3 categories"),
    ],
)
def test_bad_rows(model, rows, words):
    before = model.decision_function(FRAME)
    with pytest.raises(hinge.DataError, match=words):
        model.partial_fit(rows, ["low"])
    np.testing.assert_array_equal(model.decision_function(FRAME), before)


def test_scaled_matrix():
    X = random.random((100, 3)) * 255
    y = X[:, 0] > 128
    survey = Survey()
    survey.add(hinge.io.Rows(csr_matrix(np.hstack([np.zeros((100, 1)), X])), y.astype(int), 1, indexed=True))
    model = hinge.PreparedClassifier(hinge.OnlineSVC(), survey.preparation(scale="largest")).fit(X, y)
    np.testing.assert_allclose(model.transform(X), X / X.max(axis=0))
    np.testing.assert_array_equal(model.predict(csr_matrix(X)), model.predict(X))
    for bad in (X[:, :2], csr_matrix(X[:, :2]), X[0], [["a", "b", "c"]]):
        with pytest.raises(hinge.DataError):
            model.predict(bad)


def test_scikit_learn_accepts_the_estimator(model):
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == ["age", "city", "hours"]
    fresh = clone(model).set_params(model__C=3.0)
    assert fresh.get_params()["model__C"] == 3.0
    assert cross_val_score(fresh, FRAME, LABELS, cv=3).mean() > 0.9


def test_frames_of_a_model_of_numbers():
    frame = FRAME[["age", "hours"]]
    survey = Survey()
    survey.add(hinge.io.Rows(frame.to_numpy(), np.arange(len(frame)) % 2, 1))
    model = hinge.PreparedClassifier(hinge.OnlineSVC(), survey.preparation()).fit(frame.to_numpy(), LABELS)
    np.testing.assert_array_equal(model.predict(frame), model.predict(frame.to_numpy()))
    with pytest.raises(hinge.DataError, match="Column 'city' must hold numbers, got"):
        model.predict(FRAME[["age", "city"]])


@pytest.fixture
def detector():
    survey = OneClassSurvey(label="income", normal="low", missing="drop")
    survey.add(table_of(FRAME, LABELS))
    model = hinge.IncrementalOneClassSVM(nu=0.1)
    return PreparedDetector(model, survey.preparation()).fit(FRAME[LABELS == "low"])


def test_detectors_take_raw_rows(detector):
    assert isinstance(detector.preparation, OneClassPreparation)
    inside = detector.predict(FRAME) > 0
    assert 0.8 < inside[LABELS == "low"].mean() < 1
    assert inside[LABELS == "low"].mean() > inside[LABELS == "high"].mean()
    np.testing.assert_allclose(detector.score_samples(FRAME), detector.decision_function(FRAME) + detector.offset_)
    assert detector.partial_fit(FRAME[:7]).n_seen_ == np.sum(LABELS == "low") + 7
    np.testing.assert_array_equal(clone(detector).fit_predict(FRAME), detector.fit(FRAME).predict(FRAME))


def test_copies_and_files_of_detectors(detector, tmp_path):
    hinge.save(detector, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    for other in (loaded, copy.deepcopy(detector), pickle.loads(pickle.dumps(detector))):
        np.testing.assert_array_equal(other.decision_function(FRAME), detector.decision_function(FRAME))
        assert (type(other), other.preparation.normal) == (PreparedDetector, "low")
        assert other.preparation.columns == detector.preparation.columns


def test_a_detector_with_a_plain_preparation(tmp_path):
    survey = Survey(label="income")
    survey.add(table_of(FRAME, LABELS))
    detector = PreparedDetector(hinge.IncrementalOneClassSVM(nu=0.1), survey.preparation()).fit(FRAME)
    hinge.save(detector, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    np.testing.assert_array_equal(loaded.predict(FRAME), detector.predict(FRAME))
    assert loaded.preparation.normal is None


def test_labels_tell_which_rows_are_normal():
    survey = OneClassSurvey(label="income", normal="low")
    survey.add(table_of(FRAME, LABELS))
    preparation = survey.preparation()
    assert not survey.is_sorted_by_class
    X, y = preparation.examples(table_of(FRAME, LABELS))
    assert X.shape == (300, 5)
    np.testing.assert_array_equal(y, np.where(LABELS == "low", 1, -1))
    misspelt = OneClassSurvey(label="income", normal="lwo")
    misspelt.add(table_of(FRAME, LABELS))
    with pytest.raises(hinge.DataError, match="Some rows must have the label 'lwo' of normal rows, got high, low"):
        misspelt.preparation()


@pytest.mark.parametrize("named", [True, False])
def test_rows_need_no_label(named):
    columns = {name: FRAME[name].to_numpy().astype(object) for name in FRAME}
    columns = columns if named else {str(place): values for place, values in enumerate(columns.values())}
    bare = Table(columns, range(1, 301), named=named)
    survey = OneClassSurvey(drop=() if named else ("0",))
    survey.add(bare)
    preparation = survey.preparation()
    assert (preparation.label, preparation.names) == (None, tuple(columns))
    X, y = preparation.examples(bare)
    assert X.shape == (300, 5 if named else 4)
    assert y.tolist() == [1] * 300
    holes = columns["hours" if named else "2"].copy()
    holes[:3] = None
    dropping = OneClassPreparation.of(replace(preparation, missing="drop"))
    holed = Table(columns | {"hours" if named else "2": holes}, range(1, 301), named=named)
    np.testing.assert_array_equal(dropping.examples(holed)[0], X[3:])


def test_a_column_with_a_common_label_name_is_no_feature():
    columns = {"age": np.arange(5.0), "label": np.array(["", "a", "", "b", "c"], dtype=object)}
    survey = OneClassSurvey()
    survey.add(Table(columns, range(1, 6), named=True))
    preparation = survey.preparation()
    assert (preparation.label, preparation.n_features) == ("label", 1)
    assert preparation.examples(Table(columns, range(1, 6), named=True))[1].tolist() == [1] * 5


def test_not_fitted():
    survey = Survey(label="income")
    survey.add(table_of(FRAME, LABELS))
    model = hinge.PreparedClassifier(hinge.OnlineSVC(), survey.preparation())
    with pytest.raises(ValueError, match="not fitted"):
        model.predict(FRAME)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        model.nonsense  # noqa: B018
