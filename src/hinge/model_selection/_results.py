"""The results of a race as the table `cv_results_` of scikit-learn's searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.ma import MaskedArray

if TYPE_CHECKING:
    from hinge._model.types import Values
    from hinge.model_selection._race import Race, Setting


def table_of(race: Race) -> Values:
    """Return one row per setting, as `cv_results_`.

    Those of `GridSearchCV` that make sense (`params`, `param_NAME`, `mean_test_score`, `std_test_score`,
    `rank_test_score`, `mean_fit_time`, `mean_score_time`), and of the race: `rung` at which a setting left (the number
    of rungs if it stayed), `reason`, `n_resources` (rows of its last model), `rungK_test_score`.
    """
    settings = race.settings
    n_rungs = len(race.rungs)
    rung = np.array([n_rungs if s.left_at is None else s.left_at for s in settings])
    scores = [[s.scores.get(number, np.nan) for number in range(n_rungs)] for s in settings]
    mean = np.array([race.score(s) for s in settings])
    table: Values = {
        "mean_fit_time": np.array([np.mean(s.fit_times) if s.fit_times else 0.0 for s in settings]),
        "mean_score_time": np.array([np.mean(s.score_times) if s.score_times else 0.0 for s in settings]),
        **_columns(settings),
        "params": [s.params for s in settings],
        **{f"rung{number}_test_score": np.array(column) for number, column in enumerate(zip(*scores, strict=True))},
        "mean_test_score": mean,
        "std_test_score": np.array([_deviation(s) for s in settings]),
        "rank_test_score": _ranks(rung, mean, race.settings.index(race.leader)),
        "rung": rung,
        "reason": np.array([s.reason for s in settings]),
        "n_resources": np.array([s.n_rows for s in settings]),
    }
    return table


def _columns(settings: list[Setting]) -> dict[str, Any]:
    """Return one masked array per parameter, as scikit-learn does: not every setting has every parameter."""
    columns: dict[str, Any] = {}
    for name in sorted({name for setting in settings for name in setting.params}):
        values = np.array([None] * len(settings), dtype=object)
        for row, setting in enumerate(settings):
            values[row] = setting.params.get(name)
        columns[f"param_{name}"] = MaskedArray(values, mask=[name not in setting.params for setting in settings])
    return columns


def _deviation(setting: Setting) -> float:
    """Return the standard error of a score: how much it would vary over other test rows."""
    if not setting.losses:
        return np.nan
    losses = np.concatenate(setting.losses)
    return float(losses.std() / np.sqrt(len(losses)))


def _ranks(rung: Any, mean: Any, leader: int) -> Any:
    """Rank settings by how far they came, then by score; the winner is first."""
    order = np.lexsort((-np.nan_to_num(mean, nan=-np.inf), -rung, np.arange(len(rung)) != leader))
    ranks = np.empty(len(rung), dtype=np.int32)
    ranks[order] = np.arange(1, len(rung) + 1)
    return ranks
