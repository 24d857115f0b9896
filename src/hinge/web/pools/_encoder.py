"""Features by a neural network in an ONNX file, such as an image encoder. Only this module imports onnxruntime.

The network runs on the CPU, some examples at a time. What it returns is kept in a file, by the hash
of the example, so that only new examples are encoded when the page starts again, also after an interruption.

The kind of input decides what the network gets. Four axes: images, scaled to fit and padded, three channels or one, as
numbers from 0 to 255 (uint8) or normalized (float; mean and deviation of ImageNet, unless the file has metadata `mean`
and `std`). Text: the texts. Two axes of floats: the features of the pool. Of the first output, all axes beyond the
features are averaged.
"""

from __future__ import annotations

import time
import zipfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hinge.exceptions import DataError
from hinge.io.atomic import replacing
from hinge.web.pools._base import short_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from hinge.web.pools._base import Pool

    Watch = Callable[[float | None], None]
    Floats = NDArray[np.float32]

NAME = "encoder"
_BATCH = 32
_SAVE_EVERY_S = 20.0
_SIDE = 224  # of images, if the network accepts any size
_MEAN, _STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet
_RGB = 3


class _Images(NamedTuple):
    """The images that a network expects."""

    height: int
    width: int
    channels: int
    first: bool  # whether the channels come before height and width
    is_float: bool


def encode(model: Path, pool: Pool, cache: Path | None = None, watch: Watch = lambda _: None) -> Floats:
    """Return the features that a network computes of all examples.

    Parameters
    ----------
    model : Path
        The ONNX file.
    pool : Pool
        The examples.
    cache : Path, default=None
        The file that keeps the features. None: a name made of the pool and the network, in the current folder.
    watch : callable, default=None
        Called with the fraction of the examples that are done.
    """
    network = Network(model, pool)
    cache = Path(f"{pool.name}.{network.digest}.features.npz") if cache is None else cache
    digests = [pool.digest(row) for row in range(len(pool))]
    known = _read_cache(cache)
    missing = [row for row, digest in enumerate(digests) if digest not in known]
    last_saved = time.monotonic()
    for start in range(0, len(missing), network.batch):
        rows = missing[start : start + network.batch]
        known.update(zip([digests[row] for row in rows], network.features(rows), strict=True))
        watch((start + len(rows)) / len(missing))
        if time.monotonic() - last_saved > _SAVE_EVERY_S:
            _write_cache(cache, known)
            last_saved = time.monotonic()
    if missing:
        _write_cache(cache, known)
    found = [known[digest] for digest in digests]
    if len({each.shape for each in found}) > 1:
        raise DataError(f"{model.name} must return as many numbers for each example; use another network.")
    return np.stack(found).astype(np.float32)


