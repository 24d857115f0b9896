"""Read data files in chunks: `open_source` reads files of any size in memory that does not grow with them.

Formats are svmlight and CSV (plain or compressed with gzip, bzip2 or xz; from a file or through a pipe), Parquet and
NumPy's npz. `hinge.io.atomic` writes files.
"""

from hinge.io._bytes import STANDARD_INPUT
from hinge.io._chunks import Chunk, DataFileError, Matrix, Rows, Table, Values, is_number
from hinge.io._foreign import foreign_format, looks_like_text
from hinge.io._formats import FORMATS, Source, open_source
from hinge.io._parquet import arrow

__all__ = [
    "FORMATS",
    "STANDARD_INPUT",
    "Chunk",
    "DataFileError",
    "Matrix",
    "Rows",
    "Source",
    "Table",
    "Values",
    "arrow",
    "foreign_format",
    "is_number",
    "looks_like_text",
    "open_source",
]
