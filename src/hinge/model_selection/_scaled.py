"""A search that also chooses how features are scaled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

from hinge.model_selection._grid import around, default_settings, final_step, thinned
from hinge.model_selection._search import RaceSearchCV
from hinge.model_selection._shared import can_share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from hinge._model.types import Values
    from hinge.model_selection._race import Event, Propose
    from hinge.tables import Scaling

_MAX_ALONE = 40  # settings of models that cannot share kernel values


class Rescaling(TransformerMixin, BaseEstimator):
    """Replaces the scaling of features that are scaled already.

    Parameters
    ----------
    before : Scaling, default=None
        How features are scaled.
    after : Scaling, default=None
        How they should be. None: as they are.
    """

    def __init__(self, before: Scaling | None = None, after: Scaling | None = None) -> None:
        self.before = before
        self.after = after

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn nothing."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """Return rows with the other scaling, in the same precision."""
        if self.after is None or self.before is None:
            return X
        return self.after.apply(self.before.undo(X)).astype(X.dtype)


class ScaledSearch(RaceSearchCV):
    """A race over C, gamma and scalings of features.

    Parameters
    ----------
    model : estimator
        The estimator.
    scaling : Scaling
        How the rows are scaled.
    others : sequence of Scaling
        Scalings to try as well.
    watch : callable
        Called with an `Event` after each group of trials.
    **options : dict
        Of `RaceSearchCV`.

    Attributes
    ----------
    best_scaling_ : Scaling
        The scaling chosen.
    """

    def __init__(
        self, model: Any, scaling: Scaling, others: Sequence[Scaling], watch: Callable[[Event], None], **options: Any
    ) -> None:
        steps = [("scaling", Rescaling(scaling)), ("model", model)]
        super().__init__(Pipeline(steps) if others else model, **options)
        self.scaling = scaling
        self.others = others
        self.watch = watch

    def _settings(self, X: Any, y: Any, random: np.random.RandomState) -> tuple[list[Values], Propose | None]:
        n_rows = X.shape[0]
        if not self.others:
            settings = default_settings(self.estimator, X, y, random)
        else:
            settings = []
            for after in (None, *self.others):
                part = Pipeline([("scaling", Rescaling(self.scaling, after)), ("model", self.estimator[-1])])
                settings += [one | {"scaling__after": after} for one in default_settings(part, X, y, random)]
            settings = thinned(settings, max(n_rows // 3, 1))
        shares = can_share(final_step(self.estimator)[1], 1, 1)
        return settings if shares else thinned(settings, _MAX_ALONE), around

    def _observe(self, event: Event) -> None:
        self.watch(event)

    def scaling_of(self, params: Values) -> Scaling:
        """Return the scaling of a setting."""
        after: Scaling | None = params.get("scaling__after")
        return after or self.scaling

    def value_of(self, params: Values, name: str) -> float | None:
        """Return C or gamma of a setting; None if it has none."""
        value = params.get(f"model__{name}" if self.others else name)
        return None if value is None else float(value)
