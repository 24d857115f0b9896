"""The first examples of a stream in files: arrays whose names begin with `held_`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge._model.first_examples import MAX_EQUAL, FirstExamples, count_leading_equal, rows_from_arrays
from hinge._model.state import BEGINNING
from hinge._model.validation import Storage
from hinge.persistence import _json
from hinge.persistence._check_arrays import between, check_rows, check_types, row_types
from hinge.persistence._errors import require

if TYPE_CHECKING:
    from hinge._model.types import Array, Arrays, Values

HELD = FirstExamples.PREFIX
_COLUMNS = {"labels": "int32", "costs": "float64", "weights": "float64", "ids": "int64"}
_COUNTS: _json.FieldTypes = {"built_from": (int,), "n_examples": (int,)}


def check_beginning(arrays: Arrays, values: Values, counts: object, *, all_kept: bool) -> None:
    """Raise `ModelFileError` unless arrays can be the first examples of the stream of a kernel expansion.

    `counts` is the field `beginning` of the state, `all_kept` whether the model cannot forget examples.
    """
    if counts is None:
        require(not arrays, "it has kept first examples that it does not need")
        return
    numbers = _json.fields(counts, "the beginning of its stream", _COUNTS)
    n_stored = len(arrays[f"{HELD}ids"]) if f"{HELD}ids" in arrays else 0
    first = FirstExamples(BEGINNING)
    first.built_from, first.n_given = numbers["built_from"], numbers["n_examples"]
    sensible = 0 <= first.built_from <= first.n_given <= first.n_for_next and not first.is_final
    require(sensible, "the beginning of its stream has impossible numbers of examples")
    fitting = n_stored >= first.n_given or not all_kept
    require(fitting, "the beginning of its stream does not match the examples kept")
    require(values["kernel"]["name"] != "precomputed", "a precomputed kernel does not change")
    if not arrays:
        return
    types = {f"{HELD}{name}": kind for name, kind in (_COLUMNS | row_types(values)).items()}
    check_types(arrays, types, matrices={f"{HELD}values"})
    check_first_rows(arrays, values)
    labels, costs = arrays[f"{HELD}labels"], arrays[f"{HELD}costs"]
    require(len(labels) == len(costs) == n_stored, "held ids, labels and costs differ in length")
    require(between(labels, 0, len(values["classes"]) - 1), "a held label is not the number of a class")
    require(bool((costs > 0).all()), "a held cost is not above zero")
    fitting = n_stored <= first.n_given + _count_uncounted(arrays, values)
    require(fitting, "the beginning of its stream does not match the examples kept")


def _count_uncounted(arrays: Arrays, values: Values) -> int:
    """Count the equal rows at the beginning that do not count as examples."""
    rows = rows_from_arrays({name.removeprefix(HELD): array for name, array in arrays.items()}, storage_of(values))
    return max(count_leading_equal(rows, rows) - MAX_EQUAL, 0)


def check_first_rows(arrays: Arrays, values: Values) -> None:
    """Raise `ModelFileError` unless rows, weights and ids of first examples are valid and fit together."""
    ids, weights = arrays[f"{HELD}ids"], arrays[f"{HELD}weights"]
    require(len(ids) == len(weights), "held ids and weights differ in length")
    check_ids(ids, values)
    require(bool((ids[:-1] < ids[1:]).all()), "held ids are not in the order of the stream")
    require(bool((weights > 0).all()), "a weight is not above zero")
    check_rows(arrays, len(ids), values, HELD)
    check_size(arrays[f"{HELD}data" if values["sparse"] else f"{HELD}values"], values)


def check_ids(ids: Array, values: Values) -> None:
    """Raise `ModelFileError` unless ids are distinct positions in the stream."""
    require(between(ids, 0, values["n_seen"] - 1), "an id is not that of an example it has seen")
    require(len(np.unique(ids)) == len(ids), "an id is repeated")


def check_size(entries: Array, values: Values) -> None:
    """Raise `ModelFileError` for features whose squares overflow."""
    largest = storage_of(values).largest
    require(between(entries, -largest, largest), "a feature is so large that its square overflows")


def storage_of(values: Values) -> Storage:
    """Return the storage that the values of a state describe."""
    return Storage(np.dtype(values["dtype"]), values["sparse"], values["n_features"])
