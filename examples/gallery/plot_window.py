"""
A window over a stream
======================

An exact model of at most 100 examples. Which example leaves when a new one comes makes a difference.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from hinge import IncrementalSVC

X, y = make_moons(2000, noise=0.3, random_state=0)
for eviction in ("balanced", "age"):
    model = IncrementalSVC(max_examples=100, eviction=eviction)
    errors = []
    for start in range(0, 1000, 50):
        model.partial_fit(X[start : start + 50], y[start : start + 50])
        errors.append(100 * (1 - model.score(X[1000:], y[1000:])))
    plt.plot(range(50, 1050, 50), errors, label=f'eviction="{eviction}"')
plt.gca().set(xlabel="rows seen", ylabel="test error, %")
_ = plt.legend()
