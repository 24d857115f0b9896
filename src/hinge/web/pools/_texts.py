"""Texts: lines of a file, a column of a table, or the files of a folder."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

from hinge.exceptions import DataError
from hinge.io import DataFileError
from hinge.web.pools._base import BasePool, FeatureSet, Kind, TextView, short_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from scipy.sparse import csr_matrix

    from hinge.web.pools._folder import Folder
    from hinge.web.pools._source_rows import SourceRows

SUFFIXES = (".txt",)
N_FEATURES = 2**18
MAX_SHOWN = 10_000  # characters; nobody reads more before labelling
_LINE_END = re.compile(r"\r\n|\r|\n")  # str.splitlines also splits at characters that occur within texts


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
        others: SourceRows | None = None,
    ) -> None:
        X = text_features(texts)
        super().__init__(name, X, known, keys=keys, notes=notes)
        if not X.nnz:
            raise DataError(f"The texts of {name} have no words of at least two letters; give other texts.")
        self.feature_sets = {
            "words": FeatureSet(X),
            "weighted words": FeatureSet(_tf_idf(texts, 1), "linear"),
            "weighted words and pairs": FeatureSet(_tf_idf(texts, 2), "linear"),
        }
        self._texts, self._others = texts, others

    @property
    def texts(self) -> Sequence[str]:
        """The texts."""
        return self._texts

    def digest(self, row: int) -> str:
        """Return a hash of the text: 16 hexadecimal digits."""
        return short_digest(self._texts[self.check_row(row)].encode("utf-8", "surrogatepass"))

    def view(self, row: int) -> TextView:
        """Return the text, truncated if it is very long."""
        text = self._texts[self.check_row(row)]
        shown = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]} ..."
        if self._others is None:
            return {"kind": "text", "text": shown}
        return {"kind": "text", "text": shown, "cells": self._others.cells(row)}


def text_features(texts: Sequence[str]) -> csr_matrix:
    """Convert texts into features: hashed words and pairs of words.

    The features do not depend on the other texts, so nothing but the model has to be saved. Predict the labels of new
    texts with `model.predict(text_features(new_texts))`.

    Parameters
    ----------
    texts : sequence of str
        The texts.

    Returns
    -------
    CSR matrix of shape (n, 262144)
        One row per text, of norm 1 and type float32.

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
        raise DataError("Texts must be a list of strings, got a single string; put it into a list.")
    vectorizer = HashingVectorizer(n_features=N_FEATURES, ngram_range=(1, 2), norm="l2", dtype=np.float32)
    return vectorizer.transform(texts)


def _tf_idf(texts: Sequence[str], n_words: int) -> csr_matrix:
    """Return tf-idf of words, or of words and pairs: those that most texts contain count little."""
    vectorizer = TfidfVectorizer(ngram_range=(1, n_words), sublinear_tf=True, max_features=N_FEATURES, dtype=np.float32)
    return vectorizer.fit_transform(texts)


def pool_of_lines(path: Path, name: str) -> TextPool:
    """Return a pool of the lines of a file that are not blank."""
    lines = [line.strip() for line in _LINE_END.split(read_text(path, path.name))]
    texts = [line for line in lines if line]
    if not texts:
        raise DataFileError(f"{path.name} is empty.")
    return TextPool(name, texts, {})


def pool_of_files(folder: Folder, known: str | None, watch: Callable[[float | None], None]) -> TextPool:
    """Return a pool of the text files of a folder; files that are not text are left out."""
    texts: dict[str, str] = {}
    for done, key in enumerate(folder.keys):
        with suppress(DataFileError, OSError):
            texts[key] = read_text(folder.path(key), key)
        watch((done + 1) / len(folder.keys))
    folder = folder.without(set(folder.keys) - texts.keys(), "is not UTF-8 text")
    if not texts:
        raise DataError(f"{folder.name} contains no text files to label. {' '.join(folder.notes)}")
    return TextPool(folder.name, list(texts.values()), folder.known(known), keys=folder.keys, notes=folder.notes)


def read_text(path: Path, name: str) -> str:
    """Read a UTF-8 text file."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        raise DataFileError(
            f"{name}, line {line} is not UTF-8 text (byte {byte:#04x}); save the file as UTF-8."
        ) from None
    if "\0" in text:
        raise DataFileError(f"{name} is not a text file because it contains null bytes; give a text file.")
    return text
