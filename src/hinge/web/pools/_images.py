"""Image files of a folder. Nothing else in the package imports Pillow.

Files are decoded when the folder is opened, for their features, and again when one is shown. They come from anywhere:
only common formats are tried, huge ones are not decoded, and whatever a decoder dislikes is left out, since a folder of
thousands should not be refused for one of them.
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

from hinge.exceptions import DataError
from hinge.web.pools._pool import BasePool, Kind, View, new_digest

try:
    from PIL import Image, ImageOps
except ImportError:
    raise ImportError("Image files need Pillow; install it with pip install 'hinge[label]'.") from None

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from hinge.web.pools._folder import Folder

SIDE = 32  # of the small images that are learned
LARGEST = 1024  # longer side of images that are shown

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")
_MOST_PIXELS = 1 << 26
_WORKERS = 4  # at most; each may hold a decoded image
_EXACT = 256  # images of at most so many pixels a side are sent as PNG, pixel by pixel, others as JPEG
_QUALITY = 88
_KEPT, _KEPT_BYTES = 300, 1 << 26  # encoded images in memory
_ORIENTATION, _ON_ITS_SIDE = 0x0112, range(5, 9)


class Look(NamedTuple):
    """What is kept of a file: its features, and its size in pixels."""

    features: NDArray[np.float32]
    width: int
    height: int


class ImagePool(BasePool):
    """Image files to label; see `Pool`."""

    kind: Kind = "image"

    def __init__(self, folder: Folder, looks: Sequence[Look], known: str | None) -> None:
        X = np.stack([look.features for look in looks])
        super().__init__(folder.name, X, folder.known(known), keys=folder.keys, notes=folder.notes)
        self._folder = folder
        self._sizes = [_fitted(look.width, look.height, LARGEST) for look in looks]
        self._recent = _Recent()

    def digest(self, row: int) -> str:
        """Return 16 hexadecimal digits that change when the file does."""
        with self._folder.path(self.key(row)).open("rb") as file:
            return file_digest(file, new_digest).hexdigest()

    def view(self, row: int) -> View:
        """Return the size of the image as it is shown."""
        width, height = self._sizes[self.checked(row)]
        return {"kind": "image", "width": width, "height": height}

    def image(self, row: int) -> bytes:
        """Return the image, encoded anew and at most 1024 pixels wide and high: nothing else of the file is sent."""
        encoded = self._recent.get(self.checked(row))
        if encoded is None:
            encoded = self._encoded(row)
            self._recent.keep(row, encoded)
        return encoded

    def _encoded(self, row: int) -> bytes:
        key = self.key(row)
        try:
            image, _, _ = _decoded(self._folder.path(key), LARGEST)
            return _encode(image.resize(self._sizes[row], Image.Resampling.BILINEAR))
        except Exception as error:
            if isinstance(error, DataError):
                raise
            raise _unreadable(key, error) from None


class _Recent:
    """The images that were encoded last, up to a number of them and of their bytes."""

    def __init__(self) -> None:
        self._images: OrderedDict[int, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, row: int) -> bytes | None:
        with self._lock:
            if row in self._images:
                self._images.move_to_end(row)
            return self._images.get(row)

    def keep(self, row: int, encoded: bytes) -> None:
        with self._lock:
            self._bytes += len(encoded) - len(self._images.pop(row, b""))
            self._images[row] = encoded
            while len(self._images) > _KEPT or self._bytes > _KEPT_BYTES:
                self._bytes -= len(self._images.popitem(last=False)[1])


def image_features(paths: Iterable[str | os.PathLike[str]]) -> NDArray[np.float32]:
    """Return the features by which image files are learned: 32 x 32 grey pixels, whatever the size of the image.

    A model that was made from a folder of images answers for new ones with `model.predict(image_features(paths))`.

    Parameters
    ----------
    paths : iterable of path
        Files in the formats PNG, JPEG, GIF, BMP or WebP.

    Returns
    -------
    ndarray of shape (n, 1024)
        Brightness between 0 and 1, row by row. What is not square has rims of its own mean brightness.

    Examples
    --------
    >>> from PIL import Image
    >>> from hinge.web.pools import image_features
    >>> Image.new("RGB", (640, 480), "white").save("white.png")
    >>> image_features(["white.png"]).shape, float(image_features(["white.png"]).min())
    ((1, 1024), 1.0)
    """
    files = [Path(path) for path in paths]
    looks = list(_each_look(files))
    for path, look in zip(files, looks, strict=True):
        if isinstance(look, Exception):
            raise look if isinstance(look, FileNotFoundError) else _unreadable(str(path), look) from None
    kept = [look.features for look in looks if isinstance(look, Look)]
    return np.stack(kept) if kept else np.zeros((0, SIDE * SIDE), dtype=np.float32)


def pool_of_images(folder: Folder, known: str | None, watch: Callable[[float | None], None]) -> ImagePool:
    """Return the images of a folder; files that cannot be decoded are left out and named in its notes."""
    looks: dict[str, Look] = {}
    each = _each_look([folder.root / key for key in folder.keys])
    for done, (key, look) in enumerate(zip(folder.keys, each, strict=True)):
        if isinstance(look, Look):
            looks[key] = look
        watch((done + 1) / len(folder.keys))
    folder = folder.without(set(folder.keys) - looks.keys(), "cannot be read as an image")
    if not looks:
        raise DataError(f"{folder.name} must hold images to label. {' '.join(folder.notes)}")
    return ImagePool(folder, list(looks.values()), known)


def _each_look(paths: Sequence[Path]) -> Iterator[Look | Exception]:
    with warnings.catch_warnings(), ThreadPoolExecutor(min(_WORKERS, os.cpu_count() or 1)) as workers:
        warnings.simplefilter("ignore")  # of oddities in files that can be decoded all the same
        yield from workers.map(_look, paths)


def _look(path: Path) -> Look | Exception:
    try:
        image, width, height = _decoded(path, 2 * SIDE)
        small = image.convert("L").resize(_fitted(width, height, SIDE, enlarge=True), Image.Resampling.BILINEAR)
    except Exception as error:  # noqa: BLE001  decoders raise anything
        return error
    return Look(_padded(np.asarray(small, dtype=np.float32) / np.float32(255)), width, height)


def _padded(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return an image in the middle of a square, as one row."""
    square = np.full((SIDE, SIDE), grey.mean(), dtype=np.float32)
    top, left = ((SIDE - length) // 2 for length in grey.shape)
    square[top : top + grey.shape[0], left : left + grey.shape[1]] = grey
    return square.reshape(-1)


def _decoded(path: Path, side: int) -> tuple[Image.Image, int, int]:
    """Return an image with its width and height; it may be smaller, but its shorter side has at least `side` pixels."""
    if not path.is_file():  # reading a pipe would never end
        raise FileNotFoundError(f"There is no file {path}.")
    with Image.open(path, formats=_FORMATS) as image:
        width, height = image.size
        if width * height > _MOST_PIXELS:
            raise DataError(f"{path.name} has {width} x {height} pixels; make it smaller.")
        image.draft(None, (side, side))  # JPEG can leave out what is not needed
        if image.getexif().get(_ORIENTATION) in _ON_ITS_SIDE:
            width, height = height, width
        return _plain(ImageOps.exif_transpose(image)), width, height


def _plain(image: Image.Image) -> Image.Image:
    """Return an image in grey or in colours of 8 bits, on white where it is transparent."""
    if image.mode.startswith("I"):  # 16 bits
        return Image.fromarray((np.asarray(image, dtype=np.float64).clip(0, 65535) / 257).astype(np.uint8))
    if image.has_transparency_data:
        colours = image.convert("RGBA")
        white = Image.new("RGBA", colours.size, "white")
        return Image.alpha_composite(white, colours).convert("RGB")
    return image if image.mode in ("L", "RGB") else image.convert("L" if image.mode == "1" else "RGB")


def _fitted(width: int, height: int, side: int, *, enlarge: bool = False) -> tuple[int, int]:
    """Return the size of an image whose longer side has so many pixels, or not more.

    Examples
    --------
    >>> _fitted(4000, 3000, 1024), _fitted(40, 30, 1024), _fitted(40, 30, 1024, enlarge=True), _fitted(9, 9000, 32)
    ((1024, 768), (40, 30), (1024, 768), (1, 32))
    """
    factor = side / max(width, height)
    if factor >= 1 and not enlarge:
        return width, height
    return max(1, round(width * factor)), max(1, round(height * factor))


def _encode(image: Image.Image) -> bytes:
    buffer = BytesIO()
    image.info.clear()  # comments and the like, which Pillow would write again
    save = partial(image.save, buffer)
    if max(image.size) <= _EXACT:
        save(format="PNG")
    else:
        save(format="JPEG", quality=_QUALITY)
    return buffer.getvalue()


def _unreadable(name: str, error: Exception) -> DataError:
    reason = str(error).partition("\n")[0].rstrip(".") or type(error).__name__
    return DataError(f"{name} cannot be read as an image ({reason}); save it as PNG or JPEG.")
