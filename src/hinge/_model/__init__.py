"""The parts of a fitted model: state, options, labels, kernel and lock, and the validation of input."""
