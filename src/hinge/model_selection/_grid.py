"""The settings that take part in a race: those of the user, or a grid made for the data.

The grid for the data has powers of 4 for `C`, and for `gamma` powers of 4 around one over the median of what it
multiplies: squared distances (rbf), distances (laplacian), products (poly, sigmoid). While the race runs, the settings
around the leader at half this distance join it (`around`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array
from sklearn.utils.extmath import safe_sparse_dot

from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hinge._model.types import Values

_COSTS = 4.0 ** np.arange(-2, 7)
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
    parts = [param_grid] if isinstance(param_grid, dict) else list(param_grid)
    if any(hasattr(values, "rvs") for part in parts for values in part.values()):
        return list(ParameterSampler(parts, n_candidates, random_state=random_state))
    empty = [name for part in parts for name, values in part.items() if np.ndim(values) == 1 and not len(values)]
    if not parts or empty:
        where = f" for {empty[0]}" if empty else ""
        raise ParameterError(f"param_grid must contain at least one setting, got no value{where}.")
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


def _thinned(settings: list[Values], X: Any) -> list[Values]:
    """Return fewer settings where rows are so few that chance would choose among many."""
    most = max(np.shape(X)[0] // 3, 1)
    step = -(-len(settings) // most)
    return settings[step // 2 :: step]


def _features(estimator: Any, X: Any, y: Any, random: np.random.RandomState) -> Any:
    """Return some rows as the last step of a pipeline sees them."""
    n = len(X) if isinstance(X, list) else X.shape[0]
    rows = np.sort(random.permutation(n)[:_SAMPLE])
    if isinstance(estimator, Pipeline) and len(estimator.steps) > 1:
        from sklearn.base import clone
        from sklearn.utils import _safe_indexing

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

    Examples
    --------
    >>> around({"C": 4.0}, [{"C": 1.0}, {"C": 4.0}])
    [{'C': 2.0}, {'C': 8.0}]
    """
    near = [
        {name: float(value * factor) for (name, value), factor in zip(setting.items(), factors, strict=True)}
        for factors in _factors(len(setting))
    ]
    return [new for new in near if not any(_is_close(new, old) for old in known)]


def _factors(n: int) -> NDArray[np.float64]:
    """Return all combinations of 1/2, 1 and 2."""
    return 2.0 ** (np.indices((3,) * n).reshape(n, -1).T - 1)


def _is_close(one: Values, other: Values) -> bool:
    return one.keys() == other.keys() and all(np.isclose(one[name], other[name], rtol=1e-6) for name in one)
