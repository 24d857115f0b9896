"""What all online solvers have in common, whatever they do with an example."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hinge
from hinge import (
    ApproximateSVC,
    DataError,
    IncrementalSVC,
    KernelPerceptron,
    ParameterError,
    RobustOnlineSVC,
    TrackingSVC,
)

GAMMA = 0.3
MAKERS = {
    "ramp": lambda: RobustOnlineSVC(C=3, warmup=20, max_idle=15, clean_every=20),
    "hinge": lambda: RobustOnlineSVC(C=3, variant="hinge", max_idle=15, clean_every=20),
    "ignore": lambda: RobustOnlineSVC(C=3, variant="ignore", warmup=20),
    "full": lambda: RobustOnlineSVC(C=3, variant="full"),
    "bounded ramp": lambda: RobustOnlineSVC(C=3, warmup=20, max_support=40),
    "algorithm 1": lambda: TrackingSVC(C=3, process=False),
    "algorithm 2": lambda: TrackingSVC(C=3),
    "cheap tracking": lambda: TrackingSVC(C=3, keep="support"),
    "not averaged": lambda: TrackingSVC(C=3, keep="support", average=False),
    "perceptron": KernelPerceptron,
    "averaged": lambda: KernelPerceptron(average=True),
    "margin": lambda: KernelPerceptron(margin=0.5),
    "budget": lambda: KernelPerceptron(max_support=30),
    "incremental": lambda: IncrementalSVC(C=3),
    "window": lambda: IncrementalSVC(C=3, max_examples=40),
    "nystroem": lambda: ApproximateSVC(C=3, n_components=40),
    "fourier": lambda: ApproximateSVC(C=3, n_components=100, approximation="fourier"),
    "log_loss": lambda: ApproximateSVC(C=3, n_components=40, loss="log_loss"),
    "asset": lambda: ApproximateSVC(C=3, n_components=40, steps="asset"),
    "asset without intercept": lambda: ApproximateSVC(C=3, n_components=40, steps="asset", fit_intercept=False),
}


@pytest.fixture(params=MAKERS)
def model(request):
    return MAKERS[request.param]().set_params(gamma=GAMMA, random_state=0)


def decisions(model, X):
    return model.decision_function(X)


def has_vectors(model):
    """Tell whether a model is a kernel expansion; one over Fourier features is not."""
    return model.get_params().get("approximation") != "fourier"


def examples(model):
    """Return the places in the stream of all examples that a model is made of."""
    return model.support_ if has_vectors(model) else np.zeros(0)


def is_biased(model):
    """Tell whether its machines have constants."""
    return isinstance(model, IncrementalSVC) or (isinstance(model, ApproximateSVC) and model.fit_intercept)


def test_chunks_are_the_same_as_single_rows(model, stream):
    X, y = stream
    together = clone(model).partial_fit(X, y == 0)
    single = clone(model)
    for row in range(len(y)):
        single.partial_fit(X[row : row + 1], y[row : row + 1] == 0, classes=[False, True])
    pieces = clone(model)
    for start in range(0, len(y), 70):
        pieces.partial_fit(X[start : start + 70], y[start : start + 70] == 0, classes=[False, True])
        pieces.predict(X[:3])  # closes gaps: what follows must not depend on it
    for other in (single, pieces):
        np.testing.assert_allclose(decisions(other, X), decisions(together, X), atol=1e-8)
        np.testing.assert_array_equal(examples(other), examples(together))


def test_threads_change_nothing(model, stream):
    X, y = stream
    one, two = (clone(model).set_params(n_jobs=jobs).partial_fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(decisions(one, X), decisions(two, X))


def test_one_against_the_rest_is_separate_machines(model, three):
    X, y = three
    values = decisions(clone(model).partial_fit(X, y, classes=[0, 1, 2]), X)
    for place in range(3):
        alone = clone(model).partial_fit(X, y == place, classes=[False, True])
        np.testing.assert_allclose(decisions(alone, X), values[:, place], atol=1e-9)


@pytest.mark.parametrize("way", ["save", "pickle", "copy"])
@pytest.mark.parametrize("classes", [2, 4])
def test_learning_goes_on_after_a_rest(model, stream, tmp_path, way, classes):
    X, y = stream
    y = np.minimum(y, classes - 1)
    model.partial_fit(X[:300], y[:300])
    if way == "save":
        hinge.save(model, tmp_path / "model.hinge")
        other = hinge.load(tmp_path / "model.hinge")
    else:
        other = pickle.loads(pickle.dumps(model)) if way == "pickle" else copy.deepcopy(model)
    np.testing.assert_array_equal(decisions(other, X), decisions(model, X))
    for each in (model, other):
        each.partial_fit(X[300:], y[300:])
    np.testing.assert_allclose(decisions(other, X), decisions(model, X), atol=1e-8)
    np.testing.assert_array_equal(examples(other), examples(model))
    for name in ("n_admitted_", "n_cleaned_"):
        if hasattr(model, name):
            np.testing.assert_array_equal(getattr(other, name), getattr(model, name))


def test_kinds_of_input(model, two):
    X, y = two
    dense = clone(model).partial_fit(X, y)
    wanted = decisions(dense, X)
    sparse = clone(model).partial_fit(csr_matrix(X), y)
    np.testing.assert_allclose(decisions(sparse, csr_matrix(X)), wanted, atol=1e-8)
    single = clone(model).partial_fit(X.astype(np.float32), y)
    assert (single.predict(X) == dense.predict(X)).mean() > 0.9
    if not has_vectors(model):  # these need the kernel itself
        return
    K = rbf_kernel(X, gamma=GAMMA)
    precomputed = clone(model).set_params(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(decisions(precomputed, K), decisions(clone(model).fit(X, y), X), atol=1e-8)
    function = clone(model).set_params(kernel=lambda A, B: rbf_kernel(A, B, gamma=GAMMA)).partial_fit(X, y)
    np.testing.assert_allclose(decisions(function, X), wanted, atol=1e-8)


def test_what_it_shows_is_what_it_answers_with(model, three):
    X, y = three
    model.fit(X, y)
    assert (model.intercept_.tolist() == [0.0] * 3) == (not is_biased(model))
    if has_vectors(model):
        shown = rbf_kernel(X, model.support_vectors_, gamma=GAMMA) @ model.dual_coef_.T + model.intercept_
        np.testing.assert_allclose(shown, decisions(model, X), atol=1e-9)
        assert model.n_support_.sum() == len(model.support_)
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    peer = hinge.export.to_sklearn(model)
    np.testing.assert_array_equal(peer.predict(X), model.predict(X))


def test_exports(model, two, tmp_path):
    X, y = two
    model.fit(X, y)
    if has_vectors(model):
        hinge.export.to_libsvm(model, tmp_path / "model.txt")
        again = hinge.export.from_libsvm(tmp_path / "model.txt")
        np.testing.assert_allclose(decisions(again, X), decisions(model, X), atol=1e-6)
    hinge.export.to_onnx(model, tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").stat().st_size > 0


def test_rows_of_no_weight_are_passed_over(model, two):
    X, y = two
    weights = np.where(np.arange(len(y)) % 3, 1.0, 0.0)
    used = weights > 0
    weighted = clone(model).partial_fit(X, y, sample_weight=weights)
    assert not np.isin(examples(weighted), np.flatnonzero(~used)).any()
    left = clone(model).partial_fit(X[used], y[used])
    if not isinstance(model, TrackingSVC) or model.keep == "all":  # where picks depend on places in the stream
        np.testing.assert_allclose(decisions(weighted, X), decisions(left, X), atol=1e-9)


def test_beginnings(model):
    one = clone(model).partial_fit([[1.0, 2.0]], ["only"])
    assert one.predict([[0.0, 0.0]]).tolist() == ["only"]
    assert one.partial_fit([[-1.0, 2.0]], ["other"]).classes_.tolist() == ["only", "other"]
    assert set(one.partial_fit([[3.0, 3.0]], ["third"]).predict([[1.0, 2.0], [3.0, 3.0]])) <= {"only", "other", "third"}
    named = clone(model).partial_fit([[1.0]], [2], classes=[0, 1, 2])
    assert named.decision_function([[1.0]]).shape == (1, 3)
    with pytest.raises(DataError, match="two classes"):
        clone(model).fit([[0.0], [1.0]], [1, 1])


def test_classes_that_come_late(model, stream):
    X, y = stream
    for start in range(0, 600, 50):
        model.partial_fit(X[start : start + 50], y[start : start + 50])
    assert model.classes_.tolist() == [0, 1, 2, 3]
    if not isinstance(model, KernelPerceptron):
        assert model.score(X, y) > 0.45  # four classes that overlap


def test_in_a_pipeline(model, three):
    X, y = three
    names = np.array(["red", "green", "blue"])[y]
    assert make_pipeline(StandardScaler(), model).fit(X * 100 + 5, names).score(X * 100 + 5, names) > 0.5


def test_balanced_classes_need_all_examples(model, two):
    X, y = two
    model.set_params(class_weight="balanced").fit(X, y)
    with pytest.raises(ParameterError, match="class_weight must be None or a dictionary in partial_fit"):
        model.partial_fit(X, y)


def test_several_passes(model, three):
    X, y = three
    if "epochs" in model.get_params():
        model.set_params(epochs=3)
    model.fit(X, y)
    assert model.n_seen_ == len(y)
    assert model._state.native.n_retained <= len(y)


def test_progress_is_shown(model, three, capsys):
    X, y = three
    shown = clone(model).set_params(verbose=True).fit(X, y)
    np.testing.assert_array_equal(decisions(shown, X), decisions(model.fit(X, y), X))


def test_bad_rows_leave_it_as_it_was(model, two):
    X, y = two
    before = decisions(model.partial_fit(X, y), X)
    with pytest.raises(ValueError, match="contains NaN"):
        model.partial_fit(np.full((1, 2), np.nan), [0])
    np.testing.assert_array_equal(decisions(model, X), before)
