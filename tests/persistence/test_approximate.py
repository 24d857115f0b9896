"""Approximate models on disk: exact round trips at any moment of a stream, and what is refused."""

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

import hinge
from hinge import ApproximateSVC, ApproximateSVR, ModelFileError, PreparedClassifier
from hinge._fit import driver
from hinge.approximate._rows import EncodedRows
from hinge.approximate._streams import Stream
from hinge.tables import Preparation, Scaling

MAKERS = {
    "nystroem": lambda: ApproximateSVC(n_components=20, random_state=0),
    "fourier": lambda: ApproximateSVC(approximation="fourier", n_components=30, random_state=0),
    "laplacian fourier": lambda: ApproximateSVC(kernel="laplacian", approximation="fourier", n_components=9),
    "log_loss": lambda: ApproximateSVC(loss="log_loss", kernel="poly", n_components=10, random_state=1),
    "squared_hinge": lambda: ApproximateSVC(loss="squared_hinge", kernel="linear", eigen_threshold=1e-3),
    "asset": lambda: ApproximateSVC(steps="asset", n_components=20, average_last=50, random_state=0),
    "asset without intercept": lambda: ApproximateSVC(steps="asset", fit_intercept=False, n_components=20),
    "regression": lambda: ApproximateSVR(n_components=20, epsilon=0.01, random_state=0),
    "fourier regression": lambda: ApproximateSVR(approximation="fourier", n_components=20, random_state=0),
}


def reloaded(model, file):
    hinge.save(model, file)
    return hinge.load(file)


def answers(model, X):
    return model.predict(X) if isinstance(model, ApproximateSVR) else model.decision_function(X)


def require_same(one, other, X):
    np.testing.assert_array_equal(answers(one, X), answers(other, X))
    np.testing.assert_array_equal(one.component_coef_, other.component_coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert (one.n_seen_, one.n_iter_, one.n_components_) == (other.n_seen_, other.n_iter_, other.n_components_)


@pytest.fixture(params=MAKERS)
def model(request):
    return MAKERS[request.param]().set_params(gamma=0.3, random_state=0)


@pytest.mark.parametrize(
    ("dtype", "form", "n_classes"),
    [
        (np.float64, np.asarray, 2),
        (np.float32, np.asarray, 3),
        (np.float64, csr_matrix, 3),
        (np.float32, csr_matrix, 2),
    ],
)
def test_learning_goes_on_bit_by_bit(file, problem, model, *, dtype, form, n_classes):
    X, y = problem(n_classes, dtype, n=240)
    X = form(X * (X > 0)) if form is csr_matrix else X
    for first in (1, 3, 41, 200):  # while the first examples are gathered, and after that
        one = clone(model).partial_fit(X[:first], y[:first])
        assert (one._state.reservoir is None) == (one.approximation == "fourier" or first >= 4 * one.n_components)
        other = reloaded(one, file)
        assert other.get_params() == one.get_params()
        require_same(other, one, X)
        for start in range(first, 240, 50):
            for each in (one, other):
                each.partial_fit(X[start : start + 50], y[start : start + 50])
        require_same(other, one, X)


def test_after_fit(file, problem, model):
    X, y = problem()
    one = model.fit(X, y)
    other = reloaded(one, file)
    require_same(other, one, X)
    for each in (one, other):
        each.partial_fit(X, y)
    require_same(other, one, X)


def test_far_from_zero(file, problem):
    X, y = problem()
    for maker in (MAKERS["nystroem"], MAKERS["fourier"]):
        model = maker().fit(X + 1e14, y)
        assert model._state.to_arrays()[0]["shift"].size == 6
        require_same(reloaded(model, file), model, X + 1e14)


def test_precomputed_kernel(file, problem):
    X, y = problem()
    gram = X @ X.T
    model = ApproximateSVC(kernel="precomputed", n_components=10, random_state=0).partial_fit(gram[:30], y[:30])
    other = reloaded(model, file)
    require_same(other, model, gram)
    for each in (model, other):
        each.partial_fit(gram[30:], y[30:])
    require_same(other, model, gram)


def test_classes_to_come_and_names(file, problem):
    X, y = problem(3)
    names = np.array(["ant", "bee", "cat"])[y]
    model = ApproximateSVC(gamma=0.3, n_components=5, loss="log_loss", random_state=0)
    model.partial_fit(X[:9], names[:9], classes=["bee", "cow"])
    other = reloaded(model, file)
    assert other.classes_.tolist() == model.classes_.tolist()
    for each in (model, other):
        each.partial_fit(X, names)
    require_same(other, model, X)
    np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))


