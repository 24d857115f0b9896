"""
Wrong labels
============

A fifth of the labels is wrong. The ramp loss of `RobustOnlineSVC` gives up on outliers: fewer support vectors.
"""

import matplotlib.pyplot as plt
import numpy as np
from _boundary import draw_boundary
from sklearn.datasets import make_moons

from hinge import OnlineSVC, RobustOnlineSVC

X, y = make_moons(500, noise=0.15, random_state=0)
y = y ^ (np.random.default_rng(0).random(500) < 0.2)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
for ax, model in zip(axes, (OnlineSVC(C=10, random_state=0), RobustOnlineSVC(C=10, random_state=0)), strict=True):
    model.fit(X, y)
    draw_boundary(model, X, y, ax, f"{type(model).__name__}, {len(model.support_)} SVs")
