"""What people label: rows of a file, texts, or images, each with the features a model sees and a way to show it."""

from typing import TYPE_CHECKING

from hinge.web.pools._open import SHOWS, open_pool
from hinge.web.pools._pool import Kind, Pool, View
from hinge.web.pools._texts import text_features

if TYPE_CHECKING:
    from hinge.web.pools._images import image_features

__all__ = ["SHOWS", "Kind", "Pool", "View", "image_features", "open_pool", "text_features"]


def __getattr__(name: str) -> object:
    if name == "image_features":  # needs Pillow, which nobody else has to have
        from hinge.web.pools._images import image_features  # noqa: PLC0415

        return image_features
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
