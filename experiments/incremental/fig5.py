"""Figure 5: training time of incremental SVMs by the number of examples, RBF kernel, ten digits."""

from experiments.incremental.scaling import scaling

EXPERIMENT = scaling(
    "rbf",
    "Scaling of exact incremental learning with the RBF kernel, MNIST",
    "The C++ implementation significantly outperforms both Matlab implementations; the RBF kernel (sigma = 30) is "
    "more difficult than the linear one, with about "
    "15 % support vectors.",
)
