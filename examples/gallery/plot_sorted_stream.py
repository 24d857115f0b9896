"""
A stream sorted by class
========================

First all rows of one class, then all of the other. `OnlineSVC` waits during a pause of a class, and warns; the plain
rule of the LASVM paper (``max_gap=None``) forgets where the boundary was.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from hinge import OnlineSVC, StreamWarning

X, y = make_moons(6000, noise=0.25, random_state=0)
rows = np.concatenate([np.arange(1000), 1000 + np.argsort(y[1000:4000], kind="stable")])  # shuffled, then sorted
models = {"OnlineSVC": OnlineSVC(C=10), "max_gap=None": OnlineSVC(C=10, max_gap=None)}
for name, model in models.items():
    errors = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", StreamWarning)
        for part in np.split(rows, 80):
            model.partial_fit(X[part], y[part], classes=[0, 1])
            errors.append(100 * (1 - model.score(X[4000:], y[4000:])))
    print(f"{name}: {caught[0].message if caught else 'no warning'}")
    plt.plot(50 * np.arange(1, 81), errors, label=name)
plt.axvline(1000, color="grey", linestyle=":", label="sorted from here")
plt.gca().set(xlabel="rows", ylabel="test error, %")
_ = plt.legend()
