"""Parameters at their ends: numbers come out, or a sentence; where SVC finds a solution, so do we."""

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


def over(**values):
    """Return all combinations of some values."""
    return [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]


# The kernels and the values that are tried; parameters that an estimator does not have are left out.
SUBJECTS = {
    "cost": (over(C=[1e-300, 1e-100, 1e-10, 1e-5, 1e5, 1e10, 1e100, 1e300]), ["rbf", "poly", "laplacian", "sigmoid"]),
    "width": (over(gamma=[1e-300, 1e-100, 1e-12, 1e-6, 1e6, 1e12, 1e100, 1e300]), WITH_GAMMA),
    "both": (over(C=[1e-10, 1e10], gamma=[1e-12, 1e12], tol=[1e-12]), WITH_GAMMA),
    "tolerance": (over(tol=[1e-300, 1e-16, 1e3, 1e300], C=[1.0, 1e6]), WITH_GAMMA),
    "polynomial": (over(degree=[0, 1, 20, 1000], coef0=[0.0, 1.0, -1e3, 1e8, 1e150], gamma=["scale", 1.0]), ["poly"]),
    "constant": (over(coef0=[-1e8, -1.0, 1.0, 1e8, 1e150], gamma=[1e3, 1e-6], C=[1.0, 1e6]), ["sigmoid"]),
    "ramp": (
        over(ramp=[-1e300, -1e10, -1e-300, 0.999999999999], warmup=[0, 10**9], C=[1.0, 1e10]),
        ["rbf"],
    ),
    "margin": (over(margin=[-1e300, 1e10, 1e300], epochs=[1, 5]), ["rbf", "linear"]),
    "share": (over(nu=[1e-300, 1e-10, 0.01, 1.0]), ["rbf", "linear", "poly"]),
    "regression": (
        over(epsilon=[0.0, 1e-300, 1e100], C=[1e-10, 1e10], steps=["adaptive", "asset"]),
        ["rbf"],
    ),
}
CONCERNED = {  # all others: everybody
    "ramp": ["ramp", "ignore", "two robust members"],
    "margin": ["perceptron", "averaged", "one member"],
    "share": ["plane", "sphere", "one-class window"],
    "regression": ["regression", "squared regression"],
}
PAIRS = [(subject, name) for subject in SUBJECTS for name in CONCERNED.get(subject, MAKERS)]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_parameters(subject):
    parameters, kernels = SUBJECTS[subject]
    for name in CONCERNED.get(subject, MAKERS):
        try_grid(name, ROWS, parameters, kernels, every=200 if subject not in CONCERNED else 40)


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "name"), PAIRS)
def test_more_parameters(subject, name):
    parameters, kernels = SUBJECTS[subject]
    try_grid(name, ROWS, parameters, kernels, every=16 if subject not in CONCERNED else 4)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_costs_of_a_linear_kernel(name):
    try_grid(name, ROWS, over(C=[1e-10, 1e5, 1e10], tol=[1e-8, 1e-300]), ["linear"], every=24)
