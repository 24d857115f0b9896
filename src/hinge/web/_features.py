"""Which features the model sees: a race on the first labels decides (leave-one-out accuracy), and people can change it.

The race runs when 20, 40, 80 and 160 labels are reached. Each kind of features in turn, the simpler ones first,
replaces the current one if it predicts more of the labels, each without itself, by more than one standard error of the
difference: with b labels that only the one predicts correctly and c that only the other does, if b - c > sqrt(b + c).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hinge.active._model_access import resolve_gamma
from hinge.incremental import IncrementalSVC
from hinge.web._background import Background
from hinge.web.pools import FeatureSet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hinge.web._settings import SessionSettings
    from hinge.web.pools import Pool

RACES_AT = (20, 40, 80, 160)  # labels
_MAX_RACE_LABELS = 400

Labels = tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class FeatureChoice:
    """The current kind of features.

    Attributes
    ----------
    name : str
        Its name.
    by_person : bool
        Whether a person chose it; a race does not change it then.
    raced_at : int
        The number of labels at the last race; 0 if there was none.
    scores : dict
        The leave-one-out accuracy of each kind in that race.
    """

    name: str
    by_person: bool = False
    raced_at: int = 0
    scores: dict[str, float] = field(default_factory=dict)

    def state(self) -> dict[str, object]:
        """Return the choice in the form in which it is stored."""
        return asdict(self)


def feature_sets(pool: Pool) -> Mapping[str, FeatureSet]:
    """Return the kinds of features of a pool, the default first."""
    return getattr(pool, "feature_sets", None) or {"features": FeatureSet(pool.X)}


def is_race_due(choice: FeatureChoice, n_labels: int, n_sets: int) -> bool:
    """Return whether a race must be held for so many labels."""
    last = max((size for size in RACES_AT if size <= n_labels), default=0)
    return n_sets > 1 and not choice.by_person and choice.raced_at < last


class FeatureRace:
    """Holds the races in a background thread.

    Parameters
    ----------
    sets : mapping
        The kinds of features by name.
    settings : SessionSettings
        The parameters of the model.
    """

    def __init__(self, sets: Mapping[str, FeatureSet], settings: SessionSettings) -> None:
        self._sets, self._settings = sets, settings
        self._background: Background[tuple[FeatureChoice, Labels], FeatureChoice | None] = Background(
            self.run, None, "hinge-features"
        )

    def update(self, choice: FeatureChoice, labels: dict[int, str]) -> FeatureChoice | None:
        """Return the result of a race that began with this choice, if there is one; begin one if it is due."""
        result = self._background.result
        if result is not None and result.raced_at > choice.raced_at:
            return result
        if is_race_due(choice, len(labels), len(self._sets)):
            self._background.update((choice, tuple(labels.items())))
        return None

    def run(self, task: tuple[FeatureChoice, Labels]) -> FeatureChoice:
        """Hold a race in this thread."""
        choice, labels = task
        newest = labels[-_MAX_RACE_LABELS:]
        rows, given = np.array([row for row, _ in newest]), np.array([label for _, label in newest])
        correct = {name: self._correct(each, rows, given) for name, each in self._sets.items()}
        scores = {name: round(float(each.mean()), 4) for name, each in correct.items()}
        name = choice.name
        for other, is_correct in correct.items():
            gained, lost = int(np.sum(is_correct & ~correct[name])), int(np.sum(correct[name] & ~is_correct))
            if gained - lost > np.sqrt(gained + lost):
                name = other
        return FeatureChoice(name, by_person=False, raced_at=len(labels), scores=scores)

    def wait(self, timeout: float | None = None) -> None:
        """Wait for a running race, at most `timeout` seconds."""
        self._background.wait(timeout)

    def _correct(self, each: FeatureSet, rows: NDArray[np.int64], labels: NDArray[np.str_]) -> NDArray[np.bool_]:
        """Return for each label whether the model of the others predicts it."""
        if len(set(labels.tolist())) < 2:
            return np.zeros(len(labels), dtype=bool)
        settings = self._settings.with_kernel(each.kernel)
        model = IncrementalSVC(C=settings.C, gamma=settings.gamma, kernel=settings.kernel)
        resolve_gamma(model, each.X)  # of the pool, as in the model that is shown
        return np.asarray(model.fit(each.X[rows], labels).leave_one_out() == labels)