def test_prepared(file, problem):
    X, y = problem()
    scaled = Preparation(n_features=6, scaling=Scaling(np.full(6, 0.5)))
    model = PreparedClassifier(ApproximateSVC(n_components=10, random_state=0), scaled).partial_fit(X[:20], y[:20])
    other = reloaded(model, file)
    for each in (model, other):
        each.partial_fit(X[20:], y[20:])
    np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
    regression = PreparedClassifier(ApproximateSVR(n_components=10).fit(X, X[:, 0]), scaled)
    with pytest.raises(ModelFileError, match="PreparedClassifier cannot be saved with a ApproximateSVR inside"):
        hinge.save(regression, file)


@pytest.fixture
def gathering(file, problem):
    """The file of a model of three classes in the middle of gathering its first examples: 50 of 80."""
    X, y = problem(3)
    model = ApproximateSVC(n_components=20, gamma=0.3, random_state=0)
    hinge.save(model.partial_fit(X[:50], y[:50]), file)
    return file


@pytest.fixture
def fourier(tmp_path, problem):
    X, y = problem()
    file = tmp_path / "fourier.hinge"
    hinge.save(ApproximateSVC(approximation="fourier", n_components=20, gamma=0.3).fit(X, y), file)
    return file


@pytest.fixture
def sparse(tmp_path, problem):
    X, y = problem()
    file = tmp_path / "sparse.hinge"
    model = ApproximateSVC(n_components=20, gamma=0.3, random_state=0)
    hinge.save(model.partial_fit(csr_matrix(X[:50] * (X[:50] > 0)), y[:50]), file)
    return file


def refused(file, complaint):
    with pytest.raises(ModelFileError) as error:
        hinge.load(file)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_in_the_files(gathering, fourier, sparse, parts):
    arrays, header = parts(gathering)
    assert (header["state"]["built_from"], len(arrays["held_ids"]), arrays["projection"].shape[1]) == (16, 50, 16)
    assert arrays["weights"].size == arrays["average"].size == 3 * len(arrays["penalty"])
    arrays, header = parts(fourier)
    assert header["state"]["built_from"] is None
    assert arrays["frequencies"].shape == (6, 20)
    arrays, header = parts(sparse)
    assert {"data", "indices", "indptr", "held_data", "held_indices", "held_indptr"} <= arrays.keys()


@pytest.mark.parametrize("which", ["gathering", "fourier", "sparse"])
def test_arrays_of_the_wrong_size_or_type(request, parts, rewrite, which):
    file = request.getfixturevalue(which)
    arrays, header = parts(file)
    for name, array in arrays.items():
        if not array.size:
            continue
        none = array[:0] if name != "shift" else array[:1]  # without a shift nothing is subtracted
        for wrong in (array[:-1], np.concatenate([array] * 2), none, array[None], array.astype(np.float16)):
            rewrite(file, arrays | {name: wrong}, header)
            refused(file, "is damaged")
        if name == "penalty_total":  # files of earlier versions lack it
            continue
        rewrite(file, {other: entry for other, entry in arrays.items() if other != name}, header)
        refused(file, "it should hold the arrays")
    rewrite(file, arrays | {"extra": np.zeros(3)}, header)
    refused(file, "it should hold the arrays")


