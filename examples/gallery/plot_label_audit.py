"""
Finding wrong labels
====================

Ten labels of handwritten digits are wrong. `suspects` lists examples that all others contradict.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from hinge import IncrementalSVC

X, truth = load_digits(return_X_y=True)
X, truth = X[:600], truth[:600]
y = truth.copy()
wrong = np.random.default_rng(0).choice(600, 10, replace=False)
y[wrong] = (y[wrong] + 3) % 10
suspects = IncrementalSVC(C=10, gamma=0.001).fit(X, y).suspects(12)
print(f"{sum(suspect.id in set(wrong) for suspect in suspects)} of 10 wrong labels are among the first 12")

figure, axes = plt.subplots(2, 6, figsize=(10, 4), layout="constrained")
for ax, suspect in zip(axes.flat, suspects, strict=False):
    ax.imshow(X[suspect.id].reshape(8, 8), cmap="gray_r")
    colour = "green" if suspect.id in set(wrong) else "black"
    ax.set_title(f"label {suspect.label}, rather {suspect.prediction}", fontsize=9, color=colour)
    ax.axis("off")
