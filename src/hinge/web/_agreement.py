"""How well people agree about the same examples: Cohen's kappa of two people, Krippendorff's alpha of all.

Both are 1 if everybody agrees and 0 if they agree as often as chance. Labels are names without an order (nominal).
Alpha counts every pair of labels of an example, however many people labelled it (Krippendorff, Content Analysis, 2004,
chapter 11).
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

Unit = dict[str, str]  # the label of an example that each person gave

_RESAMPLES = 1000
_MIN_UNITS = 10  # for an interval


class Agreement(NamedTuple):
    """A coefficient with its 95 % interval; NaN if it is unknown."""

    value: float
    low: float
    high: float


class PairAgreement(NamedTuple):
    """Two people, how many examples both labelled, the share of equal labels, and Cohen's kappa."""

    one: str
    other: str
    shared: int
    equal: float
    kappa: float


class PersonAgreement(NamedTuple):
    """A person, the number of labels, the median seconds for one, and how often others gave the same label."""

    name: str
    labels: int
    seconds: float | None
    shared: int
    equal: float


def cohen_kappa(one: Sequence[str], other: Sequence[str]) -> float:
    """Return Cohen's kappa of two people's labels of the same examples; NaN if both always gave one and the same label.

    Examples
    --------
    >>> cohen_kappa(["a", "a", "b", "b"], ["a", "a", "b", "a"])
    0.5
    """
    n = len(one)
    left, right = Counter(one), Counter(other)
    observed = sum(first == second for first, second in zip(one, other, strict=True)) / n
    expected = sum(count * right[label] for label, count in left.items()) / n**2
    return math.nan if expected == 1 else (observed - expected) / (1 - expected)


def krippendorff_alpha(units: Sequence[Unit]) -> Agreement:
    """Return Krippendorff's alpha of examples with labels of two or more people, with a bootstrap interval.

    The interval is of examples drawn with replacement; it is NaN for fewer than ten.

    Examples
    --------
    >>> units = [{"ann": "a", "bob": "a"}, {"ann": "a", "bob": "b"}, {"bob": "b", "eve": "b"}]
    >>> round(krippendorff_alpha(units).value, 3)
    0.444
    """
    counts = _counts([list(unit.values()) for unit in units if len(unit) > 1])
    value = float(_alpha(counts, np.ones((1, len(counts))))[0])
    if len(counts) < _MIN_UNITS or math.isnan(value):
        return Agreement(value, math.nan, math.nan)
    random = np.random.default_rng(0)
    weights = random.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=_RESAMPLES)
    found = _alpha(counts, weights.astype(np.float64))
    found = found[np.isfinite(found)]
    low, high = np.quantile(found, [0.025, 0.975]) if len(found) else (math.nan, math.nan)
    return Agreement(value, float(low), float(high))


def _counts(units: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Return how often each label (column) was given to each example (row)."""
    places = {label: place for place, label in enumerate(sorted({label for unit in units for label in unit}))}
    counts = np.zeros((len(units), len(places)))
    for row, unit in enumerate(units):
        for label in unit:
            counts[row, places[label]] += 1
    return counts


def _alpha(counts: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return alpha for each row of weights of the examples; NaN if there is only one label."""
    size = counts.sum(axis=1)
    disagreement = (size**2 - (counts**2).sum(axis=1)) / np.maximum(size - 1, 1)
    totals = weights @ counts
    n = totals.sum(axis=1)
    expected = (n**2 - (totals**2).sum(axis=1)) / np.maximum(n - 1, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected > 0, 1 - (weights @ disagreement) / expected, np.nan))


def pair_agreements(units: Sequence[Unit]) -> list[PairAgreement]:
    """Return the agreement of all two people who labelled the same examples, those who share most first."""
    shared: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for unit in units:
        for one, other in combinations(sorted(unit), 2):
            shared.setdefault((one, other), []).append((unit[one], unit[other]))
    found = []
    for (one, other), labels in shared.items():
        left, right = zip(*labels, strict=True)
        equal = sum(first == second for first, second in labels) / len(labels)
        found.append(PairAgreement(one, other, len(labels), equal, cohen_kappa(left, right)))
    return sorted(found, key=lambda each: (-each.shared, each.one, each.other))


def person_agreements(units: Sequence[Unit], seconds: Mapping[str, Sequence[float | None]]) -> list[PersonAgreement]:
    """Return for each person, given the seconds that each label took, how quickly they label and how others agree."""
    pairs = pair_agreements(units)
    found = []
    for name, times in seconds.items():
        mine = [each for each in pairs if name in (each.one, each.other)]
        shared = sum(each.shared for each in mine)
        equal = sum(each.equal * each.shared for each in mine) / shared if shared else math.nan
        known = [each for each in times if each is not None]
        found.append(PersonAgreement(name, len(times), median(known) if known else None, shared, equal))
    return sorted(found, key=lambda each: (-each.labels, each.name))
