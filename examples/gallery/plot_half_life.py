"""
Forgetting slowly
=================

The boundary turns by half a degree every ten rows. With `half_life`, older examples count less.
"""

import matplotlib.pyplot as plt
import numpy as np

from hinge import OnlineSVC

rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 2))
angle = np.arange(3000) / 1000
y = X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle) > 0
for half_life in (None, 200):
    model = OnlineSVC(half_life=half_life, random_state=0).partial_fit(X[:20], y[:20], classes=[False, True])
    errors = []
    for start in range(20, 2980, 20):
        rows = slice(start, start + 20)
        errors.append(100 * np.mean(model.predict(X[rows]) != y[rows]))
        model.partial_fit(X[rows], y[rows])
    plt.plot(20 * np.arange(len(errors) - 9), np.convolve(errors, np.ones(10) / 10, "valid"), label=f"{half_life=}")
plt.gca().set(xlabel="rows", ylabel="error of the next 200 rows, %")
_ = plt.legend()
