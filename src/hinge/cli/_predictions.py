"""Predictions in the words and numbers that commands print."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import roc_auc_score

from hinge._terminal import Terminal
from hinge.streaming import predict_with_scores, traits
from hinge.tables import Answers

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray
    from rich.console import Console

    from hinge.io import Chunk, Source
    from hinge.streaming import Model
    from hinge.tables import Ignored, Labels, Matrix

NORMAL, OUTLIER = "normal", "outlier"
ROWS_PER_CHUNK = 4096  # read from a file at a time


def predict_rows(model: Model, X: Matrix, answers: Answers | None = None) -> tuple[Labels, NDArray[np.float64]]:
    """Predict examples.

    Parameters
    ----------
    model : estimator
        A fitted estimator.
    X : array or CSR matrix of shape (n, n_features)
        The examples.
    answers : Answers, default=None
        How the outputs of the model become answers.

    Returns
    -------
    predictions : ndarray of shape (n,)
        Labels; "normal" or "outlier" from a one-class model; values from a regressor.
    scores : ndarray of shape (n, n_columns)
        Decision values, one column per decision function.
    """
    predictions, scores = predict_with_scores(model, X)
    task, answers = traits(model).task, answers or Answers()
    if task == "one-class":
        predictions = name_outliers(predictions)
    elif task == "regression":
        predictions = answers.to_values(predictions)
    elif answers.threshold:
        predictions = answers.choose(model.classes_, scores[:, 0])
    return predictions, scores


def name_outliers(signs: NDArray[np.int64]) -> NDArray[np.str_]:
    """Return "normal" for +1 and "outlier" for -1."""
    return np.where(signs > 0, NORMAL, OUTLIER)


def chunks_of(source: Source) -> Generator[Chunk, None, None]:
    """Yield the rows of a file; say at the end on standard error how many were left out."""
    yield from source.chunks(ROWS_PER_CHUNK)
    if (sentence := source.describe_skipped()) is not None:
        Terminal().print(sentence, highlight=False, markup=False, soft_wrap=True)


def report_ignored(ignored: Ignored, terminal: Console | None = None) -> None:
    """Say on standard error how many unknown values were ignored."""
    if ignored.counts:
        (terminal or Terminal()).print(ignored.describe(), highlight=False, markup=False, soft_wrap=True)


def roc_auc(is_positive: NDArray[np.bool_], scores: NDArray[np.float64]) -> float | None:
    """Compute the area under the ROC curve; None if all rows are of one kind."""
    return float(roc_auc_score(is_positive, scores)) if len(np.unique(is_positive)) == 2 else None
