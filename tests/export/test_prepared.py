"""Exports of prepared models take raw columns too."""

import pickle

import numpy as np
import pandas as pd
import pytest

from hinge import ApproximateSVR, IncrementalSVC, OnlineSVC
from hinge.export import ExportError, from_libsvm, to_libsvm, to_onnx, to_sklearn
from hinge.tables import (
    Answers,
    CategoryColumn,
    NumberColumn,
    Preparation,
    PreparedClassifier,
    PreparedRegressor,
    Scaling,
    TableClassifier,
)

COLUMNS = (
    NumberColumn("age", mean=50.0),
    CategoryColumn("city", ("", "Oslo", "Rome")),
    NumberColumn("pay__in__euro", mean=1e4),
    CategoryColumn("kind", ("a", "b")),
)


def frame(n=150):
    generator = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": generator.normal(50, 10, n),
            "city": generator.choice(["Rome", "Oslo", ""], n),
            "pay__in__euro": generator.normal(1e4, 100, n),
            "kind": generator.choice(["a", "b"], n),
        }
    )


def labels(rows, n_classes):
    found = np.where((rows.age > 50) ^ (rows.city == "Rome"), "yes", "no")
    return found if n_classes == 2 else np.where(rows.pay__in__euro > 1e4, found, "maybe")


def preparation(*, dense=True, **options):
    factor = np.array([0.1, 1, 1, 1, 0.01, 1, 1])
    offset = np.array([50.0, 0, 0, 0, 1e4, 0, 0]) if dense else None
    settings = {"missing": "fill", "unknown": "ignore"} | options
    scaling = Scaling(factor, offset)
    shape = {"n_features": 7, "columns": COLUMNS, "label": "y", "label_kind": "text"}
    return Preparation(dense=dense, scaling=scaling, **shape, **settings)


def trained(n_classes=2, *, dense=True, **options):
    rows = frame()
    model = PreparedClassifier(OnlineSVC(random_state=0), preparation(dense=dense, **options))
    return model.fit(rows, labels(rows, n_classes)), rows


def with_gaps(rows):
    rows = rows.copy()
    rows.loc[:5, "age"] = np.nan
    rows.loc[7:9, "city"] = "Paris"
    return rows


def run(graph, rows):
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = {name: rows[[name]].to_numpy(dtype=float if rows[name].dtype.kind == "f" else object) for name in rows}
    return session.run(["label", "scores"], feeds)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dense", [False, True])
def test_onnx(n_classes, dense):
    pytest.importorskip("onnx")
    model, rows = trained(n_classes, dense=dense)
    rows = with_gaps(rows)
    found, scores = run(to_onnx(model, dtype="float64"), rows)
    np.testing.assert_allclose(scores, model.decision_function(rows), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(found, model.predict(rows))


def test_onnx_fails_on_unknown_categories():
    pytest.importorskip("onnx")
    model, rows = trained(unknown="error")
    rows.loc[0, "kind"] = "c"
    with pytest.raises(Exception, match="Unknown Category"):
        run(to_onnx(model, dtype="float64"), rows)


def test_column_names_must_not_be_output_names():
    pytest.importorskip("onnx")
    columns = (NumberColumn("scores"), NumberColumn("b"))
    model = PreparedClassifier(OnlineSVC(), Preparation(n_features=2, columns=columns))
    model.partial_fit([[0.0, 1.0], [2.0, 3.0]], [0, 1])
    with pytest.raises(ExportError, match="'scores'"):
        to_onnx(model)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dense", [False, True])
def test_sklearn(n_classes, dense):
    model, rows = trained(n_classes, dense=dense)
    rows = with_gaps(rows)
    rows.loc[11, "city"] = np.nan
    found = pickle.loads(pickle.dumps(to_sklearn(model)))
    np.testing.assert_allclose(found.decision_function(rows), model.decision_function(rows), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(found.predict(rows), model.predict(rows))


def test_sklearn_raises_where_the_model_does():
    model, rows = trained(missing="error", unknown="error")
    found = to_sklearn(model)
    np.testing.assert_array_equal(found.predict(rows), model.predict(rows))
    for damaged in (rows.assign(kind="c"), rows.assign(age=np.nan)):
        with pytest.raises(ValueError, match=r"unknown categories|NaN"):
            found.predict(damaged)


def test_numbers_without_names(tmp_path):
    rows, y = frame()[["age", "pay__in__euro"]].to_numpy(), labels(frame(), 2)
    scaled = Preparation(n_features=2, scaling=Scaling(np.array([0.1, 0.01]), np.array([50.0, 1e4])))
    model = PreparedClassifier(OnlineSVC(random_state=0), scaled).fit(rows, y)
    np.testing.assert_allclose(to_sklearn(model).decision_function(rows), model.decision_function(rows), atol=1e-9)
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(model, dtype="float64").SerializeToString())
    np.testing.assert_allclose(session.run(["scores"], {"X": rows})[0], model.decision_function(rows), atol=1e-9)
    to_libsvm(model, tmp_path / "model.txt", labels=[0, 1])
    np.testing.assert_allclose(
        from_libsvm(tmp_path / "model.txt").decision_function(svm_scale(tmp_path / "model.txt.range", rows)),
        model.decision_function(rows),
        atol=1e-9,
    )


def svm_scale(path, rows):
    """Scale rows as LIBSVM's svm-scale does."""
    head, bounds, *ranges = path.read_text().splitlines()
    assert head == "x"
    low, high = map(float, bounds.split())
    numbers, smallest, largest = np.array([line.split() for line in ranges], dtype=float).T
    assert numbers.tolist() == list(range(1, rows.shape[1] + 1))
    return low + (high - low) * (rows - smallest) / (largest - smallest)


def test_libsvm_refuses_columns_of_other_kinds(tmp_path):
    with pytest.raises(ExportError, match="numbers only"):
        to_libsvm(trained()[0], tmp_path / "model.txt", labels=[0, 1])


def test_booleans_of_a_data_frame():
    rows = pd.DataFrame({"a": np.arange(40) % 3 == 0, "b": np.random.default_rng(0).normal(size=40)})
    model = TableClassifier().fit(rows, np.where(rows.a ^ (rows.b > 0), "yes", "no"))
    found = to_sklearn(model.prepared_)
    np.testing.assert_allclose(found.decision_function(rows), model.decision_function(rows), atol=1e-5)


def test_dates_and_texts_in_scikit_learn():
    random = np.random.default_rng(0)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, 60), unit="D")
    words = random.choice(["the screen is broken", "where is my parcel", "wrong amount on the invoice"], 60)
    texts = [f"{text} {row}" for row, text in enumerate(words)]
    rows = pd.DataFrame({"day": days.strftime("%d.%m.%Y"), "text": texts, "x": random.normal(size=60)})
    model = TableClassifier(IncrementalSVC()).fit(rows, np.where(words == words[0], "a", "b"))
    assert model.transform(rows).shape[1] > 12
    found = pickle.loads(pickle.dumps(to_sklearn(model)))
    np.testing.assert_allclose(found.decision_function(rows), model.decision_function(rows), atol=1e-8)


