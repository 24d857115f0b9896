"""The command line: `python -m fuzz TARGET`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

NAMES = ("model", "libsvm", "svmlight", "csv", "npz", "parquet")


def main() -> None:
    """Fuzz one target, or write the seeds of all."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz one of the readers of files.")
    parser.add_argument("target", choices=[*NAMES, "seeds"])
    parser.add_argument("--seconds", type=int, default=60, help="how long (guided)")
    parser.add_argument("--runs", type=int, default=-1, help="how many inputs at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blind", action="store_true", help="change inputs at random, without atheris")
    usual = Path(tempfile.gettempdir())
    parser.add_argument("--findings", type=Path, default=usual, help="folder for what breaks: the last input tried")
    parser.add_argument("--kept", type=Path, help="folder for inputs that reach something new")
    arguments = parser.parse_args()
    arguments.findings.mkdir(parents=True, exist_ok=True)
    if arguments.target == "seeds":
        from fuzz._corpus import write_seeds  # noqa: PLC0415  atheris must come before the package

        write_seeds()
    elif arguments.blind:
        from fuzz._blind import blind  # noqa: PLC0415

        blind(arguments.target, max(arguments.runs, 0) or 1000, arguments.seed, arguments.findings)
    else:
        _guide(arguments)


def _guide(arguments: argparse.Namespace) -> None:
    try:
        from fuzz._guided import guided  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name != "atheris":
            raise
        sys.exit("Coverage-guided fuzzing needs atheris (pip install atheris); --blind does without.")
    kept = arguments.kept or Path(tempfile.mkdtemp())
    kept.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={arguments.seconds}", f"-runs={arguments.runs}", f"-seed={arguments.seed}"]
    guided(arguments.target, limits, arguments.findings, kept)


if __name__ == "__main__":
    main()
