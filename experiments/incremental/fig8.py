"""Figure 8: test error on USPS of exact machines that may hold only so many examples, ten classes.

Each of ten machines has a window of M examples; when it is full, one example leaves before the next is learned. The
paper lets the one of least weight go. The library asks how much the dual objective would miss each example, which for
examples of equal standing is the square of the weight; the paper's own rule is measured at M = 150 beside it, by
`forget`.

The paper gives sigma^2 = 0.3 * 256 and 274 support vectors a machine, but not the range of the pixels, nor whether
sigma^2 or 2 sigma^2 divides the squared distance. Of the four readings, pixels from 0 to 1 and 2 sigma^2 come nearest
to 274 (315; the others have 358, 460 and 764). The window of 150 costs 7 to 12 per cent in all of them.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.experiment import Cell, Check, Experiment, Measurement, Table
from experiments.formatting import MISSING, count, decimal, multiple, percent
from experiments.measure import cpu_time
from experiments.plotting import COLOURS, style_axes
from experiments.problems import load_cached
from hinge import IncrementalSVC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from experiments.records import Record, Records

C, GAMMA = 100.0, 1 / (2 * 0.3 * 256)
WINDOWS = (50, 100, 150, 200, 250, 300, 500)
ALL = 7_291  # no window
SPOKEN_OF = 150
SUPPORT = 274  # of an unrestricted machine, mean of the ten, section 6.1
LIBRARY, WEIGHT = "relevance", "least weight"
COST = 1.15  # "about 10 %", with 5 for the noise of 115 errors in 2 007 against 129


@lru_cache(maxsize=1)
def _rows(order: int) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[np.float64], NDArray[Any]]:
    """Return training and test rows with pixels from 0 to 1; order 0 is that of the file."""
    data = load_cached("usps")
    places = np.random.default_rng(order).permutation(ALL) if order else np.arange(ALL)
    X, X_test = ((part.astype(np.float64) + 1) / 2 for part in (data.X_train, data.X_test))
    return X[places], data.y_train[places], X_test, data.y_test


def by_library(window: int, order: int, n_rows: int) -> Record:
    """Learn ten machines with one window each."""
    X, y, X_test, y_test = _rows(order)
    bound = window if window < ALL else None
    model = IncrementalSVC(C=C, gamma=GAMMA, max_examples=bound, n_jobs=1)
    learn = model.partial_fit if bound else model.fit
    seconds, _ = cpu_time(partial(learn, X[:n_rows], y[:n_rows]))
    wrong = np.mean(model.predict(X_test) != y_test)
    support = float(np.count_nonzero(model.dual_coef_, axis=1).mean())
    return {"error": 100 * float(wrong), "support": support, "seconds": seconds}


def by_weight(window: int, order: int, n_rows: int) -> Record:
    """Learn ten machines one after the other, each forgetting its example of least weight."""
    X, y, X_test, y_test = _rows(order)
    machines = []
    seconds = 0.0
    for digit in np.unique(y):
        spent, machine = cpu_time(partial(_least_weight, X[:n_rows], y[:n_rows] == digit, window))
        seconds += spent
        machines.append(machine)
    scores = np.column_stack([machine.decision_function(X_test) for machine in machines])
    support = float(np.mean([len(machine.support_) for machine in machines]))
    wrong = np.mean(np.argmax(scores, axis=1) != y_test)
    return {"error": 100 * float(wrong), "support": support, "seconds": seconds}


def _least_weight(X: NDArray[np.float64], y: NDArray[np.bool_], window: int) -> IncrementalSVC:
    machine = IncrementalSVC(C=C, gamma=GAMMA, n_jobs=1)
    first = max(window, int(np.argmax(y)) + 1, int(np.argmin(y)) + 1)
    machine.partial_fit(X[:first], y[:first], classes=[False, True])
    held = set(range(first))
    for row in range(first, len(y)):
        while len(held) >= window:
            leaver = _lightest(machine, held)
            machine.forget(leaver)
            held.remove(leaver)
        machine.partial_fit(X[row : row + 1], y[row : row + 1], ids=[row])
        held.add(row)
    return machine


def _lightest(machine: IncrementalSVC, held: set[int]) -> int:
    """Return the oldest example without a weight, or else the one of least weight."""
    support = machine.support_
    idle = held.difference(support.tolist())
    return min(idle) if idle else int(support[np.abs(machine.dual_coef_[0]).argmin()])


def _cells(quick: bool) -> Iterator[Cell]:
    n_rows = 1_500 if quick else ALL
    for window in (ALL, 50, SPOKEN_OF, 300) if quick else (ALL, *WINDOWS):
        yield Cell(_key(LIBRARY, window, 0), partial(by_library, window, 0, n_rows))
    for order in () if quick else (1, 2, 3):
        for window in (ALL, SPOKEN_OF):
            yield Cell(_key(LIBRARY, window, order), partial(by_library, window, order, n_rows))
    yield Cell(_key(WEIGHT, SPOKEN_OF, 0), partial(by_weight, SPOKEN_OF, 0, n_rows))


def _key(rule: str, window: int, order: int) -> dict[str, str | int]:
    return {"rule": rule, "window": window, "order": order}


def _error(records: Records, window: int, rule: str = LIBRARY, order: int = 0) -> float:
    return records.where(rule=rule, window=window, order=order).mean("error")


def tabulate(records: Records) -> list[Table]:
    """Return errors by window, rule and order."""
    rows = []
    for line in records:
        window, order = int(line["window"]), int(line["order"])
        rows.append(
            [
                count(window) if window < ALL else "none",
                str(line["rule"]) if window < ALL else MISSING,
                f"random {order}" if order else "file",
                percent(float(line["error"])),
                multiple(float(line["error"]) / _error(records, ALL, order=order)),
                "about 1.1 x" if window == SPOKEN_OF else "",
                decimal(float(line["support"]), 0),
                f"{SUPPORT}" if window == ALL else "",
                decimal(float(line["seconds"]), 1),
            ]
        )
    columns = ("window", "who leaves", "order", "error", "of no window's", "paper", "support vectors", "paper", "s")
    return [Table(columns, rows)]


def check(records: Records) -> list[Check]:
    """Ask whether a window of 2 % of the data costs about a tenth, and less costs more."""
    free, spoken = _error(records, ALL), _error(records, SPOKEN_OF)
    smallest = _error(records, WINDOWS[0])
    ratios = [
        _error(records, SPOKEN_OF, order=order) / _error(records, ALL, order=order) for order in records.unique("order")
    ]
    larger = [_error(records, int(window)) / free for window in records.unique("window") if window >= SPOKEN_OF]
    return [
        Check(
            "The classification accuracy deteriorates marginally (by about 10 %) until the working size of 150: the "
            f"error is at most {COST} of that without a window, in the order of the file and in the mean of all "
            "orders.",
            spoken / free <= COST and float(np.mean(ratios)) <= COST if ratios else False,
            f"{spoken:.2f} % against {free:.2f} %; by order: " + ", ".join(f"{value:.2f}" for value in ratios),
        ),
        Check(
            f"Between 150 and no window it is never more than {COST}.",
            len(larger) > 1 and max(larger) <= COST,
            ", ".join(f"{value:.2f}" for value in larger),
        ),
        Check(
            "Below 150 it deteriorates further: a window of 50 costs more than one of 150.",
            smallest > spoken,
            f"{smallest:.2f} % against {spoken:.2f} %",
        ),
        Check(
            f"An unrestricted machine has more support vectors than the window of 150 (paper: {SUPPORT} on average), "
            "so "
            "that storage is reduced below the minimum by about a half.",
            records.where(rule=LIBRARY, window=ALL, order=0).mean("support") > 1.5 * SPOKEN_OF,
            f"{records.where(rule=LIBRARY, window=ALL, order=0).mean('support'):.0f} on average",
        ),
    ]


def draw(records: Records, figure: Figure) -> None:
    """Draw the error over the window."""
    place = figure.subplots()
    part = records.where(rule=LIBRARY, order=0)
    windows, errors = part.curve("window", "error")
    if len(windows):
        inside = windows < ALL
        place.plot(windows[inside], errors[inside], "o-", color=COLOURS[0], label="window of M examples")
    free, weight = _error(records, ALL), _error(records, SPOKEN_OF, WEIGHT)
    if free > 0:
        place.axhline(free, color=COLOURS[2], label="no window")
        place.axhline(1.1 * free, color=COLOURS[2], linestyle=":", label="no window, + 10 %")
    if weight > 0:
        place.plot([SPOKEN_OF], [weight], "s", color=COLOURS[1], label="least weight leaves")
    style_axes(place, "", "window size M", "test error, %")


EXPERIMENT = Experiment(
    title="Learning with limited resources: error against the window, USPS",
    claim="The classification accuracy deteriorates marginally (by about 10 %) until the working size of 150, which is "
    "about 2 % of the data; unrestricted machines have 274 support vectors on average.",
    setting="Ten machines, C = 100, sigma^2 = 0.3 * 256 as in the paper; pixels from 0 to 1, the reading with the "
    "nearest number of support vectors. The example leaves that the dual objective misses least; the paper's rule, "
    "least weight, is measured at M = 150. The order of the file, and three random ones.",
    quick="The first 1 500 rows, four windows, the order of the file.",
    measurement=Measurement("windows", _cells),
    tabulate=tabulate,
    check=check,
    draw=draw,
)
