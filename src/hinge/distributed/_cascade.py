"""A cascade of machines: parts are trained, support vectors merged up a tree, and the result is fed back to the parts.

Graf, Cosatto, Bottou, Durdanovic and Vapnik, "Parallel support vector machines: the cascade SVM", NIPS 2004. There,
all parts are trained again with the support vectors that come back. Here they are asked first: examples that the
machine at the top has outside its margin would not change it, so only the others climb the tree again, and the machine
at the top goes on from where it was. When there are no others it is optimal for all examples.

An online machine drops examples that it does not need. With two classes they are asked again like all others. With more
there is one machine a class, and an example that some of them dropped may be held by others, which must not see it
twice: then all that ever reached the top stays there, and the top is trained anew each time.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from hinge._fit.base import random_seed
from hinge._model.params import flag, whole
from hinge.distributed._engine import Engine, node, task
from hinge.distributed._parts import Part, joined, partitions, renumber, require_kernel_of_rows
from hinge.distributed._survey import starts, survey
from hinge.exceptions import ParameterError
from hinge.incremental import IncrementalSVC
from hinge.online import OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from hinge.distributed._engine import Collection, Task

_FEW = 100  # examples that a part of a single class sends up: there is nothing to tell them by


@dataclass(frozen=True)
class Top:
    """The machine at the top of the tree, and the examples that it was trained on, in that order."""

    model: Any
    examples: Part

    @property
    def support(self) -> Part:
        """Those of the examples that are support vectors."""
        return self.examples.take(np.sort(self.model.support_))

    @property
    def drops(self) -> bool:
        """What the machine has dropped can be shown to it again."""
        return isinstance(self.model, OnlineSVC) and len(self.model.classes_) == 2

    def held(self) -> NDArray[np.int64]:
        """Return the rows that the machine is optimal for already."""
        return self.examples.rows[self.model.support_] if self.drops else self.examples.rows


class Machines(NamedTuple):
    """Unfitted machines as nodes of the graph."""

    many: Task  # for tasks that run beside others
    alone: Task  # for the task at the top, which has a worker to itself


def cascade(
    model: Any,
    X: Collection,
    y: Any,
    *,
    sample_weight: Any = None,
    rounds: int = 10,
    persist: bool = True,
    client: Any = None,
    retries: int = 2,
) -> Any:
    """Train an exact kernel machine over partitions, as a cascade.

    Each partition is trained by itself; support vectors are merged pairwise and trained again, up to one machine. That
    is shown to the partitions, whose examples that contradict it go the same way, until there are none: then it is the
    solution for all examples. It pays where support vectors are a small share of the examples.

    Parameters
    ----------
    model : OnlineSVC or IncrementalSVC
        The parameters; the model itself is not changed, and what it has learned before plays no part. `epochs` is
        taken for "converge" here.
    X : dask array or DataFrame of shape (n, n_features)
        Examples; blocks may be sparse. Shuffle rows that are sorted by class.
    y : dask array or Series of shape (n,)
        Labels, in the partitions of X; where the sizes of these are known, any array.
    sample_weight : dask array or Series of shape (n,), default=None
        Weights, likewise.
    rounds : int, default=10
        How often the tree is climbed at most.
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
        A fitted estimator with the parameters of `model`, which holds the examples that reached the top. The places in
        `support_` (of an IncrementalSVC: the ids) are rows of X.

    Warns
    -----
    ConvergenceWarning
        If some example still contradicts the result after the last round.

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
    _require_settling(model)
    parts = partitions(X, y, sample_weight)
    parts = engine.keep(parts) if flag("persist", persist) else parts
    everything, each = survey(engine, model, parts)
    filled = [(part, start) for part, start, one in zip(parts, starts(each), each, strict=True) if one.n_used]
    changes = {"random_state": random_seed(model.random_state), **_exactly(model)}
    threads = (engine.threads_each(len(filled)), engine.threads_each(engine.workers))
    many, alone = (node(everything.settle(model, threads=number, **changes)) for number in threads)
    top, left = _climbed(engine, Machines(many, alone), filled, rounds)
    if left:
        _warn_unsettled(rounds, left)
    return _given_back(top, model, everything.n_rows)


def _climbed(engine: Engine, machines: Machines, parts: list[tuple[Task, int]], rounds: int) -> tuple[Top, int]:
    """Return the machine at the top, and how many examples contradict it."""
    leaves = [task(_first, machines.many, part, start) for part, start in parts]
    level = _merged(leaves, partial(task, _condensed, machines.many))
    (top,) = engine.keep([task(_trained, machines.alone, None, *level)])
    for climbs in range(1, rounds + 1):
        leaves = engine.keep([task(_contradicting, top, part, start) for part, start in parts])
        left = sum(engine.results([task(len, leaf) for leaf in leaves]))
        if not left or climbs == rounds:
            break
        level = _merged(leaves, partial(task, _news, machines.many, top))
        (top,) = engine.keep([task(_trained, machines.alone, top, *level)])
    (reached,) = engine.results([top])
    return reached, left


