"""The experiments of the five papers behind Hinge. Run them from a clone: `python -m experiments PAPER`."""
