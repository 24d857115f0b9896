"""Models on disk: `save` and `load`.

A model file is a safetensors file: named arrays, and one JSON text about them. Loading never runs code from the file.
"""

from hinge.persistence._errors import ModelFileError
from hinge.persistence._model import load, save

__all__ = ["ModelFileError", "load", "save"]
