"""River's pipelines and evaluation, and the opposite direction: River's own wrapper of scikit-learn estimators."""

import numpy as np
import pandas as pd
import pytest
from river import anomaly, compat, compose, datasets, evaluate, feature_extraction, metrics, preprocessing

from hinge import ApproximateSVR, IncrementalOneClassSVM, OnlineSVC
from hinge.river import HingeAnomalyDetector, HingeClassifier, HingeRegressor


def test_progressive_validation():
    model = preprocessing.StandardScaler() | HingeClassifier(OnlineSVC(gamma=0.1))
    assert isinstance(model, compose.Pipeline)
    accuracy = evaluate.progressive_val_score(datasets.Phishing().take(400), model, metrics.Accuracy())
    assert accuracy.get() > 0.8
    auc = evaluate.progressive_val_score(datasets.Phishing().take(400), model.clone(), metrics.ROCAUC())
    assert auc.get() > 0.85


def test_clones_are_empty_and_keep_their_parameters():
    model = HingeClassifier(OnlineSVC(C=7.0))
    model.learn_one({"a": 1}, True)
    cloned = model.clone()
    assert cloned.model.C == 7.0
    assert cloned.predict_one({"a": 1}) is None
    assert model.clone({"model": OnlineSVC(C=3.0)}).model_.C == 3.0
    assert model.predict_one({"a": 1}) is True


def test_texts_through_a_bag_of_words():
    model = feature_extraction.BagOfWords() | HingeClassifier(OnlineSVC(kernel="linear"))
    texts = ["cheap pills now", "meeting at noon", "cheap watches", "lunch at noon", "pills pills", "meeting now"]
    for _ in range(3):
        for place, text in enumerate(texts):
            model.learn_one(text, place % 2 == 0)
    assert [model.predict_one(text) for text in ("cheap pills", "noon meeting")] == [True, False]


def test_a_regressor_in_a_pipeline():
    model = preprocessing.StandardScaler() | HingeRegressor(ApproximateSVR(n_components=32, random_state=0))
    error = evaluate.progressive_val_score(datasets.TrumpApproval().take(200), model, metrics.MAE())
    constant = np.std([y for _, y in datasets.TrumpApproval().take(200)])
    assert error.get() < constant
    frame = pd.DataFrame([x for x, _ in datasets.TrumpApproval().take(5)], index=list("abcde"))
    assert model.predict_many(frame).index.tolist() == list("abcde")


def test_a_detector_behind_a_filter():
    random = np.random.default_rng(0)
    inner = HingeAnomalyDetector(IncrementalOneClassSVM(nu=0.1, gamma=0.1, max_examples=100))
    model = anomaly.ThresholdFilter(inner, threshold=0.0, protect_anomaly_detector=False)
    for row in random.normal(size=(200, 2)):
        inner.learn_one({"a": row[0], "b": row[1]})
    assert model.classify(model.score_one({"a": 6.0, "b": 0.0}))
    assert not model.classify(model.score_one({"a": 0.1, "b": 0.0}))
    scores = inner.score_many(pd.DataFrame([{"a": 6.0, "b": 0.0}, {"a": 0.1, "b": 0.0}]))
    assert scores[0] > 0 > scores[1]
    assert inner.score_one({"a": 6.0, "b": 0.0}) == pytest.approx(scores[0])


def test_rivers_own_wrapper():
    inner = compat.convert_sklearn_to_river(OnlineSVC(gamma=0.1), classes=[False, True])
    model = preprocessing.StandardScaler() | inner
    accuracy = evaluate.progressive_val_score(datasets.Phishing().take(400), model, metrics.Accuracy())
    ours = preprocessing.StandardScaler() | HingeClassifier(OnlineSVC(gamma=0.1))
    expected = evaluate.progressive_val_score(datasets.Phishing().take(400), ours, metrics.Accuracy())
    assert accuracy.get() == pytest.approx(expected.get(), abs=0.02)


def test_rivers_own_wrapper_of_a_regressor():
    model = preprocessing.StandardScaler() | compat.convert_sklearn_to_river(ApproximateSVR(n_components=16))
    error = evaluate.progressive_val_score(datasets.TrumpApproval().take(100), model, metrics.MAE())
    assert error.get() < 10
