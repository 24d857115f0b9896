"""`hinge train` with nothing but a table, next to a careful grid search, on public sets.

`python -m benchmarks.unseen [--sets wine usps ...] [--splits 3] [--rows 3000] [--output unseen.csv]` writes some rows
of each set into a file, runs `hinge train` on it with its defaults, and compares the errors on other rows with those of
`GridSearchCV(SVC)` with five folds, as LIBSVM's guide recommends: powers of 16 for C (1/32 to 2048) and gamma (2^-15 to
2) with two scalings, then powers of 4 around the best. Sets with words get indicator columns for the grid search, which
`hinge train` has to make by itself.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray
from scipy import sparse
from sklearn import datasets as bundled
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import dump_svmlight_file
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from hinge import datasets

COSTS, GAMMAS = (2.0 ** np.arange(-5, 12, 4)).tolist(), (2.0 ** np.arange(-15, 2, 4)).tolist()
Rows = tuple[Any, NDArray[Any]]


@dataclass(frozen=True)
class Outcome:
    """The errors in percent of one set and split, and the processor seconds of each way."""

    data: str
    split: int
    rows: int
    test_rows: int
    hinge_train: float
    hinge_chosen: str
    hinge_seconds: float
    grid_search: float
    grid_chosen: str
    grid_seconds: float

    @property
    def loss(self) -> float:
        """Points by which `hinge train` is worse."""
        return self.hinge_train - self.grid_search


def _from_sklearn(load: Callable[..., Any]) -> Callable[[], Rows]:
    return lambda: _table(*load(return_X_y=True))


def _table(X: Any, y: Any) -> Rows:
    """Return rows as a table with words as labels; sparse rows stay as they are."""
    y = np.asarray(y)
    if sparse.issparse(X):
        return X, y
    labels = np.array([f"class {label}" for label in y.tolist()])
    return pd.DataFrame(np.asarray(X)).rename(columns=lambda number: f"x{number}"), labels


def _known(name: str) -> Callable[[], Rows]:
    def load() -> Rows:
        data = datasets.load(name)
        stack = sparse.vstack if sparse.issparse(data.X_train) else np.concatenate
        return _table(stack([data.X_train, data.X_test]), np.concatenate([data.y_train, data.y_test]))

    return load


def _river(name: str) -> Callable[[], Rows]:
    def load() -> Rows:
        from river import datasets as found  # noqa: PLC0415  (an optional package)

        made: Any = getattr(found, name)
        rows, labels = zip(*made(), strict=True)
        return pd.DataFrame(rows), np.array([f"class {label}" for label in labels])

    return load


def _flares() -> Rows:
    from river import datasets as found  # noqa: PLC0415  (an optional package)

    streams: Any = found
    rows, counts = zip(*streams.SolarFlare(), strict=True)
    return pd.DataFrame(rows), np.where([sum(of.values()) > 0 for of in counts], "some", "none")


SETS: dict[str, Callable[[], Rows]] = {
    "wine": _from_sklearn(bundled.load_wine),
    "cancer": _from_sklearn(bundled.load_breast_cancer),
    "digits": _from_sklearn(bundled.load_digits),
    "phishing": _river("Phishing"),
    "segments": _river("ImageSegments"),
    "flares": _flares,
    "banana": _known("banana"),
    "waveform": _known("waveform"),
    "ijcnn1": _known("ijcnn1"),
    "a9a": _known("a9a"),
    "covtype": _known("covtype"),
    "kddcup99": _known("kddcup99"),
    "usps": _known("usps"),
    "mnist": _known("mnist"),
    "reuters": _known("reuters-moneyfx"),
    "rcv1": _known("rcv1-ccat"),
}


def split_of(data: Rows, seed: int, most: int) -> tuple[Any, Any, Any, Any]:
    """Return at most so many training rows (half of a small set), and up to 5000 others."""
    X, y = data
    names, counts = np.unique(y, return_counts=True)
    rows = np.flatnonzero(np.isin(y, names[counts >= 40]))  # folds need some rows of each class
    n_train = min(most, len(rows) // 2)
    train, test = train_test_split(
        rows, train_size=n_train, test_size=min(5000, len(rows) - n_train), stratify=y[rows], random_state=seed
    )
    take = (lambda at: X[at]) if sparse.issparse(X) else (lambda at: X.iloc[at])
    return take(train), y[train], take(test), y[test]  # type: ignore[no-untyped-call]


def hinge_train(X: Any, y: Any, X_test: Any, y_test: Any) -> tuple[float, str, float]:
    """Return the test error of the command in percent, what it chose, and its processor seconds."""
    with tempfile.TemporaryDirectory() as folder:
        kind = "svm" if sparse.issparse(X) else "csv"
        paths = [str(Path(folder) / f"{name}.{kind}") for name in ("train", "test")]
        for path, rows, labels in zip(paths, (X, X_test), (y, y_test), strict=True):
            if kind == "svm":
                dump_svmlight_file(rows, labels, path, zero_based=False)
            else:
                rows.assign(label=labels).to_csv(path, index=False)
        how = ["--label", "label"] if kind == "csv" else []
        program = [sys.executable, "-m", "hinge", "train", paths[0], "--test", paths[1], "--json", "--no-compare"]
        start = _children()
        done = subprocess.run(
            [*program, *how, "-o", f"{folder}/model.hinge"], check=False, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
    summary = json.loads(done.stdout)
    chosen = f"C={summary['C']:.4g}, gamma={summary['gamma']:.4g}, {summary['scaling']}"
    return summary["online"]["test_error"], chosen, _children() - start


def grid_search(X: Any, y: Any, X_test: Any, y_test: Any, seed: int) -> tuple[float, str, float]:
    """Return the same for a grid search with five folds."""
    start = time.process_time()
    if isinstance(X, pd.DataFrame):
        words = make_column_selector(dtype_include=[object, "string", bool])
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        columns = make_column_transformer((encoder, words), remainder="passthrough").fit(X)
        X, X_test = (np.asarray(columns.transform(rows), dtype=float) for rows in (X, X_test))
    scalings = ["passthrough", MaxAbsScaler()] if sparse.issparse(X) else [StandardScaler(), MinMaxScaler()]
    pipeline = Pipeline([("scaling", "passthrough"), ("svc", SVC())])
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    grid = {"scaling": scalings, "svc__C": COSTS, "svc__gamma": GAMMAS}
    coarse = GridSearchCV(pipeline, grid, cv=folds, refit=False).fit(X, y)
    best = coarse.best_params_
    near = {f"svc__{name}": (best[f"svc__{name}"] * 4.0 ** np.arange(-1, 2)).tolist() for name in ("C", "gamma")}
    fine = GridSearchCV(pipeline, near | {"scaling": [best["scaling"]]}, cv=folds).fit(X, y)
    best = fine.best_params_
    scaling = best["scaling"] if isinstance(best["scaling"], str) else type(best["scaling"]).__name__
    chosen = f"C={best['svc__C']:.4g}, gamma={best['svc__gamma']:.4g}, {scaling}"
    return 100 * (1 - float(fine.score(X_test, y_test))), chosen, time.process_time() - start


def _children() -> float:
    import resource  # noqa: PLC0415  (not on Windows)

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure the sets of the command line, and write one line of CSV per split."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unseen", description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--splits", nargs="+", type=int, default=[0, 1, 2], help="seeds of the splits")
    parser.add_argument("--rows", type=int, default=3000, help="training rows, at most")
    parser.add_argument("--output", type=Path, default=Path("unseen.csv"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.sets:
        data = SETS[name]()
        for seed in options.splits:
            split = split_of(data, seed, options.rows)
            ours, theirs = hinge_train(*split), grid_search(*split, seed)
            outcome = Outcome(name, seed, len(split[1]), len(split[3]), *ours, *theirs)
            print(
                f"{name} {seed}: {outcome.hinge_train:.2f} % ({ours[1]}, {ours[2]:.0f} s), grid search "
                f"{outcome.grid_search:.2f} % ({theirs[1]}, {theirs[2]:.0f} s)",
                flush=True,
            )
            with options.output.open("a", newline="") as file:
                writer = csv.DictWriter(file, list(asdict(outcome)))
                if not file.tell():
                    writer.writeheader()
                writer.writerow(asdict(outcome))


if __name__ == "__main__":
    main()
