"""Memory of `hinge train` for files larger than memory."""

import json
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.data import data_folder
from benchmarks.micro import Section
from benchmarks.micro.command_overhead import run

N_FEATURES, BLOCK = 60, 20_000


def measure(quick: bool) -> Section:
    """Stream covtype and a generated svmlight file of 2 GB through `hinge train`, and measure the peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        generated, model = Path(folder) / "generated.svm", str(Path(folder) / "model.hinge")
        write_file(generated, 2e8 if quick else 2e9)
        rows = []
        for file in (data_folder() / "covtype.bz2", generated):
            seconds, megabytes, output = run("train", str(file), "-o", model, "--json", "--max-support", "2000")
            result = json.loads(output)
            rows.append(
                (
                    file.name,
                    f"{file.stat().st_size / 1e6:,.0f}",
                    f"{result['rows']:,}",
                    f"{result['online']['support_vectors']:,}",
                    f"{result['online']['progressive_error']:.2f}",
                    f"{seconds:.0f}",
                    f"{megabytes:.0f}",
                )
            )
    columns = ("file", "MB on disk", "rows", "support vectors", "progressive error, %", "seconds", "peak resident, MB")
    return Section("hinge train on streamed files, at most 2 000 support vectors per class", columns, rows)


def write_file(path: Path, size: float) -> None:
    """Write rows of uniform features, labelled by a noisy hyperplane, until the file is large enough."""
    random = np.random.default_rng(0)
    plane = random.normal(size=N_FEATURES)
    row = "%d " + " ".join(f"{j + 1}:%.6f" for j in range(N_FEATURES)) + "\n"
    with path.open("w") as file:
        while file.tell() < size:
            X = random.random((BLOCK, N_FEATURES))
            y = np.sign((X - 0.5) @ plane + random.normal(scale=0.1, size=BLOCK))
            file.write((row * BLOCK) % tuple(np.column_stack([y, X]).ravel().tolist()))
