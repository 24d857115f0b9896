"""Rows of a file for one-class models, which learn without labels; labels can tell which rows are normal."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hinge.exceptions import DataError
from hinge.io import Table
from hinge.tables._preparation import Examples, Preparation
from hinge.tables._survey import Survey

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.io import Chunk
    from hinge.tables._column_survey import ColumnSurvey
    from hinge.tables._labels import Labels
    from hinge.tables._values import Ignored, LineOf, Values

_NO_LABEL = ""  # the name of the label column of a table that has none
_MAX_LISTED = 10  # labels in a message


@dataclass(frozen=True, eq=False)
class OneClassPreparation(Preparation):
    """How rows of a file become features of a one-class model; see `Preparation`.

    Attributes
    ----------
    normal : str or None
        The label of normal rows, as text. None: labels are not read, and rows need none.

    Examples
    --------
    >>> import numpy as np
    >>> from hinge.io import Rows
    >>> rows = Rows(np.array([[1.0], [2.0], [9.0]]), np.array([0, 0, 7]), 1)
    >>> OneClassPreparation(n_features=1, label_kind="text", normal="0").examples(rows)[1].tolist()
    [1, 1, -1]
    >>> OneClassPreparation(n_features=1).examples(rows)[1].tolist()
    [1, 1, 1]
    """

    normal: str | None = None

    @classmethod
    def of(cls, preparation: Preparation, normal: str | None = None) -> Self:
        """Return a preparation with the same features, and labels read as text."""
        values = {field.name: getattr(preparation, field.name) for field in fields(Preparation)}
        return cls(**values | {"label_kind": "text", "normal": normal})

    def examples(self, chunk: Chunk, ignored: Ignored | None = None) -> Examples:
        """Return the features of rows, with +1 for normal rows and -1 for others."""
        if self.normal is not None:
            X, labels = super().examples(chunk, ignored)
            return X, self.signs(labels)
        if isinstance(chunk, Table):
            if not chunk.named and self.columns is not None:
                chunk = self._with_names(chunk)
            chunk = self._without_missing(chunk, next(iter(chunk.columns)))
        X = self.features(chunk, ignored)
        return X, np.ones(X.shape[0], dtype=np.int64)

    def signs(self, labels: Labels) -> NDArray[np.int64]:
        """Return +1 for the label of normal rows and -1 for others; all rows are normal if `normal` is None."""
        return np.where(self.normal is None or labels.astype(str) == self.normal, np.ones(len(labels), np.int64), -1)

    def _with_names(self, table: Table) -> Table:
        # The training file had no labels, and this one has a column more: it must hold labels.
        if self.label is None and len(table.columns) == len(self.names) + 1:
            named = dict(zip([*self.names, _NO_LABEL], table.columns.values(), strict=True))
            return Table(named, table.lines, table.named)
        return super()._with_names(table)

    def _label_of(self, table: Table) -> str:
        label = super()._label_of(table)
        if label not in table.columns:
            raise DataError(
                f"There must be a label column that tells which rows are {self.normal!r}, got only the features."
            )
        return label


class OneClassSurvey(Survey):
    """A survey of the rows that a one-class model will learn; see `Survey`.

    Without `normal`, labels are not read. A table then has a label column only if `label` names one or a column has a
    common name for labels; all other columns are features.

    Parameters
    ----------
    normal : str, default=None
        The label of normal rows.
    label, options
        See `Survey`.
    """

    def __init__(self, *, normal: str | None = None, label: str | int | None = None, **options: Any) -> None:
        super().__init__(label=label, **options)
        self._normal = normal
        self._needs_label = normal is not None or label is not None

    @property
    def is_sorted_by_class(self) -> bool:
        """There is only one class."""
        return False

    def preparation(
        self, *, scale: str = "auto", unknown: str = "error", dtype: str = "float64", dense: bool | None = None
    ) -> OneClassPreparation:
        """Decide how rows like these become numbers; see `Survey.preparation`."""
        if self._normal is not None and self._normal not in self._labels.counts:
            known = sorted(self._labels.counts)
            named = ", ".join(known[:_MAX_LISTED]) + (", ..." if len(known) > _MAX_LISTED else "")
            raise DataError(f"Some rows must have the label {self._normal!r} of normal rows, got {named or 'none'}.")
        prepared = super().preparation(scale=scale, unknown=unknown, dtype=dtype, dense=dense)
        return OneClassPreparation.of(replace(prepared, label=prepared.label or None), self._normal)

    def _add_table(self, table: Table) -> None:
        # `Survey` takes the last column for the label if no other is one: add an empty column at the end.
        columns = table.columns if self._needs_label else {**table.columns, _NO_LABEL: np.zeros(len(table))}
        super()._add_table(Table(columns, table.lines, table.named))

    def _open_columns(self, table: Table) -> dict[str, ColumnSurvey]:
        columns = super()._open_columns(table)
        columns.pop(_NO_LABEL, None)
        self._names = tuple(name for name in self._names if name != _NO_LABEL)
        return columns

    def _add_labels(self, values: Values, line: LineOf) -> None:
        if self._normal is not None:
            super()._add_labels(values, line)
