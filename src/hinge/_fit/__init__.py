"""How estimators learn: the driver of fit and partial_fit, passes over a training set, progress, convergence."""
