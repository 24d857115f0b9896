"""Choice of a feature map: landmarks drawn from the examples, or random frequencies."""

from __future__ import annotations

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
        state.set_map(fourier(rows.X[candidates[:1]], state.kernel, state.options, random))
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
    return nystroem(Sample(X[chosen], ids[drawn], labels.astype(np.int32)), kernel, state.options)
