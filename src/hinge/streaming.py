"""The streaming protocol: functions for tools that train estimators batch by batch.

scikit-learn's `partial_fit` learns one batch. A tool that trains any estimator of this package from a stream, such as
`hinge train`, also needs the kind of estimator (`traits`), the end of the first pass (`end_stream`), further passes
(`learn_again`), the finishing step (`finish`), and reports (`progressive_score`, `model_size`).

The estimator for streams that change over time is in `hinge.stream`.

Examples
--------
>>> import hinge
>>> from hinge import datasets, streaming
>>> data = datasets.load("digits")
>>> model = hinge.OnlineSVC(C=data.C, gamma=data.gamma)
>>> streaming.traits(model).task
'classification'
>>> for start in range(0, 1200, 100):
...     rows = slice(start, start + 100)
...     _ = model.partial_fit(data.X_train[rows], data.y_train[rows])
>>> streaming.end_stream(model)
>>> streaming.finish(model)
>>> score = streaming.progressive_score(model)
>>> score.n_examples, score.n_mistakes < 120
(1200, True)
>>> streaming.model_size(model) == len(model.support_)
True
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hinge._model.cache import cache_megabytes as _cache_megabytes
from hinge._model.kernels import KernelSpec
from hinge._model.locking import lock_of, writes
from hinge._model.params import random_seed, whole
from hinge._model.progressive import ProgressiveScore
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._model.state import State
    from hinge._model.types import Array
    from hinge._model.validation import Storage

__all__ = [
    "Model",
    "ProgressiveScore",
    "StreamTraits",
    "Task",
    "add_features",
    "cache_megabytes",
    "check_params",
    "end_stream",
    "finish",
    "is_fitted",
    "kernel",
    "learn_again",
    "model_size",
    "predict_with_scores",
    "progressive_score",
    "resolve_gamma",
    "storage",
    "traits",
]

Model = Any  # an estimator of this package; their parameters and fitted attributes differ
Task = Literal["classification", "one-class", "regression"]


@dataclass(frozen=True)
class StreamTraits:
    """Properties of a class of estimators that training tools need.

    Attributes
    ----------
    task : {"classification", "one-class", "regression"}
        The learning task. One-class estimators learn without labels.
    is_exact : bool
        Whether the estimator holds every example and has the exact solution after one pass.
    is_ordered : bool
        Whether the order of the examples means something: do not shuffle them, and make one pass.
    size_unit : {"support vectors", "features"}
        What `model_size` counts.
    dtype : {"float32", "float64"}
        The recommended precision of the examples.
    """

    task: Task = "classification"
    is_exact: bool = False
    is_ordered: bool = False
    size_unit: Literal["support vectors", "features"] = "support vectors"
    dtype: Literal["float32", "float64"] = "float32"


def traits(model: Model) -> StreamTraits:
    """Return the traits of an estimator, which need not be fitted."""
    found: StreamTraits = model.stream_traits
    return found


def is_fitted(model: Model) -> bool:
    """Return True if an estimator is fitted."""
    return bool(model.__sklearn_is_fitted__())


def check_params(model: Model) -> None:
    """Check the parameters of an estimator for `partial_fit`.

    Raises
    ------
    ParameterError
        If a parameter has an invalid value, or a value that needs the whole training set.
    """
    model._check_params(streaming=True)


def resolve_gamma(model: Model, X: ArrayLike) -> float:
    """Compute the value of `gamma="scale"` or `gamma="auto"` for some examples.

    Parameters
    ----------
    model : estimator
        The estimator; it is not changed.
    X : array or CSR matrix of shape (n, n_features)
        The examples.

    Returns
    -------
    float
        The value; `gamma` itself if it is a number.
    """
    weights = np.ones(np.shape(X)[0])
    resolved = KernelSpec.resolve(model.kernel, model.degree, model.gamma, model.coef0, X=X, weights=weights)
    return resolved.gamma


def learn_again(
    model: Model,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    random_state: np.random.RandomState | None = None,
) -> None:
    """Learn examples that the estimator has already seen in an earlier pass.

    Estimators whose solution depends on how many examples the stream has do not count these examples again. All other
    estimators learn them with `partial_fit`.

    Parameters
    ----------
    model : estimator
        A fitted classifier or regressor.
    X : array or CSR matrix of shape (n, n_features)
        The examples.
    y : array-like of shape (n,)
        Their targets.
    sample_weight : array-like of shape (n,), default=None
        Their weights.
    random_state : RandomState, default=None
        Chooses the order of the examples, for estimators that shuffle them; None uses the estimator's `random_state`.
    """
    if hasattr(model, "learn_again"):
        model.learn_again(X, y, sample_weight, random_state=random_state)
    else:
        model.partial_fit(X, y, sample_weight=sample_weight)


def end_stream(model: Model) -> None:
    """Mark the end of the first pass over a stream.

    Approximate estimators choose their landmarks now if the stream was shorter than their sample. For all other
    estimators this does nothing.
    """
    if hasattr(model, "end_stream"):
        model.end_stream()


def finish(model: Model) -> None:
    """Run the finishing step that `fit` would run after its last pass, if the estimator has one."""
    if model.get_params().get("finishing"):
        model.finish()


def add_features(model: Model, n_features: int, *, sparse: bool = False) -> None:
    """Widen a fitted estimator to `n_features` features in all.

    The new ones count as 0 in every example learned so far, so the estimator predicts what it predicted before where
    they are 0. All kernel values are computed again, so add many features at a time.

    Parameters
    ----------
    model : estimator
        A fitted estimator. A kernel function of the user is called with wider rows from now on.
    n_features : int
        Number of all features from now on, not of those added; at least as many as before.
    sparse : bool, default=False
        Store examples as sparse rows from now on. Sparse rows never become dense again. `AdaptiveSVC`, whose rows are
        always dense, ignores it.

    Examples
    --------
    >>> from hinge import OnlineSVC, streaming
    >>> model = OnlineSVC(gamma=1.0).fit([[0.0], [1.0]], [0, 1])
    >>> streaming.add_features(model, 2)
    >>> model.partial_fit([[1.0, 3.0]], [2]).predict([[0.0, 0.0], [1.0, 0.0], [1.0, 2.5]]).tolist()
    [0, 1, 2]
    """
    if hasattr(model, "add_features"):
        model.add_features(n_features, sparse=sparse)
    else:
        _add_features(model, n_features, sparse=sparse)


@writes
def _add_features(model: Model, n_features: int, *, sparse: bool) -> None:
    state = _state(model)
    before = state.storage
    whole("n_features", n_features, at_least=before.n_features, hint="features cannot be removed")
    if hasattr(model, "feature_names_in_"):
        raise DataError("Features must have no names to be added to a model; train it with an array, not a DataFrame.")
    if state.kernel.name == "precomputed":
        raise DataError("A precomputed kernel has examples as columns, to which no feature can be added.")
    wide = replace(before, n_features=int(n_features), sparse=before.sparse or bool(sparse))
    if wide != before:
        model._state = state.widened(wide, random_seed(getattr(model, "random_state", None)))
        model.n_features_in_ = wide.n_features


def progressive_score(model: Model) -> ProgressiveScore:
    """Return how often a model mispredicted an example just before learning it.

    One-class models count the examples that they took for outliers.

    Returns
    -------
    ProgressiveScore
        `n_examples`, `n_mistakes` and `error` since the model was created or loaded, and `recent_error` of the last
        1000 examples.
    """
    score: ProgressiveScore = replace(model.progressive_score_)
    return score


def cache_megabytes(model: Model) -> float:
    """Return the size of the kernel cache of an estimator in megabytes, a number also for `cache_size="auto"`.

    Examples
    --------
    >>> import hinge
    >>> from hinge import streaming
    >>> streaming.cache_megabytes(hinge.OnlineSVC(cache_size=300))
    300.0
    """
    return _cache_megabytes(model.cache_size)


def model_size(model: Model, *, fast: bool = False) -> int:
    """Count the support vectors or features of an estimator.

    Parameters
    ----------
    model : estimator
        A fitted estimator.
    fast : bool, default=False
        Count the retained examples instead, in constant time. Until the finishing step, online models retain up to
        1250 more examples per binary model than their support vectors. Exact models always count their support
        vectors.

    Returns
    -------
    int
        The size, in the unit `traits(model).size_unit`.
    """
    kind = traits(model)
    if kind.size_unit == "features" or (fast and not kind.is_exact):
        with lock_of(model).lock:
            return int(_state(model).native.n_retained)
    return len(model.support_)


def kernel(model: Model) -> KernelSpec:
    """Return the kernel of a fitted estimator, with the `gamma` that it uses."""
    return _state(model).kernel


def storage(model: Model) -> Storage:
    """Return how a fitted estimator stores examples: `dtype`, `sparse` and `n_features`."""
    return _state(model).storage


def predict_with_scores(model: Model, X: ArrayLike) -> tuple[Array, NDArray[np.float64]]:
    """Compute predictions and decision values in one evaluation of the kernel.

    Parameters
    ----------
    model : estimator
        A fitted estimator.
    X : array or CSR matrix of shape (n, n_features)
        The examples.

    Returns
    -------
    predictions : ndarray of shape (n,)
        The result of `predict`.
    scores : ndarray of shape (n, n_columns)
        The result of `decision_function`, with one column if it is one-dimensional; the predictions of a regressor.
    """
    task = traits(model).task
    if task == "regression":
        values: NDArray[np.float64] = model.predict(X)
        return values, values[:, None]
    if task == "one-class":
        scores: NDArray[np.float64] = model.decision_function(X)
        return np.where(scores >= 0, 1, -1), scores[:, None]
    table, decisions = model._class_decisions(X)
    return table.choose(decisions), table.scores(decisions)


def _state(model: Model) -> State:
    check_is_fitted(model)
    state: State = model._state
    return state
