"""Parquet files, a batch of rows at a time. Needs pyarrow, which is loaded when the first such file is opened."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.exceptions import quoted, sentence
from hinge.io._bytes import require_file
from hinge.io._chunks import Table
from hinge.io._errors import DataFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

# Truth values and dates are read as they would stand in a CSV file.
_TEXTS = ("string", "large_string", "string_view", "null", "boolean", "temporal")
_BUFFER = 1 << 20  # bytes of a column read ahead; without it whole groups of rows are
_MOST_TEXT = 1 << 28  # characters of a column in one chunk


class ParquetReader:
    """One pass over a Parquet file."""

    def __init__(self, path: Path) -> None:
        require_file(path)
        self._name = path.name
        self._arrow = arrow("pyarrow")
        parquet = arrow("pyarrow.parquet")
        self._damage = (self._arrow.lib.ArrowException, OSError, UnicodeDecodeError)
        try:
            self._file = self._open(parquet.ParquetFile, path)
        except self._damage as error:
            raise self._refusal(error) from None
        self._n_rows: int = self._file.metadata.num_rows
        self._done = 0

    def _open(self, opened: Any, path: Path) -> Any:
        """Open the file so that a text that is repeated is not unpacked again and again, which takes any memory."""
        types = self._arrow.types
        with opened(path, pre_buffer=False) as file:
            kinds = {field.name: field.type for field in file.schema_arrow}  # decodes all names, which may be damaged
        texts = [name for name, kind in kinds.items() if types.is_string(kind) or types.is_large_string(kind)]
        return opened(path, buffer_size=_BUFFER, pre_buffer=False, read_dictionary=texts)

    def chunks(self, n_rows: int) -> Iterator[Table]:
        """Yield the rows, at most `n_rows` at a time."""
        columns = self._columns()
        batches = iter(self._file.iter_batches(batch_size=n_rows))
        while (batch := self._next(batches)) is not None:
            if batch.num_rows:
                yield Table(
                    self._converted(columns, batch), range(self._done + 1, self._done + 1 + batch.num_rows), named=True
                )
            self._done += batch.num_rows

    def share(self) -> float | None:
        """Return the share of the rows that has been read."""
        return min(1.0, self._done / self._n_rows) if self._n_rows else 1.0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _columns(self) -> dict[str, str]:
        """Return what becomes of each column: "texts" or "numbers"."""
        columns: dict[str, str] = {}
        for field in self._file.schema_arrow:
            if field.name in columns:
                raise DataFileError(
                    f"{self._name} has more than one column {quoted(field.name)}; names must be distinct."
                )
            columns[field.name] = self._kind(field)
        if not columns:
            raise DataFileError(f"{self._name} has no columns.")
        return columns

    def _kind(self, field: Any) -> str:
        types = self._arrow.types
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        if any(getattr(types, f"is_{name}")(kind) for name in _TEXTS):
            return "texts"
        if any(getattr(types, f"is_{name}")(kind) for name in ("integer", "floating", "decimal")):
            return "numbers"
        raise DataFileError(
            f"{self._name}, column {quoted(field.name)} holds values of type {sentence(field.type)}; "
            "only texts, numbers, truth values and dates can be read, so convert it."
        )

    def _next(self, batches: Iterator[Any]) -> Any:
        try:
            return next(batches, None)
        except self._damage as error:
            raise self._refusal(error) from None

    def _converted(self, kinds: dict[str, str], batch: Any) -> dict[str, NDArray[Any]]:
        try:
            parts = zip(kinds.items(), batch.columns, strict=True)
            return {name: self._texts(part) if kind == "texts" else self._numbers(part) for (name, kind), part in parts}
        except self._damage as error:
            raise self._refusal(error) from None

    def _texts(self, part: Any) -> NDArray[Any]:
        if not self._arrow.types.is_dictionary(part.type):
            return _objects([value if value is None else str(value) for value in part.to_pylist()])
        words = [value if value is None else str(value) for value in part.dictionary.to_pylist()]
        codes = part.indices.cast(self._arrow.int64()).fill_null(len(words)).to_numpy(zero_copy_only=False)
        lengths = np.array([*(len(word or "") for word in words), 0])
        if lengths[codes].sum() > _MOST_TEXT:
            raise DataFileError(f"{self._name} has texts of more than {_MOST_TEXT >> 20} MB in {len(part)} rows.")
        texts: NDArray[Any] = _objects([*words, None])[codes]
        return texts

    def _numbers(self, part: Any) -> NDArray[Any]:
        types = self._arrow.types
        if types.is_dictionary(part.type):
            part = part.dictionary_decode()
        if types.is_decimal(part.type) or (part.null_count and not types.is_floating(part.type)):
            part = part.cast(self._arrow.float64(), safe=False)
        numbers: NDArray[Any] = part.to_numpy(zero_copy_only=False)
        return numbers

    def _refusal(self, error: Exception) -> DataFileError:
        reason = sentence(str(error).partition("\n")[0])
        return DataFileError(f"{self._name} is damaged or not a Parquet file ({reason}).")


def _objects(values: list[Any]) -> NDArray[Any]:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def arrow(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ImportError("Parquet files need pyarrow; install it with pip install 'hinge[parquet]'.") from None
