"""What exact SVMs share: parameters and fitted attributes as in `sklearn.svm`, and kernel functions of any objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from scipy.sparse import csr_matrix

from hinge import _core
from hinge._fit.estimator import KernelEstimator
from hinge._model.locking import reads
from hinge._model.params import check_seed, choice, flag, number, whole
from hinge._model.sparse_rows import explicit_rows
from hinge._model.threads import count_threads
from hinge._model.types import is_sparse
from hinge.exceptions import DataError
from hinge.svm._problem import kernel_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.predictor import Predictor
    from hinge._model.types import Gamma, Kernel, MatrixLike, RandomStateLike, Rows
    from hinge.svm._state import SvmPredictor, SvmState

_KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")


class SvmEstimator(KernelEstimator):
    """An exact SVM with the parameters and fitted attributes of `sklearn.svm`."""

    tol: float
    shrinking: bool
    max_iter: int
    n_jobs: ClassVar[int | None] = None  # type: ignore[misc]
    random_state: RandomStateLike = None

    _state: SvmState

    # --- parameters ---

    def _check_params(self, *, streaming: bool) -> _core.LasvmOptions:
        self._check_kernel()
        number("tol", self.tol, above=0, hint="a usual value is 1e-3")
        flag("shrinking", self.shrinking)
        whole("verbose", int(self.verbose), at_least=0, hint="True shows a progress bar")
        max_iter = whole("max_iter", self.max_iter, at_least=-1, hint="-1 sets no bound")
        megabytes = number("cache_size", self.cache_size, above=0, hint="it is in megabytes")
        check_seed(self.random_state)
        return _core.LasvmOptions(
            cache_bytes=int(min(megabytes * 2**20, 2**62)),
            threads=count_threads(None),
            multi_class="ovo",
            tolerance=float(self.tol),
            max_steps=None if max_iter == -1 else max_iter,
            streaming=streaming,
            upkeep=streaming,
        )

    def _check_kernel(self) -> None:
        if not callable(self.kernel):
            choice("kernel", self.kernel, _KERNELS)
        whole("degree", self.degree, at_least=0, hint="a usual value is 3")
        if isinstance(self.gamma, str):
            choice("gamma", self.gamma, ("scale", "auto"))
        else:
            number("gamma", self.gamma, at_least=0, hint="'scale' and 'auto' choose one for you")
        number("coef0", self.coef0, hint="a usual value is 0.0")

    @property
    def _kernel_params(self) -> tuple[Kernel, int, Gamma, float]:
        """The kernel of the native model, to which values of a function are a precomputed matrix."""
        name = "precomputed" if callable(self.kernel) else self.kernel
        return name, self.degree, self.gamma, self.coef0

    # --- predictions ---

    def _check_queries(self, X: MatrixLike, predictor: Predictor) -> Rows:
        if callable(self.kernel):
            return self._kernel_rows(X, cast("SvmPredictor", predictor))
        if is_sparse(X) and not predictor.storage.sparse:
            raise DataError("X must be dense, as the training set was, got a sparse matrix; convert it with toarray().")
        return super()._check_queries(X, predictor)

    def _kernel_rows(self, X: Any, predictor: SvmPredictor) -> NDArray[np.float64]:
        values = kernel_values(self.kernel, X, predictor.objects)
        expected = predictor.storage.n_features
        if values.shape[1] != expected:
            raise DataError(
                f"A kernel function must return one column per training example, {expected} in all, got "
                f"{values.shape[1]}."
            )
        return values

    # --- fitted attributes, with the types of scikit-learn ---

    @property
    def _sign(self) -> float:
        """Factor of the coefficients, which have the signs of LIBSVM."""
        return 1.0

    @property
    def _gamma(self) -> float:
        """Number that `gamma` stands for; other programs read it, since there is no public name for it."""
        return self._fitted_state().kernel.gamma

    @property
    @reads
    def support_(self) -> NDArray[np.int32]:  # type: ignore[override]
        """Rows of X that are support vectors, grouped by class; after `partial_fit`, positions in the stream."""
        return self._fitted_state().support().ids.astype(np.int32)

    @property
    @reads
    def support_vectors_(self) -> Rows:
        """Support vectors in the order of `support_`; an empty array for precomputed kernels and functions."""
        state = self._fitted_state()
        return np.empty((0, 0)) if state.kernel.name == "precomputed" else state.support().vectors

    @property
    @reads
    def dual_coef_(self) -> Rows:
        """Coefficients of the support vectors, in the layout of LIBSVM; sparse if the training set was."""
        state = self._fitted_state()
        coefficients = self._sign * KernelEstimator.dual_coef_.__get__(self)
        return explicit_rows(coefficients) if state.storage.sparse else coefficients

    @property
    @reads
    def coef_(self) -> Rows:
        """Weights of the features per binary model, sparse if the training set was; for linear kernels only."""
        if self.kernel != "linear":
            raise AttributeError(f"Only a model with a linear kernel has coef_, got kernel={self.kernel!r}.")
        state = self._fitted_state()
        support, sign = state.support(), self._sign
        if state.storage.sparse:
            return sign * csr_matrix(support.coefficients) @ support.vectors
        weights = sign * support.coefficients @ support.vectors
        weights.flags.writeable = False
        return weights

    @property
    @reads
    def shape_fit_(self) -> tuple[int, ...]:
        """Shape of the training set; after `partial_fit`, with the rows learned since."""
        return cast("SvmState", self._fitted_state()).shape

    @property
    @reads
    def _steps_per_model(self) -> NDArray[np.int32]:
        state = cast("SvmState", self._fitted_state())
        return np.abs(state.table.arrange(state.steps[None, :])).ravel().astype(np.int32)
