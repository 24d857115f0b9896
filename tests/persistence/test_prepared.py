"""Preparations in model files, and bad ones that raise."""

import copy
from dataclasses import replace

import numpy as np
import pytest

import hinge
from hinge import ModelFileError, OnlineSVC, PreparedClassifier
from hinge.io import Table
from hinge.tables import (
    BooleanColumn,
    CategoryColumn,
    DateColumn,
    IdColumn,
    NumberColumn,
    NumberFormat,
    OneClassPreparation,
    Preparation,
    PreparedDetector,
    Scaling,
    Survey,
    TextColumn,
)


@pytest.fixture
def prepared(file):
    """The file of a model of two columns, one of them with two categories."""
    random = np.random.default_rng(0)
    ages, cities = random.integers(18, 80, 60), random.choice(["Rome", "Oslo"], 60)
    rows = np.column_stack([ages, cities]).astype(object)
    y = np.where(ages > 40, "old", "young")
    survey = Survey(label="y")
    survey.add(Table({"age": rows[:, 0], "city": rows[:, 1], "y": y.astype(object)}, range(2, 62), named=True))
    hinge.save(PreparedClassifier(OnlineSVC(), survey.preparation()).partial_fit(rows, y), file)
    return file


def test_the_file_is_good(prepared):
    assert hinge.load(prepared).predict([["20", "Rome"], ["70", "Oslo"]]).tolist() == ["young", "old"]


CLAIMS = [
    ("n_features", 4, "its columns do not make up its features"),
    ("n_features", 0, "no sensible number of features"),
    ("n_features", 1 << 40, "no sensible number of features"),
    ("n_features", "3", "of the wrong type"),
    ("label_kind", "colour", "'label_kind' of its preparation has an unknown value"),
    ("first_index", 2, "'first_index' of its preparation has an unknown value"),
    ("dtype", "float16", "'dtype' of its preparation has an unknown value"),
    ("missing", "guess", "'missing' of its preparation has an unknown value"),
    ("unknown", None, "of the wrong type"),
    ("dense", 1, "of the wrong type"),
    ("dense", False, "subtracts an offset"),
    ("columns", [], "do not make up its features"),
    ("columns", ["age"], "a column is not a JSON object"),
    ("columns", [{"name": "age", "categories": None, "mean": 1e999}], "not a number|JSON|finite"),
    ("columns", [{"name": "age", "categories": None}], "has no field 'mean'"),
    ("columns", [{"name": "age", "categories": [], "mean": 0}], "none or repeated"),
    ("columns", [{"name": "age", "categories": ["a", "a", "b"], "mean": 0}], "none or repeated"),
    ("columns", [{"name": "age", "categories": [1, 2, 3], "mean": 0}], "none or repeated"),
    ("columns", [{"name": "age", "categories": None, "mean": 0}] * 3, "a column twice"),
    ("columns", [{"kind": "colour", "name": "age"}], "of an unknown kind"),
    ("columns", [{"kind": ["id"], "name": "age"}], "of an unknown kind"),
    ("columns", [{"kind": "id"}], "has no field 'name'"),
    ("columns", [{"kind": "number", "name": "a", "mean": 0, "decimal": ";", "thousands": "", "unit": ""}], "format"),
    ("columns", [{"kind": "number", "name": "a", "mean": 0, "decimal": ",", "thousands": ",", "unit": ""}], "format"),
    ("columns", [{"kind": "boolean", "name": "a", "true": "no", "false": "NO", "mean": 0}], "the same"),
    ("columns", [{"kind": "date", "name": "a", "order": "x", "has_time": True, "origin": 0, "mean": 0}], "order"),
    ("columns", [{"kind": "text", "name": "a", "words": ["b", "b"], "weights": [1, 1]}], "repeated"),
    ("columns", [{"kind": "text", "name": "a", "words": ["b"], "weights": [-1]}], "do not match their weights"),
    ("columns", [{"kind": "text", "name": "a", "words": ["b"], "weights": []}], "do not match their weights"),
    ("more", 1, "which this version does not know"),
]


@pytest.mark.parametrize("claim", CLAIMS)
def test_claims(prepared, parts, rewrite, claim):
    name, value, complaint = claim
    arrays, header = parts(prepared)
    header["preparation"][name] = value
    rewrite(prepared, arrays, header)
    with pytest.raises(ModelFileError, match=complaint):
        hinge.load(prepared)


@pytest.mark.parametrize("array", ["preparation.factor", "preparation.offset"])
@pytest.mark.parametrize("change", ["short", "nan", "float32", "two dimensions"])
def test_scales(prepared, parts, rewrite, array, change):
    arrays, header = parts(prepared)
    scale = arrays[array].copy()
    arrays[array] = {
        "short": scale[:-1],
        "nan": np.full_like(scale, np.nan),
        "float32": scale.astype(np.float32),
        "two dimensions": scale[None],
    }[change]
    rewrite(prepared, arrays, header)
    with pytest.raises(ModelFileError, match="not one finite number per feature"):
        hinge.load(prepared)


@pytest.mark.parametrize("wrong", [{"first_index": 2}, {"missing": "skip"}, {"columns": (NumberColumn("age"),) * 3}])
def test_nothing_is_saved_that_could_not_be_loaded(prepared, wrong):
    before = prepared.read_bytes()
    model = hinge.load(prepared)
    model.preparation = replace(model.preparation, **wrong)
    with pytest.raises(ModelFileError, match="cannot be saved"):
        hinge.save(model, prepared)
    assert prepared.read_bytes() == before


