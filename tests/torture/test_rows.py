"""Rows of any size and shape: finite results, or a refusal; where SVC finds a solution, so does hinge."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.sparse import random as random_sparse

from .common import MAKERS, learn_or_refuse, make, overlapping, try_grid

X, Y = overlapping()
ALTERNATING = np.arange(24) % 2


def rows(values, labels=Y):
    return lambda: (values, labels, None)


def wide():
    return random_sparse(24, 100_000, density=1e-3, random_state=1, format="csr"), Y, None


SIZES = [1e-310, 1e-200, 1e-150, 1e-100, 1e-30, 1e-8, 1e8, 1e30, 1e100, 1e150, 1e160]
SCALES = {f"times {size:g}": rows(X * size) for size in SIZES} | {
    "columns of three sizes": rows(X * [1e-150, 1.0, 1e150]),
    "columns of three near sizes": rows(X * [1e-8, 1.0, 1e8]),
    "rows of three sizes": rows(X * np.resize([1e-150, 1.0, 1e150], (24, 1))),
    "rows of three near sizes": rows(X * np.resize([1e-5, 1.0, 1e5], (24, 1))),
    "far": rows(X + 1e8),
    "very far": rows(X + 1e15),
}
SHAPES = {
    "constant column": rows(np.column_stack([X, np.ones(24)])),
    "large constant column": rows(np.column_stack([X, np.full(24, 1e8)])),
    "subnormal constant column": rows(np.column_stack([X, np.full(24, 1e-320)])),
    "one feature": rows(X[:, :1]),
    "two rows": rows(np.eye(2), np.array([0, 1])),
    "two equal rows": rows(np.ones((2, 2)), np.array([0, 1])),
    "equal rows, one of another class": rows(np.ones((24, 2)), (np.arange(24) == 3).astype(int)),
    "equal rows of both classes": rows(np.ones((24, 2)), ALTERNATING),
    "equal large rows of both classes": rows(np.full((24, 2), 1e100), ALTERNATING),
    "pairs of both classes": rows(np.repeat(X[:12], 2, axis=0), ALTERNATING),
    "only zeros": rows(np.zeros((24, 2)), ALTERNATING),
    "rows of zeros": rows(X * (np.arange(24) % 3 > 0)[:, None]),
    "negative zeros": rows(np.where(np.arange(72).reshape(24, 3) % 2, -0.0, X)),
    "whole numbers beyond 2**53": rows(2**60 + np.arange(72).reshape(24, 3)),
    "whole numbers that fill 64 bits": rows((X / np.abs(X).max() * 2**62).astype(np.int64)),
}
EASY = ["two rows", "pairs of both classes", "rows of zeros"]  # need few steps


@pytest.mark.parametrize("name", MAKERS)
def test_rows(name):
    try_grid(name, SCALES | SHAPES, kernels=["rbf", "poly", "laplacian", "sigmoid"], every=100)
    try_grid(name, {each: SHAPES[each] for each in EASY}, kernels=["linear"], every=10)


@pytest.mark.parametrize("name", MAKERS)
def test_ordinary_rows_are_not_refused(name):
    """Refusals are allowed, but not for rows of ordinary size."""
    kernels = ["rbf", "laplacian"] if name == "fourier" else ["rbf", "linear"]
    for size, kernel in product((1e-30, 1.0, 1e6, 1e30), kernels):
        assert learn_or_refuse(make(name, kernel=kernel), "partial_fit", X * size, Y) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_more_rows(name):
    try_grid(name, SCALES | SHAPES, every=16)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_many_columns(name):
    try_grid(name, {"wide": wide}, kernels=["rbf", "linear"], every=3)
