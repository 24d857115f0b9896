"""Run single measurements: `python -m benchmarks.micro [--quick] [NAME ...]`."""

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.data import MissingDataError
from benchmarks.micro import (
    Section,
    approximate_fit,
    approximate_throughput,
    bad_streams,
    bounded,
    bounded_small,
    caches,
    calibration,
    class_blocks,
    command_memory,
    command_overhead,
    concurrent_predictions,
    conformal,
    distributed_training,
    exact_growth,
    exact_memory,
    exact_optimality,
    exact_small,
    fit_growth,
    fit_threads,
    forget_latency,
    half_life,
    kernel_time,
    keys,
    label_noise,
    large_offset,
    leave_one_out,
    max_support,
    one_class_stream,
    page_accuracy,
    page_features,
    page_stop,
    partial_fit_latency,
    people,
    query_latency,
    reprocess,
    river_overhead,
    small_fits,
    stream_accuracy,
    stream_cost,
    suspects,
    untried_streams,
    windows,
)
from benchmarks.report import print_table

ONLINE = (
    partial_fit_latency,
    small_fits,
    concurrent_predictions,
    kernel_time,
    large_offset,
    fit_growth,
    fit_threads,
    caches,
    command_overhead,
    command_memory,
    label_noise,
    reprocess,
    max_support,
    bad_streams,
    bounded,
    bounded_small,
    river_overhead,
    stream_accuracy,
    untried_streams,
    stream_cost,
    class_blocks,
    half_life,
    calibration,
)
EXACT = (
    exact_growth,
    forget_latency,
    exact_memory,
    leave_one_out,
    suspects,
    conformal,
    exact_optimality,
    exact_small,
    one_class_stream,
    windows,
)
APPROXIMATE = (approximate_fit, approximate_throughput, distributed_training)
ACTIVE = (query_latency, people, keys, page_accuracy, page_stop, page_features)
MEASUREMENTS: dict[str, Any] = {
    module.__name__.rpartition(".")[2].replace("_", "-"): module.measure
    for module in (*ONLINE, *EXACT, *APPROXIMATE, *ACTIVE)
}
WITH_FULL = (
    "leave-one-out",
    "exact-optimality",
    "one-class-stream",
    "suspects",
    "approximate-fit",
    "approximate-throughput",
)


def main() -> None:
    """Run the chosen measurements one after the other."""
    options = _options()
    console = Console()
    for name in options.names or MEASUREMENTS:
        try:
            section = _measure(name, options)
        except MissingDataError as reason:
            console.print(f"Skipped. {reason}")
            return
        print_table(section.title, section.columns, section.rows, console)
        if section.draw and options.output:
            options.output.mkdir(parents=True, exist_ok=True)
            section.draw(options.output / f"{name}.png")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.micro", description="Measure single claims.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(MEASUREMENTS))
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--quick", action="store_true", help="subsamples")
    amount.add_argument("--full", action="store_true", help=f"every step of {', '.join(WITH_FULL)}")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="folder for figures (exact-growth, fit-growth, approximate-throughput); default: none",
    )
    options = parser.parse_args()
    unknown = set(options.names) - MEASUREMENTS.keys()
    if unknown:
        parser.error(f"unknown: {' '.join(sorted(unknown))}")
    return options


def _measure(name: str, options: argparse.Namespace) -> Section:
    more = {"full": True} if options.full and name in WITH_FULL else {}
    section: Section = MEASUREMENTS[name](options.quick, **more)
    return section


if __name__ == "__main__":
    main()
