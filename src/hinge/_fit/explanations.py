"""Why a classifier decides as it does: the examples that pull a decision, and the features that would change it.

A decision is an intercept plus a sum over the support vectors,

    f(x) = b + sum_j alpha_j k(x_j, x).

The terms of this sum are the contributions of the examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hinge._model.kernel_values import decision_gradients, kernel_values
from hinge._model.params import whole
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from hinge._model.labels import ClassTable
    from hinge._model.state import State
    from hinge._model.support import Support
    from hinge._model.types import Labels, Rows


class Contribution(NamedTuple):
    """What one example adds to a decision: its id, its label, and coefficient times kernel value."""

    id: Hashable
    label: Hashable
    value: float


@dataclass(frozen=True)
class Explanation:
    """Why one row got its class: `intercept`, the values of all contributions and `rest` add up to `decision`.

    Attributes
    ----------
    label : object
        The predicted class.
    decision : float
        The decision value for this class: with two classes positive, with more the largest of all classes.
    intercept : float
        Its constant part.
    supporting, opposing : list of Contribution
        Examples that speak for the class and against it, those with the largest contributions first.
    rest : float
        The contributions of all other examples together.
    """

    label: Hashable
    decision: float
    intercept: float
    supporting: list[Contribution]
    opposing: list[Contribution]
    rest: float


def explain(  # noqa: PLR0917
    state: State,
    support: Support,
    X: Rows,
    predicted: Labels,
    intercepts: NDArray[np.float64],
    ids: Sequence[Hashable],
    n: int,
) -> list[Explanation]:
    """Explain the predictions of checked rows; `ids` are those of the support vectors."""
    whole("n", n, at_least=1, hint="five is usual")
    _require_one_vs_rest(state.table)
    classes = state.table.classes
    labels = np.repeat(classes, support.counts).tolist()
    values = kernel_values(state, support.vectors, support.ids, support.shift, X)
    decisions = values @ support.coefficients.T + intercepts
    explained = []
    for row, label in enumerate(predicted.tolist()):
        binary, sign = _binary_of(classes, label)
        contributions = sign * support.coefficients[binary] * values[row]
        intercept, decision = float(sign * intercepts[binary]), float(sign * decisions[row, binary])
        explained.append(_explanation(label, decision, intercept, contributions, ids, labels, n))
    return explained


def sensitivity(state: State, X: Rows) -> NDArray[np.float64]:
    """Return the gradients of the decision values of checked rows, as `decision_function` arranges these."""
    _require_one_vs_rest(state.table)
    gradients = decision_gradients(state, state.support(), X)
    return gradients if len(state.table) > 2 else gradients[:, 0]


def _binary_of(classes: Labels, label: Hashable) -> tuple[int, float]:
    """Return the row of coefficients that decides on a class, and the sign with which it speaks for it."""
    place = int(np.flatnonzero(classes == label)[0])
    return (place, 1.0) if len(classes) > 2 else (0, 1.0 if place == 1 else -1.0)


def _explanation(  # noqa: PLR0917
    label: Hashable,
    decision: float,
    intercept: float,
    contributions: NDArray[np.float64],
    ids: Sequence[Hashable],
    labels: list[Hashable],
    n: int,
) -> Explanation:
    order = np.argsort(-contributions, kind="stable")
    first = [place for place in order[:n].tolist() if contributions[place] > 0]
    last = [place for place in order[::-1][:n].tolist() if contributions[place] < 0]

    def listed(places: list[int]) -> list[Contribution]:
        return [Contribution(ids[place], labels[place], float(contributions[place])) for place in places]

    rest = float(contributions.sum() - contributions[first].sum() - contributions[last].sum())
    return Explanation(label, decision, intercept, listed(first), listed(last), rest)


def _require_one_vs_rest(table: ClassTable) -> None:
    if len(table) > 2 and table.scheme.name == "ovo":
        raise ParameterError(
            "Votes between pairs of classes are not a sum over examples: one-vs-one models cannot be explained; "
            "use OnlineSVC or IncrementalSVC with multi_class='ovr', their default."
        )
