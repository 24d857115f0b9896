"""The progressive (test-then-train) score of a stream."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core

_FIRST = np.zeros(1, dtype=np.int64)


@dataclass
class ProgressiveScore:
    """Test-then-train score: how often a model predicted an example correctly before learning it.

    Attributes
    ----------
    n_examples : int
        Number of examples predicted and then learned.
    n_mistakes : int
        Number of wrong predictions among them. One-class models count examples that they took for outliers; regression
        counts none.
    recent_mistakes : tuple of int
        Which of the last `RECENT` examples were predicted wrongly, numbered from 0 since the first example; older
        numbers may be among them.

    Examples
    --------
    >>> import numpy as np
    >>> score = ProgressiveScore()
    >>> score.add(3000, mistakes_at=np.arange(0, 3000, 2))  # every second prediction is wrong,
    >>> score.add(500, mistakes_at=np.arange(0))  # then none
    >>> round(score.error, 2), score.n_recent, score.recent_error
    (0.43, 1000, 0.25)
    """

    RECENT: ClassVar[int] = 1000

    n_examples: int = 0
    n_mistakes: int = 0
    recent_mistakes: tuple[int, ...] = field(default=(), repr=False)

    @property
    def error(self) -> float:
        """Fraction of wrong predictions; NaN before the first example."""
        return self.n_mistakes / self.n_examples if self.n_examples else math.nan

    @property
    def n_recent(self) -> int:
        """Number of examples behind `recent_error`: the last 1000, or all if there are fewer."""
        return min(self.n_examples, self.RECENT)

    @property
    def recent_error(self) -> float:
        """Fraction of wrong predictions among the last 1000 examples; NaN before the first example."""
        first = self.n_examples - self.RECENT
        wrong = sum(number >= first for number in self.recent_mistakes)
        return wrong / self.n_recent if self.n_examples else math.nan

    def count(self, outcome: _core.Outcome) -> None:
        """Add the counts of one native call."""
        if outcome.mistakes:
            self.add(outcome.visited, outcome.mistakes_at)
        else:  # as most single rows: save the array
            self.n_examples += outcome.visited

    def add_one(self, *, is_wrong: bool) -> None:
        """Add one example."""
        if is_wrong:
            self.add(1, _FIRST)
        else:
            self.n_examples += 1

    def add(self, n_examples: int, mistakes_at: NDArray[np.int64]) -> None:
        """Add examples; `mistakes_at` says which of them, counted from 0, were predicted wrongly."""
        numbers = self.n_examples + mistakes_at[-self.RECENT :]
        self.n_examples += n_examples
        self.n_mistakes += len(mistakes_at)
        recent = (*self.recent_mistakes, *numbers.tolist())
        if len(recent) > self.RECENT:  # drop old numbers only now and then
            recent = tuple(number for number in recent if number >= self.n_examples - self.RECENT)
        self.recent_mistakes = recent
