"""Pools of image files. Only this module imports Pillow.

Files are decoded when the folder is opened, for their features, and again when they are shown. They are untrusted: only
common formats are accepted, huge images are not decoded, and files that cannot be decoded are left out, so that one bad
file does not prevent the labelling of thousands of others.
"""

from __future__ import annotations

import os
import warnings
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import file_digest
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hinge._model.params import choice
from hinge.exceptions import DataError
from hinge.web.pools._base import BasePool, FeatureSet, ImageView, Kind, new_digest
from hinge.web.pools._image_features import KINDS, SIDE, SQUARE_FEATURES, all_kinds, colours, shapes

try:
    from PIL import Image, ImageOps
except ImportError:
    raise ImportError("Image files need Pillow; install it with pip install 'hinge-svm[label]'.") from None

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from hinge.web.pools._folder import Folder

FEATURE_SIDE = 32  # of the small images from which the model learns
MAX_SHOWN_SIDE = 1024  # the longer side of images on the page

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")
_MAX_PIXELS = 1 << 26
_MAX_THREADS = 4  # each may hold a decoded image
_MAX_PNG_SIDE = 256  # smaller images are sent losslessly as PNG, others as JPEG
_JPEG_QUALITY = 88
_MAX_CACHED, _MAX_CACHED_BYTES = 300, 1 << 26  # encoded images in memory
_EXIF_ORIENTATION, _ROTATED = 0x0112, range(5, 9)


class DecodedImage(NamedTuple):
    """The pixels of an image file, its colours and shapes (see `_image_features`), and its size in pixels."""

    features: NDArray[np.float32]
    square: NDArray[np.float32]
    width: int
    height: int


class ImagePool(BasePool):
    """Image files to label; see `Pool`."""

    kind: Kind = "image"

    def __init__(self, folder: Folder, images: Sequence[DecodedImage], known: str | None) -> None:
        X = np.stack([image.features for image in images])
        super().__init__(folder.name, X, folder.known(known), keys=folder.keys, notes=folder.notes)
        kinds = all_kinds(X, np.stack([image.square for image in images]))
        self.feature_sets = {name: FeatureSet(values) for name, values in kinds.items()}
        self._folder = folder
        self._sizes = [_scaled_size(image.width, image.height, MAX_SHOWN_SIDE) for image in images]
        self._cache = _ImageCache()

    def digest(self, row: int) -> str:
        """Return a hash of the file: 16 hexadecimal digits."""
        with self._folder.path(self.key(row)).open("rb") as file:
            return file_digest(file, new_digest).hexdigest()

    def view(self, row: int) -> ImageView:
        """Return the size of the image as shown."""
        width, height = self._sizes[self.check_row(row)]
        return {"kind": "image", "width": width, "height": height}

    def image(self, row: int) -> bytes:
        """Return the image, at most 1024 pixels wide and high, encoded again so that no metadata is sent."""
        encoded = self._cache.get(self.check_row(row))
        if encoded is None:
            encoded = self._encoded(row)
            self._cache.put(row, encoded)
        return encoded

    def _encoded(self, row: int) -> bytes:
        key = self.key(row)
        try:
            image, _, _ = _decode(self._folder.path(key), MAX_SHOWN_SIDE)
            return _encode(image.resize(self._sizes[row], Image.Resampling.BILINEAR))
        except Exception as error:
            if isinstance(error, DataError):
                raise
            raise _unreadable(key, error) from None


class _ImageCache:
    """An LRU cache of encoded images, limited by number and size."""

    def __init__(self) -> None:
        self._images: OrderedDict[int, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, row: int) -> bytes | None:
        with self._lock:
            if row in self._images:
                self._images.move_to_end(row)
            return self._images.get(row)

    def put(self, row: int, encoded: bytes) -> None:
        with self._lock:
            self._bytes += len(encoded) - len(self._images.pop(row, b""))
            self._images[row] = encoded
            while len(self._images) > _MAX_CACHED or self._bytes > _MAX_CACHED_BYTES:
                self._bytes -= len(self._images.popitem(last=False)[1])


