"""Streams in bad shape: one warning, where the model would lose what it knows, and none for streams that are fine."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hinge import (
    ApproximateSVC,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    RobustOnlineSVC,
    StreamWarning,
    TrackingSVC,
)


def window():
    return IncrementalSVC(gamma=0.2, max_examples=20, eviction="age")


def approximate():
    return ApproximateSVC(gamma=0.2, n_components=16, random_state=0)


FORGETFUL = [OnlineSVC, RobustOnlineSVC, KernelPerceptron, window, approximate]
random = np.random.default_rng(0)
X = random.normal(size=(3000, 3))
Y = (X[:, 0] > 0).astype(int)
BY_CLASS = np.argsort(Y, kind="stable")


def warned(model, X, y, size):
    """Return the messages that a stream gives rise to."""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        for start in range(0, X.shape[0], size):
            model.partial_fit(X[start : start + size], y[start : start + size])
    return [str(warning.message) for warning in issued if warning.category is StreamWarning]


@pytest.mark.parametrize("size", [7, 3000])
@pytest.mark.parametrize("make", FORGETFUL)
def test_sorted_by_class(make, size):
    messages = warned(make(), X[BY_CLASS], Y[BY_CLASS], size)
    assert len(messages) == 1
    assert messages[0].startswith(("For 1", "All of the first "))
    assert "shuffle the stream" in messages[0]


@pytest.mark.parametrize("make", [*FORGETFUL, TrackingSVC, lambda: IncrementalSVC(gamma=0.2)])
def test_shuffled_streams_are_fine(make):
    rare = Y + (np.arange(3000) % 1200 == 0) * 2  # a class of which 1000 rows in a row may well have none
    assert not warned(make(), X[:1300], rare[:1300], 50)


@pytest.mark.parametrize("make", [TrackingSVC, lambda: IncrementalSVC(gamma=0.2)])
def test_models_that_keep_all_examples_do_not_warn(make):
    rows = np.concatenate([BY_CLASS[:1200], BY_CLASS[-200:]])
    assert not warned(make(), X[rows], Y[rows], 100)


def test_nothing_to_warn_of_without_classes():
    model = IncrementalOneClassSVM(max_examples=20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for start in range(0, 2500, 500):
            model.partial_fit(np.zeros((500, 3)) + X[:1] * (start < 1000))


def test_a_class_of_the_training_set_that_stays_away():
    model = OnlineSVC(random_state=0).fit(X[:100], Y[:100])
    (message,) = warned(model, X[BY_CLASS[:1300]], Y[BY_CLASS[:1300]], 50)
    assert "no example of the class 1, which had" in message


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
@pytest.mark.parametrize("make", [window, approximate])
def test_the_same_rows_again_and_again(make, container):
    rows = np.concatenate([np.arange(1000), random.choice(8, 2000)])
    (message,) = warned(make(), container(X[rows]), Y[rows], 40)
    assert message.startswith("Only 8 of the last 1000 rows were different")


@pytest.mark.parametrize("make", [window, approximate])
def test_a_stream_that_never_had_many_rows(make):
    rows = random.choice(12, 2500)
    assert not warned(make(), X[rows], Y[rows], 40)


def test_repetitions_do_not_disturb_a_model_that_keeps_support_vectors():
    rows = np.concatenate([np.arange(1000), random.choice(8, 2000)])
    assert not warned(OnlineSVC(), X[rows], Y[rows], 40)


def test_rows_of_weight_zero_do_not_count():
    model = OnlineSVC().partial_fit(X[:100], Y[:100])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(X, np.zeros(3000), sample_weight=np.zeros(3000))
        model.partial_fit(X[:100], Y[:100])


def test_a_warning_that_is_an_error_leaves_the_rows_learned():
    model = OnlineSVC()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(StreamWarning):
            model.partial_fit(X[BY_CLASS], Y[BY_CLASS])
    assert model.n_seen_ == 3000
    assert model.partial_fit(X[:10], Y[:10]).n_seen_ == 3010
