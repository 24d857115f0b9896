"""The functions `save` and `load`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinge.exceptions import sentence
from hinge.persistence._errors import ModelFileError
from hinge.persistence._estimators import register_all
from hinge.persistence._file import Parts, read, write
from hinge.persistence._history import history_from_json, history_to_json
from hinge.persistence._pipelines import as_saved
from hinge.persistence._registry import from_parts, to_parts

if TYPE_CHECKING:
    import os

    from sklearn.base import BaseEstimator

register_all()


def save(model: BaseEstimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file.

    The file is written under a temporary name and renamed when it is complete and on disk. The loaded model makes
    bit-identical predictions and continues learning where this one stopped.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package, whose parameters must be plain values: functions and random generators
        cannot be saved. Estimators of `hinge.tables` and pipelines of scikit-learn's scalers that end with an estimator
        of this package are saved as the prepared models that they amount to, which predict the same and continue
        learning.
    path : path
        Name of the file, usually ending in `.hinge`. An existing file is replaced.

    Raises
    ------
    ModelFileError
        If the model cannot be saved or the file cannot be written; an existing file is then unchanged.
    FileNotFoundError
        If the folder does not exist.

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
    model = as_saved(model)
    arrays, header = to_parts(model)
    history = history_to_json(getattr(model, "history_", ()))
    write(Path(path), Parts(arrays, header | ({"history": history} if history else {})))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote.

    No code in the file is run, and everything in it is checked, so the file may come from an untrusted source.

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
        If the file is not a model file, is damaged, or was written by a later version.
    FileNotFoundError
        If the file does not exist.
    """
    path = Path(path)
    parts = read(path)
    try:
        header = dict(parts.header)
        history = history_from_json(header.pop("history", []))
        model = from_parts(Parts(parts.arrays, header))
        if history:
            getattr(model, "model", model).history_ = history  # prepared models have the attributes of their model
        return model
    except MemoryError:
        raise ModelFileError(f"{path} holds a model that needs more memory than there is.") from None
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path} is damaged: {sentence(error)}.") from None