def image_features(paths: Iterable[str | os.PathLike[str]], kind: str = "pixels") -> NDArray[np.float32]:
    """Convert image files into features, whatever the size of the image.

    A model trained on a folder of images predicts the labels of new ones with `model.predict(image_features(paths))`.

    Parameters
    ----------
    paths : iterable of path
        Files in the formats PNG, JPEG, GIF, BMP or WebP.
    kind : {"pixels", "colours", "shapes", "colours and shapes"}, default="pixels"
        32 x 32 grey pixels (1024 features), histograms of colours (320), of gradient orientations (1764), or both.

    Returns
    -------
    ndarray of shape (n, n_features)
        Pixels: brightness between 0 and 1, line by line. Images that are not square are padded with their mean.

    Examples
    --------
    >>> from PIL import Image
    >>> from hinge.web.pools import image_features
    >>> Image.new("RGB", (640, 480), "white").save("white.png")
    >>> image_features(["white.png"]).shape, float(image_features(["white.png"]).min())
    ((1, 1024), 1.0)
    """
    choice("kind", kind, KINDS)
    files = [Path(path) for path in paths]
    images = list(_decode_all(files))
    for path, image in zip(files, images, strict=True):
        if isinstance(image, Exception):
            raise image if isinstance(image, FileNotFoundError) else _unreadable(str(path), image) from None
    kept = [image for image in images if isinstance(image, DecodedImage)]
    pixels = np.array([image.features for image in kept], dtype=np.float32).reshape(-1, FEATURE_SIDE**2)
    squares = np.array([image.square for image in kept], dtype=np.float32).reshape(-1, SQUARE_FEATURES)
    return all_kinds(pixels, squares)[kind]


def pool_of_images(folder: Folder, known: str | None, watch: Callable[[float | None], None]) -> ImagePool:
    """Return a pool of the images of a folder; files that cannot be decoded are left out and listed in its notes."""
    images: dict[str, DecodedImage] = {}
    each = _decode_all([folder.root / key for key in folder.keys])
    for done, (key, image) in enumerate(zip(folder.keys, each, strict=True)):
        if isinstance(image, DecodedImage):
            images[key] = image
        watch((done + 1) / len(folder.keys))
    folder = folder.without(set(folder.keys) - images.keys(), "cannot be read as an image")
    if not images:
        raise DataError(f"{folder.name} contains no images to label. {' '.join(folder.notes)}")
    return ImagePool(folder, list(images.values()), known)


def _decode_all(paths: Sequence[Path]) -> Iterator[DecodedImage | Exception]:
    with warnings.catch_warnings(), ThreadPoolExecutor(min(_MAX_THREADS, os.cpu_count() or 1)) as workers:
        warnings.simplefilter("ignore")  # about irregularities in files that can still be decoded
        yield from workers.map(_decode_features, paths)


def _decode_features(path: Path) -> DecodedImage | Exception:
    try:
        image, width, height = _decode(path, 2 * FEATURE_SIDE)
        small = image.convert("L").resize(
            _scaled_size(width, height, FEATURE_SIDE, enlarge=True), Image.Resampling.BILINEAR
        )
    except Exception as error:  # noqa: BLE001  decoders raise all kinds of errors
        return error
    square = _square(image)
    return DecodedImage(
        _pad(np.asarray(small, dtype=np.float32) / np.float32(255)),
        np.concatenate([colours(square), shapes(square)]),
        width,
        height,
    )


