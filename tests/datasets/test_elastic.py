"""Deformed digits; simple images replace those of mnist."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from hinge import OnlineSVC
from hinge.datasets import _elastic, elastic_digits, load
from hinge.datasets._dataset import Dataset


def joined(chunks):
    return tuple(np.concatenate(parts) for parts in zip(*chunks, strict=True))


@pytest.fixture
def squares(monkeypatch):
    """Bright squares, the larger the greater the label; test images are only half as bright."""
    images = np.zeros((10, 28, 28), np.float32)
    for label in range(10):
        images[label, 12 - label : 16 + label, 12 - label : 16 + label] = 1
    X, y = images.reshape(10, -1), np.arange(10.0)
    _elastic._digits.cache_clear()
    monkeypatch.setattr(_elastic, "load_known", lambda name: Dataset(name, X, y, X / 2, y, 1.0, 1.0))
    yield X
    _elastic._digits.cache_clear()


def test_stream_does_not_depend_on_chunk_size(squares):
    whole, labels = next(elastic_digits(600, chunk_size=600, random_state=4))
    for size in (1, 37, 250, 1000):
        X, y = joined(elastic_digits(600, chunk_size=size, random_state=4))
        np.testing.assert_array_equal(X, whole)
        np.testing.assert_array_equal(y, labels)


def test_longer_streams_start_with_shorter_ones_and_seeds_differ(squares):
    short, endless = next(elastic_digits(300, random_state=4)), next(elastic_digits(random_state=4))
    np.testing.assert_array_equal(short[0], endless[0][:300])
    assert not np.array_equal(short[0], next(elastic_digits(300, random_state=5))[0])
    assert [len(y) for _, y in islice(elastic_digits(), 3)] == [1000] * 3


def test_pixels_and_labels(squares):
    X, y = joined(elastic_digits(2000, random_state=0))
    assert X.shape == (2000, 784)
    assert X.dtype == np.float32
    assert y.dtype == np.int64
    assert (X.min(), X.max()) == (0, 1)
    assert set(y) == set(range(10))
    assert next(elastic_digits(3, dtype="float64"))[0].dtype == np.float64
    assert next(elastic_digits(3, part="test"))[0].max() <= 0.51


def test_images_keep_position_and_brightness(squares):
    """Displacements have mean zero, so the mean image is the blurred original."""
    X, y = joined(elastic_digits(4000, random_state=0))
    for label in range(10):
        images = X[y == label]
        assert images.sum(axis=1).mean() == pytest.approx(squares[label].sum(), rel=0.1)
        centre, original = images.mean(axis=0).reshape(28, 28), squares[label].reshape(28, 28)
        np.testing.assert_allclose(centre, centre[::-1, ::-1], atol=0.15)
        np.testing.assert_allclose(centre[original == 1].mean(), 1, atol=0.35)
        assert images.std(axis=0).max() > 0.2  # yet images differ


def test_tiny_strength_changes_nothing(squares):
    X, y = next(elastic_digits(50, strength=1e-6, random_state=0))
    np.testing.assert_allclose(X, squares[y], atol=1e-4)


def test_huge_displacements_sample_the_empty_border(squares):
    X, _ = next(elastic_digits(100, strength=1000.0, random_state=0))
    assert X.min() >= 0
    assert X.max() <= 1


def test_zero_examples(squares):
    assert list(elastic_digits(0)) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_examples": -1}, "n_examples must be a whole number of at least 0"),
        ({"chunk_size": 0}, "chunk_size must be a whole number of at least 1"),
        ({"part": "half"}, "part must be one of 'train', 'test'"),
        ({"dtype": "int8"}, "dtype must be one of"),
        ({"strength": 0}, "strength must be a finite number above 0"),
        ({"random_state": "x"}, "random_state must be"),
    ],
)
def test_bad_parameters_are_refused_immediately(options, message):
    with pytest.raises(ValueError, match=message):
        elastic_digits(**options)


@pytest.mark.slow
def test_deformed_digits_are_recognisable(data_folder):
    """A model trained on the original digits recognises most of the deformed ones."""
    data = load("mnist")
    model = OnlineSVC(C=10.0, gamma=0.02, random_state=0).fit(data.X_train[:10_000], data.y_train[:10_000])
    X, y = next(elastic_digits(1000, part="test", random_state=0))
    plain, deformed = model.score(data.X_test[:1000], data.y_test[:1000]), model.score(X, y)
    assert plain - 0.08 < deformed < plain
