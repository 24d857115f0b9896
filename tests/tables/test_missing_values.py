"""Words that stand for missing values: ERR, OFFLINE, -999."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import hinge
from hinge import DataError, OnlineSVC, ParameterError
from hinge.export import ExportError, to_libsvm, to_onnx, to_sklearn
from hinge.io import Rows
from hinge.tables import OneClassSurvey, Survey, TableClassifier, TableDetector
from hinge.tables._prepared import to_table
from hinge.tables._values import how_to_name

WORDS = ["ERR", "OFFLINE", -999]


def readings(n=80, seed=0):
    """Return a log of sensors with words among its numbers, the same with empty values, and labels."""
    generator = np.random.default_rng(seed)
    temp, load, mode = generator.normal(20, 3, n), generator.normal(50, 9, n).round(1), generator.choice(["a", "b"], n)
    y = np.where(temp + load / 5 > 30, "hot", "cool")
    written = [f"{value:.1f}" for value in temp]
    words = ["ERR" if i % 9 == 4 else "OFFLINE" if i % 9 == 7 else text for i, text in enumerate(written)]
    log = {"temp": words, "load": np.where(np.arange(n) % 7 == 3, -999.0, load), "mode": np.array(mode, dtype=object)}
    log["mode"][::11] = "ERR"
    empty = {
        "temp": [None if text in WORDS else text for text in words],
        "load": np.where(log["load"] == -999, np.nan, load),
        "mode": np.where(log["mode"] == "ERR", None, log["mode"]),
    }
    return pd.DataFrame(log), pd.DataFrame(empty), y


def polars_of(log):
    return pytest.importorskip("polars").from_pandas(log)


def fitted(log, y, **options):
    return TableClassifier(OnlineSVC(random_state=0), missing_values=WORDS, **options).fit(log, y)


@pytest.mark.parametrize("convert", [pd.DataFrame, polars_of, pa.Table.from_pandas])
def test_words_are_empty_values(convert):
    log, empty, y = readings()
    new_log, new_empty, _ = readings(seed=1)
    expected = TableClassifier(OnlineSVC(random_state=0)).fit(empty, y)
    model = fitted(convert(log), y)
    assert np.array_equal(model.transform(convert(new_log)), expected.transform(new_empty))
    assert np.array_equal(model.decision_function(convert(new_log)), expected.decision_function(new_empty))
    detector = TableDetector(missing_values=WORDS).fit(convert(log))
    plain = TableDetector().fit(empty)
    assert np.array_equal(detector.decision_function(convert(new_log)), plain.decision_function(new_empty))


def test_files_keep_them(tmp_path):
    log, _, y = readings()
    model = fitted(log, y)
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    assert loaded.preparation.missing_values == ("ERR", "OFFLINE", "-999")
    assert np.array_equal(loaded.decision_function(log), model.decision_function(log))
    loaded.partial_fit(log, y)


def test_labels_too():
    log, _, y = readings()
    table = to_table(log.assign(state=np.where(np.arange(len(y)) % 10 == 0, "ERR", y)))
    survey = Survey(label="state", missing="drop", missing_values=WORDS)
    survey.add(table)
    assert survey.classes.tolist() == ["cool", "hot"]
    X, labels = survey.preparation().examples(table)
    complete = ~log.isin(WORDS).any(axis=1) & (np.arange(len(y)) % 10 != 0)
    assert len(X) == len(labels) == np.count_nonzero(complete)


def test_the_message_names_the_option():
    log, _, y = readings()
    with pytest.raises(DataError, match=r"got 'ERR' in line 5 among .*--missing-values ERR,OFFLINE, missing_values="):
        TableClassifier().fit(log, y)
    with pytest.raises(DataError, match="no value in line 5"):
        fitted(log, y, missing="error")
    values = Survey(label="temp", missing="fill", regression=None)
    values.add(
        to_table(log.drop(columns="mode").assign(temp=[*np.arange(len(y) - 1.5, 0, -1).astype(str), "OFFLINE"], load=1))
    )
    with pytest.raises(DataError, match=r"name it if no label is meant .--missing-values OFFLINE"):
        values.preparation()
    with pytest.raises(ParameterError, match="words and numbers"):
        TableClassifier(missing_values=[None]).fit(log, y)


@pytest.mark.parametrize("survey", [Survey, OneClassSurvey])
def test_rows_of_numbers_have_none(survey):
    with pytest.raises(DataError, match="need a table"):
        survey(missing_values=["-1"]).add(Rows(np.ones((3, 2)), np.array([0, 1, 0]), 1))


def test_exports():
    runtime = pytest.importorskip("onnxruntime")
    log, empty, y = readings()
    model = fitted(log, y)
    expected = model.predict(log)
    assert np.array_equal(to_sklearn(model).predict(log), expected)
    session = runtime.InferenceSession(to_onnx(model).SerializeToString())
    inputs = {"temp": pd.to_numeric(empty["temp"]), "load": log["load"], "mode": log["mode"]}
    types = {"temp": np.float32, "load": np.float32, "mode": object}
    feed = {name: values.to_numpy(types[name])[:, None] for name, values in inputs.items()}
    assert np.array_equal(session.run(["label"], feed)[0].ravel(), expected)
    numbers = fitted(log.drop(columns="mode"), y)
    with pytest.raises(ExportError, match="cannot say that 'ERR', 'OFFLINE', '-999' stands for a missing value"):
        to_libsvm(numbers, "model.libsvm")


def test_damaged_files_are_refused(tmp_path):
    log, _, y = readings()
    model = fitted(log, y)
    object.__setattr__(model.prepared_.preparation, "missing_values", (7,))
    with pytest.raises(hinge.persistence.ModelFileError, match="words for missing values are not strings"):
        hinge.save(model, tmp_path / "model.hinge")


def test_a_word_that_the_command_cannot_take_is_named_for_python_only():
    assert how_to_name(["a\nb"]) == "missing_values=['a\\nb'] in Python"
    assert how_to_name(["-999,0"]) == "missing_values=['-999,0'] in Python"
