"""Extreme parameters: finite results or a refusal in one sentence; where SVC finds a solution, so does hinge."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from .common import MAKERS, overlapping, try_grid

X, Y = overlapping()
ROWS = {
    "plain": lambda: (X, Y, None),
    "pairs of both classes": lambda: (np.repeat(X[:12], 2, axis=0), np.arange(24) % 2, None),
    "rows of zeros": lambda: (X * (np.arange(24) % 3 > 0)[:, None], Y, None),
}
WITH_GAMMA = ["rbf", "poly", "laplacian", "sigmoid"]


def grid_of(**values):
    """Return all combinations of parameter values."""
    return [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]


# Values and kernels; parameters that an estimator does not have are ignored.
GRIDS = {
    "cost": (
        grid_of(C=[1e-300, 1e-100, 1e-10, 1e-5, 1e5, 1e10, 1e100, 1e300]),
        ["rbf", "poly", "laplacian", "sigmoid"],
    ),
    "width": (grid_of(gamma=[1e-300, 1e-100, 1e-12, 1e-6, 1e6, 1e12, 1e100, 1e300]), WITH_GAMMA),
    "both": (grid_of(C=[1e-10, 1e10], gamma=[1e-12, 1e12], tol=[1e-12]), WITH_GAMMA),
    "tolerance": (grid_of(tol=[1e-300, 1e-16, 1e3, 1e300], C=[1.0, 1e6]), WITH_GAMMA),
    "polynomial": (
        grid_of(degree=[0, 1, 20, 1000], coef0=[0.0, 1.0, -1e3, 1e8, 1e150], gamma=["scale", 1.0]),
        ["poly"],
    ),
    "constant": (grid_of(coef0=[-1e8, -1.0, 1.0, 1e8, 1e150], gamma=[1e3, 1e-6], C=[1.0, 1e6]), ["sigmoid"]),
    "ramp": (
        grid_of(ramp=[-1e300, -1e10, -1e-300, 0.999999999999], warmup=[0, 10**9], C=[1.0, 1e10]),
        ["rbf"],
    ),
    "margin": (grid_of(margin=[-1e300, 1e10, 1e300], epochs=[1, 5]), ["rbf", "linear"]),
    "share": (grid_of(nu=[1e-300, 1e-10, 0.01, 1.0]), ["rbf", "linear", "poly"]),
    "regression": (
        grid_of(epsilon=[0.0, 1e-300, 1e100], C=[1e-10, 1e10], steps=["adaptive", "asset"]),
        ["rbf"],
    ),
}
ESTIMATORS = {  # the other grids are for all estimators
    "ramp": ["ramp", "ignore", "robust max_support=2"],
    "margin": ["perceptron", "averaged", "perceptron max_support=1"],
    "share": ["plane", "sphere", "one-class window"],
    "regression": ["regression", "squared regression"],
}
PAIRS = [(grid, name) for grid in GRIDS for name in ESTIMATORS.get(grid, MAKERS)]


@pytest.mark.parametrize("grid", GRIDS)
def test_parameters(grid):
    parameters, kernels = GRIDS[grid]
    for name in ESTIMATORS.get(grid, MAKERS):
        try_grid(name, ROWS, parameters, kernels, every=200 if grid not in ESTIMATORS else 40)


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "name"), PAIRS)
def test_more_parameters(grid, name):
    parameters, kernels = GRIDS[grid]
    try_grid(name, ROWS, parameters, kernels, every=16 if grid not in ESTIMATORS else 4)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_cost_parameter_of_a_linear_kernel(name):
    try_grid(name, ROWS, grid_of(C=[1e-10, 1e5, 1e10], tol=[1e-8, 1e-300]), ["linear"], every=24)
