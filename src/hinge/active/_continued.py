"""The estimator `Continued`: repeated calls of `fit` with all rows learn only what is new."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from hinge._model.labels import as_classes
from hinge._model.locking import reads, writes
from hinge._model.types import available_if
from hinge._model.validation import Storage, check_examples, check_queries, check_weights
from hinge.active._model_access import can_revise, without_lock
from hinge.active._row_index import HashedRows, RowChanges, RowIndex
from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray
    from sklearn.utils import Tags

    from hinge.active._rows import Labels, RowsLike

_FEATURE_ATTRIBUTES = ("n_features_in_", "feature_names_in_")


def _has_decision_function(continued: Continued) -> bool:
    return hasattr(continued._current_model, "decision_function")


def _has_predict_proba(continued: Continued) -> bool:
    from_margins = continued.probabilities is not None and _has_decision_function(continued)
    return from_margins or hasattr(continued._current_model, "predict_proba")


class Continued(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier whose `fit` learns only what is new.

    Tools for active learning call `fit` with all labelled rows after every answer. `Continued` compares these rows, by
    content and in any order, with those that its model has learned already. New rows go to `partial_fit`. If the model
    has `relabel` and `forget`, as `IncrementalSVC` does, rows with another label and rows that are gone are passed to
    these, and the model is the exact solution for the rows of the last call. Other models are then trained on all rows
    from scratch.

    Parameters
    ----------
    estimator : estimator
        A classifier with `partial_fit`. It is cloned and never modified.
    classes : array-like of shape (n_classes,), default=None
        Classes to expect. A model that starts from scratch then gets them by `partial_fit`, which is called instead of
        `fit`. Models of this package accept new classes at any time. Other models are trained from scratch when a new
        class appears, and cannot start with a single class unless they are told the others.
    probabilities : {None, "margins"}, default=None
        "margins" adds `predict_proba` to an estimator that has only `decision_function`, for tools that need it:
        1 / (1 + exp(-f)) with two classes, the softmax of the decision values with more. These values rank the classes
        as the decision values do, but they are not calibrated: 0.9 does not mean nine out of ten.

    Attributes
    ----------
    estimator_ : estimator
        The fitted model. Do not train it directly: this estimator would not notice.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had names.

    Notes
    -----
    `gamma="scale"` is computed from the first rows that a model learns and kept. Here these are few, so set a number.
    `OnlineSVC` and other single-pass models depend on the order of the examples, and so on the order of the answers.
    `class_weight="balanced"` depends on all labels: with it, every `fit` starts from scratch.

    After a change of parameters (`set_params`) or of the number of features, the next `fit` starts from scratch.
    Weights belong to the rows: a row with another weight is another row. Copies and pickles continue where the original
    is; `clone` starts from scratch. Only hashes of the rows are stored; hashing thousands of rows takes tenths of a
    second.

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

    def __init__(
        self, estimator: BaseEstimator, classes: ArrayLike | None = None, probabilities: str | None = None
    ) -> None:
        self.estimator = estimator
        self.classes = classes
        self.probabilities = probabilities

    @property
    def _current_model(self) -> BaseEstimator:
        """The fitted model, or the given estimator before the first fit."""
        return vars(self).get("estimator_", self.estimator)

    @property
    @reads
    def classes_(self) -> Labels:
        """The class labels."""
        classes: Labels = self.estimator_.classes_
        return classes

    @writes
    def fit(self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Make the model one of these rows and no others, with as little training as possible.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            All examples that the model is to know, in any order.
        y : array-like of shape (n,)
            Labels. A single class is enough if the estimator's `partial_fit` can start with one.
        sample_weight : array-like of shape (n,), default=None
            Sample weights. Rows of weight 0 are ignored.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_parameters(sample_weight)
        probe = clone(self)  # gets the number and names of features, so that an error leaves this estimator unchanged
        data = self._check_data(probe, X, y, sample_weight, None)
        if not self._update_model(data):
            row_index = RowIndex()
            ids = row_index.reserve(len(data.y))
            model = self._fit_from_scratch(data, ids)
            row_index.add(data.hashes, data.labels, ids)
            self.estimator_, self._row_index, self._fitted_settings = model, row_index, self._settings()
        self._store_features(probe, data)
        return self

    @writes
    def partial_fit(
        self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn rows as new ones, even if the model knows equal rows.

        The next `fit` treats them as known, and forgets those that it is not given.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.
        y : array-like of shape (n,)
            Labels.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect, as the estimator's `partial_fit` takes them; None for the parameter of this estimator.
        sample_weight : array-like of shape (n,), default=None
            Sample weights. Rows of weight 0 are ignored.

        Returns
        -------
        self : object
            The estimator.
        """
        self._check_parameters(sample_weight)
        started = "estimator_" in vars(self)
        probe = self if started else clone(self)
        data = self._check_data(probe, X, y, sample_weight, self._storage if started else None)
        model, row_index = (self.estimator_, self._row_index) if started else (clone(self.estimator), RowIndex())
        announced = self.classes if classes is None and not started else classes
        keywords = {} if announced is None else {"classes": as_classes(announced)}
        was_valid, row_index.is_valid = row_index.is_valid, False
        ids = row_index.reserve(len(data.y))
        model.partial_fit(**data.keywords(), **keywords, **_ids_keyword(model, ids))
        row_index.add(data.hashes, data.labels, ids)
        row_index.is_valid = was_valid
        self._fitted_settings = self._fitted_settings if started else self._settings()
        self.estimator_, self._row_index = model, row_index
        self._store_features(probe, data)
        return self

    @reads
    def predict(self, X: RowsLike) -> Labels:
        """Predict the classes of examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        return np.asarray(self._call("predict", X))

    @available_if(_has_decision_function)
    @reads
    def decision_function(self, X: RowsLike) -> NDArray[np.float64]:
        """Compute the decision values of the model.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            Decision values, as the model returns them.
        """
        return self._call("decision_function", X)

    @available_if(_has_predict_proba)
    @reads
    def predict_proba(self, X: RowsLike) -> NDArray[np.float64]:
        """Compute the probabilities of the classes, or the uncalibrated values of `probabilities="margins"`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n, n_classes)
            One column per class, in the order of `classes_`; rows sum to 1.

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
            return self._call("predict_proba", X)
        return _probabilities_from_margins(self._call("decision_function", X), len(self.classes_))

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self)

    @reads
    def __getstate__(self) -> dict[str, object]:
        # Copied under the lock: pickle would read the parts later, while another thread may be training.
        parts = without_lock(super().__getstate__())
        return parts | deepcopy({name: parts[name] for name in ("estimator_", "_row_index") if name in parts})

    def __sklearn_tags__(self) -> Tags:
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
                "with every example; use a kernel name or function."
            )
        if self.probabilities not in (None, "margins"):
            raise ParameterError(f"probabilities must be None or 'margins', got {self.probabilities!r}; choose one.")
        if sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ParameterError(f"sample_weight must be None, since {kind} takes no weights; leave it out.")

    def _check_data(
        self, owner: Continued, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None, storage: Storage | None
    ) -> HashedRows:
        """Return checked rows; without a storage, sets the number and names of features of `owner`."""
        X, y = check_examples(owner, X, y, storage, sparse=get_tags(self.estimator).input_tags.sparse)
        if sample_weight is None:
            return HashedRows(X, y, None)
        weights = check_weights(sample_weight, len(y))
        used = weights > 0
        if not used.any():
            raise DataError(
                "sample_weight must be above zero for some row, got none that is; leave it out to use all rows."
            )
        return HashedRows(X, y, weights) if used.all() else HashedRows(X[used], y[used], weights[used])

    def _settings(self) -> dict[str, object]:
        """Return all parameters; if one of them changes, the model must be trained from scratch."""
        classes = None if self.classes is None else tuple(as_classes(self.classes).tolist())
        values = {"": (type(self.estimator), classes), **self.estimator.get_params(deep=True)}
        return {name: dict(value) if isinstance(value, dict) else value for name, value in values.items()}

    def _fit_from_scratch(self, data: HashedRows, ids: range) -> BaseEstimator:
        """Return a new model of all rows."""
        model = clone(self.estimator)
        keywords = data.keywords() | _ids_keyword(model, ids)
        if self.classes is not None:
            return model.partial_fit(classes=as_classes(self.classes), **keywords)
        if len(set(data.labels)) > 1:
            return model.fit(**keywords)
        with suppress(ValueError):  # most classifiers cannot fit one class, but partial_fit may start with it
            return model.fit(**keywords)
        return clone(self.estimator).partial_fit(**keywords)

    def _update_model(self, data: HashedRows) -> bool:
        """Update the model to these rows; return whether that was possible."""
        row_index: RowIndex | None = vars(self).get("_row_index")
        if row_index is None or not row_index.is_valid or self._storage.n_features != data.X.shape[1]:
            return False
        if not _settings_equal(self._fitted_settings, self._settings()):
            return False
        row_index.is_valid = False
        changes = row_index.compare(data.hashes, data.labels)
        if self._apply_changes(data, changes):
            row_index.replace(data.hashes, data.labels, changes.ids)
            row_index.is_valid = True
        return row_index.is_valid

    def _apply_changes(self, data: HashedRows, changes: RowChanges) -> bool:
        """Relabel, learn and forget rows; return whether the model can do so."""
        model, ids = self.estimator_, changes.ids
        relabelled = [ids[row] for row in changes.relabelled]
        revised = {*relabelled, *changes.removed}
        if revised and not (can_revise(model) and revised <= set(model.ids_)):  # a bounded model may have evicted some
            return False
        try:
            if relabelled:
                model.relabel(relabelled, data.y[changes.relabelled])
            if changes.new:
                keywords = _ids_keyword(model, [ids[row] for row in changes.new])
                model.partial_fit(**data.keywords(changes.new), **keywords)
            if changes.removed:
                model.forget(changes.removed)
        except ValueError:  # for example a class that comes too late; if the rows are wrong, fit will say so
            return False
        return True

    def _store_features(self, probe: Continued, data: HashedRows) -> None:
        """Store the number and names of the features, which `probe` has, and the type of the rows."""
        for name in _FEATURE_ATTRIBUTES:
            if hasattr(probe, name):
                setattr(self, name, getattr(probe, name))
            elif hasattr(self, name):
                delattr(self, name)
        self._storage = Storage.of(data.X)

    def _call(self, method: str, X: RowsLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = check_queries(self, X, self._storage, sparse=get_tags(self.estimator).input_tags.sparse)
        return np.asarray(getattr(self.estimator_, method)(rows))


def _ids_keyword(model: BaseEstimator, ids: Sequence[int]) -> dict[str, Sequence[int]]:
    """Return ids as a keyword argument for models that accept it."""
    return {"ids": ids} if can_revise(model) else {}


def _settings_equal(before: dict[str, object], after: dict[str, object]) -> bool:
    """Return whether settings are unchanged; plain values are compared, other objects must be identical."""
    plain = (int, float, str, tuple, dict)
    return before.keys() == after.keys() and all(
        before[name] is now or (isinstance(now, plain) and type(before[name]) is type(now) and before[name] == now)
        for name, now in after.items()
    )


def _probabilities_from_margins(decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Map decision values to numbers from 0 to 1 that sum to 1, in the same order."""
    if n_classes == 1:
        return np.ones((len(decisions), 1))
    if decisions.ndim == 1:
        return np.column_stack([expit(-decisions), expit(decisions)])
    shares: NDArray[np.float64] = softmax(decisions, axis=1)
    return shares