class Network:
    """A neural network in an ONNX file that turns examples of a pool into features.

    Parameters
    ----------
    path : Path
        The file.
    pool : Pool
        The examples.

    Attributes
    ----------
    digest : str
        A hash of the file.
    batch : int
        The number of examples that it takes at once.
    """

    def __init__(self, path: Path, pool: Pool) -> None:
        if not path.is_file():
            raise FileNotFoundError(f"There is no file {path} of an encoder.")
        self._name, self._pool = path.name, pool
        self.digest = short_digest(path.read_bytes())[:8]
        self._session = _open(path)
        inputs = self._session.get_inputs()
        if len(inputs) != 1:
            names = ", ".join(each.name for each in inputs)
            raise DataError(
                f"{path.name} must have one input, got {names}; export the network with its tokenizer, or compute the "
                "features yourself and give them as --features."
            )
        self._input, self._type, shape = inputs[0].name, inputs[0].type, list(inputs[0].shape)
        fixed = shape[0] if shape and isinstance(shape[0], int) and shape[0] > 0 else None
        self.batch = fixed or _BATCH
        self._fixed = fixed is not None
        self._prepare = self._preparation(shape)

    def features(self, rows: Sequence[int]) -> Floats:
        """Compute the features of some examples, at most `batch`."""
        padded = [*rows, *[rows[-1]] * (self.batch - len(rows))] if self._fixed else list(rows)
        given = self._prepare(padded)
        try:
            output = np.asarray(self._session.run(None, {self._input: given})[0])
        except Exception as error:  # noqa: BLE001  the runtime has error classes of its own
            raise DataError(f"{self._name} cannot encode the examples: {_first_line(error)}.") from None
        if output.ndim < 2 or len(output) != len(padded) or output.dtype.kind not in "fiu":
            raise DataError(
                f"The first output of {self._name} must be numbers for each of {len(padded)} examples, got "
                f"{output.dtype} of shape {output.shape}."
            )
        # Of positions in an image (after the features) or in a sequence (before them).
        axes = tuple(range(2, output.ndim)) if output.ndim != 3 else (1,)
        found = output.astype(np.float32).mean(axis=axes)[: len(rows)]
        if not np.isfinite(found).all():
            raise DataError(f"{self._name} returns values that are not finite for some examples; use another network.")
        return np.asarray(found, dtype=np.float32)

    def _preparation(self, shape: list[Any]) -> Callable[[Sequence[int]], NDArray[Any]]:
        """Return the function that prepares examples for the input."""
        if self._type == "tensor(string)":
            if self._pool.kind != "text":
                raise self._unsuitable("texts")
            return lambda rows: self._texts(rows).reshape((-1, 1) if len(shape) == 2 else (-1,))
        if len(shape) == 4 and self._type in ("tensor(float)", "tensor(uint8)"):
            if self._pool.kind != "image":
                raise self._unsuitable("images")
            images = _images(shape, is_float=self._type == "tensor(float)")
            return lambda rows: self._normalized(rows, images)
        if len(shape) == 2 and self._type == "tensor(float)":
            n_features = self._pool.X.shape[1]
            if isinstance(shape[1], int) and shape[1] not in (0, n_features):
                raise DataError(f"{self._name} expects {shape[1]} features, but the examples have {n_features}.")
            return lambda rows: _dense(self._pool.X[list(rows)])
        raise DataError(
            f"{self._name} must have an input of images, texts or features, got {self._type} of shape {shape}; export "
            "a network of texts with its tokenizer, or compute the features yourself and give them as --features."
        )

    def _unsuitable(self, what: str) -> DataError:
        kinds = {"image": "images", "text": "texts", "table": "rows of a table"}
        return DataError(f"{self._name} is a network of {what}, but the examples are {kinds[self._pool.kind]}.")

    def _texts(self, rows: Sequence[int]) -> NDArray[Any]:
        texts = getattr(self._pool, "texts", None) or ()
        return np.array([texts[row] for row in rows], dtype=object)

    def _normalized(self, rows: Sequence[int], images: _Images) -> NDArray[Any]:
        from hinge.web.pools._images import fitted_image  # noqa: PLC0415  needs Pillow

        size = images.height, images.width
        fitted = [fitted_image(self._pool.image(row), size, grey=images.channels == 1) for row in rows]
        pixels: NDArray[Any] = np.stack(fitted)
        if images.is_float:
            mean, std = self._statistics(images.channels)
            pixels = (pixels.astype(np.float32) / np.float32(255) - mean) / std
        return np.ascontiguousarray(pixels.transpose(0, 3, 1, 2) if images.first else pixels)

    def _statistics(self, channels: int) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the channels."""
        given = self._session.get_modelmeta().custom_metadata_map
        defaults = {"mean": _MEAN, "std": _STD} if channels == _RGB else {"mean": (0.0,), "std": (1.0,)}
        found = []
        for name, default in defaults.items():
            values: Sequence[float] = ()
            with suppress(ValueError):
                values = [float(part) for part in given[name].strip("[]() ").split(",")] if name in given else default
            if len(values) not in (1, channels) or (name == "std" and not min(values) > 0):
                raise DataError(
                    f"The metadata {name!r} of {self._name} must be {channels} numbers, got {given[name]!r}."
                )
            found.append(np.array(values, dtype=np.float32))
        return found[0], found[1]


def _open(path: Path) -> Any:
    try:
        runtime = import_module("onnxruntime")
    except ImportError:
        raise ImportError("An encoder needs onnxruntime; install it with pip install 'hinge-svm[encoder]'.") from None
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # errors are raised, too
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001  the runtime has error classes of its own
        raise DataError(f"{path.name} cannot be read as an ONNX network: {_first_line(error)}.") from None


def _images(shape: list[Any], *, is_float: bool) -> _Images:
    """Interpret the shape of an input of images.

    Examples
    --------
    >>> _images(["n", 3, 64, 48], is_float=True)
    _Images(height=64, width=48, channels=3, first=True, is_float=True)
    >>> _images([1, "h", "w", 1], is_float=False)
    _Images(height=224, width=224, channels=1, first=False, is_float=False)
    """
    first = shape[1] in (1, _RGB) or shape[3] not in (1, _RGB)
    channels, height, width = (shape[1], *shape[2:]) if first else (shape[3], *shape[1:3])
    height, width = (side if isinstance(side, int) and side > 0 else _SIDE for side in (height, width))
    return _Images(height, width, channels if channels == 1 else _RGB, first, is_float)


def _dense(X: Any) -> NDArray[np.float32]:
    return np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float32)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__


def _read_cache(path: Path) -> dict[str, Floats]:
    """Return the features of examples by their hash; none if the file is missing or cannot be read."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return dict(zip(stored["examples"].tolist(), stored["features"], strict=True))
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
        return {}  # it is written again


def _write_cache(path: Path, known: dict[str, Floats]) -> None:
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, examples=np.array(list(known)), features=np.stack(list(known.values())))
