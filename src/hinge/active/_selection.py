"""The options of a query: which rows are scored, and which of them are selected by their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from hinge._model.params import bound, check_seed, choice, number, whole
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Seed: TypeAlias = "int | np.random.RandomState | None"

STRATEGIES = ("boundary", "positive", "autoactive", "random")
_AUTOACTIVE_INSIDE = 5  # rows inside the margin after which autoactive stops looking
_AUTOACTIVE_CANDIDATES = 100  # rows after which it stops in any case
_SMALL_SHARE = 0.01  # of all rows; smaller samples are drawn one by one, without a list of all rows


@dataclass(frozen=True)
class QueryOptions:
    """How many rows a query returns, of what kind, out of how many candidates.

    Attributes
    ----------
    n : int
        Number of rows to select.
    strategy : {"boundary", "positive", "autoactive", "random"}
        What makes a row worth labelling.
    sample : int or None
        Number of random candidates to score; None for all (for autoactive: 100).
    random_state : int, RandomState instance or None
        Seed of the draws.
    spread : float
        Minimum distance between the rows of a batch, as a share of the typical distance.
    target : object
        The class that "positive" looks for; None for the default.
    """

    n: int
    strategy: str
    sample: int | None
    random_state: Seed
    spread: float = 0.0
    target: object = None

    @classmethod
    def validate(  # noqa: PLR0917
        cls,
        n: object,
        strategy: object,
        sample: object,
        random_state: Seed,
        spread: object = 0.0,
        target: object = None,
    ) -> QueryOptions:
        """Return checked options, or raise ParameterError."""
        n = whole("n", n, at_least=1, hint="it is the number of rows to choose")
        strategy = choice("strategy", strategy, STRATEGIES)
        sample = bound("sample", sample, at_least=n)
        check_seed(random_state)
        spread = number("spread", spread, at_least=0, hint="0 allows near-duplicates in a batch, a usual value is 0.2")
        if target is not None and strategy != "positive":
            raise ParameterError(
                f"target must be None unless strategy is 'positive', got {target!r} for {strategy!r}; leave it out."
            )
        return cls(n, strategy, sample, random_state, spread, target)

    def check_pool_size(self, n_rows: int) -> None:
        """Raise ParameterError if the pool has fewer rows than are to be selected."""
        if self.n > n_rows:
            raise ParameterError(f"n must be at most the number of rows, {n_rows}, got {self.n}; ask for fewer.")

    def candidates(self, n_rows: int) -> NDArray[np.int64] | None:
        """Return the rows to score, in order; None for all.

        Examples
        --------
        >>> QueryOptions(n=1, strategy="boundary", sample=None, random_state=0).candidates(5) is None
        True
        >>> sorted(QueryOptions(n=1, strategy="autoactive", sample=None, random_state=0).candidates(5).tolist())
        [0, 1, 2, 3, 4]
        """
        self.check_pool_size(n_rows)
        if self.strategy == "random":
            return _draw(n_rows, self.n, self.random_state)
        if self.strategy == "autoactive":
            size = max(_AUTOACTIVE_CANDIDATES, self.n) if self.sample is None else self.sample
            return _draw(n_rows, min(size, n_rows), self.random_state)
        if self.sample is None or self.sample >= n_rows:
            return None
        return np.sort(_draw(n_rows, self.sample, self.random_state))

    def select(self, scores: NDArray[np.float64], margin_score: float, n: int | None = None) -> NDArray[np.int64]:
        """Return the positions of the best candidates, best first.

        Parameters
        ----------
        scores : ndarray
            Acquisition scores of the candidates, in their order.
        margin_score : float
            Candidates with a higher score lie inside the margin.
        n : int, default=None
            How many positions to return; None for the `n` of these options.
        """
        n = self.n if n is None else n
        if self.strategy != "autoactive":
            return top_n(scores, n)
        n_inside = np.cumsum(scores > margin_score)
        n_scored = int(np.searchsorted(n_inside, self.enough_inside)) + 1
        return top_n(scores[:n_scored], n)

    @property
    def enough_inside(self) -> int:
        """Number of candidates inside the margin after which autoactive draws no more."""
        return max(_AUTOACTIVE_INSIDE, self.n)


def top_n(scores: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Return the positions of the n highest scores, best first; of equal scores the first positions.

    Examples
    --------
    >>> import numpy as np
    >>> top_n(np.array([1.0, 3.0, 1.0, 2.0, 3.0]), 4).tolist()
    [1, 4, 3, 0]
    """
    if n == 1:
        return np.array([scores.argmax()], dtype=np.int64)
    positions = np.arange(len(scores), dtype=np.int64)
    if n < len(scores):  # a full sort would take most of the time
        lowest = -np.partition(-scores, n - 1)[n - 1]
        above = positions[scores > lowest]
        positions = np.concatenate([above, positions[scores == lowest][: n - len(above)]])
    return positions[np.argsort(-scores[positions], kind="stable")]


def _draw(n_rows: int, n: int, random_state: Seed) -> NDArray[np.int64]:
    """Draw rows without replacement, in random order."""
    random = check_random_state(random_state)
    if n >= _SMALL_SHARE * n_rows:
        return np.asarray(sample_without_replacement(n_rows, n, method="pool", random_state=random), dtype=np.int64)
    rows: dict[int, None] = {}
    while len(rows) < n:
        rows.update(dict.fromkeys(random.randint(n_rows, size=n - len(rows)).tolist()))
    return np.fromiter(rows, dtype=np.int64, count=n)
