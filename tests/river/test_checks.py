"""River's own checks, all of them: data sets that River would download are replaced."""

import numpy as np
import pytest
from river import checks, datasets

from hinge import ApproximateSVC, ApproximateSVR, IncrementalOneClassSVM, IncrementalSVC, OnlineSVC, TrackingSVC
from hinge.river import HingeAnomalyDetector, HingeClassifier, HingeRegressor

SLOW = {"check_bounded_memory_growth"}


class CreditCard:
    """Stands for River's data set of the same name: 30 features, one row in fifty far from the others."""

    def take(self, n):
        random = np.random.default_rng(0)
        for _ in range(n):
            is_fraud = random.random() < 0.02
            row = random.normal(size=30) + (4.0 * is_fraud)
            yield {f"V{i}": value for i, value in enumerate(row.tolist())}, int(is_fraud)


def names_of_checks(model):
    return sorted({check.__name__ for check in checks.yield_checks(model)})


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


def test_nothing_is_skipped():
    assert not any(model._unit_test_skips() for model in (CLASSIFIER, REGRESSOR, DETECTOR))
    names = {name for _, name in CASES}
    assert {"check_learn_many_matches_learn_one", "check_emerging_features", "check_roc_auc"} | SLOW <= names


@pytest.mark.parametrize(
    ("model", "name"), [pytest.param(*case, id="-".join(map(str, case))) for case in CASES if case[1] not in SLOW]
)
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
@pytest.mark.parametrize("model", [*OTHERS, CLASSIFIER, REGRESSOR, DETECTOR], ids=lambda model: repr(model.model))
def test_other_models(model, monkeypatch):
    for name in names_of_checks(model):
        # Without a given gamma, and where rows are equal, the size of a batch may decide which examples are kept.
        if name != "check_learn_many_matches_learn_one" or model in {CLASSIFIER, REGRESSOR}:
            run(model, name, monkeypatch)
