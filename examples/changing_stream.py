"""A stream that changes three times: predict each row, learn it, and see when it changed.

Writes `changing_stream.png` if matplotlib is installed.
"""

import importlib.util

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from hinge import OnlineSVC
from hinge.stream import AdaptiveSVC, plot_stream

N_ROWS = 4000


def make_stream(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return points whose label depends on a wave that is turned over three times; a tenth of the labels is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(N_ROWS, 2))
    y = X[:, 1] > 2 * np.sin(X[:, 0])
    is_odd = np.arange(N_ROWS) // (N_ROWS // 4) % 2 == 1
    return X, y ^ is_odd ^ (rng.random(N_ROWS) < 0.1)


def test_then_train(model: AdaptiveSVC | OnlineSVC, X: NDArray[np.float64], y: NDArray[np.bool_]) -> list[bool]:
    """Predict, then learn each row; return which predictions were right."""
    model.partial_fit(X[:1], y[:1], classes=[False, True])
    right = [False]
    for row in range(1, len(y)):
        right.append(bool(model.predict(X[row : row + 1])[0] == y[row]))
        model.partial_fit(X[row : row + 1], y[row : row + 1])
    return right


def main() -> None:
    """Compare a model that adapts with one that does not."""
    console = Console()
    X, y = make_stream()
    adaptive = AdaptiveSVC()
    right = {"AdaptiveSVC": test_then_train(adaptive, X, y), "OnlineSVC": test_then_train(OnlineSVC(gamma=1.0), X, y)}
    for name, flags in right.items():
        console.print(f"{name}: {np.mean(flags):.1%} right")
    for drift in adaptive.drifts_:
        console.print(
            f"around row {drift.start} the error rose from {drift.error_before:.0%} to {drift.error_after:.0%}"
        )
    if importlib.util.find_spec("matplotlib") is not None:
        from matplotlib.figure import Figure  # noqa: PLC0415

        figure = Figure(figsize=(9, 3.5), layout="constrained")
        plot_stream(right, adaptive.drifts_, ax=figure.subplots())
        figure.savefig("changing_stream.png", dpi=150)


if __name__ == "__main__":
    main()
