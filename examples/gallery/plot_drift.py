"""
A stream that drifts
====================

All labels are swapped after 600 rows. `AdaptiveSVC` notices, and says when it happened.
"""

import numpy as np

from hinge.stream import AdaptiveSVC, plot_stream

rng = np.random.default_rng(0)
X = rng.uniform(-3, 3, size=(1200, 2))
y = (X[:, 1] > 2 * np.sin(X[:, 0])) ^ (np.arange(1200) >= 600)
model = AdaptiveSVC().partial_fit(X[:1], y[:1], classes=[False, True])
right = [False]
for row in range(1, len(y)):
    right.append(bool(model.predict(X[row : row + 1])[0] == y[row]))
    model.partial_fit(X[row : row + 1], y[row : row + 1])
for drift in model.drifts_:
    print(f"around {drift.start} the error rose from {drift.error_before:.0%} to {drift.error_after:.0%}")
_ = plot_stream(right, model.drifts_, window=100)
