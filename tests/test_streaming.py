"""The streaming protocol, for every estimator that has one."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import hinge
from hinge import streaming

CLASSIFIERS = [
    hinge.OnlineSVC,
    hinge.RobustOnlineSVC,
    hinge.TrackingSVC,
    hinge.KernelPerceptron,
    hinge.IncrementalSVC,
    hinge.ApproximateSVC,
]
random = np.random.default_rng(0)
X = random.normal(size=(120, 3))
Y = (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (hinge.OnlineSVC, ("classification", False, "support vectors", "float32")),
        (hinge.TrackingSVC, ("classification", False, "support vectors", "float32")),
        (hinge.IncrementalSVC, ("classification", True, "support vectors", "float64")),
        (hinge.IncrementalOneClassSVM, ("one-class", True, "support vectors", "float64")),
        (hinge.ApproximateSVC, ("classification", False, "features", "float32")),
        (hinge.ApproximateSVR, ("regression", False, "features", "float32")),
    ],
)
def test_traits(estimator, expected):
    found = streaming.traits(estimator())
    assert (found.task, found.is_exact, found.size_unit, found.dtype) == expected


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_a_stream_of_batches(estimator):
    model = estimator(random_state=0)
    streaming.check_params(model)
    assert not streaming.is_fitted(model)
    for start in range(0, 120, 40):
        model.partial_fit(X[start : start + 40], Y[start : start + 40])
    streaming.end_stream(model)
    streaming.finish(model)
    assert streaming.is_fitted(model)
    score = streaming.progressive_score(model)
    assert (score.n_examples, 0 < score.n_mistakes < 120) == (120, True)
    expected = model.n_components_ if streaming.traits(model).size_unit == "features" else len(model.support_)
    assert streaming.model_size(model) == expected
    assert streaming.model_size(model, fast=True) >= expected
    labels, scores = streaming.predict_with_scores(model, X)
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(scores[:, 0], model.decision_function(X))


def test_later_passes_are_counted_only_where_they_are_new_steps():
    online = hinge.OnlineSVC(random_state=0).partial_fit(X, Y)
    streaming.learn_again(online, X, Y)
    assert online.n_seen_ == 240
    approximate = hinge.ApproximateSVC(n_components=50, random_state=0).partial_fit(X, Y)
    streaming.end_stream(approximate)
    steps = approximate.n_iter_
    streaming.learn_again(approximate, X, Y)
    assert (approximate.n_seen_, approximate.n_iter_ > steps) == (120, True)


def test_the_order_of_a_later_pass_is_the_one_asked_for():
    models = [hinge.ApproximateSVC(n_components=50, random_state=0).partial_fit(X, Y) for _ in range(3)]
    for model, seed in zip(models, (1, 1, 2), strict=True):
        streaming.learn_again(model, X, Y, random_state=np.random.RandomState(seed))
    same, again, other = (model.decision_function(X) for model in models)
    np.testing.assert_array_equal(same, again)
    assert not np.array_equal(same, other)


def test_the_finishing_step_runs_only_if_fit_would():
    finished, left = (hinge.OnlineSVC(finishing=wanted).partial_fit(X, Y) for wanted in (True, False))
    for model in (finished, left):
        streaming.finish(model)
    assert finished.kkt_violation() < left.kkt_violation()


def test_scores_of_other_tasks():
    detector = hinge.IncrementalOneClassSVM(nu=0.2).fit(X)
    signs, scores = streaming.predict_with_scores(detector, X)
    np.testing.assert_array_equal(signs, detector.predict(X))
    np.testing.assert_array_equal(scores[:, 0], detector.decision_function(X))
    regressor = hinge.ApproximateSVR(n_components=20, random_state=0).fit(X, X[:, 0])
    values, scores = streaming.predict_with_scores(regressor, X)
    np.testing.assert_array_equal(values, regressor.predict(X))
    np.testing.assert_array_equal(scores, values[:, None])


def test_gamma():
    model = hinge.OnlineSVC()
    assert streaming.resolve_gamma(model, X) == pytest.approx(1 / (3 * X.var()))
    assert model.gamma == "scale"
    assert streaming.resolve_gamma(hinge.OnlineSVC(gamma=0.3), X) == 0.3
    model.fit(X, Y)
    assert streaming.kernel(model).gamma == pytest.approx(1 / (3 * X.var()))
    assert (streaming.storage(model).dtype, streaming.storage(model).sparse) == (np.float64, False)


MORE = [*CLASSIFIERS, hinge.IncrementalOneClassSVM, hinge.ApproximateSVR]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("estimator", MORE)
def test_added_features_count_as_zero(estimator, sparse):
    """The model goes on as if the columns had been there, and 0, from the beginning; also far from the origin."""
    settings = {"gamma": 0.3, "random_state": 0} | ({"n_components": 20} if "Approx" in estimator.__name__ else {})
    far = np.hstack([X + 50.0, np.zeros((len(X), 2))])
    later = np.vstack([far[:60], far[60:] + np.array([0, 0, 0, 1.0, -1.0])])
    narrow, wide = estimator(**settings), estimator(**settings)
    narrow.partial_fit(later[:60, :3], Y[:60])
    wide.partial_fit(later[:60], Y[:60])
    streaming.add_features(narrow, 5, sparse=sparse)
    assert (narrow.n_features_in_, streaming.storage(narrow).sparse, narrow.n_seen_) == (5, sparse, 60)
    for model in (narrow, wide):
        model.partial_fit(later[60:], Y[60:])
    found, expected = (streaming.predict_with_scores(model, later)[1] for model in (narrow, wide))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_features_that_cannot_be_added():
    model = hinge.OnlineSVC().fit(X, Y)
    with pytest.raises(hinge.ParameterError, match="n_features must be a whole number of at least 3, got 2"):
        streaming.add_features(model, 2)
    gram = hinge.OnlineSVC(kernel="precomputed").fit(X @ X.T, Y)
    with pytest.raises(hinge.DataError, match="precomputed"):
        streaming.add_features(gram, 200)
    with pytest.raises(NotFittedError):
        streaming.add_features(hinge.OnlineSVC(), 3)


def test_bad_parameters_and_models_that_know_nothing():
    with pytest.raises(hinge.ParameterError, match="C must be"):
        streaming.check_params(hinge.OnlineSVC(C=-1))
    with pytest.raises(hinge.ParameterError, match="balanced"):
        streaming.check_params(hinge.OnlineSVC(class_weight="balanced"))
    for ask in (streaming.progressive_score, streaming.model_size, streaming.kernel, streaming.storage):
        with pytest.raises(NotFittedError):
            ask(hinge.OnlineSVC())
