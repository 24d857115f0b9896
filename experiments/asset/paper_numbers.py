"""The numbers of table 2 of the paper, and the tolerances of the comparison with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from experiments.asset.batch import (
    ASSET,
    ASSET_STAR,
    LARGE,
    LASVM,
    LIBSVM,
    PIPELINE,
    after_most_passes,
)
from experiments.asset.tasks import TASKS
from experiments.experiment import Check
from experiments.formatting import percent

if TYPE_CHECKING:
    from experiments.records import Records

# Test errors in per cent, by task and s. A pipeline of scikit-learn replaces CPNY, LIBSVM replaces SVM-Light; CPSP is
# not available.
ERRORS: dict[tuple[str, int], dict[str, float]] = {
    ("adult", 512): {ASSET: 15.06, ASSET_STAR: 15.07, "CPSP": 15.17, PIPELINE: 15.13, LASVM: 18.02, LIBSVM: 15.13},
    ("mnist", 512): {ASSET: 4.03, ASSET_STAR: 4.03, "CPSP": 2.72, PIPELINE: 4.07, LASVM: 1.40, LIBSVM: 1.24},
    ("ccat", 512): {ASSET: 8.23, ASSET_STAR: 8.26, "CPSP": 5.24, PIPELINE: 8.31, LASVM: 4.71, LIBSVM: 4.72},
    ("ijcnn", 512): {ASSET: 1.08, ASSET_STAR: 1.08, "CPSP": 0.84, PIPELINE: 1.10, LASVM: 0.76, LIBSVM: 0.73},
    ("covtype", 512): {ASSET: 18.19, ASSET_STAR: 18.18, "CPSP": 17.73, PIPELINE: 18.24, LASVM: 13.46, LIBSVM: 13.82},
    ("adult", 1024): {ASSET: 15.10, ASSET_STAR: 15.12, "CPSP": 15.16, PIPELINE: 15.17, LASVM: 18.02, LIBSVM: 15.13},
    ("mnist", 1024): {ASSET: 2.66, ASSET_STAR: 2.67, "CPSP": 2.03, PIPELINE: 2.69, LASVM: 1.40, LIBSVM: 1.24},
    ("ccat", 1024): {ASSET: 7.09, ASSET_STAR: 7.11, "CPSP": 5.19, PIPELINE: 7.15, LASVM: 4.71, LIBSVM: 4.72},
    ("ijcnn", 1024): {ASSET: 0.79, ASSET_STAR: 0.79, "CPSP": 0.78, PIPELINE: 0.80, LASVM: 0.76, LIBSVM: 0.73},
    ("covtype", 1024): {ASSET: 16.47, ASSET_STAR: 16.47, "CPSP": 16.61, PIPELINE: 16.52, LASVM: 13.46, LIBSVM: 13.82},
}

_HOUR = 3600.0
# Training seconds.
SECONDS: dict[tuple[str, int], dict[str, float]] = {
    ("adult", 512): {ASSET: 22.5, ASSET_STAR: 23.9, PIPELINE: 8.2 * _HOUR, LASVM: 1011.4, LIBSVM: 856.8},
    ("mnist", 512): {ASSET: 96.8, ASSET_STAR: 100.9, PIPELINE: 348.0, LASVM: 587.5, LIBSVM: 1322.6},
    ("ccat", 512): {ASSET: 95.0, ASSET_STAR: 99.2, PIPELINE: 62.0, LASVM: 2616.0, LIBSVM: 3422.6},
    ("ijcnn", 512): {ASSET: 86.7, ASSET_STAR: 89.1, PIPELINE: 319.5, LASVM: 288.1, LIBSVM: 1331.3},
    ("covtype", 512): {ASSET: 697.2, ASSET_STAR: 585.7, PIPELINE: 1841.5, LASVM: 38.3 * _HOUR, LIBSVM: 52.7 * _HOUR},
    ("adult", 1024): {ASSET: 77.6, ASSET_STAR: 83.2, PIPELINE: 7.5 * _HOUR, LASVM: 1011.4, LIBSVM: 856.8},
    ("mnist", 1024): {ASSET: 274.9, ASSET_STAR: 275.4, PIPELINE: 515.4, LASVM: 587.5, LIBSVM: 1322.6},
    ("ccat", 1024): {ASSET: 264.6, ASSET_STAR: 278.4, PIPELINE: 122.9, LASVM: 2616.0, LIBSVM: 3422.6},
    ("ijcnn", 1024): {ASSET: 307.1, ASSET_STAR: 297.0, PIPELINE: 598.0, LASVM: 288.1, LIBSVM: 1331.3},
    ("covtype", 1024): {ASSET: 2259.4, ASSET_STAR: 2063.9, PIPELINE: 3597.7, LASVM: 38.3 * _HOUR, LIBSVM: 52.7 * _HOUR},
}

# Test rows of the paper, and ours. CCAT is another sample of articles, so that its errors are not compared.
N_TEST = {"adult": (8_141, 16_281), "mnist": (5_950, 11_900), "ijcnn": (14_169, 28_339), "covtype": (58_101, 58_101)}


def standard_error(error: float, n_rows: int) -> float:
    """Return the standard error of a test error, both in per cent."""
    share = error / 100
    return 100 * math.sqrt(share * (1 - share) / n_rows)


def tolerance(data: str, error: float) -> float:
    """Return the tolerance of an error: two standard errors of the difference between two test sets."""
    return 2 * math.hypot(*(standard_error(error, n_rows) for n_rows in N_TEST[data]))


def compare_error(data: str, ours: float, paper: float) -> tuple[bool, str]:
    """Return whether an error agrees with the paper's, and both as text."""
    limit = tolerance(data, paper)
    return abs(ours - paper) <= limit, f"{percent(ours)} ({percent(paper)} ± {limit:.2f})"


def check_errors(records: Records, method: str, claim: str) -> Check:
    """Check that the errors of a method with 512 and 1024 landmarks are those of the paper."""
    agreements, observed = [], []
    for data in N_TEST:
        for size in LARGE:
            ours = after_most_passes(records, data, method, size).mean("error")
            agrees, text = compare_error(data, ours, ERRORS[data, size][method])
            agreements.append(agrees)
            observed.append(f"{TASKS[data].title} {size}: {text}")
    return Check(
        f"{claim} (within two standard errors of the difference between two test sets; CCAT is another sample and left "
        "out)",
        all(agreements),
        "; ".join(observed),
    )


ERRORS_EXPLANATION = (
    "All errors on MNIST, including the exact one, are 0.2 to 0.4 points above the paper's. Each is within its "
    "tolerance, but all have the same sign; with the official test set instead of a random one the errors were 3.90 "
    "and 2.75 % for ASSET and 1.61 % for LASVM. The paper does not say how it scaled the pixels. At first IJCNN had "
    "30 passes like the others: with 1024 landmarks the error of ASSET was 1.00 %, outside the tolerance, and still "
    "falling. It now has 100 passes. ASSET without an intercept, as in the paper, was run once with 512 and 1024 "
    "landmarks; the same run with an intercept is in brackets: ADULT 14.91 and 14.99 % (14.89, 14.96), MNIST 4.12 and "
    "3.04 % (4.06, 3.07), IJCNN 1.00 and 0.85 % (1.03, 0.89), COVTYPE 18.43 and 16.70 % (18.50, 16.88)."
)
