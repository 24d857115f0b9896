"""Predictions of partitions are those of the model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression

from hinge import (
    DataError,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    ParameterError,
    PreparedClassifier,
    PreparedDetector,
    RobustOnlineSVC,
    TrackingSVC,
    distributed,
)
from hinge.io import Table
from hinge.tables import Preparation, Scaling, Survey, TableClassifier

pytestmark = pytest.mark.slow  # together they take seconds

da = pytest.importorskip("dask.array", reason="dask is not installed")

HALVED = Preparation(n_features=2, scaling=Scaling(factor=np.array([0.5, 0.5])))
MODELS = {
    "online": OnlineSVC(random_state=0),
    "robust": RobustOnlineSVC(random_state=0),
    "tracking": TrackingSVC(random_state=0),
    "perceptron": KernelPerceptron(random_state=0),
    "incremental": IncrementalSVC(),
    "prepared": PreparedClassifier(OnlineSVC(random_state=0), HALVED),
    "somebody else's": LogisticRegression(),
}


@pytest.mark.parametrize("name", MODELS)
def test_classifiers(scheduler, two, name):
    X, y = two
    labels = np.where(y == 1, "yes", "no")
    model = MODELS[name].fit(X, labels)
    parts = da.from_array(X, chunks=(50, 1))
    answers, decisions = distributed.predict(model, parts), distributed.decision_function(model, parts)
    assert answers.dtype == model.predict(X).dtype
    assert answers.chunks == ((50, 50, 20),)
    np.testing.assert_array_equal(answers.compute(), model.predict(X))
    np.testing.assert_allclose(decisions.compute(), model.decision_function(X), rtol=1e-12, atol=1e-12)


def test_several_classes(scheduler, three):
    X, y = three
    model = OnlineSVC(random_state=0).fit(X, y)
    decisions = distributed.decision_function(model, da.from_array(X, chunks=(40, 4)))
    assert decisions.shape == (150, 3)
    np.testing.assert_allclose(decisions.compute(), model.decision_function(X), rtol=1e-12, atol=1e-12)
    simple = LogisticRegression().fit(X, y)
    chances = distributed.predict_proba(simple, da.from_array(X, chunks=(40, 4)))
    assert chances.shape == (150, 3)
    np.testing.assert_allclose(chances.compute(), simple.predict_proba(X))


def test_one_class(scheduler, two):
    X, _ = two
    inner = IncrementalOneClassSVM(nu=0.2).fit(X * 0.5)
    for model, rows in ((inner, X * 0.5), (PreparedDetector(inner, HALVED), X)):
        parts = da.from_array(rows, chunks=(50, 2))
        assert distributed.predict(model, parts).dtype == np.int64
        np.testing.assert_array_equal(distributed.predict(model, parts).compute(), model.predict(rows))
        np.testing.assert_allclose(distributed.score_samples(model, parts).compute(), model.score_samples(rows))


def test_regression(two):
    X, y = two
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(distributed.predict(model, da.from_array(X, chunks=(50, 2))), model.predict(X))


def test_tables(scheduler):
    """Words, missing values and categories of dask DataFrames, which later partitions may write in another order."""
    dd = pytest.importorskip("dask.dataframe", reason="dask's DataFrames are not installed")
    random = np.random.default_rng(0)
    rows = pd.DataFrame({"x": random.normal(size=90), "city": random.choice(["Rome", "Oslo", None], 90)})
    model = TableClassifier(OnlineSVC(random_state=0)).fit(rows, np.where(rows["x"] > 0, "u", "v"))
    for frame in (rows, rows.astype({"city": "category"})):
        for table_model in (model, model.prepared_):
            parts = dd.from_pandas(frame, npartitions=4)
            np.testing.assert_array_equal(distributed.predict(table_model, parts).compute(), model.predict(rows))
            decisions = distributed.decision_function(table_model, parts).compute()
            np.testing.assert_allclose(decisions, model.decision_function(rows), atol=1e-6)


def test_frames(scheduler, two):
    dd = pytest.importorskip("dask.dataframe", reason="dask's DataFrames are not installed")
    X, y = two
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = OnlineSVC(random_state=0).fit(frame, y)
    parts = dd.from_pandas(frame, npartitions=3)
    np.testing.assert_array_equal(distributed.predict(model, parts).compute(), model.predict(frame))
    some = distributed.predict(model, parts[parts["a"] > 1.0]).compute()
    np.testing.assert_array_equal(some, model.predict(frame[frame["a"] > 1.0]))
    none = distributed.decision_function(model, parts[parts["a"] > 100.0]).compute()
    assert none.shape == (0,)


def test_sparse_blocks_and_unknown_sizes(scheduler, two):
    X, y = two
    model = OnlineSVC(random_state=0).fit(csr_matrix(X), y)
    parts = da.from_array(X, chunks=(50, 2))
    sparse = parts.map_blocks(csr_matrix)
    np.testing.assert_array_equal(distributed.predict(model, sparse).compute(), model.predict(X))
    chosen = parts[parts[:, 0] > 1.0]
    np.testing.assert_array_equal(distributed.predict(model, chosen).compute(), model.predict(X[X[:, 0] > 1.0]))


def test_predictions_are_those_of_the_model_at_the_call(two):
    X, y = two
    model = OnlineSVC(gamma=1.0, random_state=0).partial_fit(X[:60], y[:60])
    before = model.decision_function(X)
    answers = distributed.decision_function(model, da.from_array(X, chunks=(50, 2)))
    model.partial_fit(X[60:], y[60:])
    np.testing.assert_allclose(answers.compute(), before, rtol=1e-12, atol=1e-12)
    assert model.n_jobs is None


def test_bad_input(two):
    X, y = two
    parts = da.from_array(X, chunks=(50, 2))
    with pytest.raises(NotFittedError):
        distributed.predict(OnlineSVC(), parts)
    with pytest.raises(ParameterError, match=r"^model must have predict_proba, got OnlineSVC"):
        distributed.predict_proba(OnlineSVC().fit(X, y), parts)
    with pytest.raises(DataError, match=r"^X must be a dask array or DataFrame, got ndarray"):
        distributed.predict(OnlineSVC().fit(X, y), X)
    with pytest.raises(ValueError, match="expecting 2 features"):
        distributed.predict(OnlineSVC().fit(X, y), da.ones((10, 3), chunks=(5, 3))).compute()


def test_prepared_models_take_raw_columns(scheduler):
    dd = pytest.importorskip("dask.dataframe", reason="dask's DataFrames are not installed")
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"age": random.integers(18, 80, 200), "city": random.choice(["Rome", "Oslo"], 200)})
    labels = np.where(frame["age"] + 20 * (frame["city"] == "Oslo") > 60, "high", "low")
    columns = {name: frame[name].to_numpy().astype(object) for name in frame}
    survey = Survey(label="income", missing="fill")
    survey.add(Table(columns | {"income": labels.astype(object)}, range(1, 201), named=True))
    model = PreparedClassifier(OnlineSVC(random_state=0), survey.preparation(dtype="float32")).fit(frame, labels)
    answers = distributed.predict(model, dd.from_pandas(frame, npartitions=3))
    np.testing.assert_array_equal(answers.compute(), model.predict(frame))


@pytest.mark.parametrize("as_text", [True, False])
def test_categories_of_data_frames(as_text):
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": random.normal(size=90), "city": pd.Categorical(random.choice(["Rome", "Oslo"], 90))})
    model = TableClassifier().fit(frame, np.where((frame.x > 0) ^ (frame.city == "Rome"), "yes", "no")).prepared_
    rows = frame.assign(city=frame.city.astype(str)) if as_text else frame
    partitions = pytest.importorskip("dask.dataframe").from_pandas(rows, npartitions=3)
    found = distributed.predict(model, partitions).compute()
    assert found.tolist() == model.predict(frame).tolist()
