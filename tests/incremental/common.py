"""Helpers that several tests of exact models share."""

from __future__ import annotations

import numpy as np

from hinge import IncrementalSVC

GAMMA = 0.4


def make(**parameters):
    return IncrementalSVC(**{"gamma": GAMMA, "C": 2.0} | parameters)


def assert_same(model, other, X, atol=1e-6):
    np.testing.assert_array_equal(model.classes_, other.classes_)
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), atol=atol)
