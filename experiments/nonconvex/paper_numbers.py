"""The numbers of tables 3 and 4 of the paper: by method, one per data set in the order of `NAMES`."""

from __future__ import annotations

from typing import TypeAlias

from experiments.nonconvex.datasets import NAMES
from experiments.nonconvex.passes import FULL, GAP, IGNORE, LASVM, LIBSVM, NONCONVEX

Numbers: TypeAlias = dict[str, tuple[float, ...]]

ACCURACY: Numbers = {
    FULL: (84.87, 99.25, 90.03, 97.19, 99.54, 98.43),
    GAP: (84.81, 99.27, 89.81, 97.19, 99.54, 99.42),
    NONCONVEX: (85.01, 99.15, 89.97, 97.16, 99.52, 99.51),
    IGNORE: (84.82, 99.18, 89.84, 97.16, 99.57, 99.49),
    LASVM: (84.76, 99.07, 89.80, 97.13, 99.52, 99.56),
    LIBSVM: (84.91, 99.36, 90.07, 97.19, 99.54, 99.44),
}
SUPPORT: Numbers = {
    FULL: (11831, 3412, 947, 1122, 242, 2455),
    GAP: (11266, 3157, 941, 1120, 200, 2288),
    NONCONVEX: (4609, 2653, 551, 1086, 194, 752),
    IGNORE: (5776, 2722, 669, 1093, 192, 937),
    LASVM: (11296, 2889, 880, 1140, 201, 2134),
    LIBSVM: (11420, 3146, 915, 1090, 237, 2307),
}
SECONDS: Numbers = {
    FULL: (1186, 4757.4, 1, 14.4, 43.7, 36),
    GAP: (479, 547.1, 0.4, 5.3, 13.3, 17),
    NONCONVEX: (129, 526.0, 0.4, 4.7, 8, 8.3),
    IGNORE: (92, 491.4, 0.3, 3.6, 5.8, 6),
    LASVM: (376, 640, 0.5, 7, 9.5, 52),
    LIBSVM: (318, 1372.2, 0.6, 7.2, 10.2, 52),
}
PRBEP: Numbers = {
    FULL: (67.55, 95.98, 88.54, 76.48, 98.62, 98.53),
    GAP: (67.18, 96.18, 88.46, 76.42, 98.66, 98.50),
    NONCONVEX: (67.85, 95.64, 88.61, 76.42, 98.59, 98.53),
    IGNORE: (67.71, 95.80, 88.54, 76.20, 98.65, 98.56),
    LASVM: (67.50, 95.72, 88.59, 76.31, 98.63, 95.48),
}
AUC: Numbers = {
    FULL: (0.897, 0.998, 0.965, 0.987, 0.999, 0.998),
    GAP: (0.893, 0.998, 0.966, 0.987, 0.999, 0.998),
    NONCONVEX: (0.901, 0.998, 0.965, 0.987, 0.999, 0.998),
    IGNORE: (0.899, 0.998, 0.964, 0.987, 0.999, 0.998),
    LASVM: (0.896, 0.998, 0.965, 0.987, 0.999, 0.998),
}
GMEANS: Numbers = {
    FULL: (73.13, 97.29, 89.51, 81.00, 98.93, 98.42),
    GAP: (72.87, 97.42, 89.30, 81.17, 98.92, 98.42),
    NONCONVEX: (75.03, 96.86, 89.47, 81.19, 98.99, 98.74),
    IGNORE: (73.72, 97.06, 89.38, 81.06, 98.89, 98.72),
    LASVM: (73.35, 97.33, 89.28, 81.04, 98.99, 98.43),
}
KERNELS: Numbers = {  # millions
    FULL: (709.0, 2269.7, 8.51, 33.2, 27, 30.2),
    GAP: (233.0, 182.6, 3.8, 9.9, 5.2, 12.3),
    NONCONVEX: (116.9, 153.5, 3.1, 9.9, 5.2, 7.3),
    IGNORE: (105.9, 121.2, 2.0, 8, 3.2, 6.8),
    LASVM: (566, 221, 4.1, 14.2, 6.6, 14.3),
}


def paper_value(table: Numbers, method: str, data: str) -> float:
    """Return one number of a table of the paper."""
    return table[method][NAMES.index(data)]
