"""
Asking for the labels that matter
=================================

A model that asks needs far fewer labels than one that is given random rows.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from hinge import IncrementalSVC
from hinge.active import ActiveLearner

X, y = load_digits(return_X_y=True)
for strategy in ("boundary", "random"):
    learner = ActiveLearner(IncrementalSVC(C=10, gamma=0.001), X[:1000], strategy=strategy, random_state=0)
    labels, errors = [], []
    while len(learner.labels) < 200:
        rows = learner.ask(n=10)
        learner.tell(rows, y[rows])
        if len(learner.labels) > 20:
            labels.append(len(learner.labels))
            errors.append(100 * (1 - learner.model.score(X[1000:], y[1000:])))
    plt.plot(labels, errors, label=strategy)
plt.gca().set(xlabel="labels", ylabel="test error, %", yscale="log")
_ = plt.legend()
