"""
Change one import
=================

The same parameters, the same solution: the time of `fit` with scikit-learn's `SVC` and with `hinge.svm.SVC`.
"""

from time import perf_counter

import matplotlib.pyplot as plt
from sklearn import svm
from sklearn.datasets import make_classification

import hinge.svm

X, y = make_classification(4000, n_features=20, n_informative=10, flip_y=0.1, random_state=0)
sizes = [500, 1000, 2000, 4000]
hinge.svm.SVC().fit(X[:100], y[:100])  # loads the native code
for name, estimator in (("sklearn.svm.SVC", svm.SVC), ("hinge.svm.SVC", hinge.svm.SVC)):
    seconds = []
    for size in sizes:
        start = perf_counter()
        model = estimator(C=10).fit(X[:size], y[:size])
        seconds.append(perf_counter() - start)
    print(f"{name}: {len(model.support_)} support vectors, training accuracy {model.score(X, y):.4f}")
    plt.plot(sizes, seconds, "o-", label=name)
plt.gca().set(xlabel="rows", ylabel="seconds")
_ = plt.legend()
