"""A small pool without a file, whose labels are known."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_blobs

NAMES = np.array(["ape", "bee", "cat"])


class Blobs:
    """Three clusters of points, shown as rows of a table."""

    kind = "table"
    name = "blobs"
    notes = ()

    def __init__(self, n=200, seed=0, known=(), std=2.0):
        self.X, numbers = make_blobs(n, centers=3, cluster_std=std, random_state=seed)
        self.truth = NAMES[numbers].tolist()
        self.known = {row: self.truth[row] for row in known}

    def __len__(self):
        return len(self.X)

    def key(self, row):
        return f"blob {row}"

    def row_of(self, key):
        name, _, number = key.partition(" ")
        return int(number) if name == "blob" and number.isdecimal() and int(number) < len(self) else None

    def digest(self, row):
        return self.X[row].tobytes().hex()[:16]

    def view(self, row):
        return {"kind": "table", "cells": [["x", f"{self.X[row, 0]:.3f}"], ["y", f"{self.X[row, 1]:.3f}"]]}

    def image(self, row):
        raise ValueError("there are no images here")

    def wrap_model(self, model):
        return model
