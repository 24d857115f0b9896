"""Figure 7: how many times faster the paper's design is, RBF kernel, ten digits."""

from hinge.papers.incremental._scaling import improvement

EXPERIMENT = improvement(
    "rbf",
    "Runtime improvement of the new design, RBF kernel, MNIST",
    "Major performance improvement in comparison to Matlab and the naive C++ implementations (5 to 20 times), "
    "especially visible on larger training set sizes.",
)
