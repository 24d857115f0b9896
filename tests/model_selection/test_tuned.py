from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from hinge import ApproximateSVCCV, IncrementalSVC, IncrementalSVCCV, OnlineSVC, OnlineSVCCV, load, save
from hinge.exceptions import DataError, ParameterError
from hinge.model_selection._shared import SharedKernels

CLASSES = [OnlineSVCCV, IncrementalSVCCV, ApproximateSVCCV]
X, Y = load_digits(return_X_y=True)

# The choice between settings depends on which rows test them: a row of weight 2 tests once, two rows test twice.
BY_ROWS = {
    "check_sample_weight_equivalence_on_dense_data": "rows are counted when settings are compared",
    "check_sample_weight_equivalence_on_sparse_data": "rows are counted when settings are compared",
}


@pytest.mark.slow
@parametrize_with_checks(
    [
        OnlineSVCCV(Cs=2, gammas=2, random_state=0),
        IncrementalSVCCV(Cs=2, gammas=2),
        ApproximateSVCCV(Cs=2, gammas=2, random_state=0),
    ],
    expected_failed_checks=lambda _: BY_ROWS,
)
def test_scikit_learn_estimators(estimator, check):
    check(estimator)


@pytest.mark.parametrize("tuned", CLASSES)
def test_chooses_and_keeps_learning(tuned):
    size = {"n_components": 50} if tuned is ApproximateSVCCV else {}
    model = tuned(Cs=[0.001, 10], gammas=[1e-3, 10.0, 1e-9], random_state=0, **size).fit(X[:500], Y[:500])
    assert (model.C_, model.gamma_) == (10.0, 1e-3)
    assert model.scores_.shape == (2, 3)
    assert model.scores_[1, 0] == model.best_score_ == np.nanmax(model.scores_)
    before = model.score(X[800:], Y[800:])
    model.partial_fit(X[500:800], Y[500:800])
    assert model.n_seen_ == 800
    assert model.score(X[800:], Y[800:]) >= before - 0.01
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_is_the_plain_estimator_with_the_values_chosen():
    model = OnlineSVCCV(Cs=2, gammas=2, random_state=0).fit(X[:200], Y[:200])
    plain = OnlineSVC(C=model.C_, gamma=model.gamma_, random_state=0).fit(X[:200], Y[:200])
    assert np.array_equal(model.decision_function(X), plain.decision_function(X))
    model.partial_fit(X[200:300], Y[200:300])
    plain.partial_fit(X[200:300], Y[200:300])
    assert np.array_equal(model.decision_function(X), plain.decision_function(X))


def test_parameters_and_clone():
    model = clone(OnlineSVCCV(Cs=4, epochs=2, cv=3))
    params = model.get_params()
    assert (params["Cs"], params["epochs"], params["cv"]) == (4, 2, 3)
    assert "C" not in params
    assert "gamma" not in params
    with pytest.raises(TypeError, match="pass Cs"):
        OnlineSVCCV(C=1.0)
    with pytest.raises(ParameterError, match="Cs must contain"):
        OnlineSVCCV(Cs=[]).fit(X[:100], Y[:100])


def test_linear_kernel_has_no_gamma():
    model = OnlineSVCCV(kernel="linear", Cs=3, random_state=0).fit(X[:300], Y[:300])
    assert model.scores_.shape == (3, 1)
    assert model.gammas_.size == 0


def test_first_call_of_partial_fit_chooses():
    with pytest.raises(DataError, match="at least two classes"):
        OnlineSVCCV().partial_fit(X[:3], [0, 0, 0])
    model = OnlineSVCCV(Cs=2, gammas=2, random_state=0).partial_fit(X[:200], Y[:200])
    assert model.n_seen_ == 200
    assert hasattr(model, "C_")


def test_exact_model_forgets_and_leaves_one_out():
    model = IncrementalSVCCV(Cs=2, gammas=2, cv="loo").fit(X[:150], Y[:150], ids=[f"row {i}" for i in range(150)])
    assert model.best_score_ == np.mean(model.leave_one_out() == Y[:150])
    model.forget(["row 149"])
    fresh = IncrementalSVC(C=model.C_, gamma=model.gamma_).fit(X[:149], Y[:149])
    assert np.allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-6)


def test_saves_as_the_plain_estimator(tmp_path):
    model = OnlineSVCCV(Cs=2, gammas=2, random_state=0).fit(X[:300], Y[:300])
    save(model.best_estimator_, tmp_path / "model.hinge")
    assert np.array_equal(load(tmp_path / "model.hinge").decision_function(X), model.decision_function(X))


def test_interrupt_keeps_the_best_so_far(monkeypatch):
    calls = iter(range(100))
    solve = SharedKernels.solve

    def interrupted(self, gamma, costs):
        if next(calls) == 5:  # in the third fold of two gammas
            raise KeyboardInterrupt
        return solve(self, gamma, costs)

    monkeypatch.setattr(SharedKernels, "solve", interrupted)
    model = OnlineSVCCV(Cs=[1, 10], gammas=[1e-3, 1.1e-3], random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:400], Y[:400])
    assert model.score(X[400:], Y[400:]) > 0.85
    assert model.partial_fit(X[400:500], Y[400:500]).C_ in {1.0, 10.0}
