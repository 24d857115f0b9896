"""Estimators that choose C and gamma in `fit`, and then keep learning: `OnlineSVCCV` and its kin."""

from __future__ import annotations

from inspect import Signature, signature
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from hinge._fit import driver
from hinge._fit.progress import with_callbacks
from hinge._model.locking import reads, writes
from hinge._model.params import whole
from hinge.approximate import ApproximateSVC
from hinge.exceptions import DataError, ParameterError
from hinge.incremental import IncrementalSVC
from hinge.model_selection._grid import COST_RANGE, gamma_range
from hinge.model_selection._search import RaceSearchCV
from hinge.online import OnlineSVC

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._fit.classifier import KernelClassifier
    from hinge._model.types import IdList, MatrixLike, Values

_OWN = ("Cs", "gammas", "scoring", "cv", "max_time")
_DOC = """{name} that chooses `C` and `gamma` in `fit`, by a race, and keeps learning with them.

    Parameters
    ----------
    Cs : int or list of float, default=10
        Values of `C` to try, or how many between 1/16 and 4096.
    gammas : int or list of float, default=10
        Values of `gamma` to try, or how many around one over the median squared distance of the rows; ignored by
        kernels without gamma.
    scoring, cv, max_time :
        As in `RaceSearchCV`.
    **params :
        All other parameters of `{name}`.

    Attributes
    ----------
    C_, gamma_ : float
        The values chosen; `gamma_` is the parameter `gamma` for kernels without gamma.
    Cs_, gammas_ : ndarray
        The values tried.
    scores_ : ndarray of shape (n_Cs, n_gammas)
        Score of each setting on the last rows that it was tested on; settings that left early were tested on fewer
        rows, after learning fewer.
    best_score_ : float
        The score of the setting chosen.
    cv_results_ : dict of arrays
        As in `RaceSearchCV`.
    best_estimator_ : {name}
        A copy of the model as a plain `{name}`, which `hinge.save` stores.

    See Also
    --------
    hinge.model_selection.RaceSearchCV : Any estimator, pipeline and grid.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge import {name}CV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = {name}CV(Cs=[1, 10], gammas=[0.1, 1.0], random_state=0).fit(X[:120], y[:120])
    >>> model.scores_.shape, model.C_ in (1, 10)
    ((2, 2), True)
    >>> model.partial_fit(X[120:], y[120:]).n_seen_
    150
    """


