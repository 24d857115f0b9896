"""The dialogue: which rows to ask about, what they are, and the model of all answers so far."""

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
from hinge.active._advice import Adviser
from hinge.active._choose import STRATEGIES, Question
from hinge.active._pool import OpenRows
from hinge.active._query import choose
from hinge.active._rows import count_rows, take_rows
from hinge.active._teaching import is_fitted, knows_classes, own_copy, pooled_rows, teacher_of
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from hinge.active._advice import Advice


class ActiveLearner:
    """A model that asks for the labels it needs.

    `ask` names rows of the pool, `tell` takes their labels, and so on until `advice` says that further labels are
    unlikely to change anything. Models of this package learn each answer in a fraction of a millisecond or a few of
    them; others are fitted anew.

    Until labels of two classes have come there is nothing to choose by, and rows are drawn at random.

    Parameters
    ----------
    model : estimator
        Any classifier with `decision_function` or `predict_proba`. It is copied and stays as it is. One that is fitted
        already chooses from the first question on, and goes on learning if it is of this package; `gamma="scale"` of
        one of ours that is not means that of the pool.
    X_pool : array-like, CSR matrix or DataFrame of shape (n_rows, n_features)
        The examples, without labels. Arrays and matrices are used as they are: do not change them meanwhile.
    strategy : {"boundary", "positive", "autoactive", "random"}, default="boundary"
        What is worth asking about, as in `query`.
    sample : int, default=None
        Look at that many random rows for each question, 50 for example. None looks at all.
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices.
    spread : float, default=0.2
        How far apart the rows of one question are, as in `query`.
    target : object, default=None
        The class that the strategy "positive" looks for, as in `query`; rows are drawn at random until it is known.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hinge import OnlineSVC
    >>> from hinge.active import ActiveLearner
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = ActiveLearner(OnlineSVC(C=10), X[:1500], random_state=0)
    >>> while len(learner.labels) < 200:
    ...     rows = learner.ask(n=5)
    ...     learner = learner.tell(rows, y[rows])  # somebody knows
    >>> bool(learner.model.score(X[1500:], y[1500:]) > 0.9)
    True
    """

    def __init__(
        self,
        model: Any,
        X_pool: Any,
        strategy: str = "boundary",
        sample: int | None = None,
        random_state: Any = None,
        *,
        spread: float = 0.2,
        target: Any = None,
    ) -> None:
        Question.checked(1, strategy, sample, random_state, spread, target)
        self._pooled = pooled_rows(model, X_pool)
        given = X_pool if hasattr(X_pool, "shape") else np.asarray(X_pool)
        self._X = given if self._pooled is None else self._pooled.X
        self._start = own_copy(model, self._X)
        self._model = deepcopy(self._start)
        self._teacher = teacher_of(model)
        self.strategy, self.sample, self.spread, self.target = strategy, sample, spread, target
        self._random = check_random_state(random_state)
        self._open = OpenRows(count_rows(self._X))
        self._labels: dict[int, Any] = {}
        self._knows_before = self._is_taught = is_fitted(self._start)
        self._is_behind = False  # the model does not yet know what `_labels` says
        self._adviser = Adviser(self._open.all(), self._random.randint(2**31))

    @property
    @writes
    def model(self) -> Any:
        """The model of all labels so far; not fitted while they are of one class."""
        self._catch_up()
        return self._model

    @property
    def labels(self) -> Mapping[int, Any]:
        """The label of every row that has one, in the order in which they came; a view, that changes with them."""
        return MappingProxyType(self._labels)

    @property
    @reads
    def n_open(self) -> int:
        """The number of rows without a label."""
        return len(self._open)

    @writes
    def ask(self, n: int = 1, exclude: Iterable[int] = (), strategy: str | None = None) -> NDArray[np.int64]:
        """Return rows of the pool whose labels would teach the model most.

        Parameters
        ----------
        n : int, default=1
            How many rows. Fewer are returned when fewer are left, in the end none.
        exclude : iterable of int, default=()
            Rows not to ask about now: those that somebody else is looking at, or cannot tell.
        strategy : str, default=None
            Another strategy for this question alone: "random", for example, to measure how good the model is.

        Returns
        -------
        ndarray of shape (n,)
            Rows without a label, best first. Asking does not change anything: the same row may be named again.
        """
        n = whole("n", n, at_least=1, hint="it is the number of rows to choose")
        excluded = list(set(exclude))
        with self._open.without(self._checked_rows(excluded).tolist() if excluded else ()):
            if not len(self._open):
                return np.empty(0, dtype=np.int64)
            question = self._question(min(n, len(self._open)), strategy)
            places = question.candidates(len(self._open))
            rows = self._open.all() if places is None else self._open.at(places)
        return choose(self._model, self._X, question, rows, self._few)

    def _question(self, n: int, strategy: str | None) -> Question:
        """Return the question to ask; a model that knows too little leaves it to chance."""
        chosen = choice("strategy", self.strategy if strategy is None else strategy, STRATEGIES)
        sample = bound("sample", self.sample, at_least=1)
        target = self.target if chosen == "positive" else None
        if chosen != "random" and not self._can_choose(target):
            chosen = "random"
        sample = None if sample is None else max(sample, n)
        return Question(n, chosen, sample, self._random, self.spread, target)

    @writes
    def tell(self, indices: Any, labels: Any) -> Self:
        """Learn the labels of rows.

        Parameters
        ----------
        indices : array-like of shape (n,) or int
            Rows of the pool. One that has a label already gets the new one instead.
        labels : array-like of shape (n,) or one label
            Their labels: texts, whole numbers or truth values; new classes may appear at any time.

        Returns
        -------
        self : object
            The learner.
        """
        rows = self._checked_rows(indices)
        given = one_each(labels, len(rows), "labels")
        require_one_kind([*islice(self._labels.values(), 1), *given.tolist()])
        known = np.array([row in self._labels for row in rows.tolist()], dtype=bool)
        old = {row: self._labels[row] for row in rows[known].tolist()}
        changed = known.copy()
        changed[known] = [old[row] != label for row, label in zip(old, given[known].tolist(), strict=True)]
        new = rows[~known]
        self._try_to_catch_up()
        with self._changing(lambda: self._take_back(old, new.tolist())):
            self._labels.update(zip(rows.tolist(), given.tolist(), strict=True))
            for row in new.tolist():
                self._open.close(row)
            self._learn(new, given[~known])
            self._correct(rows[changed], given[changed])
        return self

    @writes
    def forget(self, indices: Any) -> Self:
        """Take labels back: the model is then the one that never got them, and the rows may be asked about again.

        Exact models forget at once; others are taught all the other labels from the start.

        Parameters
        ----------
        indices : array-like of shape (n,) or int
            Rows of the pool that have a label.

        Returns
        -------
        self : object
            The learner.
        """
        rows = self._checked_rows(indices)
        for row in rows.tolist():
            if row not in self._labels:
                raise DataError(f"Rows to forget must have a label, got row {row}, which has none; look into `labels`.")
        self._try_to_catch_up()
        before = dict(self._labels)
        with self._changing(lambda: vars(self).update(_labels=before)):
            for row in rows.tolist():
                del self._labels[row]
                self._open.open(row)
            if len(rows) and not self._is_behind:
                self._is_behind = not (self._is_taught and self._teacher.forget(self._model, rows))
        return self

    @reads
    def __getstate__(self) -> dict[str, Any]:
        # Pickle would come to the parts one by one, while another thread may be changing them.
        parts = {name: value for name, value in vars(self).items() if name != "_turn"}
        return parts | deepcopy({name: parts[name] for name in ("_model", "_random", "_open", "_labels", "_adviser")})

    @writes
    def advice(self) -> Advice:
        """Return whether further labels are likely to change the model.

        Call it from time to time, after every answer if you like: it compares what the model says about the same rows
        as labels accumulate.

        Returns
        -------
        Advice
            `stop`, and `reason` in one sentence.
        """
        return self._adviser.advise(self._model if self._can_choose(None) else None, self._X, self._labels)

    @property
    @writes
    def can_choose(self) -> bool:
        """Whether the model knows enough to choose; otherwise rows are drawn at random."""
        return self._can_choose(None)

    def _can_choose(self, target: Any) -> bool:
        """Tell whether the model knows two classes and, if there is one, the class that is looked for."""
        self._catch_up()
        return self._is_taught and knows_classes(self._model, target)

    def _few(self, X: Any, rows: NDArray[np.int64]) -> Any:
        """Return a few rows as the model takes them quickest."""
        if self._pooled is None or not self._is_taught:
            return take_rows(X, rows)
        return self._model._few(self._pooled, rows)

    def _learn(self, rows: NDArray[np.int64], labels: NDArray[Any]) -> None:
        """Teach labels of rows that had none, if the model knows all others."""
        if len(rows) and not self._is_behind:
            goes_on = self._is_taught and self._teacher.learn(self._model, self._few(self._X, rows), rows, labels)
            self._is_behind = not goes_on

    def _correct(self, rows: NDArray[np.int64], labels: NDArray[Any]) -> None:
        """Teach other labels of rows that had some, if the model knows all others."""
        if len(rows) and not self._is_behind:
            self._is_behind = not (self._is_taught and self._teacher.correct(self._model, rows, labels))

    @contextmanager
    def _changing(self, take_back: Callable[[], None]) -> Iterator[None]:
        """Take labels back that the model refuses; Ctrl-C keeps them, and the model is made anew when it is needed."""
        try:
            yield
        except BaseException as error:
            self._is_behind = True
            if isinstance(error, Exception):
                take_back()
            self._open = OpenRows(count_rows(self._X), closed=self._labels)  # it may have been left half-way
            raise

    def _take_back(self, old: dict[int, Any], new: list[int]) -> None:
        """Give rows their old labels again, and new ones none."""
        self._labels.update(old)
        for row in new:
            self._labels.pop(row, None)

    def _try_to_catch_up(self) -> None:
        """Let a model that goes on learning do so now; what it refuses may be what the next labels put right."""
        if self._teacher.goes_on:
            with suppress(ValueError):
                self._catch_up()

    def _catch_up(self) -> None:
        """Make the model anew from all labels if it is behind them."""
        if not self._is_behind:
            return
        model = deepcopy(self._start)
        rows = np.fromiter(self._labels, dtype=np.int64, count=len(self._labels))
        labels = as_labels(list(self._labels.values()))
        X, several = take_rows(self._X, rows), len(rows) > 0 and len(distinct(labels)) > 1
        is_taught = self._knows_before or several
        goes_on = is_taught and len(rows) and self._teacher.learn(model, X, rows, labels)
        if several and not goes_on:
            model.fit(X, labels)
        self._model, self._is_taught, self._is_behind = model, is_taught, False

    def _checked_rows(self, indices: Any) -> NDArray[np.int64]:
        """Return rows of the pool, or refuse."""
        rows = np.atleast_1d(np.asarray(indices))
        if not rows.size:
            return np.empty(0, dtype=np.int64)
        n_rows = count_rows(self._X)
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n_rows:
            raise DataError(f"Rows must be rows of the pool, whole numbers from 0 to {n_rows - 1}, got {indices!r}.")
        if len(rows) > 1 and len(np.unique(rows)) < len(rows):
            raise DataError("Rows must all be different, got a row twice; tell each row once.")
        return rows.astype(np.int64, copy=False)
