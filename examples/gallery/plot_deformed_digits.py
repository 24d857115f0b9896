"""
Digits without end
==================

`hinge.datasets.load("mnist-e")` deforms the digits of MNIST as they are read: eight million rows, none of them stored.
Here the same idea on scikit-learn's small digits, shifted at random, in a stream that never repeats.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from hinge import OnlineSVC

images, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
model = OnlineSVC(C=10, gamma=0.001)
seen, errors = [], []
for _ in range(30):
    rows = rng.integers(0, 1400, 400)
    stack = images[rows].reshape(-1, 8, 8)
    batch = np.stack([np.roll(image, shift, axis=0) for image, shift in zip(stack, rng.integers(-1, 2, 400))])
    model.partial_fit(batch.reshape(400, 64), y[rows], classes=range(10))
    seen.append(model.n_seen_)
    errors.append(100 * (1 - model.score(images[1400:], y[1400:])))
print(f"{len(model.support_)} of {model.n_seen_} digits are support vectors")
plt.plot(seen, errors)
_ = plt.gca().set(xlabel="digits seen", ylabel="test error, %")
