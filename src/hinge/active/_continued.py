"""The estimator `Continued`: `fit` with all rows, again and again, learns only what is new."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from hinge._model.attributes import available_if
from hinge._model.labels import as_classes
from hinge._model.locking import reads, writes
from hinge._model.validation import Storage, check_examples, check_queries, check_weights
from hinge.active._ledger import Changes, Ledger, digests
from hinge.active._teaching import can_revise
from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import ArrayLike, NDArray

_NAMES = ("n_features_in_", "feature_names_in_")


@dataclass(frozen=True)
class _Lesson:
    """Checked examples of a call; rows of weight 0 are left out."""

    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64] | None  # None when the caller gave none
    labels: list[Hashable] = field(init=False)  # Python's values, which are equal where NumPy's types differ
    digests: list[bytes] = field(init=False)  # what the rows are recognised by

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", self.y.tolist())
        object.__setattr__(self, "digests", digests(self.X, self.weights))

    def keywords(self, rows: Any = slice(None)) -> dict[str, Any]:
        """Return some rows as `fit` and `partial_fit` take them."""
        weights = {} if self.weights is None else {"sample_weight": self.weights[rows]}
        return {"X": self.X[rows], "y": self.y[rows], **weights}


def _has_decisions(continued: Continued) -> bool:
    return hasattr(continued._model, "decision_function")


def _has_probabilities(continued: Continued) -> bool:
    made = continued.probabilities is not None and _has_decisions(continued)
    return made or hasattr(continued._model, "predict_proba")


class Continued(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier whose `fit` learns only what is new.

    Tools for active learning call `fit` with all labelled rows after every answer. A `Continued` compares these rows,
    by content, in any order, with those that its model has learned already. New rows go to `partial_fit`. Rows with
    another label go to `relabel` and rows that are gone to `forget`, if the model has these verbs, as `IncrementalSVC`
    does: it then is the exact solution for the rows of the last call. A model that cannot learns all rows from nothing.

    Parameters
    ----------
    estimator : estimator
        A classifier with `partial_fit`. It is cloned, and stays as it is.
    classes : array-like of shape (n_classes,), default=None
        Classes to expect. A model that learns from nothing is then told of them by `partial_fit`, instead of `fit`.
        Models of this package take new classes at any time; others are trained from nothing at a class they do not
        know, and may not start with one class alone unless they are told the others.
    probabilities : {None, "margins"}, default=None
        "margins" offers `predict_proba` where the estimator has only `decision_function`, for tools that ask for it:
        1 / (1 + exp(-f)) with two classes, the softmax of the decision values with more. They say how the classes
        compare, in the order of the decision values, but they are not calibrated: 0.9 does not mean nine out of ten.

    Attributes
    ----------
    estimator_ : estimator
        The model. Let only this estimator teach it: it would not notice what others do.
    classes_ : ndarray of shape (n_classes,)
        The labels known to the model.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had some.

    Notes
    -----
    `gamma="scale"` is settled by the first rows that a model learns, of which there are few here, and stays; give a
    number. `OnlineSVC` and other models that see examples once depend on their order, and so on the order of answers.
    `class_weight="balanced"` follows from all labels: with it, every `fit` is one from nothing.

    A change of parameters (`set_params`) or of the number of features makes the next `fit` one from nothing. Weights
    belong to the rows: a row with another weight is another row. Copies and pickles go on where the original stands,
    `clone` starts anew. Of the rows only hashes are kept; to make these of thousands of rows takes tenths of a second.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge import IncrementalSVC
    >>> from hinge.active import Continued
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Continued(IncrementalSVC(gamma=0.5)).fit(X[::2], y[::2])
    >>> model.fit(X[::-1], y[::-1]).estimator_.n_seen_  # 75 rows were known, 75 are new
    150
    >>> model.fit(X[10:], y[10:]).estimator_.n_seen_  # ten are forgotten, nothing is learned
    150
    >>> len(model.estimator_.ids_)
    140
    """

    def __init__(self, estimator: Any, classes: ArrayLike | None = None, probabilities: str | None = None) -> None:
        self.estimator = estimator
        self.classes = classes
        self.probabilities = probabilities

    @property
    def _model(self) -> Any:
        """The model as far as there is one."""
        return vars(self).get("estimator_", self.estimator)

    @property
    @reads
    def classes_(self) -> NDArray[Any]:
        """The labels known to the model."""
        classes: NDArray[Any] = self.estimator_.classes_
        return classes

    @writes
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Make the model one of these rows and no others, with as little learning as that takes.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            All examples that the model is to know, in any order.
        y : array-like of shape (n,)
            Labels, of one class alone if the estimator's `partial_fit` can start with it.
        sample_weight : array-like of shape (n,), default=None
            Weights. Rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_parameters(sample_weight)
        probe = clone(self)  # an error leaves this one as it was
        data = self._lesson(probe, X, y, sample_weight, None)
        if not self._go_on(data):
            ledger = Ledger()
            ids = ledger.reserve(len(data.y))
            model = self._begin(data, ids)
            ledger.write(data.digests, data.labels, ids)
            self.estimator_, self._ledger, self._settled = model, ledger, self._settings()
        self._note(probe, data)
        return self

    @writes
    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn rows as new ones, whether or not the model knows rows like them.

        The next `fit` takes them for what the model knows, and so forgets those that it is not given.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.
        y : array-like of shape (n,)
            Labels.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect, as the estimator's `partial_fit` takes them; None for the parameter of this estimator.
        sample_weight : array-like of shape (n,), default=None
            Weights. Rows of weight 0 are left out.

        Returns
        -------
        self : object
            The estimator.
        """
        self._check_parameters(sample_weight)
        begun = "estimator_" in vars(self)
        probe = self if begun else clone(self)
        data = self._lesson(probe, X, y, sample_weight, self._storage if begun else None)
        model, ledger = (self.estimator_, self._ledger) if begun else (clone(self.estimator), Ledger())
        known = self.classes if classes is None and not begun else classes
        named = {} if known is None else {"classes": as_classes(known)}
        was_sound, ledger.is_sound = ledger.is_sound, False
        ids = ledger.reserve(len(data.y))
        model.partial_fit(**data.keywords(), **named, **_names(model, ids))
        ledger.write(data.digests, data.labels, ids)
        ledger.is_sound = was_sound
        self._settled = self._settled if begun else self._settings()
        self.estimator_, self._ledger = model, ledger
        self._note(probe, data)
        return self

    @reads
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely class of examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        return np.asarray(self._asked("predict", X))

    @available_if(_has_decisions)
    @reads
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how far examples are on either side.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            Decision values, as the model gives them.
        """
        return np.asarray(self._asked("decision_function", X))

    @available_if(_has_probabilities)
    @reads
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the classes, or the shares that `probabilities="margins"` makes of the margins.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n, n_classes)
            One column a class, in the order of `classes_`; rows sum to 1.

        Examples
        --------
        >>> from hinge import OnlineSVC
        >>> from hinge.active import Continued
        >>> model = Continued(OnlineSVC(kernel="linear"), probabilities="margins").fit([[-1.0], [1.0]], [0, 1])
        >>> model.predict_proba([[0.0], [1.0]]).round(2).tolist()
        [[0.5, 0.5], [0.27, 0.73]]
        """
        check_is_fitted(self)
        if hasattr(self.estimator_, "predict_proba"):
            return np.asarray(self._asked("predict_proba", X))
        return _shares(self._asked("decision_function", X), len(self.classes_))

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self)

    @reads
    def __getstate__(self) -> dict[str, Any]:
        # Pickle would come to the parts one by one, while another thread may be changing them.
        parts = {name: value for name, value in super().__getstate__().items() if name != "_turn"}
        return parts | deepcopy({name: parts[name] for name in ("estimator_", "_ledger") if name in parts})

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.classifier_tags = inner.classifier_tags
        tags.non_deterministic = inner.non_deterministic
        return tags

    def _check_parameters(self, sample_weight: ArrayLike | None) -> None:
        kind = type(self.estimator).__name__
        if not hasattr(self.estimator, "partial_fit") or not is_classifier(self.estimator):
            raise ParameterError(
                f"estimator must be a classifier with partial_fit, got {kind}; use OnlineSVC or IncrementalSVC."
            )
        if get_tags(self.estimator).input_tags.pairwise:
            raise ParameterError(
                f"estimator must learn from rows of features, got {kind} with a precomputed kernel, whose rows change "
                "with every example; give the kernel by its name, or as a function."
            )
        if self.probabilities not in (None, "margins"):
            raise ParameterError(f"probabilities must be None or 'margins', got {self.probabilities!r}; choose one.")
        if sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ParameterError(f"sample_weight must be None, since {kind} takes no weights; leave it out.")

    def _lesson(self, owner: Any, X: Any, y: Any, sample_weight: ArrayLike | None, storage: Storage | None) -> _Lesson:
        """Return checked examples; `owner` gets the number and names of features when there is no storage yet."""
        X, y = check_examples(owner, X, y, storage, sparse=get_tags(self.estimator).input_tags.sparse)
        if sample_weight is None:
            return _Lesson(X, y, None)
        weights = check_weights(sample_weight, len(y))
        used = weights > 0
        if not used.any():
            raise DataError(
                "sample_weight must be above zero for some row, got none that is; leave it out to use all rows."
            )
        return _Lesson(X, y, weights) if used.all() else _Lesson(X[used], y[used], weights[used])

    def _settings(self) -> dict[str, Any]:
        """Return what a model that goes on must have begun with."""
        classes = None if self.classes is None else tuple(as_classes(self.classes).tolist())
        values = {"": (type(self.estimator), classes), **self.estimator.get_params(deep=True)}
        return {name: dict(value) if isinstance(value, dict) else value for name, value in values.items()}

    def _begin(self, data: _Lesson, ids: range) -> Any:
        """Return a model that has learned all rows from nothing."""
        model = clone(self.estimator)
        keywords = data.keywords() | _names(model, ids)
        if self.classes is not None:
            return model.partial_fit(classes=as_classes(self.classes), **keywords)
        if len(set(data.labels)) > 1:
            return model.fit(**keywords)
        with suppress(ValueError):  # most cannot make a classifier of one class, but may begin with it
            return model.fit(**keywords)
        return clone(self.estimator).partial_fit(**keywords)

    def _go_on(self, data: _Lesson) -> bool:
        """Let the model go on to the rows of a data; tell whether it could."""
        ledger = vars(self).get("_ledger")
        if ledger is None or not ledger.is_sound or self._storage.n_features != data.X.shape[1]:
            return False
        if not _are_same(self._settled, self._settings()):
            return False
        ledger.is_sound = False
        changes = ledger.compare(data.digests, data.labels)
        if self._change(data, changes):
            ledger.rewrite(data.digests, data.labels, changes.ids)
            ledger.is_sound = True
        return bool(ledger.is_sound)

    def _change(self, data: _Lesson, changes: Changes) -> bool:
        """Teach the model what has changed; tell whether it could learn it."""
        model, ids = self.estimator_, changes.ids
        others = [ids[row] for row in changes.relabelled]
        revised = {*others, *changes.vanished}
        if revised and not (can_revise(model) and revised <= set(model.ids_)):  # it may have let some go by itself
            return False
        try:
            if others:
                model.relabel(others, data.y[changes.relabelled])
            if changes.new:
                names = _names(model, [ids[row] for row in changes.new])
                model.partial_fit(**data.keywords(changes.new), **names)
            if changes.vanished:
                model.forget(changes.vanished)
        except ValueError:  # a class that comes too late for it, for example; what is wrong with the rows, fit will say
            return False
        return True

    def _note(self, probe: Any, data: _Lesson) -> None:
        """Keep the features of the rows that were learned, which `probe` has got."""
        for name in _NAMES:
            if hasattr(probe, name):
                setattr(self, name, getattr(probe, name))
            elif hasattr(self, name):
                delattr(self, name)
        self._storage = Storage.of(data.X)

    def _asked(self, verb: str, X: Any) -> Any:
        check_is_fitted(self)
        rows = check_queries(self, X, self._storage, sparse=get_tags(self.estimator).input_tags.sparse)
        return getattr(self.estimator_, verb)(rows)


def _names(model: Any, ids: Any) -> dict[str, Any]:
    """Return ids as a keyword for a model that has use for them."""
    return {"ids": ids} if can_revise(model) else {}


def _are_same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Tell whether settings are what they were; what is not plain must be the same object."""
    plain = (int, float, str, tuple, dict)
    return before.keys() == after.keys() and all(
        before[name] is now or (isinstance(now, plain) and type(before[name]) is type(now) and before[name] == now)
        for name, now in after.items()
    )


def _shares(decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return decision values as numbers from 0 to 1 that sum to 1, in the same order."""
    if n_classes == 1:
        return np.ones((len(decisions), 1))
    if decisions.ndim == 1:
        return np.column_stack([expit(-decisions), expit(decisions)])
    shares: NDArray[np.float64] = softmax(decisions, axis=1)
    return shares
