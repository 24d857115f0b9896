"""Time to forget one of 10 000 examples, to learn it again, and to change its label."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.micro import Section
from benchmarks.micro.exact_problems import Problem, eights
from benchmarks.worker import timed

N_FORGOTTEN, N_RELABELLED = 200, 100


def measure(quick: bool) -> Section:
    """Forget single examples of mnist, 8 vs rest, and learn them again; the model must be the same at the end."""
    data = eights(1_000 if quick else 10_000)
    model = data.learner().partial_fit(data.X, data.y, ids=range(len(data.y)))
    before = model.dual_objective()
    random = np.random.default_rng(0)
    sample = random.choice(len(data.y), N_FORGOTTEN, replace=False)
    support = random.choice(model.support_, N_FORGOTTEN // 2, replace=False)
    relabelled = random.choice(len(data.y), N_RELABELLED, replace=False)
    rows = [
        *_forget_and_learn(model, data, sample, "any example"),
        *_forget_and_learn(model, data, support, "support vectors"),
        *_relabel_and_restore(model, data, relabelled),
        _row("SVC, one fit", "all", [timed(data.peer().fit, data.X, data.y)[0]]),
    ]
    change = abs(model.dual_objective() / before - 1)
    return Section(
        f"Single examples of {len(data.y):,}, {data.title} (aim: forget and relabel under 20 ms at the median); "
        f"afterwards: KKT violation {model.kkt_violation():.1e}, dual objective the same within {change:.1e}",
        ("", "of", "calls", "median, ms", "95 %, ms", "maximum, ms"),
        rows,
    )


def _forget_and_learn(model: Any, data: Problem, chosen: Iterable[int], name: str) -> list[tuple[str, ...]]:
    forgetting, learning = [], []
    for place in map(int, chosen):
        example = data.rows([place])
        forgetting.append(timed(model.forget, [place])[0])
        learning.append(timed(lambda one, key: model.partial_fit(one.X, one.y, ids=[key]), example, place)[0])
    return [_row("forget", name, forgetting), _row("partial_fit", f"the same {name}", learning)]


def _relabel_and_restore(model: Any, data: Problem, chosen: Iterable[int]) -> list[tuple[str, ...]]:
    turning, restoring = [], []
    for place in map(int, chosen):
        right = data.y[[place]]
        turning.append(timed(model.relabel, [place], ~right)[0])
        restoring.append(timed(model.relabel, [place], right)[0])
    return [_row("relabel", "any example", turning), _row("relabel", "the same, back", restoring)]


def _row(name: str, whom: str, seconds: list[float]) -> tuple[str, ...]:
    milliseconds = 1e3 * np.asarray(seconds)
    median, high = np.percentile(milliseconds, [50, 95])
    return name, whom, f"{len(seconds)}", f"{median:.2f}", f"{high:.2f}", f"{milliseconds.max():.2f}"
