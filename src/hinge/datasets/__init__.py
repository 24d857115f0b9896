"""Load data sets by name, and read data files into arrays."""

from typing import Literal, overload

from hinge.datasets._bundled import BUNDLED
from hinge.datasets._dataset import Dataset
from hinge.datasets._digit_stream import DigitStream
from hinge.datasets._known import KNOWN, load_known
from hinge.datasets._read import read
from hinge.exceptions import ParameterError

__all__ = ["BUNDLED", "Dataset", "DigitStream", "load", "names", "read"]


def names() -> list[str]:
    """Return the names of the sets that `load` returns as arrays; it also accepts "mnist-e", which is a stream."""
    return [*BUNDLED, *KNOWN]


@overload
def load(name: Literal["mnist-e"], *, random_state: int = 0) -> DigitStream: ...  # type: ignore[overload-overlap]
@overload
def load(name: str, *, random_state: int = 0) -> Dataset: ...
def load(name: str, *, random_state: int = 0) -> Dataset | DigitStream:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of `names()`. Three sets need no files: "spirals" (two arms in the plane, generated), "waveform" (Breiman's
        three classes of noisy waves, generated) and "digits" (1797 images that come with scikit-learn). "mnist",
        "a9a", "usps", "covtype", "ijcnn1", "banana", "reuters-moneyfx", "rcv1-ccat" and "kddcup99" are read from the
        folder named by the environment variable HINGE_DATA. Without it, sets that have a public address are downloaded
        once to the user's cache, which needs ``pip install 'hinge-svm[datasets]'``. "mnist-e" is a stream of 8 100 000
        deformed digits, generated from mnist.
    random_state : int
        Seed of the generator ("spirals", "waveform") or of the order of the rows ("digits"). The others ignore it.

    Returns
    -------
    Dataset or DigitStream
        Training and test rows with settings that suit them; for "mnist-e", chunks of rows.

    Examples
    --------
    >>> from hinge import OnlineSVC, datasets
    >>> data = datasets.load("digits")
    >>> model = OnlineSVC(C=data.C, gamma=data.gamma).fit(data.X_train, data.y_train)
    >>> model.score(data.X_test, data.y_test) > 0.95
    True
    """
    return DigitStream() if name == DigitStream.name else load_arrays(name, random_state)


def load_arrays(name: str, random_state: int = 0) -> Dataset:
    """Load one of `names()`."""
    if name in KNOWN:
        return load_known(name)
    if name not in BUNDLED:
        raise ParameterError(f"There is no data set {name!r}; choose one of {', '.join(names())}.")
    return BUNDLED[name](random_state)
