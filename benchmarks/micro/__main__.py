"""Measures single claims: `python -m benchmarks.micro [--quick] [NAME ...]`."""

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.data import MissingDataError
from benchmarks.micro import (
    Section,
    anomalies,
    asking,
    budget,
    capacity,
    dask,
    exactness,
    files,
    forgetting,
    growing,
    keys,
    latency,
    leaving,
    noise,
    people,
    pipelines,
    products,
    shift,
    streams,
    threads,
    throughput,
)
from benchmarks.report import print_table

ONLINE = (latency, products, shift, threads, files, streams, noise, budget)
EXACT = (growing, forgetting, capacity, leaving, exactness, anomalies)
APPROXIMATE = (pipelines, throughput, dask)
ACTIVE = (asking, people, keys)
MEASURES: dict[str, Any] = {
    module.__name__.rpartition(".")[2].replace("_", "-"): module.measure
    for module in (*ONLINE, *EXACT, *APPROXIMATE, *ACTIVE)
}
THOROUGH = ("leaving", "exactness", "anomalies", "pipelines", "throughput")


def main() -> None:
    """Run the measures asked for, one after the other."""
    options = _options()
    console = Console()
    for name in options.names or MEASURES:
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
    parser = argparse.ArgumentParser(prog="python -m benchmarks.micro", description="Single claims, measured.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(MEASURES))
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--quick", action="store_true", help="subsamples")
    amount.add_argument("--full", action="store_true", help=f"all there is to {', '.join(THOROUGH)}")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="where pictures go (growing, throughput); none without it",
    )
    options = parser.parse_args()
    unknown = set(options.names) - MEASURES.keys()
    if unknown:
        parser.error(f"unknown: {' '.join(sorted(unknown))}")
    return options


def _measure(name: str, options: argparse.Namespace) -> Section:
    more = {"full": True} if options.full and name in THOROUGH else {}
    section: Section = MEASURES[name](options.quick, **more)
    return section


if __name__ == "__main__":
    main()
