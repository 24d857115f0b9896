"""How long `hinge train` may look for good parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from typing import Self

from hinge.exceptions import ParameterError

DEFAULT_SECONDS = 60.0
_ROWS = 10_000  # that take part within this time
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "": 1.0}
_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)\s*(h|m|s|)\s*)")


@dataclass(frozen=True)
class Budget:
    """Seconds for the choice of parameters.

    Attributes
    ----------
    seconds : float
        0: no choice.
    is_asked : bool
        Whether the user named a time.
    training : float
        Seconds for learning afterwards; infinite without a limit.
    """

    seconds: float = DEFAULT_SECONDS
    is_asked: bool = False
    training: float = inf

    @classmethod
    def parse(cls, text: str | None, *, no_tune: bool, max_time: str | None = None) -> Self:
        """Return the budget of --tune, --no-tune and --max-time.

        Examples
        --------
        >>> Budget.parse("1h30m", no_tune=False).seconds, Budget.parse(None, no_tune=True).seconds
        (5400.0, 0.0)
        """
        training = inf if max_time is None else seconds_of(max_time, "--max-time")
        if no_tune:
            if text is not None:
                raise ParameterError("--tune must be left out with --no-tune.")
            return cls(0.0, training=training)
        if text is None:
            return cls(training=training)
        return cls(seconds_of(text, "--tune"), is_asked=True, training=training)

    def check(self, *, resumes: bool) -> None:
        """Raise ParameterError if a time is given for a model that is trained already."""
        if resumes and self.is_asked:
            raise ParameterError("--tune must be left out with --resume: the model has its C and gamma.")

    @property
    def rows(self) -> int:
        """The largest number of rows that take part: a race grows about with its square."""
        return int(_ROWS * max(self.seconds / DEFAULT_SECONDS, 1.0) ** 0.5)

    def describe(self) -> str:
        """Return the time in words.

        Examples
        --------
        >>> Budget(90.0).describe(), Budget(600.0).describe()
        ('90 s', '10 min')
        """
        return f"{self.seconds / 60:g} min" if self.seconds > 120 else f"{self.seconds:g} s"


def seconds_of(text: str, option: str) -> float:
    """Return the seconds of a time such as 90s, 10m or 1h30m.

    Examples
    --------
    >>> seconds_of("2m", "--max-time")
    120.0
    """
    parts = _DURATION.findall(text)
    seconds = sum(float(value) * _UNITS[unit] for value, unit in parts)
    if not parts or _DURATION.sub("", text).strip() or not 0 < seconds < float("inf"):
        raise ParameterError(f"{option} must be a time above 0 such as 90s, 10m or 1h30m, got {text!r}.")
    return seconds
