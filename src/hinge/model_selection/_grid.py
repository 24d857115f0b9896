"""The settings that take part in a race: those of the user, or a grid made for the data.

The grid for the data has powers of 4 for `C`, and for `gamma` powers of 4 around one over the median of what it
multiplies: squared distances (rbf), distances (laplacian), products (poly, sigmoid). While the race runs, the settings
around the leader at half this distance join it (`around`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _num_samples

from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from hinge._model.types import Values

_COSTS = 4.0 ** np.arange(-2, 7)
COST_RANGE = (float(_COSTS[0]), float(_COSTS[-1]))
_LINEAR_COSTS = 4.0 ** np.arange(-6, 6)
_GAMMA_POWERS = {"rbf": range(-3, 4), "laplacian": range(-3, 4), "poly": range(-3, 3), "sigmoid": range(-5, 1)}
_SAMPLE = 500  # rows that decide the median


def final_step(estimator: Any) -> tuple[str, Any]:
    """Return the prefix of the parameters of the last step of a pipeline, and the step; else "" and the estimator."""
    if isinstance(estimator, Pipeline):
        prefix, model = final_step(estimator.steps[-1][1])
        return f"{estimator.steps[-1][0]}__{prefix}", model
    return "", estimator


def listed_settings(param_grid: Any, n_candidates: int, random_state: Any) -> list[Values]:
    """Return the settings of a grid, or draws if it contains distributions."""
    parts = [param_grid] if isinstance(param_grid, Mapping) else param_grid
    if not isinstance(parts, Sequence) or not all(isinstance(part, Mapping) for part in parts):
        raise ParameterError(f"param_grid must be a dictionary, a list of dictionaries or None, got {param_grid!r}.")
    if any(hasattr(values, "rvs") for part in parts for values in part.values()):
        return list(ParameterSampler(parts, n_candidates, random_state=random_state))
    empty = [name for part in parts for name, values in part.items() if np.ndim(values) == 1 and not len(values)]
    if not any(parts) or empty:
        where = f" for {empty[0]}" if empty else ""
        raise ParameterError(
            f"param_grid must contain at least one setting, got no value{where}; None makes a grid for the data."
        )
    return list(ParameterGrid(parts))


def default_settings(estimator: Any, X: Any, y: Any, random: np.random.RandomState) -> list[Values]:
    """Return a grid of C and gamma for the data; at most as many settings as a third of the rows."""
    prefix, model = final_step(estimator)
    known = model.get_params()
    if "C" not in known and "gamma" not in known:
        raise ParameterError(
            f"param_grid must be given for {type(model).__name__}, which has neither C nor gamma to choose by default."
        )
    kernel = known.get("kernel", "linear")
    powers = _GAMMA_POWERS.get(kernel) if isinstance(kernel, str) and "gamma" in known else None
    if powers is None:
        grid = {"C": _LINEAR_COSTS}
    else:
        grid = {"C": _COSTS, "gamma": _unit_gamma(kernel, _features(estimator, X, y, random)) * 4.0 ** np.array(powers)}
    grid = {name: values for name, values in grid.items() if name in known}
    return _thinned([{prefix + name: value.item() for name, value in part.items()} for part in ParameterGrid(grid)], X)


def gamma_range(kernel: Any, X: Any, random: np.random.RandomState) -> tuple[float, float] | None:
    """Return the smallest and largest gamma of the grid for some rows; None for kernels without gamma."""
    powers = _GAMMA_POWERS.get(kernel) if isinstance(kernel, str) else None
    if powers is None:
        return None
    unit = _unit_gamma(kernel, _features(None, X, None, random))
    return unit * 4.0 ** powers[0], unit * 4.0 ** powers[-1]


def _thinned(settings: list[Values], X: Any) -> list[Values]:
    """Return fewer settings where rows are so few that chance would choose among many."""
    return thinned(settings, max(_num_samples(X) // 3, 1))


def thinned(settings: list[Values], most: int) -> list[Values]:
    """Return at most so many settings, evenly spread over the list."""
    step = -(-len(settings) // most)
    return settings[step // 2 :: step]


def _features(estimator: Any, X: Any, y: Any, random: np.random.RandomState) -> Any:
    """Return some rows as the last step of a pipeline sees them."""
    rows = np.sort(random.permutation(_num_samples(X))[:_SAMPLE])
    if isinstance(estimator, Pipeline) and len(estimator.steps) > 1:
        X = clone(estimator[:-1]).fit_transform(_safe_indexing(X, rows), None if y is None else y[rows])
        return check_array(X, accept_sparse="csr")
    return check_array(X, accept_sparse="csr")[rows]


def _unit_gamma(kernel: str, X: Any) -> float:
    """Return one over the median of what gamma multiplies."""
    if kernel == "rbf":
        values = pairwise_distances(X, metric="sqeuclidean" if not sparse.issparse(X) else "euclidean")
        values = values**2 if sparse.issparse(X) else values
    elif kernel == "laplacian":
        values = pairwise_distances(X, metric="manhattan")
    else:
        values = np.abs(safe_sparse_dot(X, X.T, dense_output=True))
    values = values[np.triu_indices(len(values), 1)]
    positive = values[values > 0]
    median = float(np.median(positive)) if len(positive) else 1.0
    return 1.0 / median if np.isfinite(1.0 / median) else 1.0


def around(setting: Values, known: Sequence[Values]) -> list[Values]:
    """Return the settings around one at half the distance of the default grid; those known already are left out.

    Parameters that are not numbers stay as they are.

    Examples
    --------
    >>> around({"C": 4.0}, [{"C": 1.0}, {"C": 4.0}])
    [{'C': 2.0}, {'C': 8.0}]
    """
    numbers = [name for name, value in setting.items() if isinstance(value, float)]
    near = [
        setting | {name: float(setting[name] * factor) for name, factor in zip(numbers, factors, strict=True)}
        for factors in product((0.5, 1.0, 2.0), repeat=len(numbers))
    ]
    return [new for new in near if not any(_is_close(new, old) for old in known)]


def _is_close(one: Values, other: Values) -> bool:
    return one.keys() == other.keys() and all(_are_close(one[name], other[name]) for name in one)


def _are_close(one: Any, other: Any) -> bool:
    return bool(np.isclose(one, other, rtol=1e-6)) if isinstance(one, float) else one is other
