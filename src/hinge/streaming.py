"""What tools need to know of an estimator that learns from a stream, beyond scikit-learn's own protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class StreamTraits:
    """Traits of an estimator that a tool such as the command line has to know.

    Attributes
    ----------
    is_exact : bool
        The model is exact after each example: it holds all examples, and one pass is enough.
    task : {"classification", "one-class", "regression"}
        What is learned.
    size_unit : {"support vectors", "features"}
        What `model_size_` counts.
    """

    is_exact: bool = False
    task: Literal["classification", "one-class", "regression"] = "classification"
    size_unit: Literal["support vectors", "features"] = "support vectors"
