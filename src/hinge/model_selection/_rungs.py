"""The rungs of a race: which rows the settings learn, and which test them.

Screening rungs grow fourfold, and the last ones, a quarter and an eighth of the rows, twofold: what is best among few
rows need not be best among many. Models learn the first n_k rows of one stratified order, and the rows behind them test
them. Predictions cost little next to learning, so a rung tests on more rows than it learns, and settings that cost much
are told apart before they cost much.

The last rungs confirm, and their losses count together: the two halves of the rows test models of the other half, or
the folds of `cv` test models of the other folds, or exact leave-one-out does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.types import RandomStateLike

    Indices = NDArray[np.int64]

_MIN_ROWS = 2000  # fewer rows are cut into folds instead
_FIRST_ROWS = 150  # of the first rung, at least
_GROWTH = 4  # of the rows from rung to rung
_N_DOUBLING = 2  # rungs before the halves that grow by two instead
_FIRST_TEST_ROWS = 2000  # test at least on so many rows: early rungs have many settings to tell apart
_TEST_ROWS, _WIDE_TEST_ROWS = 8000, 4000  # and on so many, if these are at most half of all,
_TEST_SHARE, _WIDE_TEST_SHARE = 4, 2  # and so many times those that are learned
_WIDE = 100  # values in a row with which products cost most, in predictions as in learning
_MIN_PER_CLASS = 10  # rows of the rarest class in the first rung, where there are enough
_N_FOLDS = 5  # of training sets too small to be screened
_SMALL_FINALISTS = 24  # settings that are confirmed at least where fits cost little, if they cannot be told apart


@dataclass(frozen=True)
class Rung:
    """One stage of a race.

    Attributes
    ----------
    train, test : ndarray of int
        Rows to learn and to test on. They are equal for leave-one-out.
    limited : bool
        Whether only as many settings take part as cost a few fits of all rows.
    confirms : bool
        Whether the losses count together with those of the other confirming rungs.
    skippable : bool
        Whether it is left out when only one setting remains.
    leave_one_out : bool
        Whether each row is tested by the model that did not learn it.
    least : int
        Number of settings that take part whatever they cost.
    """

    train: Indices
    test: Indices
    limited: bool = False
    confirms: bool = False
    skippable: bool = False
    leave_one_out: bool = False
    least: int = 1


def stratified_order(y: NDArray[Any] | None, n: int, random: np.random.RandomState) -> Indices:
    """Return a random order of rows in which every beginning has about the same share of each class.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> y[stratified_order(y, 6, np.random.RandomState(0))][:3].tolist().count(1)
    1
    """
    order: Indices = random.permutation(n)
    if y is None:
        return order
    _, numbers = np.unique(y[order], return_inverse=True)
    place = np.empty(n)
    for number, count in enumerate(np.bincount(numbers)):
        place[numbers == number] = (np.arange(count) + random.uniform()) / count
    return order[np.argsort(place, kind="stable")]


def width_of(X: Any) -> float:
    """Return the number of entries of a row; before a pipeline, of the columns it begins with."""
    if sparse.issparse(X):
        return float(X.nnz / X.shape[0])
    return float(np.shape(X)[1]) if np.ndim(X) == 2 else 1.0


def first_size(y: NDArray[Any] | None, n: int) -> int:
    """Return the number of rows of the first rung."""
    if y is None:
        return _FIRST_ROWS
    _, counts = np.unique(y, return_counts=True)
    rarest = int(np.ceil(_MIN_PER_CLASS * n / counts.min()))
    return max(_FIRST_ROWS, min(rarest, n // 16), _MIN_PER_CLASS * len(counts))


def make_rungs(
    X: Any, y: NDArray[Any] | None, cv: Any, groups: Any, random_state: RandomStateLike, *, stratify: bool
) -> list[Rung]:
    """Return the rungs of a race.

    Parameters
    ----------
    X, y : array-like
        The training set.
    cv : None, "loo", int, splitter or iterable
        How the last settings are confirmed; None: by halves, or by five folds where rows are few.
    groups : array-like or None
        For splitters that need groups.
    random_state : int, RandomState instance or None
        Chooses the order of the rows.
    stratify : bool
        Whether `y` are classes.
    """
    n, random = _num_samples(X), check_random_state(random_state)
    classes = y if stratify else None
    order = stratified_order(classes, n, random)
    first = first_size(classes, n)
    if cv is None and n >= max(_MIN_ROWS, 4 * first):
        return [*_screening(X, order, first, n // 2, _N_DOUBLING), *_halves(order)]
    if cv is None:
        folds = _folds(X, y, cv, groups, random, stratify=stratify)
        small = _screening(X, order, first, n, 0)
        return [*small, *(replace(fold, limited=bool(small), least=_SMALL_FINALISTS) for fold in folds)]
    screening = _screening(X, order, first, n // 2, _N_DOUBLING) if n >= max(_MIN_ROWS, 8 * first) else []
    if isinstance(cv, str):
        rows = np.arange(n)
        return [*screening, Rung(rows, rows, limited=bool(screening), confirms=True, leave_one_out=True)]
    folds = _folds(X, y, cv, groups, random, stratify=stratify)
    return [*screening, *(replace(fold, limited=bool(screening)) for fold in folds)]


def _screening(X: Any, order: Indices, first: int, below: int, n_doubling: int) -> list[Rung]:
    """Return screening rungs of at least `first` and fewer than `below` rows."""
    sizes = [below]
    while sizes[-1] // _GROWTH >= first or (len(sizes) <= n_doubling and sizes[-1] // 2 >= first):
        sizes.append(sizes[-1] // (2 if len(sizes) <= n_doubling else _GROWTH))
    is_wide = width_of(X) > _WIDE
    share, most = (_WIDE_TEST_SHARE, _WIDE_TEST_ROWS) if is_wide else (_TEST_SHARE, _TEST_ROWS)
    rungs = []
    for size in reversed(sizes[1:]):
        n_test = max(size, min(share * size, most, len(order) // 2), _FIRST_TEST_ROWS)
        rungs.append(Rung(order[:size], order[size : size + n_test], limited=True, skippable=True))
    return rungs


def _halves(order: Indices) -> list[Rung]:
    middle = len(order) // 2
    first, second = order[:middle], order[middle:]
    there = Rung(first, second, limited=True, confirms=True)
    return [there, Rung(second, first, limited=True, confirms=True, skippable=True)]


def _folds(
    X: Any,
    y: NDArray[Any] | None,
    cv: Any,
    groups: Any,
    random: np.random.RandomState,
    *,
    stratify: bool,
) -> list[Rung]:
    splitter = check_cv(_default_folds(y, random, stratify=stratify) if cv is None else cv, y, classifier=stratify)
    rungs = []
    for number, (train, test) in enumerate(splitter.split(X, y, groups)):
        if y is not None and stratify and len(np.unique(y[train])) < 2:
            raise DataError(
                f"Fold {number + 1} of cv leaves only one class to learn from; pass cv=StratifiedKFold(..., "
                "shuffle=True), or more rows of each class."
            )
        rungs.append(Rung(np.asarray(train), np.asarray(test), confirms=True))
    return rungs


def _default_folds(y: NDArray[Any] | None, random: np.random.RandomState, *, stratify: bool) -> Any:
    """Return folds that leave every class some rows, as far as there are any."""
    if y is None or not stratify:
        return _N_FOLDS
    _, counts = np.unique(y, return_counts=True)
    n_folds = max(2, min(_N_FOLDS, int(counts.min())))
    return StratifiedKFold(n_folds, shuffle=True, random_state=random)
