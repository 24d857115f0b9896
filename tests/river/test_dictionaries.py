"""Dictionaries whose keys come and go give the model of the full table."""

import copy
import math
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from hinge import ApproximateSVC, ApproximateSVR, IncrementalOneClassSVM, IncrementalSVC, OnlineSVC
from hinge.exceptions import DataError, ParameterError
from hinge.river import HingeAnomalyDetector, HingeClassifier, HingeRegressor

MODELS = {
    "online": OnlineSVC(gamma=0.3),
    "linear": OnlineSVC(kernel="linear"),
    "poly": OnlineSVC(kernel="poly", gamma=0.3, coef0=1.0),
    "laplacian": OnlineSVC(kernel="laplacian", gamma=0.3),
    "exact": IncrementalSVC(gamma=0.3),
    "approximate": ApproximateSVC(gamma=0.3, n_components=8, random_state=0),
}


def stream(n, d, seed=0):
    """Feature j appears after row 3 j, and a third of the values are absent."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * (random.random((n, d)) < 2 / 3) * (np.arange(n)[:, None] >= 3 * np.arange(d))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=n) > 0, "yes", "no")
    dictionaries = [{f"f{j}": float(v) for j, v in enumerate(row) if v} for row in X]
    return X, y, dictionaries


@pytest.mark.parametrize("name", MODELS)
def test_the_model_is_that_of_the_full_table(name):
    X, y, dictionaries = stream(150, 12)
    plain, wrapped = MODELS[name], HingeClassifier(MODELS[name])
    plain = type(plain)(**plain.get_params())
    for row, x, label in zip(X, dictionaries, y, strict=True):
        plain.partial_fit(row[None, :], [label])
        wrapped.learn_one(x, str(label))
    order = [int(feature[1:]) for feature in wrapped.feature_names_]
    assert sorted(order) == list(range(12))
    tail = np.zeros((len(X), wrapped.model_.n_features_in_ - 12))
    found = wrapped.model_.decision_function(np.hstack([X[:, order], tail]))
    np.testing.assert_allclose(found, plain.decision_function(X), atol=1e-7)
    assert [wrapped.predict_one(x) for x in dictionaries] == plain.predict(X).tolist()


def test_wide_rows_become_sparse():
    random = np.random.default_rng(0)
    words = (600 * random.random((200, 8)) ** 2).astype(int)
    X, y = np.zeros((200, 600)), (words.min(axis=1) < 10)
    np.put_along_axis(X, words, 1.0, axis=1)
    plain, wrapped = OnlineSVC(gamma=0.1), HingeClassifier(OnlineSVC(gamma=0.1))
    dictionaries = [{f"w{word}": 1 for word in row} for row in words]
    for row, x, label in zip(X, dictionaries, y, strict=True):
        plain.partial_fit(row[None, :], [label])
        wrapped.learn_one(x, label)
    assert isinstance(wrapped.model_.support_vectors_, csr_matrix)
    shares = [wrapped.predict_proba_one(x)[True] for x in dictionaries]
    np.testing.assert_allclose(shares, 1 / (1 + np.exp(-plain.decision_function(X))), atol=1e-7)
    frame = pd.DataFrame(dictionaries)
    np.testing.assert_allclose(wrapped.predict_proba_many(frame)[True], shares, atol=1e-12)


def test_fourier_features_of_new_columns():
    """Old predictions stay, and the features still approximate the kernel."""
    random = np.random.default_rng(0)
    X, model = random.normal(size=(400, 4)), ApproximateSVR(approximation="fourier", gamma=0.2, n_components=2000)
    wrapped, before = HingeRegressor(model.set_params(random_state=3)), {"a": 0.3, "b": -0.4}
    for row in X[:200]:
        wrapped.learn_one({"a": row[0], "b": row[1]}, row[0])
    value = wrapped.predict_one(before)
    wrapped._learner._make_room(["c", "d"], 2.0)
    assert wrapped.predict_one(before) == pytest.approx(value, abs=1e-9)
    frequencies = wrapped.model_._state.features.arrays["frequencies"]
    assert abs(np.corrcoef(frequencies)[np.triu_indices(4, 1)]).max() < 0.1
    assert frequencies.std() == pytest.approx(math.sqrt(0.4), rel=0.05)


def test_values_of_all_kinds():
    kinds = {"n": 2, "t": True, "s": "red", "m": None, "x": math.nan, "d": Decimal("0.5"), "f": np.float32(1.5)}
    mixed, plain = (HingeClassifier(OnlineSVC(gamma=0.5)) for _ in range(2))
    mixed.learn_one(kinds, 1)
    plain.learn_one({"n": 2.0, "t": 1.0, "s=red": 1.0, "d": 0.5, "f": 1.5}, 1)
    assert mixed.feature_names_ == plain.feature_names_ == ["d", "f", "n", "s=red", "t"]
    for model in (mixed, plain):
        model.learn_one({"n": 0, "s": "blue"}, 0)
    assert mixed.predict_proba_one({"s": "red"}) == plain.predict_proba_one({"s=red": 1})
    assert mixed.predict_proba_one({"n": 1, "s": "red"}) != mixed.predict_proba_one({"n": 1, "s": "blue"})
    assert mixed.predict_proba_one({"n": 1, "s": "green", "z": 9}) == mixed.predict_proba_one({"n": 1})
    mixed.learn_one({}, 0)
    assert mixed.predict_one({}) == 0


@pytest.mark.parametrize("labels", [(False, True), ("no", "yes"), (3, 7), (np.bool_(0), np.bool_(1)), ("a", "b", "c")])
def test_labels_come_back_as_they_were(labels):
    model = HingeClassifier(OnlineSVC(gamma=1.0))
    assert model.predict_one({"x": 1.0}) is None
    assert model.predict_proba_one({"x": 1.0}) == {}
    for place, label in enumerate(labels):
        model.learn_one({"x": 3.0 * place}, label)
    found = [model.predict_one({"x": 3.0 * place}) for place in range(len(labels))]
    assert found == list(labels)
    assert {type(label) for label in found} <= {bool, int, str}
    shares = model.predict_proba_one({"x": 0.0})
    assert max(shares, key=shares.get) == labels[0]
    assert sum(shares.values()) == pytest.approx(1.0)


def test_probabilities_of_the_model_are_used():
    X, y, dictionaries = stream(100, 3)
    model = HingeClassifier(ApproximateSVC(loss="log_loss", n_components=8, gamma=0.3, random_state=0))
    for x, label in zip(dictionaries, y, strict=True):
        model.learn_one(x, str(label))
    places = [int(name[1:]) for name in model.feature_names_]
    rows = np.zeros((100, model.model_.n_features_in_))
    rows[:, : len(places)] = X[:, places]
    expected = model.model_.predict_proba(rows)[:, 1]
    np.testing.assert_allclose([model.predict_proba_one(x)["yes"] for x in dictionaries], expected, atol=1e-12)


def test_predictions_change_nothing():
    model = HingeClassifier(OnlineSVC(gamma=1.0))
    model.learn_one({"a": 1.0, "b": "x"}, True)
    model.learn_one({"a": 0.0}, False)
    before = pickle.dumps(model)
    frame = pd.DataFrame([{"a": 1.0, "new": 2.0, "b": "z"}])
    for ask in (model.predict_one, model.predict_proba_one):
        ask({"a": 1.0, "new": 5.0, "b": "y"})
    for ask in (model.predict_many, model.predict_proba_many):
        ask(frame)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_go_on_identically(copied):
    _, y, dictionaries = stream(80, 10)
    model = HingeClassifier(OnlineSVC(gamma=0.3))
    for x, label in zip(dictionaries[:20], y, strict=False):
        model.learn_one(x, str(label))
    twin = copied(model)
    for x, label in zip(dictionaries[20:], y[20:], strict=True):
        assert model.predict_proba_one(x) == pytest.approx(twin.predict_proba_one(x), rel=1e-9)
        model.learn_one(x, str(label))
        twin.learn_one(x, str(label))


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"a": 1.0, "z": [1]}, "Feature 'z' must be a number, a boolean, a text or None, got list"),
        ({"a": math.inf, "z": 1}, "Feature 'a' must be finite, got inf"),
        ({"a": 10**400}, "Feature 'a' must be finite"),
        ({"a": 1.0, "z": 1j}, "got complex"),
        ({"a": 1.0, "z": b"text"}, "got bytes"),
    ],
)
def test_bad_values_change_nothing(x, message):
    model = HingeClassifier(OnlineSVC(gamma=1.0))
    model.learn_one({"a": 1.0}, True)
    before = pickle.dumps(model)
    with pytest.raises(DataError, match=message):
        model.learn_one(x, False)
    with pytest.raises(DataError, match=message):
        model.predict_one(x)
    assert pickle.dumps(model) == before


def test_a_bad_label_adds_no_feature():
    model = HingeClassifier(OnlineSVC(gamma=1.0))
    model.learn_one({"a": 1.0}, True)
    for label in (math.nan, "text"):
        with pytest.raises(ValueError, match=r"[Ll]abel|NaN"):
            model.learn_one({"a": 1.0, "b": 2.0}, label)
    assert model.feature_names_ == ["a"]
    with pytest.raises(DataError, match="one label per example"):
        model.learn_many(pd.DataFrame({"a": [1.0, 2.0]}), [True])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HingeClassifier(OnlineSVC), "model must be an estimator with partial_fit"),
        (lambda: HingeClassifier(ApproximateSVR()), "for classification, got ApproximateSVR"),
        (lambda: HingeRegressor(OnlineSVC()), "for regression, got OnlineSVC"),
        (lambda: HingeAnomalyDetector(OnlineSVC()), "for one-class learning, got OnlineSVC"),
        (lambda: HingeClassifier(OnlineSVC(kernel="precomputed")), "got 'precomputed'"),
        (lambda: HingeClassifier(OnlineSVC().fit([[0], [1]], [0, 1])), "must not be fitted"),
    ],
)
def test_bad_models(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_the_given_model_does_not_change():
    given = IncrementalOneClassSVM(nu=0.3)
    detector = HingeAnomalyDetector(given)
    assert detector.score_one({"a": 1}) == 0.0
    detector.learn_one({"a": 1})
    assert not given.__sklearn_is_fitted__()
    assert detector.model is given
    assert detector.model_.n_seen_ == 1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_dictionaries(library):
    """`learn_many` and `learn_one`, with texts, missing values and classes that appear later."""
    module = pytest.importorskip(library)
    random = np.random.default_rng(0)
    table = {
        "size": [None if random.random() < 0.2 else float(v) for v in random.normal(size=60)],
        "weight": random.normal(size=60).tolist(),  # no two rows are equal: rounding chooses between equal rows
        "new": (random.random(60) < 0.5).tolist(),
        "colour": random.choice(["red", "green"], 60).tolist(),
    }
    labels = ["b"] * 10 + random.choice(["a", "b", "c"], 50).tolist()
    rows = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
    one, many = (HingeClassifier(OnlineSVC(gamma=0.7)) for _ in range(2))
    for x, y in zip(rows, labels, strict=True):
        one.learn_one(x, y)
    frame = module.DataFrame(table)
    many.learn_many(frame, module.Series(labels))
    found = many.predict_proba_many(frame)
    for place, label in enumerate("abc"):
        shares = [one.predict_proba_one(x)[label] for x in rows]
        np.testing.assert_allclose(found[label].to_list(), shares, atol=1e-9, err_msg=str(place))
    assert many.predict_many(frame).to_list() == [one.predict_one(x) for x in rows]
    assert len(many.predict_many(frame[:0])) == 0