def test_truncated(gathering, fourier):
    for file in (gathering, fourier):
        content = file.read_bytes()
        for length in (0, 7, 100, len(content) // 2, len(content) - 1):
            file.write_bytes(content[:length])
            refused(file, str(file))


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("ids", -1, "an id is not that of an example it has seen"),
        ("ids", 50, "an id is not that of an example it has seen"),
        ("ids", "next", "an id is repeated"),
        ("labels", 3, "a label is not the number of a class"),
        ("values", 1e200, "a feature is so large that its square overflows"),
        ("values", np.nan, "values holds numbers that are not finite"),
        ("projection", np.inf, "projection holds numbers that are not finite"),
        ("shift", 1e200, "the shift is so large that its square overflows"),
        ("weights", 1e200, "numbers of weights or bias are so large that decisions overflow"),
        ("average_bias", -1e200, "numbers of average or average_bias are so large that decisions overflow"),
        ("projection", 1e300, "numbers of weights or bias are so large that decisions overflow"),
        ("penalty", 0.0, "a penalty is not above zero"),
        ("penalty", -1.0, "a penalty is not above zero"),
        ("weights", np.nan, "weights holds numbers that are not finite"),
        ("average", np.inf, "average holds numbers that are not finite"),
        ("bias", np.nan, "bias holds numbers that are not finite"),
        ("average_bias", np.nan, "average_bias holds numbers that are not finite"),
        ("n_steps", -1.0, "n_steps is invalid"),
        ("n_steps", 1e300, "n_steps is invalid"),
        ("n_kernel_evals", 1e300, "n_kernel_evals is invalid"),
        ("weight_mean", -1.0, "weight_mean is invalid"),
        ("held_ids", 50, "an id is not that of an example it has seen"),
        ("held_ids", "next", "an id is repeated"),
        ("held_targets", 3.0, "a target is not the number of a class"),
        ("held_targets", 0.5, "a target is not the number of a class"),
        ("held_weights", 0.0, "a weight is not above zero"),
        ("held_values", 1e200, "a feature is so large that its square overflows"),
    ],
)
def test_entries(gathering, parts, rewrite, *, name, value, complaint):
    arrays, header = parts(gathering)
    array = arrays[name].copy()
    array.flat[0] = array.flat[1] if isinstance(value, str) else value
    rewrite(gathering, arrays | {name: array}, header)
    refused(gathering, complaint)


def test_stopped_before_the_first_example(file, problem, parts, rewrite):
    X, y = problem()
    model = ApproximateSVC(gamma=0.3, random_state=0)
    options = model._check_params(streaming=True)
    state, data, features = driver.first_state(model, options, X, y, None, None)  # as Ctrl-C leaves it
    state.n_seen = len(data)
    state.extend(model._task.classes(data.used_labels, state.table, None))
    Stream(state, model._resolve_kernel, 0, gamma_varies=False).begin(
        EncodedRows.encode(model._task, data, state.table)
    )
    vars(model).update(features, _state=state)
    other = reloaded(model, file)
    for each in (model, other):
        each.partial_fit(X, y)
    require_same(other, model, X)
    arrays, header = parts(file)
    header["state"]["built_from"] = 4
    rewrite(file, arrays, header)
    refused(file, "its map was built from examples that it has not kept")


@pytest.mark.parametrize("prefix", ["", "held_"])
@pytest.mark.parametrize(
    ("name", "place", "value", "complaint"),
    [
        ("indices", 0, 99, "an index is not the number of a feature"),
        ("indices", 0, -1, "an index is not the number of a feature"),
        ("indptr", 0, 1, "indptr does not match the examples"),
        ("indptr", 1, 10**6, "indptr does not match the examples"),
        ("indptr", -1, 2**30, "indptr does not match the examples"),
        ("data", 0, np.nan, "data holds numbers that are not finite"),
    ],
)
def test_sparse_rows(sparse, parts, rewrite, *, prefix, name, place, value, complaint):
    arrays, header = parts(sparse)
    array = arrays[prefix + name].copy()
    array[place] = value
    rewrite(sparse, arrays | {prefix + name: array}, header)
    refused(sparse, complaint)


