"""Model files, their parts, and files made of parts."""

import json

import numpy as np
import pytest
from safetensors.numpy import load, save
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification

import hinge
from hinge import OnlineSVC


@pytest.fixture
def problem():
    """A maker of small problems."""

    def make(n_classes=2, dtype=np.float64, n=120):
        X, y = make_classification(n, 6, n_informative=4, n_classes=n_classes, random_state=0)
        return X.astype(dtype), y

    return make


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.hinge"


@pytest.fixture
def dense(file, problem):
    """The file of a dense model of three classes."""
    X, y = problem(n_classes=3)
    hinge.save(OnlineSVC(random_state=0).fit(X, y), file)
    return file


@pytest.fixture
def sparse(tmp_path, problem):
    """The file of a sparse model of two classes."""
    X, y = problem()
    file = tmp_path / "sparse.hinge"
    hinge.save(OnlineSVC(random_state=0).fit(csr_matrix(X * (X > 0)), y), file)
    return file


@pytest.fixture
def parts():
    """What tells the arrays and the header of a model file."""

    def split(file):
        content = file.read_bytes()
        table = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        return load(content), json.loads(table["__metadata__"]["hinge"])

    return split


@pytest.fixture
def rewrite():
    """What makes a model file of arrays and a header; a text is taken as it is."""

    def join(file, arrays, header):
        text = header if isinstance(header, str) else json.dumps(header)
        arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        file.write_bytes(save(arrays, {"hinge": text}))

    return join
