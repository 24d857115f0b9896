"""Rows of a file for models of one class, which learn without labels; where there are some, they say what is normal."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hinge.exceptions import DataError
from hinge.io import Table
from hinge.tables._preparation import Preparation
from hinge.tables._survey import Survey

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge.io import Chunk

_NO_LABEL = ""  # what the column of labels is called where there is none
_MOST_NAMED = 10  # labels named in a message


@dataclass(frozen=True, eq=False)
class OneClassPreparation(Preparation):
    """What is done to rows of a file before a model of one class sees them.

    Attributes
    ----------
    normal : str or None
        The label, as a text, of rows that count as normal. None: labels do not matter, and rows need none.

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
        """Return a preparation that does the same to features, with labels read as texts."""
        values = {field.name: getattr(preparation, field.name) for field in fields(Preparation)}
        return cls(**values | {"label_kind": "text", "normal": normal})

    def examples(self, chunk: Chunk) -> tuple[Any, NDArray[Any]]:
        """Return features of rows to learn from or to compare with, and +1 for normal rows, -1 for others."""
        if self.normal is not None:
            X, labels = super().examples(chunk)
            return X, self.judged(labels)
        if isinstance(chunk, Table):
            if not chunk.named and self.columns is not None:
                chunk = self._with_names(chunk)
            chunk = self._complete(chunk, next(iter(chunk.columns)))
        X = self.features(chunk)
        return X, np.ones(X.shape[0], dtype=np.int64)

    def judged(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """Return +1 for labels of normal rows, -1 for others; all are normal if nobody has said which are."""
        return np.where(self.normal is None or labels.astype(str) == self.normal, np.ones(len(labels), np.int64), -1)

    def _with_names(self, table: Table) -> Table:
        if self.label is None and len(table.columns) == len(self.names) + 1:  # labels have come since, at the end
            named = dict(zip([*self.names, _NO_LABEL], table.columns.values(), strict=True))
            return Table(named, table.lines, table.named)
        return super()._with_names(table)

    def _label_of(self, table: Table) -> str:
        label = super()._label_of(table)
        if label not in table.columns:
            raise DataError(
                f"There must be a column of labels to tell which rows are {self.normal!r}, got the features only."
            )
        return label


class OneClassSurvey(Survey):
    """One look at all rows of a file that a model of one class will learn.

    Where nobody has said what is normal, labels are not looked at. A table then has a column of them only if that was
    named or has a usual name; all others are features.

    Parameters
    ----------
    normal : str, default=None
        The label of rows that count as normal.
    **wishes : dict
        See `Survey`.
    """

    def __init__(self, *, normal: str | None = None, **wishes: Any) -> None:
        super().__init__(**wishes)
        self._normal = normal
        self._needs_label = normal is not None or wishes.get("label") is not None

    @property
    def sorted_by_class(self) -> bool:
        """There is one class only."""
        return False

    def preparation(self, **settings: Any) -> OneClassPreparation:
        """Return how rows like these become numbers; see `Survey`."""
        if self._normal is not None and self._normal not in self._labels:
            known = sorted(self._labels)
            named = ", ".join(known[:_MOST_NAMED]) + (", ..." if len(known) > _MOST_NAMED else "")
            raise DataError(f"Some rows must have the label {self._normal!r} of what is normal, got {named or 'none'}.")
        prepared = super().preparation(**settings)
        return OneClassPreparation.of(replace(prepared, label=prepared.label or None), self._normal)

    def _add_table(self, table: Table) -> None:
        # A column at the end is taken for the label where no other is: it stands for no label.
        columns = table.columns if self._needs_label else {**table.columns, _NO_LABEL: np.zeros(len(table))}
        super()._add_table(Table(columns, table.lines, table.named))

    def _open_columns(self, names: list[str]) -> dict[str, Any]:
        columns: dict[str, Any] = super()._open_columns(names)
        columns.pop(_NO_LABEL, None)
        self._names = tuple(name for name in names if name != _NO_LABEL)
        return columns

    def _add_labels(self, values: NDArray[Any], line: Callable[[int], int]) -> None:
        if self._normal is not None:
            super()._add_labels(values, line)
