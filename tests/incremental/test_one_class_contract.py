"""`IncrementalOneClassSVM` follows scikit-learn's conventions and rejects invalid input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_outlier_detector
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import hinge
from hinge import IncrementalOneClassSVM


@parametrize_with_checks([IncrementalOneClassSVM()])
def test_scikit_learn_estimator(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        IncrementalOneClassSVM(shape="sphere", nu=0.1),
        IncrementalOneClassSVM(shape="sphere", kernel="linear"),
        IncrementalOneClassSVM(C=0.02),
        IncrementalOneClassSVM(max_examples=500),
    ]
)
def test_other_settings(estimator, check):
    check(estimator)


@pytest.fixture(name="X")
def rows():
    return np.random.default_rng(0).normal(size=(40, 3)) + 1.0


@pytest.fixture(params=["plane", "sphere"])
def model(request, X):
    names = ["first", ("second", 2), *range(100, 138)]
    model = IncrementalOneClassSVM(nu=0.2, gamma=0.3, shape=request.param)
    return model.partial_fit(X, ids=names).forget([101, 105])


def assert_equal(one, other, X):
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    assert one.offset_ == other.offset_
    assert one.ids_ == other.ids_
    for left, right in zip(
        (one.support_, one.dual_coef_, one.n_seen_), (other.support_, other.dual_coef_, other.n_seen_), strict=True
    ):
        np.testing.assert_array_equal(left, right)


def test_estimator_tags(X):
    model = IncrementalOneClassSVM()
    assert is_outlier_detector(model)
    assert not hasattr(model, "score")
    assert not hasattr(model.fit(X), "classes_")
    np.testing.assert_array_equal(IncrementalOneClassSVM().fit_predict(X), model.predict(X))


def test_copies_are_independent(model, X):
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_equal(model, other, X)
        other.forget(["first"]).partial_fit(X[:5])
        assert model.ids_[0] == "first"
        kept = np.r_[1:3, 4:7, 8:40, 0:5]  # 101 was row 3, 105 row 7
        fresh = IncrementalOneClassSVM(nu=0.2, gamma=0.3, shape=model.shape).fit(X[kept])
        np.testing.assert_allclose(other.decision_function(X), fresh.decision_function(X), atol=1e-9)
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


def test_saved_and_loaded(model, X, tmp_path):
    hinge.save(model, tmp_path / "model.hinge")
    other = hinge.load(tmp_path / "model.hinge")
    assert_equal(model, other, X)
    for one in (model, other):
        one.forget(["first"]).partial_fit(X[:5])
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), atol=1e-12)
    model.forget(model.ids_)
    hinge.save(model, tmp_path / "empty.hinge")
    empty = hinge.load(tmp_path / "empty.hinge")
    assert len(empty.ids_) == 0
    assert len(empty.partial_fit(X).ids_) == 40


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "linear"},
        {"kernel": "poly", "C": 0.3},
        {"max_examples": 7, "eviction": "relevance"},
        {"nu": 1.0, "cache_size": 0.1},
    ],
)
def test_saved_with_other_parameters(X, tmp_path, parameters):
    model = IncrementalOneClassSVM(**parameters).fit(X)
    hinge.save(model, tmp_path / "model.hinge")
    other = hinge.load(tmp_path / "model.hinge")
    assert_equal(model, other, X)
    assert other.get_params() == model.get_params()


def test_feature_names(X):
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b", "c"])
    model = IncrementalOneClassSVM().partial_fit(frame)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame[["b", "a", "c"]])


def test_inside_a_pipeline(X):
    pipeline = make_pipeline(StandardScaler(), IncrementalOneClassSVM(nu=0.5)).fit(X)
    assert set(pipeline.predict(X)) == {-1, 1}
    assert pipeline.score_samples(X).shape == (40,)


def test_single_precision_and_whole_numbers_become_double(X):
    model = IncrementalOneClassSVM(nu=0.3, gamma=0.2).fit(X.astype(np.float32))
    assert model.support_vectors_.dtype == np.float64
    model.partial_fit(np.arange(12).reshape(4, 3)).partial_fit(X.astype(np.float32)).partial_fit(X.tolist())
    assert model.score_samples(X.astype(np.float32)).dtype == np.float64
    assert model.n_seen_ == 124


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"nu": 0}, "nu must be a finite number above 0, got 0"),
        ({"nu": 1.01}, "nu must be at most 1, got 1.01"),
        ({"nu": "half"}, "nu must be a finite number above 0, got 'half'"),
        ({"C": 0}, "C must be a finite number above 0, got 0"),
        ({"C": np.inf}, "C must be a finite number above 0, got inf"),
        ({"shape": "cube"}, "shape must be one of 'plane', 'sphere', got 'cube'"),
        ({"eviction": "luck"}, "eviction must be one of .*, got 'luck'"),
        ({"max_examples": 1}, "max_examples must be a whole number of at least 2, got 1"),
        ({"max_examples": 2.5}, "max_examples must be a whole number of at least 2, got 2.5"),
        ({"tol": -1}, "tol must be a finite number above 0"),
        ({"gamma": -1}, "gamma must be a finite number above 0"),
        ({"kernel": "magic"}, "kernel must be one of"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"verbose": 7}, "verbose must be True or False"),
    ],
)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_invalid_parameters(X, parameters, sentence, verb):
    model = IncrementalOneClassSVM(**parameters)
    with pytest.raises(hinge.ParameterError, match=sentence):
        getattr(model, verb)(X)
    assert not hasattr(model, "n_features_in_")


def test_parameters_that_must_not_change_during_a_stream(X):
    for changed in ({"nu": 0.3}, {"C": 0.1}, {"shape": "sphere"}, {"gamma": 0.7}, {"kernel": "linear"}):
        model = IncrementalOneClassSVM(nu=0.2, gamma=0.3).fit(X)
        before = model.decision_function(X)
        with pytest.raises(hinge.ParameterError, match="must stay what they were when learning began"):
            model.set_params(**changed).partial_fit(X)
        with pytest.raises(hinge.ParameterError, match="must stay what they were when learning began"):
            model.forget([0])
        assert model.n_seen_ == 40
        np.testing.assert_array_equal(model.decision_function(X), before)
        model.fit(X)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda X: {"X": np.where(X > 2, np.nan, X)},
        lambda X: {"X": X[:, :2]},
        lambda X: {"X": X[0]},
        lambda X: {"X": X * 1e200},
        lambda X: {"X": X, "sample_weight": np.ones(3)},
        lambda X: {"X": X, "sample_weight": -np.ones(40)},
        lambda X: {"X": X, "sample_weight": np.full(40, np.nan)},
        lambda X: {"X": X, "ids": range(3)},
        lambda X: {"X": X, "ids": [7] * 40},
        lambda X: {"X": X, "ids": ["first", *range(200, 239)]},
    ],
)
def test_bad_input_changes_nothing(model, X, wrong):
    before, ids = model.decision_function(X), list(model.ids_)
    with pytest.raises(ValueError):  # noqa: PT011  whoever says it, scikit-learn or we
        model.partial_fit(**wrong(X))
    assert model.n_seen_ == 40
    assert list(model.ids_) == ids
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_all_weights_zero(X):
    model = IncrementalOneClassSVM()
    with pytest.raises(hinge.DataError, match="weight above zero"):
        model.fit(X, sample_weight=np.zeros(40))
    assert not hasattr(model, "n_features_in_")
    model.fit(X).partial_fit(X, sample_weight=np.zeros(40))
    assert len(model.support_vectors_) <= 40
    assert model.n_seen_ == 80


def test_failing_kernel_function_changes_nothing(X):
    def kernel(A, B):
        if broken:
            raise ZeroDivisionError("broken")
        return A @ B.T

    broken = False
    model = IncrementalOneClassSVM(nu=0.2, kernel=kernel).fit(X)
    before = model.decision_function(X)
    broken = True
    for act in (lambda: model.partial_fit(X[:3]), lambda: model.forget(range(20)), model.leave_one_out):
        with pytest.raises(ZeroDivisionError):
            act()
    broken = False
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert len(model.ids_) == 40


def test_not_fitted(X):
    model = IncrementalOneClassSVM()
    for ask in (
        lambda: model.predict(X),
        lambda: model.score_samples(X),
        lambda: model.decision_function(X),
        lambda: model.offset_,
        lambda: model.forget([0]),
        model.leave_one_out,
        model.kkt_violation,
    ):
        with pytest.raises((NotFittedError, AttributeError)):
            ask()


def test_leave_one_out_needs_two_examples(X):
    model = IncrementalOneClassSVM().fit(X[:1])
    with pytest.raises(hinge.DataError, match="at least two examples"):
        model.leave_one_out()


def test_same_model_with_any_number_of_threads(X):
    one, two = (IncrementalOneClassSVM(nu=0.3, n_jobs=n_jobs).fit(X) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_progress_bar(X, capsys):
    IncrementalOneClassSVM(verbose=True).fit(X).forget([0])
    assert capsys.readouterr().out == ""
