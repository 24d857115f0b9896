"""Rows of numbers and categories, shown as a table; and how they become features, whatever they are shown as."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse, vstack

from hinge.tables import OneClassSurvey, Preparation, PreparedClassifier
from hinge.web.pools._pool import BasePool, Kind, View
from hinge.web.pools._raw import pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hinge.io import Chunk
    from hinge.web.pools._raw import Raw

_LARGE = 1 << 27  # bytes in double precision, beyond which features are kept in single precision


class RowPool(BasePool):
    """Rows of a file to label; see `Pool`.

    Parameters
    ----------
    *arguments, **more : Any
        As of `BasePool`.
    raw : Raw
        The rows as they stand in the file.
    preparation : Preparation, default=None
        How rows of such files become features; None: there is no file.
    """

    def __init__(self, *arguments: Any, raw: Raw, preparation: Preparation | None = None, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._raw, self._preparation = raw, preparation

    def digest(self, row: int) -> str:
        """Return 16 hexadecimal digits that change when the row of the file does."""
        return self._raw.digest(self.checked(row))

    def wrapped(self, model: Any) -> Any:
        """Return a model that takes rows of such files; where nothing has to be done to them, the model itself does."""
        if self._preparation is None or self._preparation.changes_nothing:
            return model
        return PreparedClassifier(model, self._preparation)


class TablePool(RowPool):
    """Rows of a file, shown as tables."""

    kind: Kind = "table"

    def view(self, row: int) -> View:
        """Return the values of a row as they stand in the file."""
        return {"kind": "table", "cells": self._raw.cells(self.checked(row))}


def settled(
    chunk: Chunk, *, label: str | None = None, drop: Sequence[str] = (), scale: str = "auto", fill: bool = False
) -> Preparation:
    """Return how rows become features.

    Parameters
    ----------
    chunk : Rows or Table
        All rows.
    label : str, default=None
        The column of the labels, some of which may be missing.
    drop : sequence of str, default=()
        Columns that a model shall not see.
    scale : str, default="auto"
        See `Survey`.
    fill : bool, default=False
        Missing values are filled in: a row cannot be left out, or the numbers of all others would change.
    """
    survey = OneClassSurvey(label=label, drop=drop, missing="fill" if fill else "error")
    for piece in pieces(chunk):
        survey.add(piece)
    found = survey.preparation(scale=scale)
    preparation = Preparation(**{field.name: getattr(found, field.name) for field in fields(Preparation)})
    large = len(chunk) * preparation.n_features * 8 > _LARGE
    return replace(preparation, dtype="float32") if large and preparation.dense else preparation


def features_of(chunk: Chunk, preparation: Preparation) -> Any:
    """Return the features of all rows, made a piece at a time."""
    parts = (preparation.features(piece) for piece in pieces(chunk))
    if not preparation.dense:
        return vstack(list(parts), format="csr")
    X, start = np.empty((len(chunk), preparation.n_features), dtype=preparation.dtype), 0
    for part in parts:
        X[start : start + len(part)] = part.toarray() if issparse(part) else part
        start += len(part)
    return X
