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
    print(f"{'data':>10} {'rows':>8} {'OnlineSVC':>10} {'seconds':>8} {'trees':>8} {'seconds':>8}")
    for name in parser.parse_args().data:
        data = datasets.load_arrays(name)
        cells = [f"{name:>10} {len(data.y_train):>8,}"]
        for model in (
            OnlineSVC(C=data.C, gamma=data.gamma, random_state=0),
            HistGradientBoostingClassifier(random_state=0),
        ):
            is_sparse = issparse(data.X_train) and isinstance(model, HistGradientBoostingClassifier)
            train, test = (X.toarray() if is_sparse else X for X in (data.X_train, data.X_test))
            start = time.perf_counter()
            model.fit(train, data.y_train)
            seconds = time.perf_counter() - start
            error = 100 * float(np.mean(model.predict(test) != data.y_test))
            cells.append(f"{error:>8.2f} % {seconds:>8.1f}")
        print(" ".join(cells), flush=True)


if __name__ == "__main__":
    main()
