"""Bundled data sets."""

import numpy as np
import pytest

from hinge import datasets


@pytest.mark.parametrize("name", datasets.BUNDLED)
def test_sets_are_complete_and_reproducible(name):
    one, same, other = (datasets.load(name, random_state=seed) for seed in (3, 3, 4))
    assert one.name == name
    assert one.X_train.shape == (len(one.y_train), one.X_test.shape[1])
    assert set(one.y_train) == set(one.y_test) == set(one.classes)
    np.testing.assert_array_equal(one.X_train, same.X_train)
    assert not np.array_equal(one.X_train, other.X_train)


def test_waveform_class_means():
    data = datasets.load("waveform")
    means = data.X_train[data.y_train == 0].mean(axis=0)
    position = np.arange(1, 22)
    expected = 0.5 * np.maximum(6 - abs(position - 7), 0) + 0.5 * np.maximum(6 - abs(position - 15), 0)
    assert np.abs(means - expected).max() < 0.2


def test_unknown_name():
    with pytest.raises(ValueError, match="There is no data set 'iris'; choose one of spirals, waveform, digits"):
        datasets.load("iris")
