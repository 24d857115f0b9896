"""Pools of rows of a file, and the conversion of rows into features."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import issparse, vstack

from hinge.tables import OneClassSurvey, Preparation, PreparedClassifier
from hinge.web.pools._base import BasePool, Features, Kind, Model, SavedModel, TableView
from hinge.web.pools._source_rows import pieces

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hinge.io import Chunk
    from hinge.web.pools._source_rows import SourceRows

_MAX_DOUBLE_BYTES = 1 << 27  # larger dense features are stored in single precision


class RowPool(BasePool):
    """Rows of a file to label; see `Pool`.

    Parameters
    ----------
    name, X, known
        See `BasePool`.
    source : SourceRows
        The original rows.
    preparation : Preparation, default=None
        Converts rows of such files into features; None if there is no file.
    """

    def __init__(
        self,
        name: str,
        X: Features,
        known: Mapping[int, str],
        *,
        source: SourceRows,
        preparation: Preparation | None = None,
    ) -> None:
        super().__init__(name, X, known)
        self._source, self._preparation = source, preparation

    def digest(self, row: int) -> str:
        """Return a hash of the row: 16 hexadecimal digits."""
        return self._source.digest(self.check_row(row))

    def wrap_model(self, model: Model) -> SavedModel:
        """Return a model that accepts rows of such files: with the preparation, if there is one."""
        if self._preparation is None or self._preparation.changes_nothing:
            return model
        return PreparedClassifier(model, self._preparation)


class TablePool(RowPool):
    """Rows of a file, shown as tables."""

    kind: Kind = "table"

    def view(self, row: int) -> TableView:
        """Return the values of a row as they are in the file."""
        return {"kind": "table", "cells": self._source.cells(self.check_row(row))}


def fit_preparation(
    chunk: Chunk, *, label: str | None = None, drop: Sequence[str] = (), scale: str = "auto", fill: bool = False
) -> Preparation:
    """Determine how rows are converted into features.

    Parameters
    ----------
    chunk : Rows or Table
        All rows.
    label : str, default=None
        The label column; labels may be missing.
    drop : sequence of str, default=()
        Columns that do not become features.
    scale : str, default="auto"
        See `Survey`.
    fill : bool, default=False
        Whether missing values are filled in: leaving out a row would change the numbers of all later ones.
    """
    survey = OneClassSurvey(label=label, drop=drop, missing="fill" if fill else "error")
    for piece in pieces(chunk):
        survey.add(piece)
    found = survey.preparation(scale=scale)
    preparation = Preparation(**{field.name: getattr(found, field.name) for field in fields(Preparation)})
    large = len(chunk) * preparation.n_features * 8 > _MAX_DOUBLE_BYTES
    return replace(preparation, dtype="float32") if large and preparation.dense else preparation


def compute_features(chunk: Chunk, preparation: Preparation) -> Features:
    """Compute the features of all rows, a few thousand at a time."""
    parts = (preparation.features(piece) for piece in pieces(chunk))
    if not preparation.dense:
        return vstack(list(parts), format="csr")
    X, start = np.empty((len(chunk), preparation.n_features), dtype=preparation.dtype), 0
    for part in parts:
        X[start : start + len(part)] = part.toarray() if issparse(part) else part
        start += len(part)
    return X
