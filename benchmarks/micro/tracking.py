"""The normalised duality gap of `TrackingSVC` along a9a, for several numbers of steps an example."""

import numpy as np
from scipy.optimize import curve_fit

from benchmarks.micro import Section
from benchmarks.tasks import TASKS
from hinge import TrackingSVC

STEPS = (1, 2, 5, 10, 20, 50, 100)
EVERY = 128  # examples between two looks at the gap


def measure(quick: bool) -> Section:
    """Stream the rows in one random order; K is fitted to the gap as a power, as the paper does."""
    split = TASKS["a9a"].split(quick=quick)
    order = np.random.default_rng(0).permutation(len(split.y))
    X, y = split.X[order], split.y[order]
    rows = []
    for process in (False, True):
        means = []
        for steps in STEPS:
            model = TrackingSVC(
                C=1.0, gamma=0.005, n_steps=steps, process=process, average=False, random_state=0, cache_size=512
            )
            gaps = []
            for start in range(0, len(y), EVERY):
                model.partial_fit(X[start : start + EVERY], y[start : start + EVERY])
                gaps.append(model.duality_gap() / model.n_seen_)
            quarters = [np.mean(part) for part in np.array_split(gaps[2:], 4)]
            means.append(float(np.mean(gaps[2:])))
            error = 100 * float(np.mean(model.predict(split.X_test) != split.y_test))
            rows.append(
                (
                    f"{1 + process}",
                    f"{steps}",
                    f"{means[-1]:.4f}",
                    ", ".join(f"{q:.4f}" for q in quarters),
                    f"{error:.2f}",
                )
            )
        straight = np.polyfit(np.log(STEPS), np.log(means), 1)[0]
        (a, b), _ = curve_fit(lambda gap, a, b: a * gap**-b, means, STEPS, p0=(0.7, 1.0))
        rows.append((f"{1 + process}", "fit", f"K = {a:.3f} / gap^{b:.3f}", f"gap ~ K^{straight:.2f} (logarithms)", ""))
    return Section(
        "Normalised gap (P - D) / (C t) of TrackingSVC, a9a, C=1, gamma=0.005",
        ("algorithm", "K", "mean gap", "by quarter of the stream", "test error, %"),
        rows,
    )
