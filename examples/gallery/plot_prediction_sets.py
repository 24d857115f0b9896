"""
Prediction sets on digits
=========================

Split conformal prediction by hand: sets of labels that contain the right one in 95 of 100 cases.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import shuffle

from hinge import ApproximateSVC

X, y = shuffle(*load_digits(return_X_y=True), random_state=0)  # the guarantee needs rows in random order
model = ApproximateSVC(gamma=0.001, loss="log_loss", n_components=200, random_state=0).fit(X[:800], y[:800])
scores = 1 - model.predict_proba(X[800:1300])[np.arange(500), y[800:1300]]  # how strange each true label is
limit = np.quantile(scores, np.ceil(501 * 0.95) / 500, method="higher")
sets = model.predict_proba(X[1300:]) >= 1 - limit
print(f"{np.mean(sets[np.arange(len(sets)), y[1300:]]):.1%} of the sets contain the right label")

unsure = np.argsort(-sets.sum(axis=1))[:6]
figure, axes = plt.subplots(1, 6, figsize=(10, 2.2), layout="constrained")
for ax, row in zip(axes, unsure, strict=True):
    ax.imshow(X[1300 + row].reshape(8, 8), cmap="gray_r")
    ax.set_title(", ".join(map(str, np.flatnonzero(sets[row]))))
    ax.axis("off")
