from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from hinge import IncrementalSVC


@parametrize_with_checks([IncrementalSVC(), IncrementalSVC(kernel="linear"), IncrementalSVC(kernel="laplacian")])
def test_scikit_learn_estimator(estimator, check):
    check(estimator)
