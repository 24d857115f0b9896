"""Comparison with a tree ensemble of scikit-learn with default parameters, which is often better on tables."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from hinge.cli.train._compare import run_in_background

if TYPE_CHECKING:
    from rich.console import Console

    from hinge.cli._values import ValueScore
    from hinge.cli.train._job import TrainJob
    from hinge.tables import Matrix

_MAX_DENSE = 200_000_000  # entries that are made dense


@dataclass(frozen=True)
class TreesResult:
    """What a tree ensemble reached on the rows of a job."""

    name: str
    seconds: float
    test_error: float | None
    test_values: ValueScore | None

    def to_json(self) -> dict[str, Any]:
        """Return the results as values that JSON can hold."""
        values = {} if self.test_values is None else {"test_values": self.test_values.to_json()}
        return {"estimator": self.name, "seconds": self.seconds, "test_error": self.test_error, **values}

    def describe(self) -> str:
        """Return the result in one line."""
        what = "--test names rows to compare with"
        if self.test_error is not None:
            what = f"test error {self.test_error:.2f} %"
        elif self.test_values is not None:
            what = self.test_values.describe()
        return f"{self.name} with default parameters on the same rows: {what}, {self.seconds:.1f} s"


class _Dense:
    """A tree ensemble that takes sparse rows."""

    def __init__(self, trees: Any) -> None:
        self.trees = trees

    def predict(self, X: Matrix) -> Any:
        return self.trees.predict(_dense(X))


def train_trees(job: TrainJob, terminal: Console) -> TreesResult | None:
    """Train trees on the rows of a job; None for one-class models, and for sparse rows that do not fit in memory."""
    X, y = job.rows_in_memory()
    if job.source.is_one_class or X.shape[0] * X.shape[1] > _MAX_DENSE:
        return None
    answers = job.source.preparation.answers
    is_regression = job.source.is_regression
    targets = answers.to_targets(y) if is_regression else y
    trees = (HistGradientBoostingRegressor if is_regression else HistGradientBoostingClassifier)(random_state=0)
    name = type(trees).__name__
    with terminal.status(f"scikit-learn's {name} is training on the same rows; press Ctrl-C to skip it"):
        start = time.perf_counter()
        run_in_background(lambda: trees.fit(_dense(X), targets))
        seconds = time.perf_counter() - start
    model = _Dense(trees)
    return TreesResult(name, seconds, job.test_error(model), job.value_score(model))


def _dense(X: Matrix) -> np.ndarray[Any, Any]:
    return X.toarray() if issparse(X) else np.asarray(X)
