"""Models for other programs: LIBSVM's text files, ONNX graphs and scikit-learn's own estimators.

To add a file format, write a module with a function `to_NAME(model, path)` that reads the model through
`ExportedModel`, and add a line to `FORMATS`.
"""

from collections.abc import Callable
from typing import NamedTuple

from hinge.exceptions import ExportError
from hinge.export._libsvm_read import from_libsvm
from hinge.export._libsvm_write import to_libsvm
from hinge.export._onnx import to_onnx
from hinge.export._sklearn import to_sklearn

__all__ = ["ExportError", "from_libsvm", "to_libsvm", "to_onnx", "to_sklearn"]


class FileFormat(NamedTuple):
    """A file format that models can be written in."""

    name: str  # as in `hinge export --to NAME`
    suffixes: tuple[str, ...]  # by which the command recognises the format
    write: Callable[..., object]  # called with a model and a path


FORMATS = (
    FileFormat("onnx", (".onnx",), to_onnx),
    FileFormat("libsvm", (".libsvm", ".model"), to_libsvm),
)
