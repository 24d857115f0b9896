"""Figure 1: the duality lemma with a single example.

For x = 1, y = 1 everything is known in closed form: w = alpha, P = alpha^2 / 2 + C [1 - alpha]_+,
D = alpha - alpha^2 / 2. The figure shows the gap P - D, the bound of the lemma, C mu(Delta), and the primal excess
P - P*. In addition, lemma 1 is tested on random problems with random coefficients, inside the box and at its bounds.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Cell, Check, Experiment, Measurement, Table
from experiments.formatting import count, decimal
from experiments.plotting import COLOURS, style_axes
from experiments.records import Record, Records
from experiments.tracking.theory import duality_gap, mu, rbf_kernel, step_gains

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

SINGLE_EXAMPLE_C = {"free": 1.5, "bounded": 0.7}  # C of the paper's left and right plot
POINTS = 301  # values of alpha on a curve
PROBLEMS = {True: 200, False: 2_000}
KERNELS = ("linear", "radial")
C_VALUES = (0.05, 1.0, 20.0)
ROUNDING = 1e-9


def cells(quick: bool) -> Iterator[Cell]:
    """Yield the cells of both curves, and of random problems of several kinds."""
    for name, C in SINGLE_EXAMPLE_C.items():
        yield Cell({"part": name, "C": C}, partial(single_example, C))
    for kernel in KERNELS:
        for C in C_VALUES:
            yield Cell({"part": kernel, "C": C}, partial(test_lemma, kernel, C, PROBLEMS[quick]))


def single_example(C: float) -> list[Record]:
    """Return gap, bound and primal excess of the single example by its coefficient."""
    alpha = np.linspace(0.0, C, POINTS)
    primal = 0.5 * alpha**2 + C * np.maximum(0.0, 1.0 - alpha)
    best = min(C, 1.0)
    optimum = 0.5 * best**2 + C * (1.0 - best)
    limit = C * mu(step_gains(alpha, 1.0 - alpha, np.ones(POINTS), C), C)
    columns = zip(alpha, primal - (alpha - 0.5 * alpha**2), limit, primal - optimum, strict=True)
    return [{"alpha": float(a), "gap": float(g), "bound": float(b), "excess": float(e)} for a, g, b, e in columns]


def test_lemma(kernel: str, C: float, problems: int) -> Record:
    """Return the largest ratio of gap and bound over random problems, and the number of violations."""
    ratios = np.array([_ratio(kernel, C, np.random.default_rng(seed)) for seed in range(problems)])
    return {"problems": problems, "largest": float(ratios.max()), "violations": int((ratios > 1.0 + ROUNDING).sum())}


def _ratio(kernel: str, C: float, random: np.random.Generator) -> float:
    """Return gap / bound for random coefficients after a random number of steps of coordinate ascent."""
    n = int(random.integers(1, 40))
    X = random.normal(size=(n, int(random.integers(1, 6))))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1))[:, None]
    y = random.choice([-1.0, 1.0], n)
    Q = np.outer(y, y) * (X @ X.T if kernel == "linear" else rbf_kernel(X, X, 1.0))
    alpha = np.clip(random.uniform(-0.5, 1.5, n), 0.0, 1.0) * C
    for i in random.integers(n, size=int(random.integers(0, 10 * n))):
        alpha[i] = np.clip(alpha[i] + (1.0 - Q[i] @ alpha) / Q[i, i], 0.0, C)
    return _gap_over_bound(alpha, 1.0 - Q @ alpha, np.diag(Q), C)


def _gap_over_bound(
    alpha: NDArray[np.float64], gradient: NDArray[np.float64], curvature: NDArray[np.float64], C: float
) -> float:
    limit = C * len(alpha) * mu(step_gains(alpha, gradient, curvature, C).mean(), C)
    return duality_gap(alpha, gradient, C) / limit if limit > 0 else 0.0


def tabulate(records: Records) -> list[Table]:
    """Return the results of lemma 1 on random problems."""
    rows = []
    for kernel in KERNELS:
        for C in C_VALUES:
            line = records.where(part=kernel, C=C)
            largest, beyond = decimal(line.mean("largest"), 3), count(line.mean("violations"))
            rows.append([kernel, f"{C:g}", count(line.mean("problems")), largest, beyond])
    columns = ["kernel", "C", "random problems", "largest gap / bound (lemma: 1)", "violations (lemma: 0)"]
    return [Table(columns, rows, "Lemma 1 on random problems")]


def check(records: Records) -> list[Check]:
    """Check the lemma, and the statements of the text about the plots."""
    free, bounded = (records.where(part=name) for name in SINGLE_EXAMPLE_C)
    near_free = _tightness(free, 1.0, 0.05)
    near_bound = _tightness(bounded, SINGLE_EXAMPLE_C["bounded"], 0.05)
    far_bound = _tightness(bounded, 0.0, 0.05)
    ends = Records(line for line in bounded if line["alpha"] == SINGLE_EXAMPLE_C["bounded"])
    random_problems = Records(line for line in records if line["part"] in KERNELS)
    worst, violations = (
        max(random_problems.values("largest"), default=np.nan),
        random_problems.values("violations").sum(),
    )
    return [
        Check(
            "Lemma 1: the gap is at most C t mu(mean gain of a step), on every random problem.",
            bool(len(random_problems) and violations == 0),
            f"{violations:.0f} violations, at most {worst:.3f} of the bound",
        ),
        Check(
            "Free support vector: near the optimum alpha = 1 gap and bound fall at the same rate, since mu behaves "
            "like a square root there (their ratio stays above 1/4).",
            near_free > 0.25,
            f"gap / bound at least {near_free:.2f} near alpha = 1",
        ),
        Check(
            "Support vector at its bound: the bound is much looser when alpha approaches C (a third as tight or less).",
            near_bound < far_bound / 3,
            f"gap / bound {near_bound:.2f} near C, {far_bound:.2f} near 0",
        ),
        Check(
            "At alpha = C the bound is exact: both are zero.",
            ends.mean("gap") < ROUNDING and ends.mean("bound") < ROUNDING,
            f"gap {ends.mean('gap'):.1e}, bound {ends.mean('bound'):.1e}",
        ),
    ]


def _tightness(records: Records, centre: float, radius: float) -> float:
    """Return the smallest gap / bound near a value of alpha, without that value itself."""
    ratios = [
        float(line["gap"]) / float(line["bound"])
        for line in records
        if abs(float(line["alpha"]) - centre) <= radius and float(line["bound"]) > ROUNDING
    ]
    return min(ratios, default=np.nan)


def draw(records: Records, figure: Figure) -> None:
    """Draw gap, bound and primal excess by alpha, one panel per C."""
    styles = {"gap": ("-", "gap P - D"), "bound": ("--", "bound of lemma 1"), "excess": (":", "primal excess P - P*")}
    for axes, (name, C) in zip(figure.subplots(1, 2, sharey=True), SINGLE_EXAMPLE_C.items(), strict=True):
        lines = records.where(part=name)
        for (column, (style, label)), colour in zip(styles.items(), (COLOURS[2], COLOURS[3], COLOURS[6]), strict=True):
            axes.plot(*lines.curve("alpha", column), style, color=colour, label=label)
        style_axes(axes, f"C = {C:g}", "alpha", "")


EXPERIMENT = Experiment(
    title="Duality lemma with a single example",
    claim="Lemma 1 bounds the duality gap by the expected gain of a random coordinate step. With one example the bound "
    "has the right shape near a free support vector, is loose near a bound of the box, and exact at the bound.",
    setting="The formulas of the text for x = 1, y = 1 and C = 1.5 or 0.7; in addition, the lemma on 2,000 random "
    "problems for each of two kernels and three values of C.",
    quick="200 random problems of each kind.",
    measurement=Measurement("lemma", cells),
    tabulate=tabulate,
    check=check,
    draw=draw,
    size=(9.0, 3.6),
)
