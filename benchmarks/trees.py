"""Errors of kernel models next to a tree ensemble with default parameters: `python -m benchmarks.trees [DATA]...`.

The numbers of docs/something-else.md come from here. Kernel models have the parameters of the data set.
"""

import argparse
import time

import numpy as np
from scipy.sparse import issparse
from sklearn.ensemble import HistGradientBoostingClassifier

from hinge import OnlineSVC, datasets

DATA = ("a9a", "ijcnn1", "usps", "banana", "waveform", "digits")


def main() -> None:
    """Print one line per data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", default=DATA)
    parser.add_argument("--rows", type=int, default=None, help="so many random rows for training, and for the test")
    arguments = parser.parse_args()
    print(f"{'data':>10} {'rows':>8} {'OnlineSVC':>10} {'seconds':>8} {'trees':>10} {'seconds':>8}")
    for name in arguments.data:
        data = datasets.load_arrays(name)
        random = np.random.default_rng(0)
        every = (np.arange(len(y)) for y in (data.y_train, data.y_test))
        train, test = (rows if arguments.rows is None else random.permutation(rows)[: arguments.rows] for rows in every)
        cells = [f"{name:>10} {len(train):>8,}"]
        ours = OnlineSVC(C=data.C, gamma=data.gamma, random_state=0)
        for model in (ours, HistGradientBoostingClassifier(random_state=0)):
            needs_dense = issparse(data.X_train) and model is not ours
            X, X_test = data.X_train[train], data.X_test[test]
            X, X_test = (X.toarray(), X_test.toarray()) if needs_dense else (X, X_test)
            start = time.perf_counter()
            model.fit(X, data.y_train[train])
            seconds = time.perf_counter() - start
            error = 100 * float(np.mean(model.predict(X_test) != data.y_test[test]))
            cells.append(f"{error:>8.2f} % {seconds:>8.1f}")
        print(" ".join(cells), flush=True)


if __name__ == "__main__":
    main()
