"""
Save, load, go on
=================

A model file holds everything that learning needs to continue.
"""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import make_moons

import hinge

X, y = make_moons(1000, noise=0.25, random_state=0)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "moons.hinge"
    model = hinge.OnlineSVC().partial_fit(X[:500], y[:500])
    hinge.save(model, path)
    print(f"{path.stat().st_size / 1000:.0f} kB")
    loaded = hinge.load(path)
model.partial_fit(X[500:], y[500:])
loaded.partial_fit(X[500:], y[500:])
print("the same decisions:", np.allclose(model.decision_function(X), loaded.decision_function(X)))
