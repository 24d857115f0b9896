"""Models on disk: `save` and `load`.

A model file is a safetensors file: named arrays and JSON metadata (docs/design/model-format.md). Loading never
runs code from the file, and everything in the file is checked before it is used.
"""

from hinge.persistence._errors import ModelFileError
from hinge.persistence._save_load import load, save

__all__ = ["ModelFileError", "load", "save"]
