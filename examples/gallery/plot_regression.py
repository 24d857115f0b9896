"""
Regression
==========

`ApproximateSVR` with a tube of insensitivity, learned in two batches.
"""

import matplotlib.pyplot as plt
import numpy as np

from hinge import ApproximateSVR

rng = np.random.default_rng(0)
X = rng.uniform(0, 10, size=(600, 1))
y = np.sin(X[:, 0]) + rng.normal(scale=0.2, size=600)
line = np.linspace(0, 10, 300)[:, None]
model = ApproximateSVR(C=10, gamma=1, n_components=50, random_state=0)
plt.scatter(X, y, s=5, color="gray")
for start, end in ((0, 40), (40, 600)):
    model.partial_fit(X[start:end], y[start:end])
    plt.plot(line, model.predict(line), label=f"after {end} rows")
_ = plt.legend()
