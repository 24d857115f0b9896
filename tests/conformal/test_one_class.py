"""p-values of outliers: few false alarms, far rows are found."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

from hinge.conformal import ConformalOneClass


def test_false_alarms_are_bounded_and_far_rows_are_strange():
    alarms = 0
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(70, 2))
        model = ConformalOneClass(gamma=0.5, nu=0.2).fit(X[:50])
        alarms += int(np.sum(model.p_values(X[50:]) <= 0.2))
        assert model.p_values([[9.0, 9.0]])[0] == 1 / 51
    assert alarms <= binom.ppf(0.9995, 200, 0.2)
