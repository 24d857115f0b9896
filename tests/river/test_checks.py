"""River's own checks, all of them: data sets that River would download are replaced."""

import numpy as np
import pytest
from river import checks, datasets

from hinge import ApproximateSVC, ApproximateSVR, IncrementalOneClassSVM, IncrementalSVC, OnlineSVC, TrackingSVC
from hinge.river import HingeAnomalyDetector, HingeClassifier, HingeRegressor

QUICK = {  # of the checks with data
    "check_learn_many_matches_learn_one",
    "check_no_state_aliasing_with_input",
    "check_predict_many_matches_predict_one",
    "check_predict_one_before_any_learn",
    "check_predict_proba_many_matches_predict_proba_one",
}


class CreditCard:
    """Stands for River's data set of the same name: 10 features, one row in twenty far from the others.

    It is ten times shorter, so that the checks take seconds.
    """

    def take(self, n):
        random = np.random.default_rng(0)
        for _ in range(n // 10):
            is_fraud = random.random() < 0.05
            row = random.normal(size=10) + (4.0 * is_fraud)
            yield {f"V{i}": value for i, value in enumerate(row.tolist())}, int(is_fraud)


def names_of_checks(model):
    return sorted({check.__name__ for check in checks.yield_checks(model)})


def is_slow(name):
    return name not in QUICK and any("dataset" in getattr(check, "keywords", {}) for check in NAMED[name])


def run(model, name, monkeypatch):
    monkeypatch.setattr(datasets, "CreditCard", CreditCard)
    found = [check for check in checks.yield_checks(model) if check.__name__ == name]
    assert found
    for check in found:
        check(model.clone())


CLASSIFIER = HingeClassifier(**next(HingeClassifier._unit_test_params()))
REGRESSOR = HingeRegressor(**next(HingeRegressor._unit_test_params()))
DETECTOR = HingeAnomalyDetector(**next(HingeAnomalyDetector._unit_test_params()))
CASES = [(model, name) for model in (CLASSIFIER, REGRESSOR, DETECTOR) for name in names_of_checks(model)]
NAMED = {name: [each for each in checks.yield_checks(model) if each.__name__ == name] for model, name in CASES}


def test_nothing_is_skipped():
    assert not any(model._unit_test_skips() for model in (CLASSIFIER, REGRESSOR, DETECTOR))
    names = {name for _, name in CASES}
    assert {
        "check_learn_many_matches_learn_one",
        "check_emerging_features",
        "check_bounded_memory_growth",
        "check_roc_auc",
    } <= names


def case(model, name):
    return pytest.param(model, name, id=f"{model}-{name}", marks=[pytest.mark.slow] if is_slow(name) else [])


@pytest.mark.parametrize(("model", "name"), [case(*each) for each in CASES])
def test_check(model, name, monkeypatch):
    run(model, name, monkeypatch)


OTHERS = [
    HingeClassifier(OnlineSVC()),
    HingeClassifier(TrackingSVC(random_state=0)),
    HingeClassifier(IncrementalSVC(max_examples=100)),
    HingeClassifier(ApproximateSVC(n_components=16, loss="log_loss", random_state=0)),
    HingeRegressor(ApproximateSVR(approximation="fourier", n_components=16, gamma=0.1, random_state=0)),
    HingeAnomalyDetector(IncrementalOneClassSVM(shape="sphere", max_examples=50)),
]


@pytest.mark.slow
@pytest.mark.parametrize("model", OTHERS, ids=lambda model: repr(model.model))
def test_other_models(model, monkeypatch):
    for name in names_of_checks(model):
        # Where rows are equal, rounding may decide which are kept, and it depends on batches; memory takes long.
        if name not in {"check_learn_many_matches_learn_one", "check_bounded_memory_growth"}:
            run(model, name, monkeypatch)
