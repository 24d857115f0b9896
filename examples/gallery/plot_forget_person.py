"""
Forgetting a person
===================

`forget` gives the model that never saw the record, not an approximation of it.
"""

import matplotlib.pyplot as plt
import numpy as np
from _boundary import draw_boundary
from sklearn.datasets import make_moons

from hinge import IncrementalSVC

X, y = make_moons(80, noise=0.2, random_state=1)
names = [f"person {row}" for row in range(80)]
model = IncrementalSVC(C=10, gamma=2).fit(X, y, ids=names)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
draw_boundary(model, X, y, axes[0], "all 80 people")

leaving = model.support_[:5]
model.forget([names[row] for row in leaving])
stays = np.setdiff1d(np.arange(80), leaving)
draw_boundary(model, X[stays], y[stays], axes[1], "five people less")

# %%
# The same as a training without them:
never = IncrementalSVC(C=10, gamma=2).fit(X[stays], y[stays])
print(f"largest difference of decisions: {np.abs(model.decision_function(X) - never.decision_function(X)).max():.1e}")
