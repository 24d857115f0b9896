"""Copy the summary of the last run into the README: `python -m benchmarks.readme [FOLDER]`."""

import sys
from pathlib import Path

BEGIN = "<!-- benchmarks: written by `python -m benchmarks.readme` -->\n"
END = "<!-- /benchmarks -->\n"


def paste(readme: str, table: str) -> str:
    """Return the text with the part between the markers replaced."""
    before, _, rest = readme.partition(BEGIN)
    _, marker, after = rest.partition(END)
    if not marker:
        raise ValueError("The README has no benchmark markers.")
    return f"{before}{BEGIN}{table}{END}{after}"


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "benchmarks/results")
    file = Path("README.md")
    file.write_text(paste(file.read_text(), (folder / "summary.md").read_text()))
