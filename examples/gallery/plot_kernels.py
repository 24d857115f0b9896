"""
Kernels
=======

The same examples with five built-in kernels.
"""

import matplotlib.pyplot as plt
from _boundary import draw_boundary
from sklearn.datasets import make_moons

from hinge import OnlineSVC

X, y = make_moons(300, noise=0.2, random_state=0)
settings = {"linear": {}, "poly": {"coef0": 1}, "rbf": {}, "laplacian": {}, "sigmoid": {"gamma": 0.1}}
figure, axes = plt.subplots(1, 5, figsize=(13, 2.8), layout="constrained")
for ax, (kernel, options) in zip(axes, settings.items(), strict=True):
    draw_boundary(OnlineSVC(C=10, kernel=kernel, random_state=0, **options).fit(X, y), X, y, ax, kernel)
