"""Features of new images and texts for a model that was saved by the labelling page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hinge.exceptions import DataError
from hinge.web.pools._folder import find_files
from hinge.web.pools._texts import N_FEATURES, pool_of_lines, read_text, text_features

if TYPE_CHECKING:
    from hinge.web.pools._base import Features

_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")
_KINDS = {1024: "pixels", 320: "colours", 1764: "shapes", 2084: "colours and shapes"}  # by number of features


def new_examples(source: str, n_features: int) -> tuple[list[str], Features] | None:
    """Read a folder of images or texts, or a text file with one text per line, for a model of such examples.

    Parameters
    ----------
    source : str
        The folder or file.
    n_features : int
        The number of features of the model, which tells how the examples become features.

    Returns
    -------
    tuple of list of str and matrix, or None
        The names of the examples (files, or line numbers) and their features; None if `source` is another kind of file.
    """
    path = Path(source)
    if not path.is_dir():
        if path.suffix.lower() != ".txt" or n_features != N_FEATURES or not path.is_file():
            return None
        texts = pool_of_lines(path, path.stem).texts
        return [str(number) for number in range(1, len(texts) + 1)], text_features(texts)
    if n_features == N_FEATURES:
        folder = find_files(path, (".txt",))
        names = _some(folder.keys, path, "text files (.txt)")
        return names, text_features([read_text(folder.path(key), key) for key in names])
    if n_features not in _KINDS:
        raise DataError(
            f"A model of {n_features} features cannot predict a folder: it was not trained on images or texts by hinge "
            "label, or on features of your own; give it rows of features."
        )
    from hinge.web.pools._images import image_features  # noqa: PLC0415  needs Pillow

    folder = find_files(path, _IMAGE_SUFFIXES)
    names = _some(folder.keys, path, "images")
    return names, image_features([folder.path(key) for key in names], _KINDS[n_features])


def _some(keys: tuple[str, ...], path: Path, what: str) -> list[str]:
    if not keys:
        raise DataError(f"The folder {path} contains no {what}; give another folder.")
    return list(keys)
