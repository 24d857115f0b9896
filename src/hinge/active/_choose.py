"""Which rows are looked at, and which of them are chosen, once their merits are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from hinge._model.params import bound, check_seed, choice, number, whole
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

STRATEGIES = ("boundary", "positive", "autoactive", "random")
_ENOUGH_INSIDE = 5  # autoactive stops to look once it has seen so many inside the margin
_MOST_LOOKED_AT = 100  # and after so many in any case
_FEW = 0.01  # a share of the rows below which draws are made one by one rather than from a list of all


@dataclass(frozen=True)
class Question:
    """What is asked for: how many rows, of what kind, among how many candidates.

    Attributes
    ----------
    n : int
        Rows to choose.
    strategy : {"boundary", "positive", "autoactive", "random"}
        What makes a row worth asking about.
    sample : int or None
        Random candidates to look at; None for all (for autoactive: 100).
    random_state : int, RandomState instance or None
        Seed of the draws.
    spread : float
        Share of the typical distance between rows that those of a batch keep, if they can.
    target : object
        The class that is looked for by the strategy "positive"; None for the usual one.
    """

    n: int
    strategy: str
    sample: int | None
    random_state: Any
    spread: float = 0.0
    target: Any = None

    @classmethod
    def checked(  # noqa: PLR0917
        cls, n: Any, strategy: Any, sample: Any, random_state: Any, spread: Any = 0.0, target: Any = None
    ) -> Question:
        """Return a question that makes sense, or refuse."""
        n = whole("n", n, at_least=1, hint="it is the number of rows to choose")
        strategy = choice("strategy", strategy, STRATEGIES)
        sample = bound("sample", sample, at_least=n)
        check_seed(random_state)
        spread = number("spread", spread, at_least=0, hint="0 lets batches hold near-duplicates, a usual value is 0.2")
        if target is not None and strategy != "positive":
            raise ParameterError(
                f"target must be None unless strategy is 'positive', got {target!r} for {strategy!r}; leave it out."
            )
        return cls(n, strategy, sample, random_state, spread, target)

    def require(self, n_rows: int) -> None:
        """Refuse to choose more rows than there are."""
        if self.n > n_rows:
            raise ParameterError(f"n must be at most the number of rows, {n_rows}, got {self.n}; ask for fewer.")

    def candidates(self, n_rows: int) -> NDArray[np.int64] | None:
        """Return the rows to look at, in the order of looking; None for all.

        Examples
        --------
        >>> Question(n=1, strategy="boundary", sample=None, random_state=0).candidates(5) is None
        True
        >>> sorted(Question(n=1, strategy="autoactive", sample=None, random_state=0).candidates(5).tolist())
        [0, 1, 2, 3, 4]
        """
        self.require(n_rows)
        if self.strategy == "random":
            return _draw(n_rows, self.n, self.random_state)
        if self.strategy == "autoactive":
            most = max(_MOST_LOOKED_AT, self.n) if self.sample is None else self.sample
            return _draw(n_rows, min(most, n_rows), self.random_state)
        if self.sample is None or self.sample >= n_rows:
            return None
        return np.sort(_draw(n_rows, self.sample, self.random_state))

    def chosen(self, merits: NDArray[np.float64], inside: float, n: int | None = None) -> NDArray[np.int64]:
        """Return the places of the rows chosen among those looked at, best first; with `n`, of so many.

        Parameters
        ----------
        merits : ndarray
            Merits of the rows looked at, in that order.
        inside : float
            Rows of a higher merit lie inside the margin.
        """
        n = self.n if n is None else n
        if self.strategy != "autoactive":
            return best(merits, n)
        seen_inside = np.cumsum(merits > inside)
        enough = int(np.searchsorted(seen_inside, max(_ENOUGH_INSIDE, self.n))) + 1
        return best(merits[:enough], n)


def best(merits: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Return the places of the n highest merits, best first; of equal ones those that come first.

    Examples
    --------
    >>> import numpy as np
    >>> best(np.array([1.0, 3.0, 1.0, 2.0, 3.0]), 4).tolist()
    [1, 4, 3, 0]
    """
    if n == 1:
        return np.array([merits.argmax()], dtype=np.int64)
    places = np.arange(len(merits), dtype=np.int64)
    if n < len(merits):  # a full sort would take most of the time
        last = -np.partition(-merits, n - 1)[n - 1]
        above = places[merits > last]
        places = np.concatenate([above, places[merits == last][: n - len(above)]])
    return places[np.argsort(-merits[places], kind="stable")]


def _draw(n_rows: int, n: int, random_state: Any) -> NDArray[np.int64]:
    """Return different rows at random, in random order."""
    random = check_random_state(random_state)
    if n >= _FEW * n_rows:
        return np.asarray(sample_without_replacement(n_rows, n, method="pool", random_state=random), dtype=np.int64)
    rows: dict[int, None] = {}
    while len(rows) < n:
        rows.update(dict.fromkeys(random.randint(n_rows, size=n - len(rows)).tolist()))
    return np.fromiter(rows, dtype=np.int64, count=n)
