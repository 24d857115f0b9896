"""
The race of settings
====================

`RaceSearchCV` drops settings that are behind, and spends its time on the few that may win.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from hinge import OnlineSVC
from hinge.model_selection import RaceSearchCV

X, y = make_moons(600, noise=0.3, random_state=0)
grid = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-2, 2, 5)}
search = RaceSearchCV(OnlineSVC(), grid, random_state=0).fit(X, y)
print({name: float(value) for name, value in search.best_params_.items()})
scores = {
    (params["C"], params["gamma"]): score
    for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True)
}
table = [[scores[C, gamma] for gamma in grid["gamma"]] for C in grid["C"]]
image = plt.imshow(table, origin="lower", cmap="viridis")
plt.xticks(range(5), [f"{gamma:g}" for gamma in grid["gamma"]])
plt.yticks(range(5), [f"{C:g}" for C in grid["C"]])
plt.gca().set(xlabel="gamma", ylabel="C")
_ = plt.colorbar(image, label="accuracy when last seen")
