"""
Over partitions, with dask
==========================

The parts of a dask array are learned where they are. Here by threads of one process; a cluster is used the same way.
"""

import dask.array as da
from _boundary import draw_boundary
from dask.distributed import Client
from sklearn.datasets import make_moons

import hinge.distributed

X, y = make_moons(4000, noise=0.2, random_state=0)
with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
    rows, labels = da.from_array(X, chunks=(1000, 2)), da.from_array(y, chunks=1000)
    model = hinge.distributed.train(hinge.ApproximateSVC(n_components=50, random_state=0), rows, labels)
    right = hinge.distributed.predict(model, rows) == labels
    print(f"accuracy {right.mean().compute():.3f}")
draw_boundary(model, X[:500], y[:500], title="one model of four parts")
