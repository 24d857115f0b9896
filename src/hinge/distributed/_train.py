"""Approximate models trained over partitions: parallel passes, then the average of the models, several times."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hinge._model.params import bound, flag, whole
from hinge.approximate import ApproximateSVC, ApproximateSVR
from hinge.distributed._engine import Engine, allow_large_graph, shared_value, task
from hinge.distributed._examples import concatenate, example_tasks
from hinge.distributed._model_access import (
    average_models,
    check_parameters,
    random_seed,
    renumber_examples,
    start_model,
    train_one_pass,
)
from hinge.distributed._statistics import collect_statistics, row_offsets
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike
    from sklearn.base import BaseEstimator

    from hinge.distributed._engine import Collection, DaskClient, Task
    from hinge.distributed._examples import Examples
    from hinge.distributed._statistics import Statistics

_MIN_SAMPLE = 10_000  # rows from which the feature map is computed
_SAMPLE_PER_COMPONENT = 4  # rows per component of the feature map, if that is more


class Assignment(NamedTuple):
    """The partitions of one learner, and their number of rows."""

    partitions: list[int]
    n_rows: int


def train(
    model: ApproximateSVC | ApproximateSVR,
    X: Collection,
    y: ArrayLike | Collection,
    *,
    sample_weight: ArrayLike | Collection | None = None,
    rounds: int = 5,
    learners: int | None = None,
    persist: bool = True,
    client: DaskClient | None = None,
    retries: int = 2,
) -> BaseEstimator:
    """Train an approximate model over partitions.

    Each round is one pass over every partition. Learners work in parallel, each on its own partitions one after the
    other, and all start the next round from the average of their models. The feature map is computed once, from a
    uniform sample of all rows. Data stay where they are; when a worker is lost, dask computes again what it held.

    Parameters
    ----------
    model : ApproximateSVC or ApproximateSVR
        Provides the parameters; it is not modified, and what it has learned is not used. `rounds` replaces `epochs`,
        and `early_stopping` must be False.
    X : dask array or DataFrame of shape (n, n_features)
        Examples; blocks may be sparse. Shuffle rows that are sorted by class.
    y : dask array or Series of shape (n,)
        Labels or targets, in the partitions of X; any array if the sizes of the partitions are known.
    sample_weight : dask array or Series of shape (n,), default=None
        Sample weights, likewise.
    rounds : int, default=5
        Number of passes over all rows, each followed by averaging the models.
    learners : int, default=None
        Number of models trained in parallel. None means one per worker; set a number for a result that does not depend
        on the cluster.
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
        A fitted estimator with the parameters of `model`. `support_` holds row numbers of X.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import make_moons
    >>> from hinge import ApproximateSVC, distributed
    >>> X, y = make_moons(1000, noise=0.2, random_state=0)
    >>> parts = da.from_array(X, chunks=(250, 2)), da.from_array(y, chunks=250)
    >>> model = distributed.train(ApproximateSVC(n_components=64, random_state=0), *parts, learners=2)
    >>> model.score(X, y) > 0.9
    True
    """
    engine = Engine(client, retries)
    _check_model(model)
    rounds = whole("rounds", rounds, at_least=1, hint="a usual value is 5")
    learners = bound("learners", learners, at_least=1) or engine.n_workers
    persist = flag("persist", persist)
    random = np.random.default_rng(random_seed(model.random_state))
    parts = example_tasks(X, y, sample_weight)
    parts = engine.persist(parts) if persist else parts
    total, each = collect_statistics(engine, model, parts)
    resolved = total.resolve_parameters(model, threads=engine.threads_per_task(learners))
    current = _start(resolved, _draw_sample(engine, resolved, parts, each, random), total)
    assignments = assign_partitions([one.n_used for one in each], learners, random)
    for _ in range(rounds):  # the model comes back after each round: a lost worker costs at most one round
        with allow_large_graph():
            (current,) = engine.compute([_round_task(shared_value(current), parts, assignments, random)])
    return current.set_params(**model.get_params(deep=False))


def assign_partitions(sizes: Sequence[int], learners: int, random: np.random.Generator) -> list[Assignment]:
    """Assign partitions to learners at random, so that all get about the same number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> assign_partitions([10, 0, 10, 20], 2, np.random.default_rng(0))[0]
    Assignment(partitions=[3], n_rows=20)
    """
    order = random.permutation(np.flatnonzero(sizes))
    order = order[np.argsort([-sizes[partition] for partition in order], kind="stable")]  # the largest first
    assignments = [Assignment([], 0) for _ in range(min(learners, len(order)))]
    for partition in order.tolist():
        least = min(range(len(assignments)), key=lambda learner: assignments[learner].n_rows)
        held, n_rows = assignments[least]
        assignments[least] = Assignment([*held, partition], n_rows + sizes[partition])
    return assignments


def _check_model(model: BaseEstimator) -> None:
    if not isinstance(model, (ApproximateSVC, ApproximateSVR)):
        raise ParameterError(
            f"model must be an ApproximateSVC or ApproximateSVR, got {type(model).__name__}; "
            "cascade trains an OnlineSVC or an IncrementalSVC."
        )
    check_parameters(model)
    if model.early_stopping:
        raise ParameterError(
            "early_stopping must be False over partitions, got True; set rounds, the number of passes, instead."
        )


def _start(resolved: BaseEstimator, sample: Examples, total: Statistics) -> BaseEstimator:
    """Return the model before the first round: its feature map from a sample, its weights zero."""
    classes = None if total.table is None else total.table.classes
    model = start_model(resolved, sample.X, sample.y, sample.weights, classes=classes, n_examples=total.n_used)
    renumber_examples(model, sample.rows)
    return model


def _draw_sample(
    engine: Engine,
    resolved: BaseEstimator,
    parts: Sequence[Task],
    each: Sequence[Statistics],
    random: np.random.Generator,
) -> Examples:
    """Draw examples for the feature map uniformly from all partitions."""
    sizes = [one.n_used for one in each]
    n = min(max(_MIN_SAMPLE, _SAMPLE_PER_COMPONENT * resolved.n_components), sum(sizes))
    shares = random.multivariate_hypergeometric(sizes, n).tolist()
    offsets = row_offsets([one.n_rows for one in each]).tolist()
    draws = [
        task(_draw, shared_value(resolved), part, offset, share, _draw_seed(random))
        for part, offset, share in zip(parts, offsets, shares, strict=True)
        if share
    ]
    return concatenate(engine.compute(draws))


def _draw(resolved: BaseEstimator, part: Examples, offset: int, n: int, seed: int) -> Examples:
    """Draw n examples of positive weight from a partition."""
    used = part.with_weight(resolved, offset)
    return used.take(np.sort(np.random.default_rng(seed).choice(len(used), n, replace=False)))


def _round_task(
    current: Task, parts: Sequence[Task], assignments: Sequence[Assignment], random: np.random.Generator
) -> Task:
    """Return the task of one round: all learners start from the current model, and their models are averaged."""
    trained = []
    for partitions, _ in assignments:
        model = current
        for partition in random.permutation(partitions):
            model = task(_pass_over_partition, model, parts[partition], _draw_seed(random))
        trained.append(model)
    if len(trained) == 1:
        return trained[0]
    n_rows = np.array([assignment.n_rows for assignment in assignments], dtype=np.float64)
    return task(average_models, trained, n_rows / n_rows.sum())


def _pass_over_partition(model: BaseEstimator, part: Examples, seed: int) -> BaseEstimator:
    used = part.with_weight(model)
    return train_one_pass(model, used.X, used.y, used.weights, seed=seed)


def _draw_seed(random: np.random.Generator) -> int:
    return int(random.integers(np.iinfo(np.int32).max))
