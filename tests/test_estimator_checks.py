from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from hinge import OnlineSVC


@parametrize_with_checks([OnlineSVC(), OnlineSVC(kernel="linear")])
def test_scikit_learn_estimator(estimator, check):
    check(estimator)
