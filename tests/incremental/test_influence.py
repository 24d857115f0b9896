"""The influence of an example is the difference to the model that never saw it, or saw it with another label."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hinge import IncrementalSVC
from hinge.exceptions import DataError, ParameterError
from tests.invariants import check


@pytest.mark.parametrize("C", [0.3, 10.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_forgetting(two, three, C, sparse):
    for X, y in (two, three):
        rows = X[-9:]
        data = csr_matrix(X[:60]) if sparse else X[:60]
        model = IncrementalSVC(C=C, gamma=0.5).fit(data, y[:60])
        changes, before = model.influence(rows), model.decision_function(rows)
        assert changes.shape == (60, *before.shape)
        check(model)
        np.testing.assert_array_equal(model.decision_function(rows), before)
        for example in range(60):
            others = np.delete(np.arange(60), example)
            refitted = IncrementalSVC(C=C, gamma=0.5).partial_fit(data[others], y[others])
            np.testing.assert_allclose(before + changes[example], refitted.decision_function(rows), atol=1e-6)


def test_relabelling(two, three):
    for X, y in (two, three):
        rows, chosen = X[-5:], [3, 17, 40, 41]
        weights = {0: 1.0, 1: 2.0, 2: 3.0}
        model = IncrementalSVC(C=2.0, gamma=0.5, class_weight=weights).partial_fit(X[:60], y[:60])
        labels = (y[chosen] + 1) % len(np.unique(y))
        changes, before = model.influence(rows, chosen, labels), model.decision_function(rows)
        for example, label, change in zip(chosen, labels, changes, strict=True):
            other = copy.deepcopy(model).relabel(example, [label])
            np.testing.assert_allclose(before + change, other.decision_function(rows), atol=1e-7)
        np.testing.assert_array_equal(model.influence(rows, chosen, y[chosen]), np.zeros_like(changes))


def test_suspects_are_mistakes_of_leave_one_out(two, three):
    for X, y in (two, three):
        wrong = y.copy()
        flipped = [5, 30, 77]
        wrong[flipped] = (wrong[flipped] + 1) % len(np.unique(y))
        names = np.array([f"row {i}" for i in range(len(X))])
        model = IncrementalSVC(gamma=0.5).partial_fit(X, wrong, ids=names)
        suspects = model.suspects(n=len(X))
        predicted = model.leave_one_out()
        mistakes = {names[i] for i in np.flatnonzero(predicted != wrong)}
        assert {each.id for each in suspects} == mistakes
        assert [each.margin for each in suspects] == sorted(each.margin for each in suspects)
        for each in suspects:
            row = int(str(each.id).split()[1])
            assert (each.label, each.prediction) == (wrong[row], predicted[row])
            without = np.delete(np.arange(len(X)), row)
            refitted = IncrementalSVC(gamma=0.5).partial_fit(X[without], wrong[without])
            decision = refitted.decision_function(X[row : row + 1])[0]
            values = [-decision, decision] if np.ndim(decision) == 0 else decision
            margin = values[each.label] - max(np.delete(values, each.label))
            np.testing.assert_allclose(each.margin, margin, atol=1e-6)
        assert model.suspects(n=1) == suspects[:1]


def test_bad_input(two):
    X, y = two
    model = IncrementalSVC().partial_fit(X, y)
    with pytest.raises(DataError, match="among classes_ in influence, got 7"):
        model.influence(X[:1], [0], [7])
    with pytest.raises(DataError, match="ids_ lists them"):
        model.influence(X[:1], ["nobody"])
    with pytest.raises(ParameterError, match="n must be a whole number of at least 1"):
        model.suspects(n=0)
    model = IncrementalSVC().partial_fit(X, y, sample_weight=np.r_[0.0, np.ones(len(X) - 1)])
    with pytest.raises(DataError, match="weight 0 have no influence, got 0"):
        model.influence(X[:1], [0])
    assert model.influence(X[:2]).shape == (len(X) - 1, 2)
