"""
A model of fixed size
=====================

`ApproximateSVC` has as many landmarks as you say, whatever the length of the stream.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from hinge import ApproximateSVC

X, y = load_digits(return_X_y=True)
sizes = (16, 32, 64, 128, 256)
for approximation in ("nystroem", "fourier"):
    errors = []
    for n_components in sizes:
        model = ApproximateSVC(gamma=0.001, n_components=n_components, approximation=approximation, random_state=0)
        errors.append(100 * (1 - model.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:])))
    plt.loglog(sizes, errors, "o-", label=approximation)
plt.gca().set(xlabel="components", ylabel="test error, %")
_ = plt.legend()
