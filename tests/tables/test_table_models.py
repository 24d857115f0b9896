"""Table models next to scikit-learn pipelines of the same steps, in frames of several libraries, and in files."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

import hinge
from hinge import ApproximateSVR, IncrementalOneClassSVM, IncrementalSVC, ModelFileError, PreparedRegressor
from hinge.tables import TableClassifier, TableDetector, TableRegressor

random = np.random.default_rng(0)
N = 150
FRAME = pd.DataFrame(
    {
        "area": random.uniform(30, 200, N).round(1),
        "rooms": np.where(random.random(N) < 0.1, np.nan, random.integers(1, 9, N)),
        "city": random.choice(["Rome", "Oslo", "Paris"], N),
        "note": random.choice(["old house with a large garden", "new flat near the station", "needs some repair"], N)
        + pd.Series([f" ref{row}" for row in range(N)]),
    }
)
PRICES = 3000 * FRAME["area"].to_numpy() + 50_000 * (FRAME["city"] == "Rome").to_numpy() + random.normal(0, 9000, N)
DEAR = np.where(np.median(PRICES) < PRICES, "dear", "cheap")
KINDS = {"note": "text"}


def columns():
    """Return the preparation in scikit-learn's words."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    words = TfidfVectorizer(min_df=2, max_df=N - 1, max_features=500)
    parts = [("numbers", numbers, ["area", "rooms"]), ("city", OneHotEncoder(), ["city"]), ("note", words, "note")]
    return ColumnTransformer(parts, sparse_threshold=0.0)


def test_features_are_those_of_a_pipeline():
    ours = TableClassifier(IncrementalSVC(), kinds=KINDS).fit(FRAME, DEAR).transform(FRAME)
    theirs = columns().fit_transform(FRAME)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_a_classifier_predicts_as_a_pipeline_does():
    frame = FRAME.assign(rooms=FRAME["rooms"].fillna(3))
    ours = TableClassifier(IncrementalSVC(C=2.0, gamma=0.1), kinds=KINDS).fit(frame, DEAR)
    theirs = make_pipeline(columns(), IncrementalSVC(C=2.0, gamma=0.1)).fit(frame, DEAR)
    np.testing.assert_allclose(ours.decision_function(frame), theirs.decision_function(frame), atol=1e-8)
    assert ours.predict(frame).tolist() == theirs.predict(frame).tolist()


def test_a_regressor_predicts_as_a_pipeline_does():
    frame = FRAME.assign(rooms=FRAME["rooms"].fillna(3))
    model = ApproximateSVR(C=10.0, gamma=0.1, random_state=0)
    ours = TableRegressor(model, kinds=KINDS).fit(frame, PRICES)
    to_float32 = lambda X: X.astype(np.float32)  # noqa: E731
    steps = make_pipeline(columns(), FunctionTransformer(to_float32), clone(model))
    theirs = TransformedTargetRegressor(steps, transformer=StandardScaler()).fit(frame, PRICES)
    np.testing.assert_allclose(ours.predict(frame), theirs.predict(frame), rtol=1e-4)
    assert ours.score(frame, PRICES) == pytest.approx(theirs.score(frame, PRICES), abs=1e-4)
    assert ours.score(frame, PRICES) > 0.95


def test_a_detector_predicts_as_a_pipeline_does():
    frame = FRAME.assign(rooms=FRAME["rooms"].fillna(3))
    model = IncrementalOneClassSVM(nu=0.1, gamma=0.1)
    ours = TableDetector(model, kinds=KINDS).fit(frame)
    theirs = make_pipeline(columns(), clone(model)).fit(frame)
    np.testing.assert_allclose(ours.decision_function(frame), theirs.decision_function(frame), atol=1e-8)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_of_other_libraries(library):
    module = pytest.importorskip(library)
    frame = module.Table.from_pandas(FRAME) if library == "pyarrow" else module.from_pandas(FRAME)
    expected = TableClassifier(IncrementalSVC(), kinds=KINDS).fit(FRAME, DEAR).decision_function(FRAME)
    model = TableClassifier(IncrementalSVC(), kinds=KINDS).fit(frame, DEAR)
    np.testing.assert_allclose(model.decision_function(frame), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("model", "y"), [(TableClassifier(), DEAR), (TableRegressor(), PRICES), (TableDetector(), None)]
)
def test_files(tmp_path, model, y):
    fitted = clone(model).partial_fit(FRAME[:100], None if y is None else y[:100])
    hinge.save(fitted, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    assert loaded.predict(FRAME).tolist() == fitted.predict(FRAME).tolist()
    rest = (FRAME[100:], None if y is None else y[100:])
    assert loaded.partial_fit(*rest).predict(FRAME).tolist() == fitted.partial_fit(*rest).predict(FRAME).tolist()


@pytest.mark.parametrize(
    "scalers",
    [
        [StandardScaler()],
        [MinMaxScaler((-1, 3)), RobustScaler()],
        [MaxAbsScaler(), StandardScaler(with_mean=False), "passthrough"],
    ],
)
@pytest.mark.parametrize("last", [IncrementalSVC(), IncrementalOneClassSVM(nu=0.2), ApproximateSVR(random_state=0)])
def test_pipelines_of_scalers_are_saved(tmp_path, scalers, last):
    X = FRAME[["area", "rooms"]].fillna(4)
    y = PRICES / 1e5 if isinstance(last, ApproximateSVR) else DEAR
    pipeline = clone(make_pipeline(*scalers, last)).fit(X, y)
    hinge.save(pipeline, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    score = "predict" if isinstance(last, ApproximateSVR) else "decision_function"
    np.testing.assert_allclose(getattr(loaded, score)(X), getattr(pipeline, score)(X), rtol=1e-6, atol=1e-6)
    assert isinstance(loaded, PreparedRegressor) == isinstance(last, ApproximateSVR)


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ([PCA(2), IncrementalSVC()], "its step 'pca' is a PCA"),
        ([StandardScaler(), LogisticRegression()], "its step 'logisticregression' is a LogisticRegression"),
        ([MinMaxScaler(clip=True), IncrementalSVC()], "its step 'minmaxscaler' is a MinMaxScaler"),
    ],
)
def test_the_step_in_the_way_is_named(tmp_path, steps, sentence):
    pipeline = make_pipeline(*steps).fit(FRAME[["area", "rooms"]].fillna(4), DEAR)
    with pytest.raises(ModelFileError, match=sentence):
        hinge.save(pipeline, tmp_path / "model.hinge")
