"""Figure 4: training time of incremental SVMs by the number of examples, linear kernel, ten digits."""

from experiments.incremental.scaling import scaling

EXPERIMENT = scaling(
    "linear",
    "Scaling of exact incremental learning with the linear kernel, MNIST",
    "At a log-log scale over 1,000 to 10,000 examples the C++ implementation significantly outperforms both Matlab "
    "implementations; about 5 % of the "
    "examples are support vectors.",
)
