"""Choice of a feature map: landmarks drawn from the examples, or random frequencies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hinge.approximate._maps import Sample, fourier, nystroem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.types import Rows
    from hinge.approximate._maps import Features
    from hinge.approximate._rows import EncodedRows
    from hinge.approximate._state import ApproximateState

_MIN_TYPICAL = 1e-300


def choose_map(
    state: ApproximateState, rows: EncodedRows, candidates: NDArray[np.intp], random: np.random.RandomState
) -> None:
    """Give a state a feature map for a training set, with new linear models.

    Parameters
    ----------
    state : ApproximateState
        The state to change.
    rows : EncodedRows
        The training set.
    candidates : ndarray
        Indices of the rows to draw landmarks from.
    random : RandomState
        Draws landmarks or frequencies.
    """
    if state.options.approximation == "fourier":
        features = fourier(rows.X[candidates[:1]], state.kernel, state.options, random)
        features = _measured(state, state.kernel, features, rows.X, random, candidates)
    else:
        ids = rows.first + candidates
        features = draw_nystroem(state, state.kernel, rows.X, rows.targets, ids, random, candidates)
    state.set_map(features)


def draw_nystroem(  # noqa: PLR0917
    state: ApproximateState,
    kernel: KernelSpec,
    X: Rows,
    targets: NDArray[np.float64],
    ids: NDArray[np.int64],
    random: np.random.RandomState,
    candidates: NDArray[np.intp],
) -> Features:
    """Draw landmarks without replacement from candidate rows of X, and return their Nystroem map.

    `ids` are the positions of the candidates in the stream.
    """
    drawn = np.sort(random.permutation(len(candidates))[: state.options.n_components])
    chosen = candidates[drawn]
    labels = np.zeros(len(chosen)) if state.options.is_regression else targets[chosen]
    features = nystroem(Sample(X[chosen], ids[drawn], labels.astype(np.int32)), kernel, state.options)
    return _measured(state, kernel, features, X, random, candidates)


def _measured(  # noqa: PLR0917
    state: ApproximateState,
    kernel: KernelSpec,
    features: Features,
    X: Rows,
    random: np.random.RandomState,
    candidates: NDArray[np.intp],
) -> Features:
    """Return the map with the mean squared norm of features of `gradient_sample` random rows, if that is set."""
    size = state.options.gradient_sample
    if size is None:
        return features
    rows = X[candidates[random.randint(len(candidates), size=size)]]
    native = features.native(kernel, state.storage)
    squares = [np.square(native.features(batch), dtype=np.float64).sum() for _, batch in state.storage.batches(rows)]
    return replace(features, typical=max(float(np.sum(squares)) / size, _MIN_TYPICAL))
