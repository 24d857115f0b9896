"""Pools of examples to label: rows of a file, texts or images, each with its features and its view."""

from typing import TYPE_CHECKING

from hinge.web.pools._base import Features, FeatureSet, Kind, Model, Pool, SavedModel, View
from hinge.web.pools._encoder import encode
from hinge.web.pools._new_examples import new_examples
from hinge.web.pools._open_pool import SHOWS, open_pool
from hinge.web.pools._texts import read_text, text_features

if TYPE_CHECKING:
    from hinge.web.pools._images import image_features

__all__ = [
    "SHOWS",
    "FeatureSet",
    "Features",
    "Kind",
    "Model",
    "Pool",
    "SavedModel",
    "View",
    "encode",
    "image_features",
    "new_examples",
    "open_pool",
    "read_text",
    "text_features",
]


def __getattr__(name: str) -> object:
    if name == "image_features":  # needs Pillow, which is optional
        from hinge.web.pools._images import image_features  # noqa: PLC0415

        return image_features
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