@pytest.mark.parametrize(
    ("state", "complaint"),
    [
        ({"typical": 0}, "the typical size of its features is invalid"),
        ({"typical": -1.0}, "the typical size of its features is invalid"),
        ({"typical": 10**400}, "the typical size of its features is invalid"),
        ({"typical": None}, "its state has no field 'typical', or it is of the wrong type"),
        ({"built_from": 0}, "its map was built from more examples than it has kept, or from none"),
        ({"built_from": 51}, "its map was built from more examples than it has kept, or from none"),
        ({"built_from": 2}, "it has kept more first examples than it needs"),
        ({"built_from": 16.0}, "its state has no field 'built_from', or it is of the wrong type"),
        ({"built_from": None}, "it should hold the arrays"),
        ({"n_seen": 20}, "an id is not that of an example it has seen"),
        ({"n_features": 5}, "shift does not match the features"),
        ({"sparse": True}, "it should hold the arrays"),
        ({"dtype": "float32"}, "is float64 instead of float32"),
        ({"classes": [0, 1], "class_numbers": [0, 1]}, "a label is not the number of a class"),
        ({"classes": [0, 1, 2, 3], "class_numbers": [0, 1, 2, 3]}, "weights do not match classes and features"),
        ({"classes": [], "class_numbers": []}, "a label is not the number of a class"),
        ({"extra": 1}, "its state has a field 'extra'"),
    ],
)
def test_states(gathering, parts, rewrite, state, complaint):
    arrays, header = parts(gathering)
    rewrite(gathering, arrays, header | {"state": header["state"] | state})
    refused(gathering, complaint)


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"n_components": 5}, "its landmarks are none, or more than n_components"),
        ({"n_components": 0}, "n_components must be"),
        ({"approximation": "fourier"}, "it should hold the arrays"),
        ({"loss": "epsilon_insensitive"}, "loss must be one of"),
        ({"steps": "wide"}, "steps must be one of"),
        ({"eigen_threshold": 2.0}, "eigen_threshold must be"),
        ({"kernel": "linear"}, "must stay what they were when learning began"),
    ],
)
def test_parameters(gathering, parts, rewrite, parameters, complaint):
    arrays, header = parts(gathering)
    rewrite(gathering, arrays, header | {"parameters": header["parameters"] | parameters})
    refused(gathering, complaint)


def test_maps_and_parameters_belong_together(fourier, gathering, parts, rewrite):
    arrays, header = parts(fourier)
    for parameters, complaint in (
        ({"approximation": "nystroem"}, "it should hold the arrays"),
        ({"n_components": 19}, "frequencies do not match features and n_components"),
        ({"kernel": "poly"}, "kernel must be 'rbf' or 'laplacian'"),
    ):
        rewrite(fourier, arrays, header | {"parameters": header["parameters"] | parameters})
        refused(fourier, complaint)
    arrays, header = parts(gathering)
    header["estimator"] = "ApproximateSVR"
    for name in ("loss", "class_weight", "calibration"):
        del header["parameters"][name]
    rewrite(gathering, arrays, header)
    refused(gathering, "a regression has no classes")
    header["estimator"] = "OnlineSVC"
    rewrite(gathering, arrays, header | {"parameters": {}})
    refused(gathering, "is damaged")


def test_a_prepared_regression_is_refused(file, problem, parts, rewrite):
    X, y = problem()
    scaled = Preparation(n_features=6, scaling=Scaling(np.full(6, 0.5)))
    hinge.save(PreparedClassifier(ApproximateSVC(n_components=10), scaled).fit(X, y), file)
    _, outside = parts(file)
    scales = {"preparation.factor": np.full(6, 0.5)}
    hinge.save(ApproximateSVR(n_components=10).fit(X, X[:, 0]), file)
    arrays, inside = parts(file)
    inside = {name: value for name, value in inside.items() if name not in ("format", "version")}
    rewrite(file, arrays | scales, outside | {"model": inside})
    refused(file, "its model does not match its estimator")


def test_claims_take_no_memory(sparse, parts, rewrite):
    """Numbers of features and of components are claims; what loading takes must depend on what is there."""
    arrays, header = parts(sparse)
    header["state"]["n_features"] = 1 << 26
    header["parameters"]["n_components"] = 2**31 - 1
    rewrite(sparse, arrays, header)
    program = f"""
import hinge, json, resource
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = hinge.load({str(sparse)!r})
model.support_vectors_
print(json.dumps(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) * (1024 if sys.platform == "linux" else 1) < 50_000_000
