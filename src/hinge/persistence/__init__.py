"""Models on disk: `save` and `load`.

A model file is a safetensors file: named arrays, and one JSON text about them (docs/model-format.md). Loading never
runs code from the file, and everything the file claims is checked before it is believed.
"""

from hinge.persistence._errors import ModelFileError
from hinge.persistence._model import load, save

__all__ = ["ModelFileError", "load", "save"]
