"""Input that must be refused: each takes a machine and a sound batch, and returns what to call with, or None."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix


def arguments(machine, batch, **changes):
    """Return what a batch is learned with, some of it replaced."""
    sound = {"X": batch.X, "y": batch.y, "sample_weight": batch.weights}
    if machine.policy.has_values:
        sound["y"] = batch.y.astype(float)
    if not machine.policy.is_classifier and not machine.policy.has_values:
        changes.pop("y", None)
        del sound["y"]
    return sound | changes


def with_entry(value, container=np.asarray):
    def spoil(machine, batch):
        if machine.problem.precomputed and container is not np.asarray:
            return None
        X = batch.X.copy()
        X[-1, -1] = value
        return arguments(machine, batch, X=container(X))

    return spoil


def with_rows(change):
    return lambda machine, batch: arguments(machine, batch, X=change(batch.X))


def with_width(change):
    """Spoil the number of columns, which only a model that has learned something knows."""
    return lambda machine, batch: arguments(machine, batch, X=change(batch.X)) if machine.is_fitted else None


def with_weights(change):
    return lambda machine, batch: arguments(machine, batch, sample_weight=change(np.ones(len(batch.y))))


def with_labels(change):
    def spoil(machine, batch):
        if not machine.policy.is_classifier and not machine.policy.has_values:
            return None
        return arguments(machine, batch, y=change(batch.y))

    return spoil


def of_another_kind(machine, batch):
    """Texts after numbers, or numbers after texts."""
    if not machine.policy.is_classifier or not machine.is_fitted or not len(machine.known.classes_):
        return None
    others = np.full(len(batch.y), "what" if batch.y.dtype.kind == "i" else 5)
    return arguments(machine, batch, y=others, sample_weight=np.ones(len(others)))


def with_ids(change):
    def spoil(machine, batch):
        if not machine.policy.is_exact:
            return None
        return arguments(machine, batch, ids=change(machine, len(batch.y)))

    return spoil


def last(values, value):
    values = values.astype(type(value), copy=True)
    values[-1] = value
    return values


LATER = ("too wide", "sparse, too wide")  # a model may be fitted again with more columns

BAD = {
    "NaN": with_entry(np.nan),
    "infinity": with_entry(-np.inf),
    "sparse NaN": with_entry(np.nan, csr_matrix),
    "sparse infinity": with_entry(np.inf, csr_matrix),
    "too large to square": with_entry(1e160),
    "no rows": lambda machine, batch: arguments(machine, batch.part(0, 0)),
    "no columns": with_rows(lambda X: X[:, :0]),
    "one dimension": with_rows(np.ravel),
    "three dimensions": with_rows(lambda X: X[None]),
    "text": with_rows(lambda X: np.full(X.shape, "four")),
    "complex": with_rows(lambda X: X + 1j),
    "too wide": with_width(lambda X: np.hstack([X, X])),
    "sparse, too wide": with_width(lambda X: csr_matrix(np.hstack([X, X]))),
    "negative weight": with_weights(lambda weights: last(weights, -1.0)),
    "NaN weight": with_weights(lambda weights: last(weights, np.nan)),
    "infinite weight": with_weights(lambda weights: last(weights, np.inf)),
    "a weight too many": with_weights(lambda weights: np.append(weights, 1.0)),
    "a label too many": with_labels(lambda y: np.append(y, y[:1])),
    "no labels": with_labels(lambda y: None),
    "NaN label": with_labels(lambda y: np.full(len(y), np.nan)),
    "another kind of label": of_another_kind,
    "an id too many": with_ids(lambda machine, n: [f"new {place}" for place in range(n + 1)]),
    "an id twice": with_ids(lambda machine, n: ["new"] * n if n > 1 else [[]]),
    "NaN id": with_ids(lambda machine, n: [np.nan] * n),
}
