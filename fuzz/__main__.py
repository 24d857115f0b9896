"""The command line: `python -m fuzz TARGET`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

NAMES = ("model", "libsvm", "svmlight", "csv", "npz", "parquet")


def main() -> None:
    """Fuzz one target, or write the seeds of all."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz one of the file readers.")
    parser.add_argument("target", choices=[*NAMES, "seeds"])
    parser.add_argument("--seconds", type=int, default=60, help="duration (with atheris)")
    parser.add_argument("--runs", type=int, default=-1, help="largest number of inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blind", action="store_true", help="change inputs at random, without atheris")
    scratch = Path(tempfile.gettempdir())
    parser.add_argument("--findings", type=Path, default=scratch, help="folder for inputs that break something")
    parser.add_argument("--corpus", type=Path, help="folder for inputs that reach new code")
    arguments = parser.parse_args()
    arguments.findings.mkdir(parents=True, exist_ok=True)
    if arguments.target == "seeds":
        from fuzz._corpus import write_seeds  # noqa: PLC0415  atheris must be imported before the package

        write_seeds()
    elif arguments.blind:
        from fuzz._blind import fuzz_blindly  # noqa: PLC0415

        fuzz_blindly(arguments.target, max(arguments.runs, 0) or 1000, arguments.seed, arguments.findings)
    else:
        _fuzz_guided(arguments)


def _fuzz_guided(arguments: argparse.Namespace) -> None:
    try:
        from fuzz._guided import fuzz_guided  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name != "atheris":
            raise
        sys.exit("Coverage-guided fuzzing needs atheris (pip install atheris); --blind does not.")
    corpus = arguments.corpus or Path(tempfile.mkdtemp())
    corpus.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={arguments.seconds}", f"-runs={arguments.runs}", f"-seed={arguments.seed}"]
    fuzz_guided(arguments.target, limits, arguments.findings, corpus)


if __name__ == "__main__":
    main()
