"""From an estimator to a file and back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hinge.approximate import ApproximateState
from hinge.estimators import ESTIMATORS
from hinge.exceptions import sentence
from hinge.incremental import ExactState
from hinge.persistence._approximate import approximate
from hinge.persistence._classifier import classifier
from hinge.persistence._errors import ModelFileError
from hinge.persistence._exact import exact
from hinge.persistence._file import read, write
from hinge.persistence._prepared import prepared
from hinge.persistence._registry import put_together, register, take_apart

_ENTRIES = {ExactState: exact, ApproximateState: approximate}  # by what a fitted model holds
for estimator in ESTIMATORS.values():
    register(_ENTRIES.get(estimator._state_class, classifier)(estimator))
register(prepared())


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file.

    The file is written beside its place and moved there when it is complete and safe on the disk. Loading gives a model
    that decides the same to the last bit and goes on learning where this one stopped.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package. Its parameters must be plain values: functions and random generators cannot
        be written.
    path : path
        Name of the file, usually with the ending `.hinge`. An existing file is replaced.

    Raises
    ------
    ModelFileError
        The model cannot be saved, or the file cannot be written; a file that was there before is as it was.
    FileNotFoundError
        There is no such folder.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import hinge
    >>> model = hinge.OnlineSVC().partial_fit([[0.0], [1.0]], ["low", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hinge.save(model, Path(folder) / "model.hinge")
    ...     later = hinge.load(Path(folder) / "model.hinge")
    >>> later.partial_fit([[0.9]], ["high"]).n_seen_
    3
    """
    write(Path(path), take_apart(model))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote.

    Nothing in the file is run, and everything it says is checked: it may come from anybody.

    Parameters
    ----------
    path : path
        Name of the file.

    Returns
    -------
    estimator
        The fitted model.

    Raises
    ------
    ModelFileError
        The file is not a model file, is damaged, or was written by a later version.
    FileNotFoundError
        There is no such file.
    """
    path = Path(path)
    parts = read(path)
    try:
        return put_together(parts)
    except MemoryError:
        raise ModelFileError(f"{path} holds a model that needs more memory than there is.") from None
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path} is damaged: {sentence(error)}.") from None
