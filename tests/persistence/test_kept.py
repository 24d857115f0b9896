"""Files that earlier releases wrote are read forever, and decide as they did.

`python tests/persistence/test_kept.py` writes a file for every case below that has none. It never replaces one: a file
that cannot be read any more is a promise broken, not a file to be written again.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import hinge
from hinge import (
    ApproximateSVC,
    ApproximateSVR,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    PreparedClassifier,
    PreparedDetector,
    PreparedRegressor,
    RobustOnlineSVC,
    TrackingSVC,
)
from hinge.conformal import ConformalOneClass, ConformalSVC, CrossConformalClassifier, SplitConformalClassifier
from hinge.io import Table
from hinge.persistence import _registry
from hinge.stream import AdaptiveSVC
from hinge.svm import SVC, OneClassSVM
from hinge.tables import Answers, NumberFormat, OneClassPreparation, Survey

KEPT = Path(__file__).parent / "kept"
random = np.random.default_rng(0)
X = random.normal(size=(40, 3)).round(2)
NUMBERS = np.digitize(X[:, 0], [-0.5, 0.5])
NAMES = np.array(["few", "some", "many"])[NUMBERS]
QUESTIONS = random.normal(size=(5, 3)).round(2)
TABLE = np.column_stack([X[:, 0].astype(str), np.where(X[:, 1] > 0, "Rome", "Oslo")]).astype(object)
ASKED = [["0.5", "Rome"], ["-1.5", "Oslo"]]


def preparation():
    survey = Survey(label="y")
    columns = {"size": TABLE[:, 0], "city": TABLE[:, 1], "y": NAMES.astype(object)}
    survey.add(Table(columns, range(2, 42), named=True))
    return survey.preparation()


def detector():
    prepared = preparation()
    return PreparedDetector(IncrementalOneClassSVM(nu=0.2), OneClassPreparation.of(prepared)).fit(TABLE)


def regressor():
    prices = X[:, 0] * 1000 + 50_000
    prepared = replace(
        preparation(), label_kind="number", answers=Answers.of_values(prices, NumberFormat(",", ".", "€"))
    )
    return PreparedRegressor(ApproximateSVR(n_components=8, random_state=0), prepared).fit(TABLE, prices)


MAKERS = {
    "online": lambda: OnlineSVC(C=2.0, class_weight={"few": 2.0}, random_state=0).fit(X, NAMES),
    "online-two-float32": lambda: OnlineSVC(random_state=0).fit(X.astype(np.float32), NUMBERS > 0),
    "online-sparse": lambda: OnlineSVC(kernel="poly", random_state=0).fit(csr_matrix(X * (X > 0)), NUMBERS),
    "online-stream": lambda: OnlineSVC(C=100, gamma=0.5).partial_fit(X, NUMBERS),
    "robust": lambda: RobustOnlineSVC(warmup=5, random_state=0).fit(X, NUMBERS),
    "tracking": lambda: TrackingSVC(random_state=0).fit(X, NUMBERS),
    "perceptron": lambda: KernelPerceptron(average=True, random_state=0).fit(X, NUMBERS),
    "incremental": lambda: (
        IncrementalSVC(gamma=0.5)
        .partial_fit(X, NAMES, ids=[f"row {place}" if place % 2 else place for place in range(40)])
        .forget([0, "row 1"])
    ),
    "one-class": lambda: IncrementalOneClassSVM(nu=0.2, max_examples=30).fit(X[:30]).partial_fit(X[30:]),
    "sphere": lambda: IncrementalOneClassSVM(shape="sphere", nu=0.2).fit(X),
    "conformal": lambda: ConformalSVC(gamma=0.5, alpha=0.2, mondrian=True).fit(X, NAMES).forget([3]),
    "conformal-one-class": lambda: ConformalOneClass(nu=0.2).fit(X),
    "conformal-split": lambda: SplitConformalClassifier(OnlineSVC(gamma=0.5), mondrian=True, random_state=0).fit(
        X, NAMES
    ),
    "conformal-cross": lambda: CrossConformalClassifier(SVC(gamma=0.5), cv=2).fit(X, NUMBERS),
    "nystroem": lambda: ApproximateSVC(n_components=8, random_state=0).fit(X, NAMES),
    "fourier": lambda: ApproximateSVR(approximation="fourier", n_components=8, random_state=0).fit(X, X[:, 0]),
    "stream": lambda: ApproximateSVC(loss="log_loss", n_components=20, random_state=0).partial_fit(X, NUMBERS),
    "adaptive": lambda: AdaptiveSVC(windows=(10, 20), max_informative=15).partial_fit(
        np.vstack([X] * 8), np.concatenate([NAMES] * 4 + [NAMES[::-1]] * 4), times=list(range(320))
    ),
    "prepared": lambda: PreparedClassifier(OnlineSVC(random_state=0), preparation()).fit(TABLE, NAMES),
    "detector": detector,
    "regressor": regressor,
    "svc": lambda: SVC(C=5.0, class_weight="balanced").fit(X, NAMES),
    "svc-hard-margin": lambda: SVC(C=float("inf"), kernel="linear").fit(X, X[:, 0] > 0.1),
    "one-class-svm": lambda: OneClassSVM(nu=0.3).fit(csr_matrix(X * (X > 0))),
}


def decisions(model):
    """Return what a model says about a few rows."""
    questions = ASKED if hasattr(model, "preparation") else QUESTIONS
    if isinstance(model, (SplitConformalClassifier, CrossConformalClassifier)):
        return model.p_values(questions).tolist()
    answer = model.predict if isinstance(model, (ApproximateSVR, PreparedRegressor)) else model.decision_function
    return answer(questions).tolist()


def write():
    """Write the files that are not there."""
    KEPT.mkdir(exist_ok=True)
    for name, make in MAKERS.items():
        file = KEPT / f"{name}.hinge"
        if not file.exists():
            model = make()
            hinge.save(model, file)
            file.with_suffix(".json").write_text(json.dumps(decisions(model)) + "\n")


@pytest.mark.parametrize("name", MAKERS)
def test_a_kept_file_decides_as_it_did(name):
    model = hinge.load(KEPT / f"{name}.hinge")
    kept = json.loads((KEPT / f"{name}.json").read_text())
    np.testing.assert_allclose(decisions(model), kept, rtol=1e-5 if "float32" in name else 1e-9, atol=1e-9)


def test_every_kind_of_model_has_a_file():
    assert {type(hinge.load(file)).__name__ for file in KEPT.glob("*.hinge")} == _registry._ENTRIES.keys()


if __name__ == "__main__":
    write()
