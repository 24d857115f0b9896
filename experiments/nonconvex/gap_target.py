"""Two readings of the gap target (8), by a plain program of FULL SVM: `python -m experiments.nonconvex.gap_target`.

The sum of (8) has n terms, and l is the number of support vectors. "expansion" takes all examples seen for the n terms,
as the library does; "support" the support vectors alone. docs/design/papers.md has the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from experiments.nonconvex.datasets import BANANA, NOISY_USPS, REUTERS, USPS, problem
from experiments.nonconvex.passes import training_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

RUNS = {BANANA: 10, REUTERS: 1, NOISY_USPS: 1, USPS: 1}
TAU = 1e-3


def gap_target(reading: str, slack: Vector, alpha: Vector) -> float:
    """Return the root of (8), or 0 where its radicand is negative; `slack` has h_i = C y_i g_i."""
    held = alpha != 0
    terms = slack[held] if reading == "support" else slack
    return float(np.sqrt(max(0.0, terms @ terms - terms.sum() ** 2 / max(1, np.count_nonzero(held)))))


def learn(K: NDArray[np.float32], y: Vector, C: float, reading: str) -> tuple[Vector, int]:
    """Run FULL SVM over rows in order; return the coefficients and the number of REPROCESS steps."""
    low, high = np.minimum(0.0, C * y), np.maximum(0.0, C * y)
    alpha, gradient, steps = np.zeros(len(y)), np.zeros(len(y)), 0

    def move(i: int, seen: slice) -> None:
        length = np.clip(alpha[i] + gradient[i] / K[i, i], low[i], high[i]) - alpha[i]
        alpha[i] += length
        gradient[seen] -= length * K[i, seen]

    for t in range(len(y)):
        target = max(C, gap_target(reading, C * y[:t] * gradient[:t], alpha[:t]))
        gradient[t] = y[t] - K[t, :t] @ alpha[:t]
        seen = slice(0, t + 1)
        move(t, seen)
        while _gap(alpha[seen], gradient[seen], low[seen], high[seen]) > target:
            rising = np.where(alpha[seen] < high[seen], gradient[seen], -np.inf)
            falling = np.where(alpha[seen] > low[seen], -gradient[seen], -np.inf)
            violations = np.maximum(rising, falling)
            if violations.max() <= TAU:
                break
            move(int(violations.argmax()), seen)
            steps += 1
    return alpha, steps


def _gap(alpha: Vector, gradient: Vector, low: Vector, high: Vector) -> float:
    return float((np.maximum(low * gradient, high * gradient) - alpha * gradient).sum())


def main() -> None:
    """Print support vectors, steps and errors of both readings."""
    for name, n_runs in RUNS.items():
        for reading in ("expansion", "support"):
            support, steps, error = np.mean([_run(name, seed, reading) for seed in range(n_runs)], axis=0)
            line = f"{name}, {reading}: {support:.0f} support vectors, {steps:.0f} steps, {error:.2f} % errors"
            print(line)  # noqa: T201


def _run(name: str, seed: int, reading: str) -> tuple[int, int, float]:
    task = problem(name, seed, quick=False)
    order = training_order(task, seed)
    X, y = task.X[order], np.where(task.y[order], 1.0, -1.0)
    alpha, steps = learn(rbf_kernel(X, gamma=task.gamma).astype(np.float32), y, task.C, reading)
    wrong = (rbf_kernel(task.X_test, X, gamma=task.gamma) @ alpha > 0) != task.y_test
    return int(np.count_nonzero(alpha)), steps, 100 * float(wrong.mean())


if __name__ == "__main__":
    main()
