"""Figure 6: support vectors along the training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import count
from experiments.nonconvex.datasets import NAMES, NOISY
from experiments.nonconvex.paper_numbers import SUPPORT, printed
from experiments.nonconvex.passes import FULL, GAP, IGNORE, LIBSVM, METHODS, NONCONVEX, WITH_RAMP, passes
from experiments.nonconvex.summaries import QUICK, SETTING, draw_growth, fewer, ours, side_by_side, verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records


def _tabulate(records: Records) -> list[Table]:
    return [
        side_by_side(
            "Support vectors at the end; in brackets the paper's (table 3)",
            METHODS,
            lambda d, m: f"{count(ours(records, d, m, 'support'))} ({count(printed(SUPPORT, m, d))})",
        )
    ]


def _check(records: Records) -> list[Check]:
    pairs = [(one, other) for one in WITH_RAMP for other in (FULL, GAP, LIBSVM)]
    return [
        verdict(
            "'LASVM-NC and LASVM-I end up with smaller number of support vectors than FULL SVM, LASVM-G, and "
            "LIBSVM', on every set",
            fewer(records, NAMES, pairs, "support"),
        ),
        verdict(
            "'Compared to LASVM-I, LASVM-NC builds noticeably sparser models with less support vectors in noisy Adult, "
            "Banana, and USPS-N data sets'",
            fewer(records, NOISY, [(NONCONVEX, IGNORE)], "support"),
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    draw_growth(records, figure, "support", "support vectors", line=True)


EXPERIMENT = Experiment(
    title="Support vectors along the training",
    claim="'LASVM-NC and LASVM-I end up with smaller number of support vectors than FULL SVM, LASVM-G, and LIBSVM. "
    "Furthermore, compared to LASVM-I, LASVM-NC builds noticeably sparser models' on the noisy sets.",
    setting=SETTING,
    quick=QUICK,
    measurement=passes(),
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(12.0, 6.5),
)
