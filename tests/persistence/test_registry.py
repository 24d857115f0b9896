"""The registry accepts other classes of models, and models that contain models."""

import numpy as np
import pytest

import hinge
from hinge import ModelFileError, OnlineSVC
from hinge.persistence import _registry
from hinge.persistence._errors import require
from hinge.persistence._file import Parts
from hinge.persistence._registry import Entry, from_parts, register, to_parts


class Halved:
    """A classifier whose examples are halved first."""

    def __init__(self, model, factor):
        self.model = model
        self.factor = factor


def apart(model):
    inner = to_parts(model.model)
    return Parts(inner.arrays | {"halved.factor": model.factor}, {"model": inner.header})


def together(parts):
    arrays = dict(parts.arrays)
    factor = arrays.pop("halved.factor", None)
    require(factor is not None, "it has no factor")
    return Halved(from_parts(Parts(arrays, parts.header["model"])), factor)


@pytest.fixture
def table(monkeypatch):
    monkeypatch.setattr(_registry, "_ENTRIES", dict(_registry._ENTRIES))
    register(Entry(Halved, apart, together))


def test_models_that_contain_models(table, file, problem, parts, rewrite):
    X, y = problem()
    model = Halved(OnlineSVC(random_state=0).fit(X / 2, y), np.array([0.5]))
    hinge.save(model, file)
    loaded = hinge.load(file)
    assert isinstance(loaded, Halved)
    assert loaded.factor.tolist() == [0.5]
    np.testing.assert_array_equal(loaded.model.decision_function(X), model.model.decision_function(X))
    arrays, header = parts(file)
    assert header["estimator"] == "Halved"
    assert header["model"]["estimator"] == "OnlineSVC"
    del arrays["halved.factor"]
    rewrite(file, arrays, header)
    with pytest.raises(ModelFileError, match=r"is damaged: it has no factor\.$"):
        hinge.load(file)
    for inner in (None, [], "OnlineSVC", {"estimator": None}, {"estimator": "SVC"}):
        rewrite(file, arrays | {"halved.factor": np.ones(1)}, header | {"model": inner})
        with pytest.raises(ModelFileError, match="is damaged"):
            hinge.load(file)


def test_an_unregistered_class(file, problem):
    model = Halved(OnlineSVC().fit(*problem()), np.ones(1))
    with pytest.raises(ModelFileError, match="Only models of hinge can be saved, not Halved"):
        hinge.save(model, file)
