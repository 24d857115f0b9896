"""Models for other programs: LIBSVM's text files, ONNX graphs and scikit-learn's own estimators."""

from hinge.export._errors import ExportError
from hinge.export._libsvm_read import from_libsvm
from hinge.export._libsvm_write import to_libsvm
from hinge.export._onnx import to_onnx
from hinge.export._sklearn import to_sklearn

__all__ = ["ExportError", "from_libsvm", "to_libsvm", "to_onnx", "to_sklearn"]