def _merged(leaves: Sequence[Task], merge: Callable[[Task, Task], Task]) -> list[Task]:
    """Return the two tasks below the top of the tree over some leaves."""
    level = list(leaves)
    while len(level) > 2:
        pairs = [level[place : place + 2] for place in range(0, len(level), 2)]
        level = [merge(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return level


def _first(machine: Any, part: Part, start: int) -> Part:
    """Return the support vectors of a partition."""
    return _condensed(machine, part.used(machine, start))


def _condensed(machine: Any, *parts: Part) -> Part:
    """Return the support vectors of the machine that is trained on some examples."""
    examples = joined(parts)
    if (examples.y == examples.y[:1]).all():
        random = np.random.default_rng(machine.random_state)
        return examples.take(np.sort(random.permutation(len(examples))[:_FEW]))
    return _fitted(machine, examples).support


def _news(machine: Any, top: Top, *parts: Part) -> Part:
    """Return what is new in two sets of examples that contradict the machine at the top.

    While they are few beside its support vectors there is nothing to gain from training on them before the top does.
    """
    examples, known = joined(parts), top.support
    if len(examples) <= len(known):
        return examples
    return _fitted(machine, joined([known, examples])).support.without(known.rows)


def _trained(machine: Any, above: Top | None, *parts: Part) -> Top:
    """Return the machine trained on what climbed the tree; one that was at the top before goes on where it can."""
    if above is None:
        return _fitted(machine, joined(parts))
    if isinstance(machine, OnlineSVC) and not above.drops:
        return _fitted(machine, joined([above.examples, *parts]))
    more = joined(parts)
    more = more.take(np.random.default_rng(machine.random_state).permutation(len(more)))
    model = copy.deepcopy(above.model).partial_fit(more.X, more.y, sample_weight=more.weights, **_names(more, machine))
    return Top(model.finish() if isinstance(model, OnlineSVC) else model, joined([above.examples, more]))


def _fitted(machine: Any, examples: Part) -> Top:
    fitted = clone(machine).fit(examples.X, examples.y, sample_weight=examples.weights, **_names(examples, machine))
    return Top(fitted, examples)


def _names(examples: Part, machine: Any) -> dict[str, Any]:
    """Return what tells an exact model how its examples are called: by their rows."""
    return {"ids": examples.rows.tolist()} if isinstance(machine, IncrementalSVC) else {}


def _contradicting(top: Top, part: Part, start: int) -> Part:
    """Return the examples of a partition that the machine at the top does not hold, and should."""
    examples = part.used(top.model, start).without(top.held())
    if not len(examples):
        return examples
    decisions = top.model.decision_function(examples.X)
    margins = _targets(top.model.classes_, examples.y, decisions.ndim) * decisions
    worst = margins if margins.ndim == 1 else margins.min(axis=1)
    return examples.take(np.flatnonzero(worst < 1.0 - top.model.tol))


def _targets(classes: NDArray[Any], labels: NDArray[Any], dimensions: int) -> NDArray[np.float64]:
    """Return +1 and -1 for every example, and for every class where there are more than two."""
    own = labels == classes[1] if dimensions == 1 else labels[:, None] == classes
    return np.where(own, 1.0, -1.0)


def _given_back(top: Top, model: Any, n_rows: int) -> Any:
    """Return the machine at the top with the parameters of the user; its examples are known by their rows."""
    fitted = top.model.set_params(**model.get_params(deep=False))
    if isinstance(fitted, OnlineSVC):
        renumber(fitted, top.examples.rows)
    fitted._state.n_seen = n_rows  # rows that come later are called by places after these
    return fitted


def _exactly(model: Any) -> dict[str, Any]:
    """Return the parameters that make a fit end at the solution."""
    return {"epochs": "converge"} if isinstance(model, OnlineSVC) else {}


def _require_settling(model: Any) -> None:
    """Refuse models that do not keep all their support vectors."""
    if not isinstance(model, (OnlineSVC, IncrementalSVC)):
        raise ParameterError(
            f"model must be an OnlineSVC or an IncrementalSVC, got {type(model).__name__}; "
            "train is for approximate models."
        )
    require_kernel_of_rows(model)
    for name in ("max_support", "max_examples"):
        if getattr(model, name, None) is not None:
            raise ParameterError(
                f"{name} must be None in a cascade, got {getattr(model, name)!r}; a bounded model does not settle."
            )
    model._check_params(streaming=False)


def _warn_unsettled(rounds: int, left: int) -> None:
    warnings.warn(
        f"{left} examples contradict the model after {rounds} rounds; raise rounds, or raise tol.",
        ConvergenceWarning,
        stacklevel=3,
    )
