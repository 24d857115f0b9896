"""Figure 6: speedup of the paper's design, linear kernel, ten digits."""

from experiments.incremental.scaling import improvement

EXPERIMENT = improvement(
    "linear",
    "Runtime improvement of the new design, linear kernel, MNIST",
    "Major performance improvement in comparison to Matlab and the naive C++ implementations (5 to 20 times), "
    "especially visible on larger training set sizes.",
    "With this kernel hundreds of examples are on the margin, so that gamma takes most of the time, as in the paper.",
)
