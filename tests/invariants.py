"""What must hold inside a fitted model between any two calls."""

from __future__ import annotations


def check(model):
    """Raise RuntimeError with a sentence that names what is broken inside a model, if anything is.

    Takes any estimator of the package, prepared ones included; one that knows nothing yet passes.
    """
    state = getattr(getattr(model, "model", model), "_state", None)
    if state is not None and state.is_usable:
        with state.blas_context():
            state.native.check_invariants()
