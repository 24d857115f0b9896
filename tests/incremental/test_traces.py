"""A forgotten example leaves no trace in files and pickles: no value of its row, no id, no class."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import hinge
from hinge import IncrementalOneClassSVM, IncrementalSVC

SECRET, NAME, RARE = 41, "patient 4711", "very rare"


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(60, 5))


def model_after_forgetting(kind, rows, *, window):
    """Return a model that learned the secret row and forgot or evicted it."""
    classes = np.where(rows[:, 0] > 0, "ill", "well").astype(object)
    classes[SECRET] = RARE
    names = [NAME if place == SECRET else place for place in range(len(rows))]
    bound = 10 if window else None
    X = csr_matrix(rows) if kind == "sparse" else rows
    if kind == "one-class":
        model = IncrementalOneClassSVM(nu=0.2, gamma=0.1, max_examples=bound).partial_fit(X, ids=names)
    else:
        model = IncrementalSVC(gamma=0.1, max_examples=bound, eviction="age").partial_fit(X, classes, ids=names)
    return model if window else model.forget([NAME])


@pytest.mark.parametrize("window", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "one-class"])
def test_saved_files_contain_nothing_of_forgotten_examples(rows, tmp_path, kind, window):
    model = model_after_forgetting(kind, rows, window=window)
    file = tmp_path / "model.hinge"
    hinge.save(model, file)
    held = rows[-1].tobytes()[:8]
    for written in (file.read_bytes(), pickle.dumps(model)):
        assert held in written
        assert [number for number in rows[SECRET] if number.tobytes() in written] == []
        assert NAME.encode() not in written
        assert window or RARE.encode() not in written  # a window keeps the names of classes
