from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hinge import IncrementalSVC


@parametrize_with_checks([IncrementalSVC()])
def test_scikit_learn_estimator(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([IncrementalSVC(kernel="linear"), IncrementalSVC(kernel="laplacian")])
def test_other_kernels(estimator, check):
    check(estimator)
