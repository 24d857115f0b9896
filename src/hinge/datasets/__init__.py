"""Data sets by name, and data files as arrays."""

from hinge.datasets._bundled import BUNDLED
from hinge.datasets._dataset import Dataset
from hinge.datasets._read import read

__all__ = ["Dataset", "load", "names", "read"]


def names() -> list[str]:
    """Return the names that `load` knows."""
    return list(BUNDLED)


def load(name: str, *, random_state: int = 0) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    name : str
        One of `names()`: "spirals" (two arms in the plane, generated), "waveform" (Breiman's three classes of noisy
        waves, generated) or "digits" (1797 images that come with scikit-learn).
    random_state : int
        Seed of the generator, or of the order of the rows.

    Returns
    -------
    Dataset
        Training and test rows with settings that suit them.
    """
    if name not in BUNDLED:
        raise ValueError(f"There is no data set {name!r}; choose one of {', '.join(names())}.")
    return BUNDLED[name](random_state)
