from __future__ import annotations

import copy
import json
import pickle
import pickletools

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel

from hinge import OnlineSVC, _core
from hinge._model.state import State
from hinge._model.support import signed_coefficients


def gaussian(A, B):
    return rbf_kernel(A, B, gamma=0.2)


def through_arrays(model):
    arrays, values = model._state.to_arrays()
    twin = copy.copy(model)
    plain = {name: value for name, value in values.items() if name != "options"}
    options = type(values["options"])(**json.loads(json.dumps(values["options"].to_dict())))
    restored = json.loads(json.dumps(plain)) | {"options": options}
    twin._state = State.from_arrays(arrays, restored, model._state.kernel.function)
    return twin


WAYS = [copy.deepcopy, through_arrays, lambda model: pickle.loads(pickle.dumps(model))]


@pytest.mark.parametrize("duplicate", WAYS)
@pytest.mark.parametrize("kernel", ["rbf", gaussian])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
def test_interrupted_by_a_copy_equals_not_interrupted(stream, duplicate, kernel, dtype, container):
    X, y = stream[0][:400].astype(dtype), stream[1][:400] == 0
    straight = OnlineSVC(kernel=kernel, gamma=0.2)
    straight.partial_fit(container(X[:200]), y[:200])
    twin = duplicate(straight)
    np.testing.assert_array_equal(twin.decision_function(X), straight.decision_function(X))
    assert twin.n_iter_ == straight.n_iter_
    assert twin.n_kernel_evals_ == straight.n_kernel_evals_
    for model in (straight, twin):
        model.partial_fit(container(X[200:]), y[200:])
    atol = 1e-9 if dtype == np.float64 else 1e-3
    np.testing.assert_allclose(twin.decision_function(X), straight.decision_function(X), atol=atol)
    assert twin.n_seen_ == straight.n_seen_ == 400


@pytest.mark.parametrize("duplicate", WAYS)
def test_copies_learn_on_their_own(two, duplicate):
    X, y = two
    model = OnlineSVC(gamma=1.0).partial_fit(X[:60], y[:60])
    before = model.decision_function(X)
    duplicate(model).partial_fit(X[60:], y[60:])
    np.testing.assert_array_equal(model.decision_function(X), before)


@pytest.mark.parametrize("duplicate", WAYS)
@pytest.mark.parametrize("labels", [["yes", "no"], [True, False], [1.0, 2.0], [-3, 7]])
def test_labels_survive(two, duplicate, labels):
    X, y = two
    model = OnlineSVC().fit(X, np.array(labels)[y])
    twin = duplicate(model)
    np.testing.assert_array_equal(twin.classes_, model.classes_)
    assert twin.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))


def test_pickle_holds_no_native_models(two):
    pickled = pickle.dumps(OnlineSVC().fit(*two))
    texts = [argument for _, argument, _ in pickletools.genops(pickled) if isinstance(argument, str)]
    assert {text for text in texts if hasattr(_core, text)} == {"LasvmOptions"}


def test_a_pickle_of_a_pickle(two):
    model = OnlineSVC().fit(*two)
    once = pickle.dumps(model)
    twice = pickle.dumps(pickle.loads(once))
    np.testing.assert_array_equal(pickle.loads(twice).decision_function(two[0]), model.decision_function(two[0]))


def test_read_only_arrays_will_do(two):
    model = OnlineSVC().partial_fit(*two)
    arrays, values = model._state.to_arrays()
    for array in arrays.values():
        array.setflags(write=False)
    twin = copy.copy(model)
    twin._state = State.from_arrays(arrays, values)
    twin.partial_fit(*two)
    assert twin.n_seen_ == 240


def test_values_are_json(two):
    _, values = OnlineSVC(max_gap=0.5, max_support=50).fit(*two)._state.to_arrays()
    options = values.pop("options").to_dict()
    assert (options["max_gap"], options["max_support"]) == (0.5, 50)
    for plain in (values, options):
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_prediction_leaves_the_options_alone(two):
    X, y = two
    model = OnlineSVC(n_jobs=1).fit(X, y)
    options = model._state.options
    decisions = model.decision_function(X)
    np.testing.assert_array_equal(model.set_params(n_jobs=2).decision_function(X), decisions)
    assert model._state.options is options


def test_support_is_one_snapshot(three):
    X, y = three
    native = OnlineSVC(epochs=1).fit(X, y)._state.native
    np.testing.assert_array_equal(signed_coefficients(native.state()), native.coefficients())
