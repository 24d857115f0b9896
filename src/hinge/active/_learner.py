"""The class `ActiveLearner`: a pool of rows, their labels so far, and the model trained on them."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from copy import deepcopy
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils import check_random_state

from hinge._model.labels import as_labels, distinct, one_each, require_one_kind
from hinge._model.locking import reads, writes
from hinge._model.params import bound, choice, whole
from hinge.active._model_access import is_fitted, knows_classes, pooled_rows, take_pooled, without_lock
from hinge.active._pool import UnlabelledRows
from hinge.active._query import select_rows
from hinge.active._rows import count_rows, take_rows
from hinge.active._selection import STRATEGIES, QueryOptions
from hinge.active._stopping import StoppingMonitor
from hinge.active._updating import copy_model, updater_for
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import Label, Labels, RowsLike
    from hinge.active._selection import Seed
    from hinge.active._stopping import Advice


class ActiveLearner:
    """A model that asks for the labels it needs.

    `ask` names rows of the pool and `tell` takes their labels, until `advice` says that further labels are unlikely to
    change the model. Models of this package learn each label in a few milliseconds or less; others are fitted again.

    Until labels of two classes are known, rows are drawn at random.

    Parameters
    ----------
    model : estimator
        Any classifier with `decision_function` or `predict_proba`. It is copied and never modified. A fitted model
        chooses rows from the first question on, and keeps learning if it is a model of this package. For an unfitted
        model of this package, `gamma="scale"` is computed from the pool.
    X_pool : array-like, CSR matrix or DataFrame of shape (n_rows, n_features)
        The examples, without labels. Arrays and matrices are not copied: do not change them while the learner is used.
    strategy : {"boundary", "positive", "autoactive", "random"}, default="boundary"
        What makes a row worth labelling, as in `query`.
    sample : int, default=None
        Score only this many random rows for each question, for example 50. None scores all.
    random_state : int, RandomState instance or None, default=None
        Seed of the random draws.
    spread : float, default=0.2
        Minimum distance between the rows of one question, as in `query`.
    target : object, default=None
        The class that "positive" looks for, as in `query`; rows are drawn at random until it is known.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hinge import OnlineSVC
    >>> from hinge.active import ActiveLearner
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = ActiveLearner(OnlineSVC(C=10), X[:1500], random_state=0)
    >>> while len(learner.labels) < 200:
    ...     rows = learner.ask(n=5)
    ...     learner = learner.tell(rows, y[rows])  # somebody knows the labels
    >>> bool(learner.model.score(X[1500:], y[1500:]) > 0.9)
    True
    """

    def __init__(
        self,
        model: BaseEstimator,
        X_pool: RowsLike,
        strategy: str = "boundary",
        sample: int | None = None,
        random_state: Seed = None,
        *,
        spread: float = 0.2,
        target: object = None,
    ) -> None:
        QueryOptions.validate(1, strategy, sample, random_state, spread, target)
        self._pooled = pooled_rows(model, X_pool)
        given = X_pool if hasattr(X_pool, "shape") else np.asarray(X_pool)
        self._X: RowsLike = given if self._pooled is None else self._pooled.X
        self._initial_model = copy_model(model, self._X)
        self._model = deepcopy(self._initial_model)
        self._updater = updater_for(model)
        self.strategy, self.sample, self.spread, self.target = strategy, sample, spread, target
        self._random = check_random_state(random_state)
        self._unlabelled = UnlabelledRows(count_rows(self._X))
        self._labels: dict[int, Label] = {}
        self._was_fitted = self._is_fitted = is_fitted(self._initial_model)
        self._is_stale = False  # whether the model has not learned all of `_labels`
        self._monitor = StoppingMonitor(self._unlabelled.sorted(), self._random.randint(2**31))

    @property
    @writes
    def model(self) -> BaseEstimator:
        """The model of all labels so far; not fitted while they are of one class."""
        self._refresh()
        return self._model

    @property
    def labels(self) -> Mapping[int, Any]:
        """The labels by row, in the order in which they were told; a read-only view that follows later changes."""
        return MappingProxyType(self._labels)

    @property
    @reads
    def n_open(self) -> int:
        """The number of rows without a label."""
        return len(self._unlabelled)

    @writes
    def ask(self, n: int = 1, exclude: Iterable[int] = (), strategy: str | None = None) -> NDArray[np.int64]:
        """Select rows of the pool whose labels are expected to help the model most.

        Parameters
        ----------
        n : int, default=1
            Number of rows. Fewer are returned when fewer are left, in the end none.
        exclude : iterable of int, default=()
            Rows to leave out: those that somebody else is labelling, or that nobody can label.
        strategy : str, default=None
            Another strategy for this call only, for example "random" to measure the accuracy of the model.

        Returns
        -------
        ndarray of shape (n,)
            Unlabelled rows, best first. The call changes nothing, so the next one may return the same rows.
        """
        n = whole("n", n, at_least=1, hint="it is the number of rows to choose")
        excluded = list(set(exclude))
        with self._unlabelled.excluding(self._check_rows(excluded).tolist() if excluded else ()):
            if not len(self._unlabelled):
                return np.empty(0, dtype=np.int64)
            options = self._query_options(min(n, len(self._unlabelled)), strategy)
            positions = options.candidates(len(self._unlabelled))
            rows = self._unlabelled.sorted() if positions is None else self._unlabelled.at(positions)
        return select_rows(self._model, self._X, options, rows, self._take_rows)

    def _query_options(self, n: int, strategy: str | None) -> QueryOptions:
        """Return the options of a query; rows are drawn at random while the model cannot choose."""
        chosen = choice("strategy", self.strategy if strategy is None else strategy, STRATEGIES)
        sample = bound("sample", self.sample, at_least=1)
        target = self.target if chosen == "positive" else None
        if chosen != "random" and not self._can_choose(target):
            chosen = "random"
        sample = None if sample is None else max(sample, n)
        return QueryOptions(n, chosen, sample, self._random, self.spread, target)

    @writes
    def tell(self, indices: ArrayLike, labels: ArrayLike) -> Self:
        """Learn the labels of rows.

        Parameters
        ----------
        indices : array-like of shape (n,) or int
            Rows of the pool. The label of a row that already has one is replaced.
        labels : array-like of shape (n,) or one label
            Their labels: strings, integers or booleans; new classes may appear at any time.

        Returns
        -------
        self : object
            The learner.
        """
        rows = self._check_rows(indices)
        given = one_each(labels, len(rows), "labels")
        require_one_kind([*islice(self._labels.values(), 1), *given.tolist()])
        known = np.array([row in self._labels for row in rows.tolist()], dtype=bool)
        old = {row: self._labels[row] for row in rows[known].tolist()}
        changed = known.copy()
        changed[known] = [old[row] != label for row, label in zip(old, given[known].tolist(), strict=True)]
        new = rows[~known]
        self._try_refresh()
        with self._rollback_on_error(lambda: self._restore_labels(old, new.tolist())):
            self._labels.update(zip(rows.tolist(), given.tolist(), strict=True))
            for row in new.tolist():
                self._unlabelled.remove(row)
            self._add(new, given[~known])
            self._relabel(rows[changed], given[changed])
        return self

    @writes
    def forget(self, indices: ArrayLike) -> Self:
        """Remove labels: the model becomes the one that never saw them, and the rows may be asked about again.

        Exact models forget single labels; others are trained again on all remaining labels.

        Parameters
        ----------
        indices : array-like of shape (n,) or int
            Labelled rows of the pool.

        Returns
        -------
        self : object
            The learner.
        """
        rows = self._check_rows(indices)
        for row in rows.tolist():
            if row not in self._labels:
                raise DataError(f"Rows to forget must have a label, got row {row}, which has none; look into `labels`.")
        self._try_refresh()
        before = dict(self._labels)
        with self._rollback_on_error(lambda: vars(self).update(_labels=before)):
            for row in rows.tolist():
                del self._labels[row]
                self._unlabelled.add(row)
            if len(rows) and not self._is_stale:
                self._is_stale = not (self._is_fitted and self._updater.forget(self._model, rows))
        return self

    @reads
    def __getstate__(self) -> dict[str, object]:
        # Copied under the lock: pickle would read the parts later, while another thread may be changing them.
        parts = without_lock(vars(self))
        mutable = ("_model", "_random", "_unlabelled", "_labels", "_monitor")
        return parts | deepcopy({name: parts[name] for name in mutable})

    @writes
    def advice(self) -> Advice:
        """Return whether further labels are likely to change the model.

        Call it regularly, after every answer if you like: it compares the predictions for the same rows as labels
        accumulate.

        Returns
        -------
        Advice
            `stop`, and `reason` in one sentence.
        """
        return self._monitor.advise(self._model if self._can_choose(None) else None, self._X, self._labels)

    @property
    @writes
    def can_choose(self) -> bool:
        """Whether the model knows enough to choose rows; otherwise they are drawn at random."""
        return self._can_choose(None)

    def _can_choose(self, target: object) -> bool:
        """Return whether the model knows two classes, `target` among them if there is one."""
        self._refresh()
        return self._is_fitted and knows_classes(self._model, target)

    def _take_rows(self, X: RowsLike, rows: NDArray[np.int64]) -> RowsLike:
        """Return rows in the form that the model checks fastest."""
        if self._pooled is None or not self._is_fitted:
            return take_rows(X, rows)
        return take_pooled(self._model, self._pooled, rows)

    def _add(self, rows: NDArray[np.int64], labels: Labels) -> None:
        """Learn rows that had no label, if the model is up to date."""
        if len(rows) and not self._is_stale:
            updated = self._is_fitted and self._updater.add(self._model, self._take_rows(self._X, rows), rows, labels)
            self._is_stale = not updated

    def _relabel(self, rows: NDArray[np.int64], labels: Labels) -> None:
        """Change the labels of rows, if the model is up to date."""
        if len(rows) and not self._is_stale:
            self._is_stale = not (self._is_fitted and self._updater.relabel(self._model, rows, labels))

    @contextmanager
    def _rollback_on_error(self, restore: Callable[[], None]) -> Iterator[None]:
        """Restore the labels if the model rejects them; Ctrl-C keeps them, and the model is trained again later."""
        try:
            yield
        except BaseException as error:
            self._is_stale = True
            if isinstance(error, Exception):
                restore()
            # The set may have been interrupted between two updates.
            self._unlabelled = UnlabelledRows(count_rows(self._X), labelled=self._labels)
            raise

    def _restore_labels(self, old: dict[int, Label], new: list[int]) -> None:
        """Set rows back to their old labels, and remove the labels of new rows."""
        self._labels.update(old)
        for row in new:
            self._labels.pop(row, None)

    def _try_refresh(self) -> None:
        """Bring an incremental model up to date now; the next labels may correct those that it rejects."""
        if self._updater.is_incremental:
            with suppress(ValueError):
                self._refresh()

    def _refresh(self) -> None:
        """Train the model from scratch on all labels if it is stale."""
        if not self._is_stale:
            return
        model = deepcopy(self._initial_model)
        rows = np.fromiter(self._labels, dtype=np.int64, count=len(self._labels))
        labels = as_labels(list(self._labels.values()))
        X, has_classes = take_rows(self._X, rows), len(rows) > 0 and len(distinct(labels)) > 1
        can_fit = self._was_fitted or has_classes
        updated = can_fit and len(rows) and self._updater.add(model, X, rows, labels)
        if has_classes and not updated:
            model.fit(X, labels)
        self._model, self._is_fitted, self._is_stale = model, can_fit, False

    def _check_rows(self, indices: ArrayLike) -> NDArray[np.int64]:
        """Return indices as an array, or raise DataError."""
        rows = np.atleast_1d(np.asarray(indices))
        if not rows.size:
            return np.empty(0, dtype=np.int64)
        n_rows = count_rows(self._X)
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n_rows:
            raise DataError(f"Rows must be rows of the pool, integers from 0 to {n_rows - 1}, got {indices!r}.")
        if len(rows) > 1 and len(np.unique(rows)) < len(rows):
            raise DataError("Rows must all be different, got a row twice; tell each row once.")
        return rows.astype(np.int64, copy=False)
