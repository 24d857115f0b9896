"""Texts: lines of a file, a column of a table, or the files of a folder."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from hinge.exceptions import DataError
from hinge.io import DataFileError
from hinge.web.pools._pool import BasePool, Kind, View, digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hinge.web.pools._folder import Folder

SUFFIXES = (".txt",)
N_FEATURES = 2**18
_LINE_END = re.compile(r"\r\n|\r|\n")  # what Python calls a line may end at characters that stand inside of texts
MOST_SHOWN = 10_000  # characters; nobody reads more before giving a label


class TextPool(BasePool):
    """Texts to label; see `Pool`."""

    kind: Kind = "text"

    def __init__(
        self,
        name: str,
        texts: Sequence[str],
        known: Mapping[int, str],
        *,
        keys: Sequence[str] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        super().__init__(name, text_features(texts), known, keys=keys, notes=notes)
        if not self.X.nnz:
            raise DataError(f"The texts must have words of two letters at least, and those of {name} have none.")
        self._texts = texts

    def digest(self, row: int) -> str:
        """Return 16 hexadecimal digits that change when the text does."""
        return digest_of(self._texts[self.checked(row)].encode("utf-8", "surrogatepass"))

    def view(self, row: int) -> View:
        """Return the text, cut where it is very long."""
        text = self._texts[self.checked(row)]
        shown = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} ..."
        return {"kind": "text", "text": shown}


def text_features(texts: Sequence[str]) -> Any:
    """Return the features by which texts are learned: their words and pairs of words, hashed.

    Nothing is learned from the texts, so that nothing has to be saved with a model: one that was made from texts
    answers for new ones with `model.predict(text_features(new_texts))`.

    Parameters
    ----------
    texts : sequence of str
        The texts.

    Returns
    -------
    CSR matrix of shape (n, 262144)
        A row a text, of length 1, float32.

    Examples
    --------
    >>> from hinge import OnlineSVC
    >>> from hinge.web.pools import text_features
    >>> texts = ["The pound fell today.", "Rain and wind again.", "The dollar fell.", "Wind from the north."]
    >>> model = OnlineSVC(C=10).fit(text_features(texts), ["money", "weather", "money", "weather"])
    >>> model.predict(text_features(["Why the dollar fell", "More rain and more wind"])).tolist()
    ['money', 'weather']
    """
    if isinstance(texts, str):
        raise DataError("Texts must come as a list, got a single one; put it into a list.")
    vectorizer = HashingVectorizer(n_features=N_FEATURES, ngram_range=(1, 2), norm="l2", dtype=np.float32)
    return vectorizer.transform(texts)


def pool_of_lines(path: Path, name: str) -> TextPool:
    """Return the lines of a file that are not blank."""
    lines = [line.strip() for line in _LINE_END.split(decoded(path, path.name))]
    return TextPool(name, [line for line in lines if line] or _refuse_empty(path.name), {})


def pool_of_files(folder: Folder, known: str | None, watch: Callable[[float | None], None]) -> TextPool:
    """Return the contents of text files; those that are no text are left out, as no work should end at one of them."""
    texts: dict[str, str] = {}
    for done, key in enumerate(folder.keys):
        with suppress(DataFileError, OSError):
            texts[key] = decoded(folder.path(key), key)
        watch((done + 1) / len(folder.keys))
    folder = folder.without(set(folder.keys) - texts.keys(), "is not UTF-8 text")
    if not texts:
        raise DataError(f"{folder.name} must hold text files to label. {' '.join(folder.notes)}")
    return TextPool(folder.name, list(texts.values()), folder.known(known), keys=folder.keys, notes=folder.notes)


def decoded(path: Path, name: str) -> str:
    """Return the content of a text file."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        raise DataFileError(
            f"{name}, line {line} is not UTF-8 text (byte {byte:#04x}); save the file as UTF-8."
        ) from None
    if "\0" in text:
        raise DataFileError(f"{name} is not a text, as it has bytes of 0; give a text file.")
    return text


def _refuse_empty(name: str) -> list[str]:
    raise DataFileError(f"{name} is empty.")
