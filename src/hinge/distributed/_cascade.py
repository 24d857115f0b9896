"""A cascade of SVMs: partitions are trained, support vectors merged up a tree, and the result is fed back.

Graf, Cosatto, Bottou, Durdanovic and Vapnik, "Parallel support vector machines: the cascade SVM", NIPS 2004. In the
paper, all partitions are trained again with the support vectors that come back. Here they are checked first: an example
outside the margin of the top model would not change it. Only the others go up the tree again, and the top model
continues training from where it was. When there are no others, it is optimal for all examples.

An `OnlineSVC` drops examples that it does not need. With two classes they are checked again like all others. With more
there is one decision function per class. An example that some of them dropped may be held by others, which must not see
it twice. Then all examples that ever reached the top stay there, and the top model is trained from scratch each time.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from hinge._model.params import flag, whole
from hinge.distributed._engine import Engine, shared_value, task
from hinge.distributed._examples import Examples, concatenate, example_tasks
from hinge.distributed._model_access import check_parameters, random_seed, renumber_examples, set_n_seen
from hinge.distributed._statistics import collect_statistics, row_offsets
from hinge.exceptions import ParameterError
from hinge.incremental import IncrementalSVC
from hinge.online import OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import Labels
    from hinge.distributed._engine import Collection, DaskClient, Task

_SINGLE_CLASS_SAMPLE = 100  # examples that a partition of a single class sends up, since it has no support vectors


@dataclass(frozen=True)
class TopModel:
    """The model at the top of the tree, and the examples that it was trained on, in that order."""

    model: BaseEstimator
    examples: Examples

    @property
    def support(self) -> Examples:
        """The examples that are support vectors."""
        return self.examples.take(np.sort(self.model.support_))

    @property
    def can_relearn(self) -> bool:
        """Whether the model may be shown examples again that it has dropped."""
        return isinstance(self.model, OnlineSVC) and len(self.model.classes_) == 2

    def learned_rows(self) -> NDArray[np.int64]:
        """Return the rows that the model is optimal for already."""
        return self.examples.rows[self.model.support_] if self.can_relearn else self.examples.rows


class Templates(NamedTuple):
    """Unfitted models as nodes of the graph."""

    parallel: Task  # for tasks that run at the same time as others
    single: Task  # for the task at the top, which has a worker to itself


def cascade(
    model: OnlineSVC | IncrementalSVC,
    X: Collection,
    y: ArrayLike | Collection,
    *,
    sample_weight: ArrayLike | Collection | None = None,
    rounds: int = 10,
    persist: bool = True,
    client: DaskClient | None = None,
    retries: int = 2,
) -> BaseEstimator:
    """Train an exact kernel SVM over partitions, as a cascade.

    Each partition is trained by itself. Support vectors are merged pairwise and trained again, up to one top model.
    Examples of the partitions that violate its margin go up the tree in the next round. When there are none, the top
    model is the solution for all examples. A cascade pays off if support vectors are a small share of the examples.

    Parameters
    ----------
    model : OnlineSVC or IncrementalSVC
        Provides the parameters; it is not modified, and what it has learned is not used. `epochs` is always
        "converge" here.
    X : dask array or DataFrame of shape (n, n_features)
        Examples; blocks may be sparse. Shuffle rows that are sorted by class.
    y : dask array or Series of shape (n,)
        Labels, in the partitions of X; any array if the sizes of the partitions are known.
    sample_weight : dask array or Series of shape (n,), default=None
        Sample weights, likewise.
    rounds : int, default=10
        Maximum number of passes up the tree.
    persist : bool, default=True
        Keep the partitions in the memory of the workers between rounds (dask spills to disk what does not fit); False
        reads or computes them again.
    client : distributed.Client, default=None
        Where to run; None uses the current client or, without one, the threads of this process.
    retries : int, default=2
        How often dask may run a failed task again.

    Returns
    -------
    estimator
        A fitted estimator with the parameters of `model`, which holds the examples that reached the top. `support_`
        (of an IncrementalSVC: the ids) holds row numbers of X.

    Warns
    -----
    ConvergenceWarning
        If some example still violates the margin after the last round.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import make_moons
    >>> from hinge import OnlineSVC, distributed
    >>> X, y = make_moons(1000, noise=0.2, random_state=0)
    >>> model = distributed.cascade(OnlineSVC(random_state=0), da.from_array(X, chunks=(250, 2)), y)
    >>> model.kkt_violation(X, y) < 0.01
    True
    """
    engine = Engine(client, retries)
    rounds = whole("rounds", rounds, at_least=1, hint="a usual value is 10")
    _check_model(model)
    parts = example_tasks(X, y, sample_weight)
    parts = engine.persist(parts) if flag("persist", persist) else parts
    total, each = collect_statistics(engine, model, parts)
    offsets = row_offsets([one.n_rows for one in each]).tolist()
    filled = [(part, offset) for part, offset, one in zip(parts, offsets, each, strict=True) if one.n_used]
    changes = {"random_state": random_seed(model.random_state), **_convergence_parameters(model)}
    threads = (engine.threads_per_task(len(filled)), engine.threads_per_task(engine.n_workers))
    parallel, single = (
        shared_value(total.resolve_parameters(model, threads=n_threads, **changes)) for n_threads in threads
    )
    top, n_violators = _run_rounds(engine, Templates(parallel, single), filled, rounds)
    if n_violators:
        _warn_not_converged(rounds, n_violators)
    return _finish_model(top, model, total.n_rows)


def _run_rounds(
    engine: Engine, templates: Templates, parts: list[tuple[Task, int]], rounds: int
) -> tuple[TopModel, int]:
    """Return the top model, and how many examples violate its margin."""
    leaves = [task(_partition_support, templates.parallel, part, offset) for part, offset in parts]
    level = _merge_pairs(leaves, partial(task, _train_and_reduce, templates.parallel))
    (top,) = engine.persist([task(_train_top, templates.single, None, *level)])
    for round_number in range(1, rounds + 1):
        leaves = engine.persist([task(_margin_violators, top, part, offset) for part, offset in parts])
        n_violators = sum(engine.compute([task(len, leaf) for leaf in leaves]))
        if not n_violators or round_number == rounds:
            break
        level = _merge_pairs(leaves, partial(task, _reduce_violators, templates.parallel, top))
        (top,) = engine.persist([task(_train_top, templates.single, top, *level)])
    (result,) = engine.compute([top])
    return result, n_violators


def _merge_pairs(leaves: Sequence[Task], merge: Callable[[Task, Task], Task]) -> list[Task]:
    """Merge leaves pairwise up a tree; return the last level, of at most two tasks."""
    level = list(leaves)
    while len(level) > 2:
        pairs = [level[start : start + 2] for start in range(0, len(level), 2)]
        level = [merge(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return level


def _partition_support(template: BaseEstimator, part: Examples, offset: int) -> Examples:
    """Return the support vectors of a partition."""
    return _train_and_reduce(template, part.with_weight(template, offset))


def _train_and_reduce(template: BaseEstimator, *parts: Examples) -> Examples:
    """Return the support vectors of a model trained on some examples."""
    examples = concatenate(parts)
    if (examples.y == examples.y[:1]).all():
        random = np.random.default_rng(template.random_state)
        return examples.take(np.sort(random.permutation(len(examples))[:_SINGLE_CLASS_SAMPLE]))
    return _fit(template, examples).support


def _reduce_violators(template: BaseEstimator, top: TopModel, *parts: Examples) -> Examples:
    """Return the examples among two sets of margin violators that the top model needs.

    If they are few compared with its support vectors, training on them before the top model does gains nothing.
    """
    examples, known = concatenate(parts), top.support
    if len(examples) <= len(known):
        return examples
    return _fit(template, concatenate([known, examples])).support.without(known.rows)


def _train_top(template: BaseEstimator, above: TopModel | None, *parts: Examples) -> TopModel:
    """Return the top model trained on the examples from below; the previous one continues training if it can."""
    if above is None:
        return _fit(template, concatenate(parts))
    if isinstance(template, OnlineSVC) and not above.can_relearn:
        return _fit(template, concatenate([above.examples, *parts]))
    more = concatenate(parts)
    more = more.take(np.random.default_rng(template.random_state).permutation(len(more)))
    model = copy.deepcopy(above.model)
    model.partial_fit(more.X, more.y, sample_weight=more.weights, **_ids_keyword(more, template))
    return TopModel(model.finish() if isinstance(model, OnlineSVC) else model, concatenate([above.examples, more]))


def _fit(template: BaseEstimator, examples: Examples) -> TopModel:
    keywords = _ids_keyword(examples, template)
    fitted = clone(template).fit(examples.X, examples.y, sample_weight=examples.weights, **keywords)
    return TopModel(fitted, examples)


def _ids_keyword(examples: Examples, template: BaseEstimator) -> dict[str, list[int]]:
    """Return row numbers as the keyword `ids` for exact models."""
    return {"ids": examples.rows.tolist()} if isinstance(template, IncrementalSVC) else {}


def _margin_violators(top: TopModel, part: Examples, offset: int) -> Examples:
    """Return the examples of a partition that violate the margin of the top model and are new to it."""
    examples = part.with_weight(top.model, offset).without(top.learned_rows())
    if not len(examples):
        return examples
    decisions = top.model.decision_function(examples.X)
    margins = _signs(top.model.classes_, examples.y, decisions.ndim) * decisions
    worst = margins if margins.ndim == 1 else margins.min(axis=1)
    return examples.take(np.flatnonzero(worst < 1.0 - top.model.tol))


def _signs(classes: Labels, labels: Labels, n_dimensions: int) -> NDArray[np.float64]:
    """Return +1 or -1 for every example and, with more than two classes, for every class."""
    is_own = labels == classes[1] if n_dimensions == 1 else labels[:, None] == classes
    return np.where(is_own, 1.0, -1.0)


def _finish_model(top: TopModel, model: BaseEstimator, n_rows: int) -> BaseEstimator:
    """Return the top model with the parameters of the user; its examples have the row numbers of X."""
    fitted = top.model.set_params(**model.get_params(deep=False))
    if isinstance(fitted, OnlineSVC):
        renumber_examples(fitted, top.examples.rows)
    set_n_seen(fitted, n_rows)
    return fitted


def _convergence_parameters(model: BaseEstimator) -> dict[str, str]:
    """Return the parameters with which `fit` runs to convergence."""
    return {"epochs": "converge"} if isinstance(model, OnlineSVC) else {}


def _check_model(model: BaseEstimator) -> None:
    """Raise ParameterError for models that do not keep all their support vectors."""
    if not isinstance(model, (OnlineSVC, IncrementalSVC)):
        raise ParameterError(
            f"model must be an OnlineSVC or an IncrementalSVC, got {type(model).__name__}; "
            "train is for approximate models."
        )
    for name in ("max_support", "max_examples"):
        if getattr(model, name, None) is not None:
            raise ParameterError(
                f"{name} must be None in a cascade, got {getattr(model, name)!r}; a bounded model does not converge."
            )
    check_parameters(model)


def _warn_not_converged(rounds: int, n_violators: int) -> None:
    warnings.warn(
        f"{n_violators} examples violate the margin after {rounds} rounds; increase rounds or tol.",
        ConvergenceWarning,
        stacklevel=3,
    )
