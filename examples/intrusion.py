"""Find attacks in network traffic with sixty labels: section 6.2 of Laskov, Gehl, Krüger and Müller, 2006.

There are a thousand unlabelled connections, one in ten of which is an attack. An anomaly detector, which needs no
labels, ranks them. An analyst labels the ten most suspicious ones, which is enough to train a first classifier, and
then fifty more, one at a time, which the classifier selects by one of two strategies:

    largest positive   the most likely attack: many attacks are found while labelling
    near boundary      the most uncertain connection: gives the better classifier for the rest

Run it with `python examples/intrusion.py [--seed NUMBER] [--output FIGURE]`. The data is that of the KDD cup 1999, read
from the folder named by HINGE_DATA or downloaded once. This is one random sample; `python -m experiments incremental
fig9 fig10` repeats the experiments of the paper on many.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from rich.console import Console
from rich.table import Table

from hinge import HingeError, IncrementalOneClassSVM, IncrementalSVC
from hinge.active import ActiveLearner
from hinge.datasets import load

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.datasets import Dataset

    Features: TypeAlias = NDArray[np.float32]

N_ROWS, N_ATTACKS = 1_000, 100
N_FIRST, N_QUERIES = 10, 50
STRATEGIES = {"largest positive": "positive", "near boundary": "boundary"}
RATES = (0.02, 0.05, 0.1, 0.3)  # of false alarms, in the table


def traffic(data: Dataset, seed: int) -> tuple[Features, NDArray[np.bool_]]:
    """Draw connections, one in ten an attack; all kinds of attacks are equally likely, unlike in the file."""
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


def rank_by_anomaly(X: Features) -> NDArray[np.int64]:
    """Rank connections by how unusual they are, without labels."""
    detector = IncrementalOneClassSVM(nu=0.05, shape="sphere", kernel="linear").fit(X)
    return np.argsort(detector.score_samples(X), kind="stable")


def label_actively(
    X: Features, is_attack: NDArray[np.bool_], suspects: NDArray[np.int64], strategy: str
) -> ActiveLearner:
    """Label the first suspects, then the connections that the classifier selects."""
    learner = ActiveLearner(IncrementalSVC(C=1e6, kernel="linear"), X, strategy=strategy, random_state=0)
    first = N_FIRST
    while len(np.unique(is_attack[suspects[:first]])) < 2:  # a classifier needs both classes
        first += 1
    learner.tell(suspects[:first], is_attack[suspects[:first]])
    while len(learner.labels) < N_FIRST + N_QUERIES:
        rows = learner.ask()
        learner.tell(rows, is_attack[rows])  # the analyst knows the label
    return learner


def rank_by_classifier(learner: ActiveLearner, X: Features) -> NDArray[np.int64]:
    """Rank all connections: the labelled ones in their order, then the others by the classifier."""
    labelled = np.array(list(learner.labels))
    others = np.setdiff1d(np.arange(len(X)), labelled)
    scores = learner.model.decision_function(X[others])
    return np.concatenate([labelled, others[np.argsort(-scores, kind="stable")]])


def detection_rate(hits: NDArray[np.bool_], rate: float) -> float:
    """Return the share of attacks that a ranking finds at a rate of false alarms."""
    alarms = np.cumsum(~hits) / np.count_nonzero(~hits)
    end = int(np.searchsorted(alarms, rate, side="right"))
    return float(np.count_nonzero(hits[:end]) / np.count_nonzero(hits))


def show(rankings: dict[str, NDArray[np.bool_]], console: Console) -> None:
    """Print the detection rates of each ranking."""
    table = Table(title="Attacks found while labelling, and at several false alarm rates", title_justify="left")
    table.add_column("ranking")
    for column in (f"first {N_FIRST + N_QUERIES}", *(f"{rate:.0%}" for rate in RATES)):
        table.add_column(column, justify="right")
    for name, hits in rankings.items():
        shares = (f"{detection_rate(hits, rate):.0%}" for rate in RATES)
        table.add_row(name, f"{np.count_nonzero(hits[: N_FIRST + N_QUERIES])}", *shares)
    console.print(table)


def draw(rankings: dict[str, NDArray[np.bool_]], file: Path) -> None:
    """Draw the ROC curves."""
    from matplotlib.figure import Figure  # noqa: PLC0415  optional

    figure = Figure(figsize=(7, 5), layout="constrained", dpi=100)
    axes = figure.subplots()
    rates = np.linspace(0, 1, 201)
    for name, hits in rankings.items():
        axes.plot(rates, [detection_rate(hits, rate) for rate in rates], label=name)
    axes.set(xlabel="false positive rate", ylabel="true positive rate", title="Detection of attacks with sixty labels")
    axes.legend(frameon=False, loc="lower right")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file)


def main() -> None:
    """Compare both strategies and the ranking without labels."""
    parser = argparse.ArgumentParser(description="Find attacks with sixty labels: active learning on the KDD cup 1999.")
    parser.add_argument("--output", type=Path, metavar="FIGURE", help="file for the ROC curves; default: none")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
    options = parser.parse_args()
    try:
        data = load("kddcup99")
    except (FileNotFoundError, ImportError, HingeError) as error:
        parser.exit(1, f"{error}\n")
    X, is_attack = traffic(data, options.seed)
    suspects = rank_by_anomaly(X)
    rankings = {"anomaly detection": is_attack[suspects]}
    for name, strategy in STRATEGIES.items():
        rankings[name] = is_attack[rank_by_classifier(label_actively(X, is_attack, suspects, strategy), X)]
    console = Console()
    show(rankings, console)
    if options.output:
        draw(rankings, options.output)
        console.print(f"Wrote {options.output}.")


if __name__ == "__main__":
    main()
