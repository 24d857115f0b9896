"""
A guaranteed distance from the optimum
======================================

The duality gap of `TrackingSVC` after each batch, with more and fewer steps per example.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from hinge import TrackingSVC

X, y = make_moons(600, noise=0.25, random_state=0)
for n_steps in (1, 5, 20):
    model = TrackingSVC(n_steps=n_steps)
    gaps = []
    for start in range(0, 600, 30):
        model.partial_fit(X[start : start + 30], y[start : start + 30])
        gaps.append(model.duality_gap())
    plt.semilogy(range(30, 630, 30), gaps, label=f"{n_steps} steps")
plt.gca().set(xlabel="examples", ylabel="duality gap")
_ = plt.legend()
