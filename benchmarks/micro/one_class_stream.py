"""One-class models of network traffic, growing or over a sliding window, compared with scikit-learn's OneClassSVM."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.svm import OneClassSVM

from benchmarks.data import data_folder
from benchmarks.micro import Section
from benchmarks.micro.exact_problems import TIGHT
from benchmarks.worker import timed
from hinge import IncrementalOneClassSVM
from hinge.datasets import load

NU, GAMMA = 0.05, 1.0
FIRST, LAST, WINDOW, N_TEST, EVERY = 10, 3_000, 1_000, 2_000, 50


@dataclass(frozen=True)
class Traffic:
    """Normal connections in the order of the file, and unseen connections, the first half of which is normal."""

    normal: NDArray[np.float64]
    unseen: NDArray[np.float64]

    def area(self, model: Any) -> float:
        """Return the area under the ROC curve of normal connections against attacks."""
        is_normal = np.arange(len(self.unseen)) < len(self.unseen) // 2
        return float(roc_auc_score(is_normal, model.score_samples(self.unseen)))


def measure(quick: bool, *, full: bool = False) -> Section:
    """Grow from 10 to 3 000 connections, then slide a window of 1 000; compare at every 50th step, or at all."""
    random = np.random.default_rng(0)
    traffic = _traffic(random)
    last, window = (400, 200) if quick else (LAST, WINDOW)
    shuffled = traffic.normal[random.permutation(len(traffic.normal))[:last]]
    every = 1 if full else EVERY
    columns = (
        "",
        "checks",
        "score difference",
        "offset difference",
        "ROC area",
        "peer's",
        "ms per row",
        "peer's refit, ms",
    )
    return Section(
        f"One-class, kddcup99, normal traffic, nu={NU:g}, gamma={GAMMA:g}, compared every {every} rows, peer with "
        f"tol={TIGHT:g} (aim: scores within 1e-5)",
        columns,
        [
            _row(f"growing, {FIRST} to {last:,}, shuffled", traffic, shuffled, None, every),
            _row(f"window of {window:,} over {last:,}, in order", traffic, traffic.normal[:last], window, every),
        ],
    )


def _traffic(random: np.random.Generator) -> Traffic:
    data_folder()
    data = load("kddcup99")
    halves = [data.X_test[(data.y_test == "normal.") == wanted] for wanted in (True, False)]
    unseen = [half[random.permutation(len(half))[:N_TEST]] for half in halves]
    normal = data.X_train[data.y_train == "normal."]
    return Traffic(normal.astype(np.float64), np.concatenate(unseen).astype(np.float64))


def _row(name: str, traffic: Traffic, stream: NDArray[np.float64], window: int | None, every: int) -> tuple[str, ...]:
    settings: dict[str, Any] = {"nu": NU, "gamma": GAMMA}
    model = IncrementalOneClassSVM(**settings, max_examples=window, eviction="age").partial_fit(stream[:FIRST])
    peer = OneClassSVM(**settings, tol=TIGHT)
    starts = range(FIRST, len(stream), every)
    learning, refitting, differences = 0.0, 0.0, []
    for start in starts:
        end = start + every
        learning += timed(model.partial_fit, stream[start:end])[0]
        held = stream[max(0, min(end, len(stream)) - (window or end)) : end]
        refitting += timed(peer.fit, held)[0]
        scores = np.abs(model.score_samples(traffic.unseen) - peer.score_samples(traffic.unseen)).max()
        differences.append((scores, np.abs(model.offset_ - peer.offset_).max()))
    return (
        name,
        f"{len(starts)}",
        *(f"{value:.1e}" for value in np.max(differences, axis=0)),
        f"{traffic.area(model):.4f}",
        f"{traffic.area(peer):.4f}",
        f"{1e3 * learning / (len(stream) - FIRST):.2f}",
        f"{1e3 * refitting / len(starts):.2f}",
    )
