"""
A boundary while it is learned
==============================

`OnlineSVC` visits each example once. After a few hundred, the boundary is nearly where it stays.
"""

import matplotlib.pyplot as plt
from _boundary import draw_boundary
from sklearn.datasets import make_moons

from hinge import OnlineSVC

X, y = make_moons(1000, noise=0.25, random_state=0)
model = OnlineSVC(C=10)
figure, axes = plt.subplots(1, 4, figsize=(12, 3), layout="constrained")
start = 0
for ax, end in zip(axes, (20, 100, 300, 1000), strict=True):
    model.partial_fit(X[start:end], y[start:end])
    draw_boundary(model, X[:end], y[:end], ax, f"{end} examples, {len(model.support_)} SVs")
    start = end
