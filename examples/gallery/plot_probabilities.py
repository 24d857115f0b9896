"""
Probabilities
=============

With the loss "log_loss", `ApproximateSVC` estimates probabilities. The dotted line would be perfect.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import make_moons

from hinge import ApproximateSVC

X, y = make_moons(6000, noise=0.4, random_state=0)
model = ApproximateSVC(loss="log_loss", n_components=100, random_state=0).fit(X[:3000], y[:3000])
_ = CalibrationDisplay.from_estimator(model, X[3000:], y[3000:], n_bins=10)
plt.gcf().set_layout_engine("constrained")
