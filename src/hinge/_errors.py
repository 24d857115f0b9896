"""The exceptions this package raises itself. All of them are also `ValueError`, as scikit-learn's users expect."""

from __future__ import annotations

__all__ = ["DataError", "HingeError", "KernelError", "ParameterError"]


class HingeError(Exception):
    """Anything that this package refuses to do."""


class ParameterError(HingeError, ValueError):
    """A parameter of an estimator has a value that makes no sense."""


class DataError(HingeError, ValueError):
    """Examples, labels or weights that cannot be learned from."""


class KernelError(HingeError, ValueError):
    """A kernel function given by the user returned something that is not a matrix of kernel values."""
