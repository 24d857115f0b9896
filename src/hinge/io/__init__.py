"""Data files, read in pieces: `open_source` goes through a file of any size in memory that does not grow with it.

Formats are svmlight and CSV (plain or packed with gzip, bzip2 or xz; from a file or as they arrive through a pipe),
Parquet and NumPy's npz.
"""

from hinge.io._bytes import STANDARD_INPUT
from hinge.io._chunks import Chunk, Rows, Table
from hinge.io._errors import DataFileError
from hinge.io._numbers import is_number
from hinge.io._parquet import arrow
from hinge.io._source import FORMATS, Source, open_source

__all__ = [
    "FORMATS",
    "STANDARD_INPUT",
    "Chunk",
    "DataFileError",
    "Rows",
    "Source",
    "Table",
    "arrow",
    "is_number",
    "open_source",
]
