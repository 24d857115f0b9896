"""Figure 6: how many times faster the paper's design is, linear kernel, ten digits."""

from hinge.papers.incremental._scaling import improvement

EXPERIMENT = improvement(
    "linear",
    "Runtime improvement of the new design, linear kernel, MNIST",
    "Major performance improvement in comparison to Matlab and the naive C++ implementations (5 to 20 times), "
    "especially visible on larger training set sizes.",
)