class _Tuned:
    """The part that the estimators of this module share; a mixin before the plain estimator."""

    _plain: ClassVar[type[KernelClassifier]]
    Cs: int | ArrayLike
    gammas: int | ArrayLike

    def __init__(
        self,
        *,
        Cs: int | ArrayLike = 10,
        gammas: int | ArrayLike = 10,
        scoring: Any = None,
        cv: Any = None,
        max_time: float | None = None,
        **params: Any,
    ) -> None:
        chosen = [name for name in ("C", "gamma") if name in params]
        if chosen:
            raise TypeError(f"{type(self).__name__} chooses {chosen[0]}; pass {chosen[0]}s=[...] instead.")
        super().__init__(**params)
        self.Cs = Cs
        self.gammas = gammas
        self.scoring = scoring
        self.cv = cv
        self.max_time = max_time

    def __init_subclass__(cls) -> None:
        """List the parameters of the plain estimator in the signature, for people and for scikit-learn."""
        super().__init_subclass__()
        own = [p for p in signature(_Tuned.__init__).parameters.values() if p.name in _OWN]
        others = [p for p in signature(cls._plain).parameters.values() if p.name not in {"C", "gamma"}]
        cls.__signature__ = Signature([*own, *others])  # type: ignore[attr-defined]

    @classmethod
    def _get_param_names(cls) -> list[str]:
        plain: list[str] = cls._plain._get_param_names()
        return sorted({*plain, *_OWN} - {"C", "gamma"})

    # The plain estimator reads C and gamma; its constructor also sets them, which is ignored.

    @property
    def C(self) -> float:  # noqa: N802
        """The value chosen; 1.0 before `fit`."""
        return float(vars(self).get("C_", 1.0))

    @C.setter
    def C(self, value: float) -> None:  # noqa: N802
        pass

    @property
    def gamma(self) -> Any:
        """The value chosen; "scale" before `fit`."""
        return vars(self).get("gamma_", "scale")

    @gamma.setter
    def gamma(self, value: object) -> None:
        pass

    @writes
    @with_callbacks
    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        ids: IdList | None = None,
        *,
        max_time: float | None = None,
    ) -> Self:
        """Choose C and gamma, and learn a training set with them.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Training examples.
        y : array-like of shape (n,)
            Labels of at least two classes.
        sample_weight : array-like of shape (n,), default=None
            Weights that multiply `C` per row.
        ids : array-like of shape (n,), default=None
            Ids of the examples, for `IncrementalSVCCV`.
        max_time : float, default=None
            Seconds for this call; None: those of the parameter `max_time`.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._choose(X, y, sample_weight, ids, self.max_time if max_time is None else max_time)
        return self

    def _choose(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        ids: IdList | None,
        max_time: float | None,
    ) -> None:
        given = {"sample_weight": sample_weight, "ids": ids}
        others = {name: values for name, values in given.items() if values is not None}
        grid = self._grid(X)
        random_state = self.random_state  # type: ignore[attr-defined]
        search = RaceSearchCV(
            self._plain(**self._plain_params()),
            grid,
            scoring=self.scoring,
            cv=self.cv,
            max_time=max_time,
            random_state=random_state,
        )
        try:
            search.fit(X, y, **others)
        finally:  # after Ctrl-C: the leader's model of the rows of the last rung
            if hasattr(search, "best_estimator_"):
                self._take(search, grid)

    @writes
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ids: IdList | None = None,
    ) -> Self:
        """Learn more examples with the values chosen; the first call chooses them as `fit` does.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.
        y : array-like of shape (n,)
            Labels.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect.
        sample_weight : array-like of shape (n,), default=None
            Weights that multiply `C` per row.
        ids : array-like of shape (n,), default=None
            Ids of the examples, for `IncrementalSVCCV`.

        Returns
        -------
        self : object
            The estimator.
        """
        if "_state" in vars(self):
            return driver.partial_fit(self, X, y, classes, sample_weight, ids)  # type: ignore[type-var]
        if len(np.unique(y)) < 2:
            raise DataError("The first call of partial_fit chooses C and gamma, so it must bring at least two classes.")
        self._choose(X, y, sample_weight, ids, self.max_time)
        return self

    @property
    def best_estimator_(self) -> KernelClassifier:
        """A copy of the model as a plain estimator."""
        return self._copied_plain()

    @reads
    def _copied_plain(self) -> KernelClassifier:
        state = self._copied_state()  # type: ignore[attr-defined]
        model = self._plain(**self._plain_params(), C=self.C, gamma=self.gamma)
        model.__dict__.update(driver.features_of(self), _state=state)  # type: ignore[arg-type]
        return model

    def _plain_params(self) -> Values:
        return {name: value for name, value in self.get_params(deep=False).items() if name not in _OWN}  # type: ignore[attr-defined]

    def _grid(self, X: MatrixLike) -> dict[str, NDArray[np.float64]]:
        costs = _values("Cs", self.Cs, COST_RANGE)
        kernel = self.kernel  # type: ignore[attr-defined]
        span = gamma_range(kernel, X, check_random_state(0)) if _counts(self.gammas) else (1.0, 1.0)
        if span is None or kernel in {"linear", "precomputed"}:
            return {"C": costs}
        return {"C": costs, "gamma": _values("gammas", self.gammas, span)}

    def _take(self, search: RaceSearchCV, grid: dict[str, NDArray[np.float64]]) -> None:
        """Become the model that a search has found."""
        best = search.best_estimator_
        scores = np.asarray(search.cv_results_["mean_test_score"]).reshape([len(values) for values in grid.values()])
        vars(self).update(
            C_=float(best.C),
            gamma_=best.gamma if isinstance(best.gamma, str) else float(best.gamma),
            Cs_=grid["C"],
            gammas_=grid.get("gamma", np.empty(0)),
            scores_=scores.reshape(len(grid["C"]), -1),
            best_score_=search.best_score_,
            cv_results_=search.cv_results_,
        )
        with driver.replacing(self) as fresh:  # type: ignore[type-var]
            vars(fresh).update(driver.features_of(best), _state=best._state)


def _counts(values: Any) -> bool:
    return np.ndim(values) == 0


def _values(name: str, given: Any, span: tuple[float, float]) -> NDArray[np.float64]:
    """Return the values of a list, or as many as asked for between two bounds."""
    if _counts(given):
        return np.geomspace(*span, whole(name, given, at_least=1, hint="or pass a list of values"))
    values = np.asarray(given, dtype=np.float64).ravel()
    if not len(values):
        raise ParameterError(f"{name} must contain at least one value, got none; a number chooses so many.")
    return values


class OnlineSVCCV(_Tuned, OnlineSVC):
    _plain = OnlineSVC
    __doc__ = _DOC.format(name="OnlineSVC")


class IncrementalSVCCV(_Tuned, IncrementalSVC):
    _plain = IncrementalSVC
    __doc__ = _DOC.format(name="IncrementalSVC")


class ApproximateSVCCV(_Tuned, ApproximateSVC):  # type: ignore[misc]
    _plain = ApproximateSVC
    __doc__ = _DOC.format(name="ApproximateSVC")
