"""Results on disk, so that a run can be resumed, and as tables."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from benchmarks.report import markdown


@dataclass(frozen=True)
class Result:
    """One classifier on one stream.

    Attributes
    ----------
    stream, model : str
        Their names.
    n_rows : int
        Number of rows of the stream.
    accuracy : float
        Share of right predictions, each made before the row was learned.
    seconds : float
        Processor time of all predictions and updates.
    """

    stream: str
    model: str
    n_rows: int
    accuracy: float
    seconds: float


class ResultFile:
    """Results in a JSON file, one per stream, model and number of rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = json.loads(path.read_text()) if path.exists() else []
        self.results = [Result(**line) for line in lines]

    def find(self, stream: str, model: str, n_rows: int) -> Result | None:
        """Return a stored result, or None."""
        wanted = (stream, model, n_rows)
        return next((one for one in self.results if (one.stream, one.model, one.n_rows) == wanted), None)

    def add(self, result: Result) -> None:
        """Store a result at once."""
        self.results.append(result)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_suffix(".part")
        temporary.write_text(json.dumps([asdict(one) for one in self.results], indent=1) + "\n")
        temporary.replace(self.path)


def table(results: list[Result], models: list[str]) -> str:
    """Return accuracies in percent as a Markdown table with ranks of the first model and its share of ARF's time."""
    streams = list(dict.fromkeys((one.stream, one.n_rows) for one in results))
    lines = [_line(stream, n_rows, results, models) for stream, n_rows in streams]
    return markdown(["stream", "rows", *models, "rank", "time / ARF"], lines)


def _line(stream: str, n_rows: int, results: list[Result], models: list[str]) -> list[str]:
    found = {one.model: one for one in results if (one.stream, one.n_rows) == (stream, n_rows)}
    cells = [f"{100 * found[name].accuracy:.2f}" if name in found else "" for name in models]
    ours, arf = found.get(models[0]), found.get("ARF")
    rank = str(1 + sum(one.accuracy > ours.accuracy for one in found.values())) if ours else ""
    ratio = f"{ours.seconds / arf.seconds:.2f}" if ours and arf else ""
    return [stream, f"{n_rows:,}".replace(",", " "), *cells, rank, ratio]


def summary(results: list[Result], first: str) -> str:
    """Say how often the first model ranks first or second, and how its time compares with ARF's."""
    ranks, ratios, below = [], [], 0
    for ours in (one for one in results if one.model == first):
        peers = {one.model: one for one in results if (one.stream, one.n_rows) == (ours.stream, ours.n_rows)}
        ranks.append(1 + sum(one.accuracy > ours.accuracy for one in peers.values()))
        below += "NoChange" in peers and peers["NoChange"].accuracy > ours.accuracy
        if "ARF" in peers:
            ratios.append(ours.seconds / peers["ARF"].seconds)
    if not ranks:
        return ""
    time = f"; median processor time {median(ratios):.2f} of ARF's" if ratios else ""
    leading = sum(rank <= 2 for rank in ranks)
    return f"{first}: first or second on {leading} of {len(ranks)} streams, below NoChange on {below}{time}."