def test_columns_of_all_kinds_survive(file):
    columns = (
        NumberColumn("price", 3.0, NumberFormat(",", ".", "€")),
        NumberColumn("age", 40.0),
        CategoryColumn("city", ("Oslo", "Rome")),
        BooleanColumn("member", "yes", "no", 0.25),
        DateColumn("day", "day-month-year", True, 19000.0, 1.5),
        TextColumn("note", ("broken", "late"), (1.5, 2.5)),
        IdColumn("id"),
    )
    preparation = Preparation(sum(column.width for column in columns), columns, missing="fill", unknown="ignore")
    rows = [
        ["1.234,5 €", "30", "Rome", "yes", "31.12.2023 10:00", "Broken and late", "1"],
        ["7", "", "Mars", "", "", "", "2"],
    ]
    model = PreparedClassifier(OnlineSVC(), preparation).partial_fit(rows, ["a", "b"])
    hinge.save(model, file)
    loaded = hinge.load(file)
    assert loaded.preparation.columns == columns
    np.testing.assert_array_equal(loaded.transform(rows), model.transform(rows))


RUN = {"finished": "now", "data": "a.csv", "rows": 1, "examples_seen": 1, "error": None, "test_error": 2.5}


def test_the_history_of_a_model(prepared):
    model = hinge.load(prepared)
    model.model.history_ = [RUN] * 1500
    hinge.save(model, prepared)
    assert hinge.load(prepared).history_ == [RUN] * 1000


@pytest.mark.parametrize("wrong", [{}, [3], [{"data": "x"}], [RUN | {"rows": -1}], [RUN | {"more": 1}], [RUN] * 1001])
def test_an_invalid_history(prepared, parts, rewrite, wrong):
    arrays, header = parts(prepared)
    rewrite(prepared, arrays, header | {"history": wrong})
    with pytest.raises(ModelFileError, match="history"):
        hinge.load(prepared)


def test_an_invalid_history_is_not_saved(prepared):
    model = hinge.load(prepared)
    model.model.history_ = [RUN | {"rows": "many"}]
    with pytest.raises(ModelFileError, match=r"cannot be saved: .*history"):
        hinge.save(model, prepared)


TUNING = {"C": 4.0, "gamma": None, "scaling": "left as they are", "settings": 9, "rows": 50, "seconds": 0.5}
TUNING |= {"measure": "R2", "score": -0.5, "stopped": ""}


def test_a_run_keeps_how_parameters_were_chosen(prepared):
    model = hinge.load(prepared)
    model.model.history_ = [RUN, RUN | {"tuning": TUNING}]
    hinge.save(model, prepared)
    assert hinge.load(prepared).model.history_ == model.model.history_
    for wrong in ({}, TUNING | {"C": "big"}, TUNING | {"rows": -1}, TUNING | {"seconds": float("inf")}):
        model.model.history_ = [RUN | {"tuning": wrong}]
        with pytest.raises(ModelFileError, match="cannot be saved"):
            hinge.save(model, prepared)


def test_merged_labels(prepared, parts, rewrite):
    arrays, header = parts(prepared)
    header["preparation"]["merged"] = ["old"]
    rewrite(prepared, arrays, header)
    assert hinge.load(prepared).preparation.merged == ("old",)
    for wrong, complaint in (([3], "not strings"), ("old", "of the wrong type")):
        header["preparation"]["merged"] = wrong
        rewrite(prepared, arrays, header)
        with pytest.raises(ModelFileError, match=complaint):
            hinge.load(prepared)


def test_models_do_not_nest(prepared, parts, rewrite):
    arrays, header = parts(prepared)
    header["model"] = copy.deepcopy(
        {"estimator": "PreparedClassifier", **{k: header[k] for k in ("model", "preparation")}}
    )
    rewrite(prepared, arrays, header)
    with pytest.raises(ModelFileError):
        hinge.load(prepared)


def test_a_model_of_other_features(prepared, parts, rewrite, problem):
    arrays, header = parts(prepared)
    other = prepared.with_name("other.hinge")
    hinge.save(OnlineSVC().fit(*problem()), other)
    more, inner = parts(other)
    del inner["format"], inner["version"]
    scales = {name: array for name, array in arrays.items() if name.startswith("preparation")}
    rewrite(prepared, more | scales, header | {"model": inner})
    with pytest.raises(ModelFileError, match="does not match the features of its model"):
        hinge.load(prepared)


@pytest.fixture
def detector(file):
    """The file of a model of one class."""
    X = np.random.default_rng(0).normal(size=(50, 2))
    preparation = OneClassPreparation.of(Preparation(n_features=2, scaling=Scaling(factor=np.full(2, 0.5))), "fine")
    hinge.save(PreparedDetector(hinge.IncrementalOneClassSVM(nu=0.2), preparation).fit(X), file)
    return file


def test_the_normal_label_is_a_string(detector, parts, rewrite):
    arrays, header = parts(detector)
    assert header.pop("normal") == "fine"
    rewrite(detector, arrays, header)
    with pytest.raises(ModelFileError, match="no field 'normal'"):
        hinge.load(detector)
    rewrite(detector, arrays, header | {"normal": 3})
    with pytest.raises(ModelFileError, match="of the wrong type"):
        hinge.load(detector)


@pytest.mark.parametrize(
    "kinds", [("PreparedDetector", "PreparedClassifier"), ("PreparedClassifier", "PreparedDetector")]
)
def test_the_estimator_matches_the_wrapped_model(request, parts, rewrite, kinds):
    before, after = kinds
    file = request.getfixturevalue("detector" if before == "PreparedDetector" else "prepared")
    arrays, header = parts(file)
    assert header["estimator"] == before
    header["estimator"] = after
    header.pop("normal", None)
    rewrite(file, arrays, header | ({"normal": None} if after == "PreparedDetector" else {}))
    with pytest.raises(ModelFileError, match="its model does not match its estimator"):
        hinge.load(file)