@pytest.mark.parametrize("word", ["NA", "nan", "null", ""])
def test_words_for_missing_values_in_onnx(word):
    model, rows = trained()
    rows = rows.assign(city=word)
    _, scores = run(to_onnx(model, dtype="float64"), rows)
    np.testing.assert_allclose(scores, model.decision_function(rows), atol=1e-9)


@pytest.mark.parametrize("word", ["Yes", "YES", "yes", "No", "no", "NA", "", "perhaps"])
def test_booleans_in_onnx(word):
    pytest.importorskip("onnx")
    rows = frame()[["age"]].assign(member=np.random.default_rng(1).choice(["Yes", "no"], 150))
    model = TableClassifier(OnlineSVC(random_state=0)).fit(rows, labels(frame(), 2)).prepared_
    rows["member"] = word
    _, scores = run(to_onnx(model, dtype="float64"), rows)
    np.testing.assert_allclose(scores, model.decision_function(rows), atol=1e-5)


def test_dates_and_texts_are_refused_by_onnx():
    pytest.importorskip("onnx")
    rows = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=40).astype(str), "x": np.arange(40) % 7 / 7})
    model = TableClassifier().fit(rows, ["a", "b"] * 20).prepared_
    with pytest.raises(ExportError, match="can be exported to scikit-learn only, and 'day' is one"):
        to_onnx(model)


class TestAnswers:
    def test_thresholds(self, tmp_path):
        rows, y = frame()[["age", "pay__in__euro"]].to_numpy() / [10, 1e4], labels(frame(), 2)
        model = PreparedClassifier(OnlineSVC(random_state=0), Preparation(n_features=2, answers=Answers(threshold=0.4)))
        expected = model.fit(rows, y).predict(rows)
        assert (expected != model.model.predict(rows)).any()
        assert to_sklearn(model).predict(rows).tolist() == expected.tolist()
        to_libsvm(model, tmp_path / "model.txt", labels=[0, 1])
        assert (model.classes_[from_libsvm(tmp_path / "model.txt").predict(rows)] == expected).all()
        pytest.importorskip("onnx")
        runtime = pytest.importorskip("onnxruntime")
        session = runtime.InferenceSession(to_onnx(model, dtype="float64").SerializeToString())
        assert session.run(["label"], {"X": rows})[0].tolist() == expected.tolist()

    def test_values_have_the_unit_of_the_label(self, tmp_path):
        rows = frame()[["age", "pay__in__euro"]].to_numpy() / [10, 1e4]
        prices = 1e5 + 2e4 * rows[:, 0]
        settings = Preparation(n_features=2, label_kind="number", answers=Answers.of_values(prices))
        model = PreparedRegressor(ApproximateSVR(C=10.0, random_state=0), settings).fit(rows, prices)
        expected = model.predict(rows)
        assert abs(expected - prices).max() < 2e4
        np.testing.assert_allclose(to_sklearn(model).predict(rows), expected, rtol=1e-6)
        pytest.importorskip("onnx")
        runtime = pytest.importorskip("onnxruntime")
        session = runtime.InferenceSession(to_onnx(model, dtype="float64").SerializeToString())
        np.testing.assert_allclose(session.run(["value"], {"X": rows})[0], expected, rtol=1e-6)


def test_libsvm_accepts_a_preparation_that_changes_nothing(tmp_path):
    rows, y = frame()[["age", "pay__in__euro"]].to_numpy(), (frame().age > 50).to_numpy()
    model = PreparedClassifier(OnlineSVC(random_state=0), Preparation(n_features=2)).fit(rows, y)
    to_libsvm(model, tmp_path / "prepared.txt")
    to_libsvm(model.model, tmp_path / "plain.txt")
    assert (tmp_path / "prepared.txt").read_text() == (tmp_path / "plain.txt").read_text()
