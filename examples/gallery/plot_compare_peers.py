"""
Next to SVC, SGD and trees
==========================

A curved boundary with noise: kernels suit it, a linear model does not. Default parameters everywhere.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from hinge import ApproximateSVC, IncrementalSVC, OnlineSVC

X, y = make_moons(2000, noise=0.3, random_state=0)
models = {
    "OnlineSVC": OnlineSVC(random_state=0),
    "IncrementalSVC": IncrementalSVC(),
    "ApproximateSVC": ApproximateSVC(random_state=0),
    "SVC": SVC(),
    "SGDClassifier": SGDClassifier(random_state=0),
    "HistGradientBoosting": HistGradientBoostingClassifier(random_state=0),
}
with threadpool_limits(1):  # OpenMP threads of the trees wait for each other on a busy machine
    errors = [100 * (1 - model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])) for model in models.values()]
plt.figure(layout="constrained")
plt.barh(list(models), errors)
_ = plt.xlabel("test error, %")
