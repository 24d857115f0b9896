"""Saving the model: now and then during training, and at the end."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hinge.io.atomic import replacing
from hinge.persistence import ModelFileError, save
from hinge.streaming import Model

INTERVAL_S = 60.0  # between two saves during training
MAX_TIME_FRACTION = 0.02  # of the time of training that these saves may take


class Checkpoint:
    """Saves a model during training, so that a killed process loses about a minute of work.

    Parameters
    ----------
    join : callable
        Returns the model to save for the estimator that is being trained.
    path : Path
        Where to save it.
    """

    def __init__(self, join: Callable[[Model], Model], path: Path) -> None:
        self._join, self._path = join, path
        self._next = time.monotonic() + INTERVAL_S

    def save_if_due(self, model: Model) -> None:
        """Save the model if the last save is long enough ago."""
        start = time.monotonic()
        if start < self._next:
            return
        # The disk or the memory may be full now and free again at the end; the model is still in memory.
        with suppress(OSError, ModelFileError, MemoryError):
            save(self._join(model), self._path)
        end = time.monotonic()
        self._next = end + max(INTERVAL_S, (end - start) / MAX_TIME_FRACTION)


def keep_copy(path: Path) -> Path:
    """Copy a model file that will be replaced; return the name of the copy, which itself replaces an earlier one."""
    copy = path.with_name(f"{path.stem}.before{path.suffix}")
    with replacing(copy) as unfinished:
        shutil.copyfile(path, unfinished)
    return copy


def save_or_rescue(model: Model, path: Path) -> None:
    """Save a model; if that fails, save it in the folder for temporary files and say so."""
    try:
        save(model, path)
    except (OSError, ModelFileError) as error:
        handle, rescue = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=path.suffix)
        os.close(handle)
        try:
            save(model, rescue)
        except BaseException:
            Path(rescue).unlink()
            raise
        raise OSError(f"{error} The model was saved to {rescue} instead; move it to where it belongs.") from None
