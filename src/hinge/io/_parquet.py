"""Read Parquet files in batches of rows. pyarrow is imported when the first such file is opened."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from hinge.exceptions import quoted, sentence
from hinge.io._bytes import require_file
from hinge.io._chunks import DataFileError, Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

    from hinge.io._chunks import Values

# Booleans and dates are read as the texts that a CSV file would hold.
_TEXTS = ("string", "large_string", "string_view", "null", "boolean", "temporal")

_BUFFER = 1 << 20  # bytes of a column; without a buffer, pyarrow reads whole row groups
Arrow: TypeAlias = Any  # an object of pyarrow, which has no types
_MAX_CHARACTERS = 1 << 28  # of a column in one chunk


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

    def _open(self, parquet_file: Arrow, path: Path) -> Arrow:
        """Open the file with text columns as dictionaries, since copies of repeated texts could fill the memory."""
        types = self._arrow.types
        with parquet_file(path, pre_buffer=False) as file:
            kinds = {field.name: field.type for field in file.schema_arrow}  # decodes all names, so damage shows here
        texts = [name for name, kind in kinds.items() if types.is_string(kind) or types.is_large_string(kind)]
        return parquet_file(path, buffer_size=_BUFFER, pre_buffer=False, read_dictionary=texts)

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
        """Return the fraction of the rows that has been read."""
        return min(1.0, self._done / self._n_rows) if self._n_rows else 1.0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _columns(self) -> dict[str, str]:
        """Return the names of the columns with what each holds: "texts" or "numbers"."""
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

    def _kind(self, field: Arrow) -> str:
        types = self._arrow.types
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        if any(getattr(types, f"is_{name}")(kind) for name in _TEXTS):
            return "texts"
        if any(getattr(types, f"is_{name}")(kind) for name in ("integer", "floating", "decimal")):
            return "numbers"
        raise DataFileError(
            f"{self._name}, column {quoted(field.name)} holds values of type {sentence(field.type)}; "
            "only texts, numbers, booleans and dates can be read, so convert it."
        )

    def _next(self, batches: Iterator[Arrow]) -> Arrow:
        try:
            return next(batches, None)
        except self._damage as error:
            raise self._refusal(error) from None

    def _converted(self, kinds: dict[str, str], batch: Arrow) -> dict[str, Values]:
        try:
            parts = zip(kinds.items(), batch.columns, strict=True)
            return {name: self._texts(part) if kind == "texts" else self._numbers(part) for (name, kind), part in parts}
        except self._damage as error:
            raise self._refusal(error) from None

    def _texts(self, part: Arrow) -> Values:
        if not self._arrow.types.is_dictionary(part.type):
            return _objects([value if value is None else str(value) for value in part.to_pylist()])
        words = [value if value is None else str(value) for value in part.dictionary.to_pylist()]
        codes = part.indices.cast(self._arrow.int64()).fill_null(len(words)).to_numpy(zero_copy_only=False)
        lengths = np.array([*(len(word or "") for word in words), 0])
        if lengths[codes].sum() > _MAX_CHARACTERS:
            raise DataFileError(f"{self._name} has more than {_MAX_CHARACTERS >> 20} MB of text in {len(part)} rows.")
        texts: Values = _objects([*words, None])[codes]
        return texts

    def _numbers(self, part: Arrow) -> Values:
        types = self._arrow.types
        if types.is_dictionary(part.type):
            part = part.dictionary_decode()
        if types.is_decimal(part.type) or (part.null_count and not types.is_floating(part.type)):
            part = part.cast(self._arrow.float64(), safe=False)
        numbers: Values = part.to_numpy(zero_copy_only=False)
        return numbers

    def _refusal(self, error: Exception) -> DataFileError:
        reason = sentence(str(error).partition("\n")[0])
        return DataFileError(f"{self._name} is damaged or not a Parquet file ({reason}).")


def _objects(values: list[str | None]) -> Values:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def arrow(module: str) -> ModuleType:
    """Import a module of pyarrow; raise an ImportError with a complete sentence if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError("Parquet files need pyarrow; install it with pip install 'hinge-svm[parquet]'.") from None
