"""Adaptive models in files."""

import datetime as dt

import numpy as np
import pytest

import hinge
from hinge import ModelFileError
from hinge.stream import AdaptiveSVC

SMALL = {"windows": (20, 60), "max_informative": 30}


def stream(n=500, n_classes=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    y = (X[:, :1] > np.linspace(-1, 1, n_classes + 1)[1:-1]).sum(axis=1)
    return X, np.where(np.arange(n) < n // 2, y, n_classes - 1 - y)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian"])
@pytest.mark.parametrize(("n_classes", "cut"), [(2, 1), (2, 300), (4, 400)])
def test_a_loaded_model_goes_on_identically(file, kernel, n_classes, cut):
    X, y = stream(500, n_classes)
    weights = np.random.default_rng(1).integers(0, 3, size=500) + (np.arange(500) == 0)
    model = AdaptiveSVC(**SMALL, kernel=kernel, coef0=1.0)
    times = [f"day {t}" for t in range(500)]
    model.partial_fit(X[:cut], y[:cut], range(n_classes), weights[:cut], times[:cut])
    hinge.save(model, file)
    loaded = hinge.load(file)
    assert loaded.get_params() == model.get_params()
    assert (loaded.n_seen_, loaded.drifts_, loaded.n_iter_) == (model.n_seen_, model.drifts_, model.n_iter_)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    for one in (model, loaded):
        one.partial_fit(X[cut:], y[cut:], None, weights[cut:], times[cut:])
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert loaded.drifts_ == model.drifts_
    assert loaded.n_iter_ == model.n_iter_


def test_drifts_survive(file):
    X, y = stream(1000)
    model = AdaptiveSVC().partial_fit(X, y, times=list(range(1000)))
    assert model.drifts_
    hinge.save(model, file)
    assert hinge.load(file).drifts_ == model.drifts_


def test_times_must_be_plain(file):
    X, y = stream(10)
    model = AdaptiveSVC(**SMALL).partial_fit(X, y, times=[dt.date(2024, 1, day) for day in range(1, 11)])
    with pytest.raises(ModelFileError, match="isoformat"):
        hinge.save(model, file)
    assert not file.exists()


@pytest.fixture
def saved(file):
    X, y = stream(300, 3)
    hinge.save(AdaptiveSVC(**SMALL).partial_fit(X, y, times=list(range(300))), file)
    return file


def refused(file, complaint):
    with pytest.raises(ModelFileError) as caught:
        hinge.load(file)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("name", "place", "value", "complaint"),
    [
        ("ids", 0, 300, "an id is not that of an example it has seen"),
        ("ids", 0, -1, "an id is not that of an example it has seen"),
        ("labels", 0, 3, "a label is not the number of a class"),
        ("labels", 0, -1, "a label is not the number of a class"),
        ("weights", 0, 0.0, "a weight is not above zero"),
        ("weights", 0, 1e-9, "a coefficient is outside its box"),
        ("values", (0, 0), np.inf, "values holds numbers that are not finite"),
        ("values", (0, 0), 1e300, "a feature is so large that its square overflows"),
        ("factor", 0, 0.0, "a factor is not above zero"),
        ("mean", 0, 1e250, "a number of mean is too large"),
        ("places", 0, 10**6, "a place is not that of an example"),
        ("places", 0, -2, "a place is not that of an example"),
        ("places", slice(0, 2), 0, "a window holds an example twice"),
        ("recent", 0, -1, "a recent example is not there"),
        ("recent", slice(0, 2), 0, "its recent examples are not in the order of the stream"),
        ("alpha", 0, 1e10, "a coefficient is outside its box"),
        ("gradient", 0, 1e306, "numbers of gradient are too large"),
        ("bias", 0, 1e200, "a bias is too large"),
        ("vote_weights", 0, -1.0, "vote_weights do not add up to 1"),
        ("vote_weights", 0, 1.0, "vote_weights do not add up to 1"),
        ("repeats", 0, 1.5, "repeats is not a share"),
        ("last_class", 0, 3, "last_class is not the number of a class"),
        ("last_ids", 0, 300, "last_ids are not those of its last examples"),
        ("last_ids", 0, 2, "last_ids do not increase"),
        ("n_classes", 0, 4, "n_classes does not match the classes"),
        ("n_classes", 0, 2, "a label is not the number of a class"),
        ("n_learned", 0, 301, "it has learned more examples than it has seen"),
        ("n_steps", 0, -1, "n_steps is invalid"),
    ],
)
def test_damaged_arrays(saved, parts, rewrite, *, name, place, value, complaint):
    arrays, header = parts(saved)
    array = arrays[name].copy()
    array[place] = value
    rewrite(saved, arrays | {name: array}, header)
    refused(saved, complaint)


@pytest.mark.parametrize("name", ["ids", "weights", "mean", "places", "alpha", "gradient", "bias", "vote_weights"])
def test_arrays_of_another_length(saved, parts, rewrite, name):
    arrays, header = parts(saved)
    rewrite(saved, arrays | {name: arrays[name][:-1]}, header)
    refused(saved, "is damaged")


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("drifts", None, "'drifts'"),
        ("drifts", [[1]], "a drift does not have six fields"),
        ("drifts", [[300, 3, 0.1, 0.5, None, None]], "a drift is not in the stream"),
        ("drifts", [[30, 31, 0.1, 0.5, None, None]], "a drift is not in the stream"),
        ("drifts", [[30, 3, 0.1, 1.5, None, None]], "an error is not a share"),
        ("drifts", [[30, 3, 0.1, 0.5, {}, None]], "a time is not a plain value"),
        ("times", [1], "there is not one time for each of its last examples"),
        ("times", [[]] * 300, "a time is not a plain value"),
        ("detector", None, "its detector does not match its parameters"),
        ("detector", {}, "its detector"),
        ("detector", {"n_updates": -1, "buckets": [[]]}, "the number of updates of its detector is invalid"),
        ("detector", {"n_updates": 1, "buckets": []}, "its buckets are invalid"),
        ("detector", {"n_updates": 1, "buckets": [[0] * 6]}, "its buckets are invalid"),
        ("detector", {"n_updates": 1, "buckets": [[2]]}, "a bucket holds more mistakes than examples"),
        ("dtype", "float32", "its rows are not dense numbers of type float64"),
        ("sparse", True, "its rows are not dense numbers of type float64"),
    ],
)
def test_damaged_values(saved, parts, rewrite, *, field, value, complaint):
    arrays, header = parts(saved)
    rewrite(saved, arrays, header | {"state": header["state"] | {field: value}})
    refused(saved, complaint)


@pytest.mark.parametrize("windows", [{"list": [20]}, {"list": ["20"]}, {"list": 20}, [20, 60], {"list": [20, 61]}])
def test_windows_of_another_model(saved, parts, rewrite, windows):
    arrays, header = parts(saved)
    rewrite(saved, arrays, header | {"parameters": header["parameters"] | {"windows": windows}})
    refused(saved, "is damaged")
