"""Training: the driver of `fit` and `partial_fit`, tasks, passes over a training set, progress and convergence."""
