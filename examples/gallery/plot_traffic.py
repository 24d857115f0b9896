"""
Anomalies in network traffic
============================

A detector that learns from normal traffic (made up here: packets, bytes, ports) ranks later connections.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import RocCurveDisplay
from sklearn.preprocessing import StandardScaler

from hinge import IncrementalOneClassSVM

rng = np.random.default_rng(0)
normal = np.column_stack([rng.lognormal(2, 1, 1500), rng.lognormal(6, 1.5, 1500), rng.poisson(3, 1500)])
scans = np.column_stack([rng.lognormal(0, 0.3, 50), rng.lognormal(4, 0.3, 50), rng.poisson(12, 50)])
scaler = StandardScaler().fit(np.log1p(normal[:1000]))
model = IncrementalOneClassSVM(nu=0.05).fit(scaler.transform(np.log1p(normal[:1000])))
later = scaler.transform(np.log1p(np.vstack([normal[1000:], scans])))
is_attack = np.arange(550) >= 500
_ = RocCurveDisplay.from_predictions(is_attack, -model.score_samples(later), name="one-class SVM")
plt.gcf().set_layout_engine("constrained")
