"""
Out of core, from Parquet
=========================

A file that need not fit into memory, read and learned in chunks.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.datasets import make_circles

from hinge import ApproximateSVC

X, y = make_circles(20_000, noise=0.1, factor=0.7, random_state=0)
errors = []
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "circles.parquet"
    pq.write_table(pa.table({"across": X[:, 0], "up": X[:, 1], "label": y}), path, row_group_size=1000)
    model = ApproximateSVC(n_components=100, random_state=0)
    for batch in pq.ParquetFile(path).iter_batches(batch_size=250):
        rows = np.column_stack([batch["across"], batch["up"]])
        model.partial_fit(rows, np.asarray(batch["label"]), classes=[0, 1])
        errors.append(100 * model.progressive_score_.recent_error)
plt.plot(250 * np.arange(1, len(errors) + 1), errors)
_ = plt.gca().set(xlabel="rows read", ylabel="error of the last 1000, %")
