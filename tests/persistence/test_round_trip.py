"""Loaded models make bit-identical decisions and keep learning."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

import hinge
from hinge import ModelFileError, OnlineSVC, ParameterError


def reloaded(model, file):
    hinge.save(model, file)
    return hinge.load(file)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid", "laplacian"])
def test_a_loaded_model_makes_the_same_decisions_and_keeps_learning(file, problem, *, n_classes, dtype, form, kernel):
    X, y = problem(n_classes, dtype)
    model = OnlineSVC(C=0.5, kernel=kernel, degree=2, gamma=0.1, coef0=0.5).partial_fit(form(X[:80]), y[:80])
    loaded = reloaded(model, file)
    assert loaded.get_params() == model.get_params()
    assert loaded.n_seen_ == 80
    np.testing.assert_array_equal(loaded.decision_function(form(X)), model.decision_function(form(X)))
    np.testing.assert_array_equal(loaded.intercept_, model.intercept_)
    np.testing.assert_array_equal(loaded.dual_coef_, model.dual_coef_)
    for one in (model, loaded):
        one.partial_fit(form(X[80:]), y[80:])
    assert loaded.n_seen_ == len(y)
    if dtype == np.float64:
        np.testing.assert_allclose(loaded.decision_function(form(X)), model.decision_function(form(X)), atol=1e-9)


def test_far_from_zero(file, problem):
    X, y = problem()
    model = OnlineSVC().fit(X + 1e6, y)
    assert model._state.to_arrays()[0]["shift"].size == 6
    loaded = reloaded(model, file)
    np.testing.assert_array_equal(loaded.decision_function(X + 1e6), model.decision_function(X + 1e6))
    np.testing.assert_array_equal(loaded.support_vectors_, model.support_vectors_)


def test_precomputed_kernel(file, problem):
    X, y = problem()
    gram = X @ X.T
    model = OnlineSVC(kernel="precomputed", C=0.1).partial_fit(gram[:70], y[:70])
    loaded = reloaded(model, file)
    np.testing.assert_array_equal(loaded.decision_function(gram), model.decision_function(gram))
    for one in (model, loaded):
        one.partial_fit(gram[70:], y[70:])
    np.testing.assert_allclose(loaded.decision_function(gram), model.decision_function(gram), atol=1e-9)


@pytest.mark.parametrize(
    "settings", [{"max_support": 12}, {"selection": "active", "random_state": 3}, {"max_gap": 0.1}]
)
def test_ways_to_learn(file, problem, settings):
    X, y = problem(3)
    model = OnlineSVC(**settings).partial_fit(X[:80], y[:80])
    loaded = reloaded(model, file)
    for one in (model, loaded):
        one.partial_fit(X[80:], y[80:])
    np.testing.assert_allclose(loaded.decision_function(X), model.decision_function(X), atol=1e-9)


def test_one_class_so_far_and_classes_to_come(file, problem):
    X, y = problem(4)
    alone = y == 2
    for classes in (None, [2, 3], [0, 1, 2, 3]):
        model = OnlineSVC(gamma=0.1).partial_fit(X[alone], y[alone], classes=classes)
        loaded = reloaded(model, file)
        assert loaded.classes_.tolist() == model.classes_.tolist()
        np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
        for one in (model, loaded):
            one.partial_fit(X[~alone], y[~alone])
        np.testing.assert_allclose(loaded.decision_function(X), model.decision_function(X), atol=1e-9)


def test_classes_that_came_in_an_interrupted_call(file, problem):
    X, y = problem(3)
    early = y < 2
    model = OnlineSVC(gamma=0.1).partial_fit(X[early], y[early])
    # So an interrupted call leaves a model: the new class is known, but its machine has not seen what the others kept.
    model._state.extend(model._state.table.extended(np.array([2])))
    assert model._state.to_arrays()[0]["newcomers"].tolist() == [2]
    loaded = reloaded(model, file)
    for one in (model, loaded):
        one.partial_fit(X[~early], y[~early])
        assert one._state.to_arrays()[0]["newcomers"].tolist() == []
    np.testing.assert_allclose(loaded.decision_function(X), model.decision_function(X), atol=1e-9)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype="<U9"),
        np.array(["no", "yes\N{SNOWMAN}"], dtype=object),
        np.array([-1.0, 2.0]),
        np.array([3.0, 7.0], dtype=np.float32),
        np.array([False, True]),
        np.array([-3, 250], dtype=np.int16),
        np.array([1, 2**64 - 1], dtype=np.uint64),
    ],
)
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_labels_keep_their_type(file, problem, labels):
    X, y = problem()
    model = OnlineSVC().partial_fit(X, labels[y], classes=labels)
    loaded = reloaded(model, file)
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.predict(X).dtype == model.predict(X).dtype
    loaded.partial_fit(X, labels[y])


def test_parameters_come_back(file, problem):
    X, y = problem()
    model = OnlineSVC(
        C=np.float64(2.0),
        class_weight={0: 1.5, np.int64(1): np.float32(2.0), 7: 1},
        kernel=np.str_("poly"),
        degree=np.int64(2),
        gamma=0.1 + 0.2,
        max_support=50,
        verbose=np.bool_(False),
        n_jobs=1,
    )
    loaded = reloaded(model.fit(X, y), file)
    assert loaded.get_params() == model.get_params()
    assert {type(value) for value in loaded.get_params().values()} <= {bool, int, float, str, dict, type(None)}
    assert [type(key) for key in loaded.class_weight] == [int, int, int]


def test_parameters_that_are_set_later(file, problem):
    X, y = problem()
    model = OnlineSVC(gamma=0.2).fit(X, y)
    assert reloaded(model.set_params(C=7.0, tol=1e-2), file).get_params() == model.get_params()
    with pytest.raises(ParameterError, match="C must be a finite number above 0, got -1"):
        hinge.save(model.set_params(C=-1), file)
    with pytest.raises(ParameterError, match="must stay what they were when learning began"):
        hinge.save(model.set_params(C=1.0, gamma=0.3), file)
    assert hinge.load(file).gamma == 0.2


def test_feature_names_come_back(file, problem):
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    frame = pandas.DataFrame(X, columns=["a", 'b"\\', "", "\n", "é", "\N{SNOWMAN}"])
    loaded = reloaded(OnlineSVC().fit(frame, y), file)
    assert loaded.feature_names_in_.tolist() == list(frame.columns)
    loaded.predict(frame)  # would warn, were the names lost


def test_saving_twice_gives_the_same_bytes(file, problem):
    X, y = problem(3)
    hinge.save(OnlineSVC(random_state=0).fit(X, y), file)
    first = file.read_bytes()
    hinge.save(hinge.load(file), file)
    assert file.read_bytes() == first


def test_models_that_cannot_be_saved(file, problem):
    X, y = problem()
    with pytest.raises(ModelFileError, match="Only models of hinge can be saved, not SVC"):
        hinge.save(SVC().fit(X, y), file)
    with pytest.raises(NotFittedError):
        hinge.save(OnlineSVC(), file)
    with pytest.raises(ModelFileError, match="kernel is a function"):
        hinge.save(OnlineSVC(kernel=lambda A, B: A @ B.T).fit(X, y), file)
    with pytest.raises(ModelFileError, match=r"random_state is a RandomState .* use an integer seed"):
        hinge.save(OnlineSVC(random_state=np.random.RandomState(0)).fit(X, y), file)
    with pytest.raises(ModelFileError, match="The model cannot be saved: its names and labels take more than"):
        hinge.save(OnlineSVC().fit(X, np.array(["no", "y" * 9_000_000], dtype=object)[y]), file)
    assert not file.exists()


def test_a_class_of_the_same_name_is_not_ours(file, problem):
    X, y = problem()
    stranger = type("OnlineSVC", (OnlineSVC,), {})
    with pytest.raises(ModelFileError, match="Only models of hinge"):
        hinge.save(stranger().fit(X, y), file)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_files_from_before_boxes_and_averages(file, problem, parts, rewrite, n_classes):
    X, y = problem(n_classes)
    model = OnlineSVC(C=0.7).partial_fit(X[:80], y[:80])
    hinge.save(model, file)
    arrays, header = parts(file)
    counters = arrays["counters"]
    early = np.concatenate([counters[:3], counters[3:].reshape(-1, 12)[:, :4].ravel()])
    arrays = {name: array for name, array in arrays.items() if name not in ("member_lows", "lag", "terms")}
    rewrite(file, arrays | {"counters": early}, header)
    later = hinge.load(file)
    np.testing.assert_array_equal(later.decision_function(X), model.decision_function(X))
    for each in (model, later):
        each.partial_fit(X[80:], y[80:])
    np.testing.assert_allclose(later.decision_function(X), model.decision_function(X), atol=1e-12)
