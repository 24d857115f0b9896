"""The history of a model: one entry per run of `hinge train`, kept in its file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hinge.exceptions import sentence
from hinge.persistence import _json
from hinge.persistence._errors import ModelFileError, require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hinge._model.types import Values

MAX_RUNS = 1000  # the first and the latest are kept
_RUN: _json.FieldTypes = {
    "finished": (str,),
    "data": (str,),
    "rows": (int,),
    "examples_seen": (int,),
    "error": (int, float, type(None)),
    "test_error": (int, float, type(None)),
}


_TUNING: _json.FieldTypes = {  # of a run that chose parameters; other runs have no such field
    "C": (int, float, type(None)),
    "gamma": (int, float, type(None)),
    "scaling": (str,),
    "settings": (int,),
    "rows": (int,),
    "seconds": (int, float),
    "measure": (str,),
    "score": (int, float, type(None)),
    "stopped": (str,),
}


def history_to_json(history: Sequence[Values]) -> list[Values]:
    """Return the runs to save; of too many, the first and the latest ones."""
    runs = list(history)
    kept = runs if len(runs) <= MAX_RUNS else [runs[0], *runs[1 - MAX_RUNS :]]
    try:
        return history_from_json(_json.parse(_json.write(kept)))
    except ModelFileError as error:
        raise ModelFileError(f"The model cannot be saved: {sentence(error)}.") from None


def history_from_json(value: Any) -> list[Values]:
    """Return the runs after checking their fields."""
    require(isinstance(value, list) and len(value) <= MAX_RUNS, "its history is not a list of runs")
    runs = [_run(run) for run in value]
    for run in runs:
        errors = [run[name] for name in ("error", "test_error") if run[name] is not None]
        numbers = [run["rows"], run["examples_seen"], *errors]
        require(all(math.isfinite(number) and number >= 0 for number in numbers), "its history has invalid numbers")
    return runs


def _run(value: Any) -> Values:
    """Check the fields of one run."""
    is_tuned = isinstance(value, dict) and "tuning" in value
    run = _json.fields(value, "a run of its history", _RUN | {"tuning": (dict,)} if is_tuned else _RUN)
    if is_tuned:
        tuning = _json.fields(run["tuning"], "the tuning of a run", _TUNING)
        numbers = {name: tuning[name] for name in ("C", "gamma", "settings", "rows", "seconds", "score")}
        given = {name: number for name, number in numbers.items() if number is not None}
        is_valid = all(math.isfinite(given[name]) and (given[name] >= 0 or name == "score") for name in given)
        require(is_valid, "its history has invalid numbers")
    return run
