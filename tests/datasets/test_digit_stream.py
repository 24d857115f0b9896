"""Deformed digits: mnist-e, and the deformations it is made of."""

from __future__ import annotations

import hashlib
from itertools import islice

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter, shift

from hinge import OnlineSVC
from hinge.datasets import DigitStream, _digit_stream, load
from hinge.datasets._dataset import Dataset
from hinge.datasets._deformation import TRANSLATIONS, _displace, deform, random_fields, tangents

N_ORIGINALS = 60_000


def joined(chunks):
    return tuple(np.concatenate(parts) for parts in zip(*chunks, strict=True))


def blurred_squares(width=1.0):
    """Return ten images, the square in the middle the larger the greater the digit."""
    images = np.zeros((10, 28, 28))
    for digit in range(10):
        images[digit, 12 - digit // 2 : 16 + digit // 2, 12 - digit // 2 : 16 + digit // 2] = 255
    return gaussian_filter(images, (0, width, width)).astype(np.uint8)


@pytest.fixture(scope="module")
def squares():
    """Squares in place of the digits of mnist: number i is the square i mod 10."""
    images = np.tile(blurred_squares(), (N_ORIGINALS // 10, 1, 1))
    X, y = images.reshape(-1, 784) / np.float32(255), np.arange(N_ORIGINALS) % 10
    _digit_stream._originals.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_digit_stream, "load_known", lambda name: Dataset(name, X, y, X[:5], y[:5], 1.0, 1.0))
        yield load("mnist-e")
    _digit_stream._originals.cache_clear()


def test_first_examples_are_the_originals(squares):
    X, y = squares.take(np.arange(N_ORIGINALS))
    np.testing.assert_array_equal(np.rint(255 * X[:10]).astype(np.uint8).reshape(10, 28, 28), blurred_squares())
    np.testing.assert_array_equal(X, np.tile(X[:10], (N_ORIGINALS // 10, 1)))
    np.testing.assert_array_equal(y, np.arange(N_ORIGINALS) % 10)


def test_an_example_depends_on_its_number_alone(squares):
    X, y = squares.take(np.arange(59_900, 60_300))
    for size in (1, 37, 400):
        parts, labels = joined(squares.chunks(59_900, 60_300, chunk_size=size))
        np.testing.assert_array_equal(parts, X)
        np.testing.assert_array_equal(labels, y)
    order = np.random.default_rng(0).permutation(400)
    np.testing.assert_array_equal(squares.take(59_900 + order)[0], X[order])
    np.testing.assert_array_equal(squares.take([60_007, 60_007])[0], X[[107, 107]])


def test_images_are_the_same_on_every_machine():
    bars = np.zeros((50, 28, 28), np.uint8)
    for number in range(50):
        bars[number, 4:24, 6 + number % 10 : 10 + number % 10] = 250 - number
    images = deform(bars, np.arange(60_000, 60_050))
    assert hashlib.sha256(images.tobytes()).hexdigest()[:16] == "932123677ed8ca5d"


def test_stream_is_complete(squares):
    assert len(squares) == squares.n_examples == 8_100_000
    assert [len(y) for _, y in islice(squares, 2)] == [1000, 1000]
    X, y = joined(squares.chunks(8_099_500, chunk_size=300))
    assert X.shape == (500, 784)
    assert (X.dtype, y.dtype) == (np.float32, np.int64)
    assert X.min() == 0
    assert 0.9 < X.max() <= 1
    np.testing.assert_array_equal(y, np.arange(8_099_500, 8_100_000) % 10)
    assert list(squares.chunks(7, 7)) == []
    np.testing.assert_array_equal(squares.classes, np.arange(10))
    assert squares.X_test.shape == (5, 784)


def test_deformations_of_a_digit_all_differ(squares):
    X, y = squares.take(N_ORIGINALS * np.arange(135) + 3)
    assert set(y) == {3}
    assert len(np.unique(X, axis=0)) == 135


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda digits: digits.take([8_100_000]), "numbers must be whole numbers from 0 to 8099999"),
        (lambda digits: digits.take([-1]), "numbers must be whole numbers"),
        (lambda digits: digits.take([0.5]), "numbers must be whole numbers"),
        (lambda digits: digits.chunks(5, 4), "start and stop must satisfy"),
        (lambda digits: digits.chunks(stop=8_100_001), "start and stop must satisfy"),
        (lambda digits: digits.chunks(chunk_size=0), "chunk_size must be a whole number of at least 1"),
    ],
)
def test_bad_numbers_are_refused_immediately(squares, call, message):
    with pytest.raises(ValueError, match=message):
        call(squares)


def test_tangents_are_derivatives_of_the_smoothed_image():
    images = blurred_squares()
    horizontal, vertical = tangents(images)
    smooth = gaussian_filter(images.astype(float), (0, 0.9, 0.9))
    for computed, expected in zip((horizontal, vertical), np.gradient(smooth, axis=(2, 1)), strict=True):
        np.testing.assert_allclose(computed / 4096, expected, atol=0.15 * np.abs(expected).max())
        assert np.corrcoef(computed.ravel(), expected.ravel())[0, 1] > 0.98
    ramp = np.broadcast_to(np.arange(28, dtype=np.uint8) * 3, (1, 28, 28))
    np.testing.assert_array_equal(tangents(ramp)[0][0, 5:-5, 5:-5], 3 * 4096)  # exact for a constant slope
    np.testing.assert_array_equal(tangents(ramp)[1][0, 5:-5, 5:-5], 0)


def test_a_constant_field_moves_the_image():
    """To first order; compared with an interpolation of the shifted image."""
    images = blurred_squares(2.0)
    fields = np.zeros((10, 2, 28, 28), np.int32)
    fields[:, 0], fields[:, 1] = 128, -64  # pixel (row, column) takes the value at (row - 1/4, column + 1/2)
    moved = _displace(images, fields, np.zeros(10, np.int32))
    expected = shift(images.astype(float), (0, 0.25, -0.5), order=3)
    change = np.abs(expected - images).max()
    assert np.abs(moved - expected).max() < 0.3 * change


def test_thickening_makes_strokes_thicker_or_thinner():
    images, fields = blurred_squares(), np.zeros((10, 2, 28, 28), np.int32)
    thin, same, thick = (
        _displace(images, fields, np.full(10, beta, np.int32)).sum(axis=(1, 2)).astype(float) for beta in (-77, 0, 77)
    )
    np.testing.assert_array_equal(same, images.sum(axis=(1, 2)))
    gains = np.diff((thick - same)[::2])  # of squares whose sides differ by two pixels; corners cancel
    np.testing.assert_allclose(gains, 255 * 4 * 0.3 * 2, rtol=0.1)  # by 0.3 pixels on every side
    assert np.all(thin < same)


def test_fields_are_small_and_smooth():
    fields = random_fields() / 256
    assert fields.shape == (761, 2, 28, 28)
    assert 0.8 < np.sqrt(np.mean(fields**2)) < 1.5  # pixels
    assert np.abs(fields).max() < 6
    assert abs(fields.mean()) < 0.1
    steps = np.concatenate([np.diff(fields, axis=axis).ravel() for axis in (2, 3)])
    assert np.sqrt(np.mean(steps**2)) < 0.25  # neighbours move together: strokes bend, they do not break
    assert np.abs(steps).max() < 1.1


def test_translations_reach_two_pixels_in_eight_directions():
    assert len(set(TRANSLATIONS)) == 17
    assert {max(abs(down), abs(right)) for down, right in TRANSLATIONS} == {0, 1, 2}
    image = np.zeros((1, 28, 28), np.uint8)
    image[0, 10:18, 10:18] = 200
    images = deform(np.repeat(image, 5_000, axis=0), np.arange(5_000))
    weights = images / images.sum(axis=(1, 2), keepdims=True)
    position = np.arange(28)
    centre = np.stack([(weights * position[:, None]).sum(axis=(1, 2)), (weights * position).sum(axis=(1, 2))])
    spread = centre.std(axis=1)
    assert np.all((spread > 0.9) & (spread < 1.8))  # 1.3 pixels for translations alone
    np.testing.assert_allclose(centre.mean(axis=1), 13.5, atol=0.1)


@pytest.mark.slow
def test_digits_of_mnist(data_folder):
    """The originals are untouched; deformed digits are sparse, as in the papers, and can still be read."""
    _digit_stream._originals.cache_clear()
    data, digits = load("mnist"), DigitStream()
    X, y = joined(digits.chunks(0, N_ORIGINALS))
    np.testing.assert_array_equal(y, data.y_train)
    np.testing.assert_array_equal(X, data.X_train)
    X, y = digits.take(N_ORIGINALS * np.random.default_rng(0).integers(1, 135, 4000) + np.arange(10_000, 14_000))
    assert 0.23 < np.mean(X > 0) < 0.28  # 25.6 % in the set of Lee and Wright, 19 % of the originals
    model = OnlineSVC(C=10.0, gamma=0.02, random_state=0).fit(data.X_train[:10_000], data.y_train[:10_000])
    plain, deformed = model.score(data.X_test[:4000], data.y_test[:4000]), model.score(X, y)
    assert plain - 0.25 < deformed < plain
