"""Approximate models trained over partitions: passes side by side, then the average of the models, several times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._fit.base import random_seed
from hinge._model.params import bound, flag, whole
from hinge.approximate import ApproximateSVC, ApproximateSVR
from hinge.approximate._merging import averaged, begin, go_over
from hinge.distributed._engine import Engine, heavy_models, node, task
from hinge.distributed._parts import joined, partitions, renumber, require_kernel_of_rows
from hinge.distributed._survey import starts, survey
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hinge.distributed._engine import Collection, Task
    from hinge.distributed._parts import Part
    from hinge.distributed._survey import Survey

_SAMPLE = 10_000  # rows that the feature map is made from, if it does not need more
_SAMPLE_EACH = 4  # rows that it gets for each of its features


def train(
    model: Any,
    X: Collection,
    y: Any,
    *,
    sample_weight: Any = None,
    rounds: int = 5,
    learners: int | None = None,
    persist: bool = True,
    client: Any = None,
    retries: int = 2,
) -> Any:
    """Train an approximate model over partitions.

    In each round every partition is gone over once. Learners work side by side, each of them on its own partitions one
    after the other, and the average of their models is where all begin the next round. The feature map is made once,
    from a uniform sample of all rows. Data stay where they are; a worker that is lost is replaced by dask, which
    computes again what it held.

    Parameters
    ----------
    model : ApproximateSVC or ApproximateSVR
        The parameters; the model itself is not changed, and what it has learned before plays no part. `rounds` takes
        the place of `epochs`, and `early_stopping` must be False.
    X : dask array or DataFrame of shape (n, n_features)
        Examples; blocks may be sparse. Shuffle rows that are sorted by class.
    y : dask array or Series of shape (n,)
        Labels or targets, in the partitions of X; where the sizes of these are known, any array.
    sample_weight : dask array or Series of shape (n,), default=None
        Weights, likewise.
    rounds : int, default=5
        How often all rows are gone over, with an average of the models after each time.
    learners : int, default=None
        Models that are trained side by side. None is one for each worker; give a number for a result that does not
        depend on the cluster.
    persist : bool, default=True
        Keep the partitions in the memory of the workers, which put on disk what does not fit, from one round to the
        next; False reads or computes them anew.
    client : distributed.Client, default=None
        Where to run; None is the current client, or dask's own threads where there is none.
    retries : int, default=2
        How often dask may run a task again that failed.

    Returns
    -------
    estimator
        A fitted estimator with the parameters of `model`. The places in `support_` are rows of X.

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
    _require_approximate(model)
    rounds = whole("rounds", rounds, at_least=1, hint="a usual value is 5")
    learners = bound("learners", learners, at_least=1) or engine.workers
    persist = flag("persist", persist)
    random = np.random.default_rng(random_seed(model.random_state))
    parts = partitions(X, y, sample_weight)
    parts = engine.keep(parts) if persist else parts
    everything, each = survey(engine, model, parts)
    settled = everything.settle(model, threads=engine.threads_each(learners))
    current = _begun(settled, _sample(engine, settled, parts, each, random), everything)
    hands = deal([one.n_used for one in each], learners, random)
    for _ in range(rounds):  # the model comes back each time: a lost worker costs no more than the round
        with heavy_models():
            (current,) = engine.results([_round(node(current), parts, hands, random)])
    return current.set_params(**model.get_params(deep=False))


def deal(sizes: Sequence[int], learners: int, random: np.random.Generator) -> list[tuple[list[int], int]]:
    """Deal partitions at random to learners, so that all get about as many rows; return partitions and rows of each.

    Examples
    --------
    >>> import numpy as np
    >>> deal([10, 0, 10, 20], 2, np.random.default_rng(0))[0]  # the large ones come first
    ([3], 20)
    """
    order = random.permutation(np.flatnonzero(sizes))
    order = order[np.argsort([-sizes[place] for place in order], kind="stable")]  # the large ones first
    hands: list[tuple[list[int], int]] = [([], 0) for _ in range(min(learners, len(order)))]
    for place in order.tolist():
        least = min(range(len(hands)), key=lambda hand: hands[hand][1])
        held, rows = hands[least]
        hands[least] = [*held, place], rows + sizes[place]
    return hands


def _require_approximate(model: Any) -> None:
    if not isinstance(model, (ApproximateSVC, ApproximateSVR)):
        raise ParameterError(
            f"model must be an ApproximateSVC or ApproximateSVR, got {type(model).__name__}; "
            "cascade trains an OnlineSVC or an IncrementalSVC."
        )
    require_kernel_of_rows(model)
    model._check_params(streaming=False)
    if model.early_stopping:
        raise ParameterError(
            "early_stopping must be False over partitions, got True; rounds decides how long to train, so set that."
        )


def _begun(settled: Any, sample: Part, everything: Survey) -> Any:
    """Return the model before the first round: its feature map from a sample, its weights zero."""
    classes = None if everything.table is None else everything.table.classes
    begun = begin(settled, sample.X, sample.y, sample.weights, classes=classes, n_examples=everything.n_used)
    renumber(begun, sample.rows)
    return begun


def _sample(
    engine: Engine, settled: Any, parts: Sequence[Task], each: Sequence[Survey], random: np.random.Generator
) -> Part:
    """Return examples for the feature map, chosen uniformly from all partitions."""
    sizes = [one.n_used for one in each]
    n = min(max(_SAMPLE, _SAMPLE_EACH * settled.n_components), sum(sizes))
    shares = random.multivariate_hypergeometric(sizes, n).tolist()
    drawing = [
        task(_draw, node(settled), part, start, share, _seed(random))
        for part, start, share in zip(parts, starts(each), shares, strict=True)
        if share
    ]
    return joined(engine.results(drawing))


def _draw(settled: Any, part: Part, start: int, n: int, seed: int) -> Part:
    """Return n random examples among those that count."""
    used = part.used(settled, start)
    return used.take(np.sort(np.random.default_rng(seed).choice(len(used), n, replace=False)))


def _round(
    current: Task, parts: Sequence[Task], hands: Sequence[tuple[list[int], int]], random: np.random.Generator
) -> Task:
    """Return the task of one round: all learners start from the current model, and their models are averaged."""
    learned = []
    for held, _ in hands:
        mine = current
        for place in random.permutation(held):
            mine = task(_pass, mine, parts[place], _seed(random))
        learned.append(mine)
    if len(learned) == 1:
        return learned[0]
    return task(averaged, learned, _shares([rows for _, rows in hands]))


def _pass(model: Any, part: Part, seed: int) -> Any:
    used = part.used(model)
    return go_over(model, used.X, used.y, used.weights, seed=seed)


def _seed(random: np.random.Generator) -> int:
    return int(random.integers(np.iinfo(np.int32).max))


def _shares(rows: Sequence[int]) -> NDArray[np.float64]:
    return np.array(rows, dtype=np.float64) / sum(rows)
