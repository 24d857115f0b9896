"""What figure 2 and table 3 ask of the records of the stream."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from experiments.asset._stream import N_LAST, SIZES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments._records import Records


def measured_sizes(records: Records) -> list[int]:
    """Return the numbers of features that were measured."""
    return [size for size in SIZES if len(records.where(size=size))]


def final_errors(records: Records, method: str, size: int) -> NDArray[np.float64]:
    """Return the errors of the last looks, which are a thousand examples apart; nan if there are none."""
    errors = records.where(method=method, size=size).values("error")[-N_LAST:]
    return errors if len(errors) else np.array([math.nan])


def training_seconds(records: Records, method: str, size: int) -> float:
    """Return the processor seconds of the whole pass."""
    return float(max(records.where(method=method, size=size).values("seconds"), default=math.nan))
