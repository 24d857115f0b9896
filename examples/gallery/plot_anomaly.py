"""
What is normal?
===============

`IncrementalOneClassSVM` learns from unlabelled rows, and can forget rows that turn out to be faults.
"""

import matplotlib.pyplot as plt
import numpy as np
from _boundary import draw_boundary

from hinge import IncrementalOneClassSVM

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(size=(150, 2)) * 0.4 + centre for centre in ((-1, -1), (1, 1))])
X = np.vstack([X, rng.uniform(-3, 3, size=(15, 2))])
faults = np.arange(300, 315)
figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
model = IncrementalOneClassSVM(nu=0.05, gamma=0.5).fit(X)
draw_boundary(model, X, model.predict(X), axes[0], "with fifteen faults")
model.forget(list(faults))
draw_boundary(model, X, model.predict(X), axes[1], "without them")
