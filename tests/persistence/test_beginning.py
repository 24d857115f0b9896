"""The first examples of a stream in files: damaged ones are refused."""

from __future__ import annotations

import numpy as np
import pytest

import hinge
from hinge import IncrementalSVC, ModelFileError, OnlineSVC

X = np.random.default_rng(0).normal(size=(50, 3))
Y = (X[:, 0] > 0).astype(int)


@pytest.fixture(params=[OnlineSVC, IncrementalSVC])
def young(request, tmp_path):
    file = tmp_path / "model.hinge"
    hinge.save(request.param().partial_fit(X, Y), file)
    return file


def refused(file, complaint):
    with pytest.raises(ModelFileError, match=complaint):
        hinge.load(file)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("held_ids", 50, "an id is not that of an example it has seen"),
        ("held_ids", 5, "held ids are not in the order of the stream|an id is repeated"),
        ("held_labels", 2, "a held label is not the number of a class"),
        ("held_costs", 0.0, "a held cost is not above zero"),
        ("held_weights", 0.0, "a weight is not above zero"),
        ("held_values", 1e200, "a feature is so large that its square overflows"),
        ("held_values", np.nan, "held_values holds numbers that are not finite"),
    ],
)
def test_entries(young, parts, rewrite, *, name, value, complaint):
    arrays, header = parts(young)
    array = arrays[name].copy()
    array.flat[0] = value
    rewrite(young, arrays | {name: array}, header)
    refused(young, complaint)


@pytest.mark.parametrize(
    ("beginning", "complaint"),
    [
        ({"built_from": 4, "n_examples": 50}, "impossible numbers of examples"),
        ({"built_from": 1024, "n_examples": 1024}, "impossible numbers of examples"),
        ({"built_from": -1, "n_examples": 50}, "impossible numbers of examples"),
        ({"built_from": 16, "n_examples": 40}, "does not match the examples kept"),
        ({"built_from": 16}, "has no field 'n_examples'"),
        ({"built_from": 16.0, "n_examples": 50}, "of the wrong type"),
        (None, "it has kept first examples that it does not need"),
    ],
)
def test_counts(young, parts, rewrite, *, beginning, complaint):
    arrays, header = parts(young)
    header["state"]["beginning"] = beginning
    rewrite(young, arrays, header)
    refused(young, complaint)


def test_an_array_is_missing(young, parts, rewrite):
    arrays, header = parts(young)
    del arrays["held_costs"]
    rewrite(young, arrays, header)
    refused(young, "it should hold the arrays")


def test_files_without_a_beginning_are_those_of_earlier_releases(young, parts, rewrite):
    arrays, header = parts(young)
    del header["state"]["beginning"]
    rewrite(young, {name: array for name, array in arrays.items() if not name.startswith("held_")}, header)
    model = hinge.load(young)
    before = model._state.kernel.gamma
    assert model.partial_fit(10 * X, Y)._state.kernel.gamma == before
