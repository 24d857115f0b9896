"""Prequential accuracy of `hinge.stream.AdaptiveSVC` and of river's classifiers on streams with and without drift.

Every row is predicted, then learned, one by one. `python -m benchmarks.streams --help` lists the options.
"""
