"""Which settings of a rung share kernel values: those that differ in nothing but C and gamma."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from hinge.model_selection._grid import final_step
from hinge.model_selection._shared import SharedKernels, can_share

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from hinge._model.types import Values

_MIN_SPARSE = 20  # settings: fewer learn sparse rows faster one by one than the products of all rows are computed


@dataclass(frozen=True)
class Group:
    """Settings that run together.

    Attributes
    ----------
    places : list of int
        Their places among all settings, C rising.
    kernels : SharedKernels or None
        What their kernel values are made of; None: they train models.
    gamma : float
        The gamma that they share.
    costs : sequence of float
        Their values of C.
    """

    places: list[int]
    kernels: SharedKernels | None = None
    gamma: float = 1.0
    costs: Sequence[float] = ()


class Sharing:
    """Forms groups of settings of an estimator or pipeline."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self._prefix, _ = final_step(estimator)
        self._is_nested = self._prefix.count("__") > 1

    def groups(self, settings: Sequence[Values], X: Any, y: Any, X_test: Any) -> list[Group]:
        """Return the groups of settings that learn some rows and predict others."""
        alone = [Group([place]) for place, params in enumerate(settings) if not self._is_plain(params)]
        families: dict[Hashable, list[int]] = {}
        for place, params in enumerate(settings):
            if self._is_plain(params):
                families.setdefault(self._family(params), []).append(place)
        for places in families.values():
            few = sparse.issparse(X) and len(places) < _MIN_SPARSE
            kernels = None if few else self._kernels(self._others(settings[places[0]]), X, y, X_test)
            alone += (
                [Group([place]) for place in places] if kernels is None else self._by_gamma(settings, places, kernels)
            )
        return alone

    def _by_gamma(self, settings: Sequence[Values], places: list[int], kernels: SharedKernels) -> list[Group]:
        by_gamma: dict[float, list[tuple[float, int]]] = {}
        for place in places:
            cost, gamma = self._chosen(settings[place])
            by_gamma.setdefault(gamma, []).append((cost, place))
        pairs = [(gamma, sorted(members)) for gamma, members in by_gamma.items()]
        return [Group([at for _, at in pair], kernels, gamma, [cost for cost, _ in pair]) for gamma, pair in pairs]

    def _chosen(self, params: Values) -> tuple[Any, Any]:
        """Return C and gamma of a setting; a kernel without gamma has 1.0."""
        known = {**final_step(self._estimator)[1].get_params(), **self._of_last(params)}
        return known.get("C"), 1.0 if known.get("kernel") == "linear" else known.get("gamma")

    def _is_plain(self, params: Values) -> bool:
        chosen = self._chosen(params)
        return not self._is_nested and all(isinstance(v, (int, float)) and 0 < v < math.inf for v in chosen)

    def _of_last(self, params: Values) -> Values:
        n = len(self._prefix)
        return {name[n:]: value for name, value in params.items() if name.startswith(self._prefix)}

    def _others(self, params: Values) -> Values:
        return {name: params[name] for name in params if name not in (f"{self._prefix}C", f"{self._prefix}gamma")}

    def _family(self, params: Values) -> Hashable:
        others = sorted(self._others(params).items())
        return tuple((name, value if isinstance(value, (int, float, str)) else id(value)) for name, value in others)

    def _kernels(self, others: Values, X: Any, y: Any, X_test: Any) -> SharedKernels | None:
        """Return what settings with these other parameters share; None if they must train models."""
        try:
            made = clone(self._estimator).set_params(**clone(others, safe=False))
            steps, model = (made[:-1], made[-1]) if self._prefix else (None, made)
            if not can_share(model, len(y), _num_samples(X_test)):
                return None
            if steps is not None:
                X = steps.fit_transform(X, y)
                X_test = steps.transform(X_test)
            return SharedKernels(model, X, y, X_test)
        except (ValueError, TypeError, AttributeError):  # training a model raises the error that users expect
            return None
