"""Training, prediction and active learning over partitioned data, on dask.

Everything runs on the current dask client, on the one given as `client`, or without a client on dask's local threads.
dask is imported at the first call: `pip install 'hinge-svm[dask]'`.
"""

from hinge.distributed._cascade import cascade
from hinge.distributed._predict import decision_function, predict, predict_proba, score_samples
from hinge.distributed._query import query
from hinge.distributed._train import train

__all__ = ["cascade", "decision_function", "predict", "predict_proba", "query", "score_samples", "train"]
