"""`hinge train`: learn example by example and save the model.

`_command` has the options, `_run` the order of events, `_job` what is to be done (estimator, source, test rows),
`_sources` where examples come from, `_learn` the passes over them, `_checkpoint` saving, `_history` what a model
remembers of its runs, `_classes` and `_threshold` rare classes, `_metrics` and `_compare` how good the model is,
`_report`, `_plot` and `_figure` how that is shown.
"""

from hinge.cli.train._command import SECTIONS, train

__all__ = ["SECTIONS", "train"]
