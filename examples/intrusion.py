"""Hunting attacks in network traffic with sixty labels: the scenario of Laskov, Gehl, Krüger and Müller, 2006.

A thousand connections are recorded, one in ten of them an attack, and nobody has said which. An anomaly detector, which
needs no labels, ranks them. An analyst looks at the ten most suspicious, which is enough to train a first classifier,
and then at fifty more that the classifier asks about, one after the other, by one of two rules:

    largest positive   what looks most like an attack: many attacks are found while labelling
    near boundary      what it is least sure about: the better classifier for all the rest

Run it with `python examples/intrusion.py [--seed NUMBER] [--output PICTURE]`. The data are those of the KDD cup 1999,
read from the folder named by HINGE_DATA or fetched once. This is one draw; in a clone,
`python -m experiments incremental fig9 fig10`
repeats the experiments of the paper on many.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from hinge import HingeError, IncrementalOneClassSVM, IncrementalSVC
from hinge.active import ActiveLearner
from hinge.datasets import load

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.datasets import Dataset

N_ROWS, N_ATTACKS = 1_000, 100
FIRST, ASKED = 10, 50
RULES = {"largest positive": "positive", "near boundary": "boundary"}
RATES = (0.02, 0.05, 0.1, 0.3)  # of false alarms, at which the table shows how many attacks are found


def traffic(data: Dataset, seed: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Draw connections, one in ten an attack of any kind; a few kinds would make up nearly all attacks as they come."""
    random = np.random.default_rng(seed)
    is_attack = data.y_train != "normal."
    attacks, normal = np.flatnonzero(is_attack), np.flatnonzero(~is_attack)
    _, kinds, counts = np.unique(data.y_train[attacks], return_inverse=True, return_counts=True)
    chances = 1 / counts[kinds]
    rows = np.concatenate(
        [
            random.choice(attacks, N_ATTACKS, replace=False, p=chances / chances.sum()),
            random.choice(normal, N_ROWS - N_ATTACKS, replace=False),
        ]
    )
    rows = random.permutation(rows)
    return data.X_train[rows], is_attack[rows]


def suspicion(X: NDArray[Any]) -> NDArray[np.int64]:
    """Rank connections by how unusual they are, without a single label."""
    detector = IncrementalOneClassSVM(nu=0.05, shape="sphere", kernel="linear").fit(X)
    return np.argsort(detector.score_samples(X), kind="stable")


def hunt(X: NDArray[Any], is_attack: NDArray[np.bool_], suspects: NDArray[np.int64], strategy: str) -> ActiveLearner:
    """Label the first suspects, then what the classifier asks about."""
    learner = ActiveLearner(IncrementalSVC(C=1e6, kernel="linear"), X, strategy=strategy, random_state=0)
    first = FIRST
    while len(np.unique(is_attack[suspects[:first]])) < 2:  # a classifier needs both kinds
        first += 1
    learner.tell(suspects[:first], is_attack[suspects[:first]])
    while len(learner.labels) < FIRST + ASKED:
        rows = learner.ask()
        learner.tell(rows, is_attack[rows])  # the analyst knows
    return learner


def ranking(learner: ActiveLearner, X: NDArray[Any]) -> NDArray[np.int64]:
    """Rank all connections: those that were labelled as they were, then the others by the classifier."""
    labelled = np.array(list(learner.labels))
    others = np.setdiff1d(np.arange(len(X)), labelled)
    scores = learner.model.decision_function(X[others])
    return np.concatenate([labelled, others[np.argsort(-scores, kind="stable")]])


def found(hits: NDArray[np.bool_], rate: float) -> float:
    """Return the share of attacks that a ranking has found when a share of the normal connections was suspected."""
    alarms = np.cumsum(~hits) / np.count_nonzero(~hits)
    place = int(np.searchsorted(alarms, rate, side="right"))
    return float(np.count_nonzero(hits[:place]) / np.count_nonzero(hits))


def show(rankings: dict[str, NDArray[np.bool_]], console: Console) -> None:
    """Print what each ranking finds."""
    table = Table(title="Attacks found, while labelling and at several rates of false alarms", title_justify="left")
    table.add_column("ranking")
    for column in (f"first {FIRST + ASKED}", *(f"{rate:.0%}" for rate in RATES)):
        table.add_column(column, justify="right")
    for name, hits in rankings.items():
        shares = (f"{found(hits, rate):.0%}" for rate in RATES)
        table.add_row(name, f"{np.count_nonzero(hits[: FIRST + ASKED])}", *shares)
    console.print(table)


def draw(rankings: dict[str, NDArray[np.bool_]], file: Path) -> None:
    """Draw the ROC curves."""
    from matplotlib.figure import Figure  # noqa: PLC0415 (all but the picture works without it)

    figure = Figure(figsize=(7, 5), layout="constrained", dpi=100)
    place = figure.subplots()
    rates = np.linspace(0, 1, 201)
    for name, hits in rankings.items():
        place.plot(rates, [found(hits, rate) for rate in rates], label=name)
    place.set(xlabel="false positive rate", ylabel="true positive rate", title="Sixty labels against intrusions")
    place.legend(frameon=False, loc="lower right")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file)


def main() -> None:
    """Hunt by both rules, and without labels."""
    parser = argparse.ArgumentParser(
        description="Sixty labels against intrusions: active learning on the KDD cup 1999."
    )
    parser.add_argument("--output", type=Path, metavar="PICTURE", help="where the ROC curves go; none without it")
    parser.add_argument("--seed", type=int, default=0, help="which rows are drawn")
    options = parser.parse_args()
    try:
        data = load("kddcup99")
    except (FileNotFoundError, HingeError) as error:
        parser.exit(
            1, f"{error} The data are needed: put kddcup99-10pct.csv.bz2 into the folder named by HINGE_DATA.\n"
        )
    X, is_attack = traffic(data, options.seed)
    suspects = suspicion(X)
    rankings = {"anomaly detection": is_attack[suspects]}
    for name, strategy in RULES.items():
        rankings[name] = is_attack[ranking(hunt(X, is_attack, suspects, strategy), X)]
    console = Console()
    show(rankings, console)
    if options.output:
        draw(rankings, options.output)
        console.print(f"{options.output} written")


if __name__ == "__main__":
    main()
