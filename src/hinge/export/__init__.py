"""Models for other programs: LIBSVM's text files, ONNX graphs and scikit-learn's own estimators.

To add a file format, write a module with a function `to_NAME(model, path)` that reads the model through
`ExportedModel`, and add the format to `FORMATS`; the command `hinge export` then knows it.
"""

from hinge.exceptions import ExportError
from hinge.export._format import FileFormat
from hinge.export._libsvm_read import from_libsvm
from hinge.export._libsvm_write import to_libsvm
from hinge.export._onnx import describe_outputs, to_onnx
from hinge.export._sklearn import to_sklearn

__all__ = ["FORMATS", "ExportError", "FileFormat", "from_libsvm", "to_libsvm", "to_onnx", "to_sklearn"]

FORMATS = (
    FileFormat("onnx", "ONNX", (".onnx",), to_onnx, describe_outputs),
    FileFormat("libsvm", "LIBSVM", (".libsvm", ".model"), to_libsvm, has_integer_labels=True),
)
