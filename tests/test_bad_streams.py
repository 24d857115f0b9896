"""Streams in bad shape: one warning, where the model would lose what it knows, and none for streams that are fine."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_circles, make_moons

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
from hinge._fit import stream_warnings
from hinge._model.stream_watch import ClassWatch, RepetitionWatch
from hinge.stream import AdaptiveSVC


def window():
    return IncrementalSVC(gamma=0.2, max_examples=20, eviction="age")


def approximate():
    return ApproximateSVC(gamma=0.2, n_components=16, random_state=0)


def scaled_approximate():
    return ApproximateSVC(n_components=16, random_state=0)


def plain():
    return OnlineSVC(max_gap=None)


FORGETFUL = [plain, RobustOnlineSVC, KernelPerceptron, window, approximate]
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
    model = OnlineSVC(max_gap=None, random_state=0).fit(X[:100], Y[:100])
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
    model = plain()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(StreamWarning):
            model.partial_fit(X[BY_CLASS], Y[BY_CLASS])
    assert model.n_seen_ == 3000
    assert model.partial_fit(X[:10], Y[:10]).n_seen_ == 3010


def test_the_reserve_makes_pauses_of_less_than_300_rows_harmless():
    rows = np.concatenate([np.arange(600), BY_CLASS[:400]])
    assert not warned(OnlineSVC(), X[rows[:850]], Y[rows[:850]], 50)
    (message,) = warned(OnlineSVC(), X[rows], Y[rows], 50)
    assert message.startswith("For 3")


@pytest.mark.parametrize("C", [0.1, 1, 100])
def test_a_pause_of_280_rows_costs_little(C):
    X, y = make_circles(9000, noise=0.15, factor=0.6, random_state=0)
    later = 4000 + np.flatnonzero(y[4000:7000])[:280]
    model = OnlineSVC(C=C).partial_fit(X[:4000], y[:4000])
    before = model.score(X[7000:], y[7000:])
    assert model.partial_fit(X[later], y[later]).score(X[7000:], y[7000:]) > before - 0.02


@pytest.mark.parametrize("C", [1, 100])
def test_no_collapse_of_sorted_moons_without_a_warning(C):
    X, y = make_moons(3990, noise=0.35, random_state=1)
    rows = np.argsort(y, kind="stable")  # two runs of 1995 rows, after which accuracy is up to 19 points lower
    assert warned(OnlineSVC(C=C), X[rows], y[rows], 3990)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("make", [plain, lambda: OnlineSVC(max_support=50), KernelPerceptron, window])
def test_sorted_by_a_feature(make, sign):
    rows = np.argsort(sign * X[:1500, 2])  # which says nothing about the class
    (message,) = warned(make(), X[rows], Y[rows], 40)
    assert message.startswith("The last 1000 rows were sorted by the feature in column 2")


@pytest.mark.parametrize("make", [OnlineSVC, TrackingSVC, approximate])
def test_sorted_streams_that_a_model_survives(make):
    rows = np.argsort(X[:1500, 2])
    assert not warned(make(), X[rows], Y[rows], 40)


def test_a_feature_that_rarely_changes_is_not_a_sorted_stream():
    days = np.column_stack([X, np.arange(3000) // 50])
    assert not warned(KernelPerceptron(gamma=0.2), days, Y, 40)


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
@pytest.mark.parametrize(
    "make",
    [OnlineSVC, lambda: IncrementalSVC(max_examples=20), lambda: ApproximateSVC(n_components=16, random_state=0)],
)
def test_a_scale_that_the_first_rows_did_not_have(make, container):
    grown = X[:2300] * np.where(np.arange(2300) < 1024, 1, 20)[:, None]
    (message,) = warned(make(), container(grown), Y[:2300], 100)
    assert message.startswith("gamma='scale' is 0.")
    assert not warned(make(), container(X[:2300] * np.where(np.arange(2300) < 1024, 1, 2)[:, None]), Y[:2300], 100)


def test_a_model_that_follows_the_scale_does_not_warn():
    grown = X[:2300] * np.where(np.arange(2300) < 1024, 1, 20)[:, None]
    assert not warned(AdaptiveSVC(windows=(50,), max_informative=50), grown, Y[:2300], 100)


def test_a_scale_given_by_the_user_is_no_concern():
    grown = X[:2300] * np.where(np.arange(2300) < 1024, 1, 20)[:, None]
    assert not warned(OnlineSVC(gamma=0.2), grown, Y[:2300], 100)


@pytest.mark.slow
def test_a_model_that_does_not_keep_up_with_its_optimum():
    X, y = make_moons(4000, noise=0.35, random_state=1)
    (message,) = warned(OnlineSVC(C=1e5), X[1000:], y[1000:], 50)
    assert message.startswith("The model has not kept up with its optimum for 1000 rows")
    assert not warned(OnlineSVC(C=1000), X[1000:], y[1000:], 50)


def test_the_gap_is_watched_where_the_upkeep_bounds_it(monkeypatch):
    monkeypatch.setattr(stream_warnings, "_MAX_VIOLATION", 1e-3)
    (message,) = warned(OnlineSVC(gamma=0.2), X[:1500], Y[:1500], 50)
    assert message.startswith("The model has not kept up with its optimum for 1000 rows")
    assert not warned(plain(), X[:1500], Y[:1500], 50)


@pytest.mark.parametrize("chunk", [1, 7, 333, 5000])
def test_a_pause_is_noticed_at_the_same_row_in_chunks_of_any_size(chunk):
    labels = np.random.default_rng(0).choice(["a", "b", "c"], size=4000, p=[0.6, 0.3, 0.1])
    labels = np.concatenate([labels, np.where(labels == "b", "a", labels)])
    watch, expected = ClassWatch(min_pause=200), ClassWatch(min_pause=200)
    for start in range(0, len(labels), chunk):
        watch.note(labels[start : start + chunk])
    expected._note_one_by_one(labels)
    assert watch.pause is not None
    assert watch.pause == expected.pause
    assert watch._classes == expected._classes


@pytest.mark.parametrize("kind", ["float32", "float64", "sparse"])
@pytest.mark.parametrize("chunk", [1, 300, 2000])
def test_different_rows_are_counted(kind, chunk):
    random = np.random.default_rng(0)
    few = random.integers(0, 2, size=(60, 30)) * 1e6 + random.integers(0, 2, size=(60, 30)) * 1e-6
    few[:3] = 0.0
    rows = np.vstack([random.integers(0, 2, size=(1000, 30)), few[random.integers(0, 60, size=1000)]])
    rows = csr_matrix(rows) if kind == "sparse" else rows.astype(kind)
    watch = RepetitionWatch()
    for start in range(0, 2000, chunk):
        watch.note(rows[start : start + chunk])
    dense = rows.toarray() if kind == "sparse" else rows
    assert watch.n_different == len(np.unique(dense[1000:], axis=0)) == 58
