"""The reader in docs/design/model-format.md reads what `save` writes."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

import hinge
from hinge import (
    ApproximateSVC,
    ApproximateSVR,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    RobustOnlineSVC,
    TrackingSVC,
    _core,
)
from hinge.persistence import _check, _check_arrays, _file
from hinge.stream import AdaptiveSVC

DOCUMENT = Path(__file__).parents[2] / "docs" / "design" / "model-format.md"


@pytest.fixture(scope="module")
def text():
    return DOCUMENT.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reader(text):
    (program,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names = {}
    exec(program, names)  # noqa: S102
    return names["decision_function"]


@pytest.mark.parametrize("labels", [[0, 1], [1, 0], ["c", "a", "b"], [2, 0, 3, 1]])
@pytest.mark.parametrize("distance", [0.0, 1e5])
def test_its_decisions_are_ours(file, problem, reader, labels, distance):
    X, y = problem(len(labels))
    X, y = X + distance, np.array(labels)[y]
    model = OnlineSVC(C=0.7, gamma=0.1, max_support=60)
    for label in labels:  # classes become known in this order
        model.partial_fit(X[:90][y[:90] == label], y[:90][y[:90] == label])
        hinge.save(model, file)
        np.testing.assert_allclose(reader(file, X), model.decision_function(X), atol=1e-6 if distance else 1e-9)


@pytest.mark.parametrize(
    "model",
    [
        RobustOnlineSVC(C=10, gamma=0.1, warmup=5),
        TrackingSVC(gamma=0.1, random_state=0),
        TrackingSVC(gamma=0.1, random_state=0, average=False, keep="support"),
        KernelPerceptron(gamma=0.1),
        KernelPerceptron(gamma=0.1, average=True),
        IncrementalSVC(gamma=0.1),
        IncrementalSVC(gamma=0.1, C=1e-3),  # nobody between the ends of its box
        IncrementalOneClassSVM(gamma=0.1, nu=0.3),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_its_decisions_are_those_of_other_solvers(file, problem, reader, model, n_classes):
    X, y = problem(n_classes)
    model = clone(model).partial_fit(X, y)
    hinge.save(model, file)
    np.testing.assert_allclose(reader(file, X), model.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("labels", [[1, 0], ["c", "a", "b"]])
@pytest.mark.parametrize(
    "model",
    [ApproximateSVC(gamma=0.1, n_components=30), ApproximateSVC(gamma=0.1, approximation="fourier", n_components=30)],
    ids=str,
)
@pytest.mark.parametrize("rows", [50, 120])
def test_its_decisions_are_those_of_approximate_models(file, problem, reader, *, labels, model, rows):
    X, y = problem(len(labels))
    y = np.array(labels)[y]
    model = clone(model)
    for label in labels:  # classes become known in this order
        model.partial_fit(X[:rows][y[:rows] == label], y[:rows][y[:rows] == label])
    hinge.save(model, file)
    np.testing.assert_allclose(reader(file, X), model.decision_function(X), atol=1e-9)
    values = ApproximateSVR(gamma=0.1, n_components=30).fit(X, X[:, 0])
    hinge.save(values, file)
    np.testing.assert_allclose(reader(file, X), values.predict(X), atol=1e-9)


def test_empty_machines(file, problem, reader):
    X, y = problem(2)
    model = OnlineSVC(gamma=0.1).partial_fit(X, y, classes=[0, 1, 2])
    hinge.save(model, file)
    np.testing.assert_allclose(reader(file, X), model.decision_function(X), atol=1e-9)


def test_it_names_every_field_and_array(text, dense, sparse, *, parts, tmp_path, problem):
    named = set(re.findall(r"`([a-z0-9_]+)`", text))
    X, y = problem()
    approximate, fourier = tmp_path / "approximate.hinge", tmp_path / "fourier.hinge"
    hinge.save(ApproximateSVC().partial_fit(csr_matrix(X), y), approximate)
    hinge.save(ApproximateSVC(approximation="fourier").fit(X, y), fourier)
    hinge.save(AdaptiveSVC().partial_fit(X, y), adaptive := tmp_path / "adaptive.hinge")
    for file in (dense, sparse, approximate, fourier, adaptive):
        arrays, header = parts(file)
        assert arrays.keys() | header.keys() | header["state"].keys() | header["state"]["kernel"].keys() <= named
    assert hinge.IncrementalSVC().partial_fit([[0.0]], [0])._state.to_arrays()[1]["ids"].keys() <= named
    assert _check_arrays.TYPES.keys() <= named
    for options in (_core.RobustOptions(), _core.TrackingOptions(), _core.PerceptronOptions()):
        assert options.memory.keys() <= named


def test_its_bounds_are_ours(text):
    assert "1 to 2^26" in text
    assert _check.MAX_FEATURES == 2**26
    assert "at most 2^23 bytes" in text
    assert _file.MAX_HEADER_BYTES == 2**23
    assert f"version {_file.VERSION}" in text.splitlines()[0]
