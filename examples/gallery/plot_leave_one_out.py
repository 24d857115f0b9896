"""
Exact leave-one-out
===================

The error of a model on examples it has not seen, without training it once per example.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from hinge import IncrementalSVC

X, y = make_moons(300, noise=0.3, random_state=0)
Cs = np.logspace(-1, 3, 9)
out, training = [], []
for C in Cs:
    model = IncrementalSVC(C=C, gamma=2).fit(X, y)
    out.append(100 * np.mean(model.leave_one_out() != y))
    training.append(100 * (1 - model.score(X, y)))
plt.semilogx(Cs, out, label="leave-one-out")
plt.semilogx(Cs, training, "--", label="training set")
plt.gca().set(xlabel="C", ylabel="error, %")
_ = plt.legend()