def _square(image: Image.Image) -> NDArray[np.uint8]:
    """Return an image as a square with three channels, padded with its mean colour."""
    rgb = image.convert("RGB")
    size = _scaled_size(rgb.width, rgb.height, SIDE, enlarge=True)
    small = np.asarray(rgb.resize(size, Image.Resampling.BILINEAR))
    square = np.empty((SIDE, SIDE, 3), dtype=np.uint8)
    square[:] = small.reshape(-1, 3).mean(axis=0).round()
    top, left = ((SIDE - length) // 2 for length in small.shape[:2])
    square[top : top + small.shape[0], left : left + small.shape[1]] = small
    return square


def fitted_image(data: bytes, size: tuple[int, int], *, grey: bool) -> NDArray[np.uint8]:
    """Return an encoded image in a given height and width, scaled to fit and padded with its mean colour.

    The shape is (height, width, 3), or (height, width, 1) in grey.
    """
    with Image.open(BytesIO(data), formats=_FORMATS) as file:
        image = file.convert("L" if grey else "RGB")
    factor = min(size[0] / image.height, size[1] / image.width)
    scaled = max(1, round(image.width * factor)), max(1, round(image.height * factor))
    small = np.asarray(image.resize(scaled, Image.Resampling.BILINEAR)).reshape(scaled[1], scaled[0], -1)
    fitted = np.empty((*size, small.shape[2]), dtype=np.uint8)
    fitted[:] = small.reshape(-1, small.shape[2]).mean(axis=0).round()
    top, left = (size[0] - scaled[1]) // 2, (size[1] - scaled[0]) // 2
    fitted[top : top + scaled[1], left : left + scaled[0]] = small
    return fitted


def _pad(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    """Centre an image in a square and flatten it."""
    square = np.full((FEATURE_SIDE, FEATURE_SIDE), grey.mean(), dtype=np.float32)
    top, left = ((FEATURE_SIDE - length) // 2 for length in grey.shape)
    square[top : top + grey.shape[0], left : left + grey.shape[1]] = grey
    return square.reshape(-1)


def _decode(path: Path, side: int) -> tuple[Image.Image, int, int]:
    """Decode an image; return it with its original width and height. It may be reduced to at least `side` pixels."""
    if not path.is_file():  # reading from a pipe would block forever
        raise FileNotFoundError(f"There is no file {path}.")
    with Image.open(path, formats=_FORMATS) as image:
        width, height = image.size
        if width * height > _MAX_PIXELS:
            raise DataError(f"{path.name} has {width} x {height} pixels; reduce its size.")
        image.draft(None, (side, side))  # JPEG can be decoded at a reduced size
        if image.getexif().get(_EXIF_ORIENTATION) in _ROTATED:
            width, height = height, width
        return _to_8_bit(ImageOps.exif_transpose(image)), width, height


def _to_8_bit(image: Image.Image) -> Image.Image:
    """Convert an image to 8-bit grey or RGB, with transparent parts on white."""
    if image.mode.startswith("I"):  # 16 bits
        return Image.fromarray((np.asarray(image, dtype=np.float64).clip(0, 65535) / 257).astype(np.uint8))
    if image.has_transparency_data:
        colours = image.convert("RGBA")
        white = Image.new("RGBA", colours.size, "white")
        return Image.alpha_composite(white, colours).convert("RGB")
    return image if image.mode in ("L", "RGB") else image.convert("L" if image.mode == "1" else "RGB")


def _scaled_size(width: int, height: int, side: int, *, enlarge: bool = False) -> tuple[int, int]:
    """Return the size of an image scaled so that its longer side has at most `side` pixels, or exactly (`enlarge`).

    Examples
    --------
    >>> _scaled_size(4000, 3000, 1024), _scaled_size(40, 30, 1024), _scaled_size(9, 9000, 32)
    ((1024, 768), (40, 30), (1, 32))
    >>> _scaled_size(40, 30, 1024, enlarge=True)
    (1024, 768)
    """
    factor = side / max(width, height)
    if factor >= 1 and not enlarge:
        return width, height
    return max(1, round(width * factor)), max(1, round(height * factor))


def _encode(image: Image.Image) -> bytes:
    buffer = BytesIO()
    image.info.clear()  # metadata that Pillow would write again
    save = partial(image.save, buffer)
    if max(image.size) <= _MAX_PNG_SIDE:
        save(format="PNG")
    else:
        save(format="JPEG", quality=_JPEG_QUALITY)
    return buffer.getvalue()


def _unreadable(name: str, error: Exception) -> DataError:
    reason = str(error).partition("\n")[0].rstrip(".") or type(error).__name__
    return DataError(f"{name} cannot be read as an image ({reason}); save it as PNG or JPEG.")
