"""
A kernel perceptron of bounded size
===================================

With 30 support vectors, against one that grows with every mistake.
"""

import matplotlib.pyplot as plt
from _boundary import draw_boundary
from sklearn.datasets import make_moons

from hinge import KernelPerceptron

X, y = make_moons(500, noise=0.2, random_state=0)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
for ax, max_support in zip(axes, (None, 30), strict=True):
    model = KernelPerceptron(max_support=max_support, random_state=0).fit(X, y)
    draw_boundary(model, X, y, ax, f"{max_support=}: {len(model.support_)} SVs")
