"""Settings solved on shared kernel values, against models trained one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from hinge import IncrementalSVC, OnlineSVC
from hinge.model_selection import RaceSearchCV
from hinge.model_selection._shared import SharedKernels, can_share
from hinge.model_selection._sharing import Sharing

COSTS = [0.1, 1.0, 30.0, 1000.0]


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(260, noise=0.25, random_state=0)
    return X, np.array(["left", "right"])[y]


@pytest.mark.parametrize(
    ("kernel", "gamma"), [("rbf", 0.5), ("rbf", 5.0), ("laplacian", 1.0), ("linear", 1.0), ("poly", 0.5)]
)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_predicts_what_svc_predicts(moons, kernel, gamma, class_weight):
    X, y = moons
    model = OnlineSVC(kernel=kernel, tol=1e-6, class_weight=class_weight)
    shared = SharedKernels(model, X[:160], y[:160], X[160:])
    precomputed = {"laplacian": lambda A, B: np.exp(-np.abs(A[:, None] - B[None]).sum(-1))}.get(kernel, kernel)
    for cost, found in zip(COSTS, shared.solve(gamma, COSTS), strict=True):
        peer = SVC(C=cost, gamma=gamma, kernel=precomputed, tol=1e-6, class_weight=class_weight).fit(X[:160], y[:160])
        is_clear = np.abs(peer.decision_function(X[160:])) > 1e-3  # kernel values are single precision
        assert np.array_equal(found.predictions[is_clear], peer.predict(X[160:])[is_clear])
        assert is_clear.mean() > 0.9


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_several_classes(form):
    X, y = load_digits(return_X_y=True)
    X = form(X / 16.0)
    shared = SharedKernels(OnlineSVC(tol=1e-5), X[:300], y[:300], X[300:700])
    for cost, found in zip([0.5, 8.0], shared.solve(0.05, [0.5, 8.0]), strict=True):
        peer = OnlineSVC(C=cost, gamma=0.05, tol=1e-5, epochs="converge", random_state=0).fit(X[:300], y[:300])
        assert np.mean(found.predictions == peer.predict(X[300:700])) >= 0.995


def test_costs_without_effect_need_no_step(moons):
    X, y = moons
    X = X + 10.0 * (y == "left")[:, None]  # separable: no coefficient comes near its bound
    shared = SharedKernels(OnlineSVC(), X[:160], y[:160], X[160:])
    first, *others = shared.solve(0.5, [1e3, 1e4, 1e5])
    assert first.n_steps > 0
    assert all(
        other.n_steps == first.n_steps and np.array_equal(other.predictions, first.predictions) for other in others
    )


def test_only_settings_with_the_same_solution_share():
    assert can_share(OnlineSVC(), 1000, 1000)
    assert can_share(IncrementalSVC(kernel="poly"), 1000, 1000)
    for model in (OnlineSVC(max_support=10), OnlineSVC(kernel="sigmoid"), OnlineSVC(multi_class="ovo"), SVC()):
        assert not can_share(model, 1000, 1000)
    assert not can_share(OnlineSVC(cache_size=1), 1000, 1000)
    assert not can_share(OnlineSVC(), 5000, 1000)


def test_groups_differ_in_cost_only(moons):
    X, y = moons
    pipeline = make_pipeline(StandardScaler(), OnlineSVC())
    grid = [
        {"onlinesvc__C": cost, "onlinesvc__gamma": gamma, "standardscaler__with_mean": mean}
        for mean in (True, False)
        for cost in (10.0, 1.0)
        for gamma in (0.1, 1.0)
    ]
    groups = Sharing(pipeline).groups([*grid, {"onlinesvc__C": -1.0}], X[:100], y[:100], X[100:])
    assert sorted(len(group.places) for group in groups) == [1, 2, 2, 2, 2]
    assert all(list(group.costs) == sorted(group.costs) for group in groups)
    assert [group.kernels for group in groups if group.places == [8]] == [None]


def test_pipeline_preprocesses_by_the_rows_learned(moons):
    X, y = moons
    grid = {"onlinesvc__C": [1.0, 10.0], "onlinesvc__gamma": [0.1, 1.0]}
    search = RaceSearchCV(make_pipeline(StandardScaler(), OnlineSVC()), grid, cv=4, random_state=0).fit(1000 * X, y)
    alone = make_pipeline(StandardScaler(), SVC(C=search.best_params_["onlinesvc__C"], gamma=1.0))
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    assert search.best_score_ == pytest.approx(cross_val_score(alone, X, y, cv=folds).mean(), abs=0.03)
