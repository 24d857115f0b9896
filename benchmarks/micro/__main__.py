"""Measures single claims: `python -m benchmarks.micro [--quick] [NAME ...]`."""

import argparse

from rich.console import Console

from benchmarks.data import MissingDataError
from benchmarks.micro import (
    budget,
    cache,
    files,
    latency,
    noise,
    perceptrons,
    products,
    shift,
    streams,
    threads,
    tracking,
    variants,
)
from benchmarks.report import print_table

MODULES = (latency, cache, products, shift, threads, files, streams, variants, noise, budget, tracking, perceptrons)
MEASURES = {module.__name__.rpartition(".")[2]: module.measure for module in MODULES}


def main() -> None:
    """Run the measures asked for, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.micro", description="Single claims, measured.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(MEASURES))
    parser.add_argument("--quick", action="store_true", help="subsamples")
    options = parser.parse_args()
    unknown = set(options.names) - MEASURES.keys()
    if unknown:
        parser.error(f"unknown: {' '.join(sorted(unknown))}")
    console = Console()
    for name in options.names or MEASURES:
        try:
            section = MEASURES[name](options.quick)
        except MissingDataError as reason:
            console.print(f"Skipped. {reason}")
            return
        print_table(section.title, section.columns, section.rows, console)


if __name__ == "__main__":
    main()
