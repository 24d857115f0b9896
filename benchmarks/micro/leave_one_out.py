"""Time of exact leave-one-out compared with refitting without each example."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.micro import Section
from benchmarks.micro.exact_problems import TIGHT, Problem, digits, zeros
from benchmarks.worker import timed

N_REFITS = 20


def measure(quick: bool, *, full: bool = False) -> Section:
    """Leave out each of 2 000 rows of usps; refit for some of them and scale the time, or for all with `full`."""
    n_rows = 300 if quick else 2_000
    n_refits = n_rows if full else N_REFITS
    columns = (
        "task",
        "leave_one_out, s",
        "SVC refits, s",
        "ratio",
        f"SVC refits, tol={TIGHT:g}, s",
        "ratio",
        "difference from these",
        "from IncrementalSVC refits",
        "leave-one-out error, %",
    )
    rows = [_row(make(n_rows), n_refits) for make in (zeros, digits)]
    note = "all refits made" if full else f"{n_refits} refits, half of them of support vectors, times scaled"
    return Section(f"leave_one_out on {n_rows:,} rows (aim: 100 times faster than refits); {note}", columns, rows)


def _row(data: Problem, n_refits: int) -> tuple[str, ...]:
    model = data.learner().fit(data.X, data.y)
    seconds, found = timed(partial(model.leave_one_out, method="decision_function"))
    chosen = found.argmax(axis=1) if found.ndim > 1 else (found > 0).astype(int)
    error = 100 * np.mean(model.classes_[chosen] != data.y)
    left_out = _left_out(model, len(data.y), n_refits)
    quick, _ = _refits(data, data.peer(), left_out)
    tight, theirs = _refits(data, data.peer(tol=TIGHT), left_out)
    _, ours = _refits(data, data.learner(), left_out)
    differences = [np.abs(refitted - found[left_out]).max() for refitted in (theirs, ours)]
    return (
        data.title,
        f"{seconds:.2f}",
        f"{quick:,.0f}",
        f"{quick / seconds:,.0f}",
        f"{tight:,.0f}",
        f"{tight / seconds:,.0f}",
        *(f"{difference:.1e}" for difference in differences),
        f"{error:.2f}",
    )


def _left_out(model: Any, n_rows: int, n_refits: int) -> NDArray[np.intp]:
    """Return all rows, or some: half of them random, half support vectors, whose removal changes the model."""
    if n_refits == n_rows:
        return np.arange(n_rows)
    random = np.random.default_rng(0)
    support = random.choice(np.asarray(model.support_), n_refits // 2, replace=False)
    others = np.setdiff1d(np.arange(n_rows), support)
    return np.concatenate([random.choice(others, n_refits - len(support), replace=False), support])


def _refits(data: Problem, model: Any, left_out: NDArray[np.intp]) -> tuple[float, NDArray[np.float64]]:
    """Return the time of one refit per row, scaled, and the decisions for the rows left out."""
    total, decisions = 0.0, []
    for row in left_out:
        rest = data.rows(np.arange(len(data.y)) != row)
        total += timed(model.fit, rest.X, rest.y)[0]
        decisions.append(model.decision_function(data.X[[row]])[0])
    return total * len(data.y) / len(left_out), np.asarray(decisions)
