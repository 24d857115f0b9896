"""What the labelling page learns from texts and images: with the first features of the pool, and with the race.

Texts are docstrings of six installed packages (which package is it?), images are patches of three colours and moved
shapes of three kinds. RUNS=10 and POOLS=docstrings,colours,shapes choose what is measured.
"""

import ast
import os
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from benchmarks.micro import Section
from benchmarks.micro.page_accuracy import accuracy_on_the_rest, label
from hinge.web._features import FeatureChoice, FeatureRace, is_race_due
from hinge.web._learners import Learners
from hinge.web._settings import SessionSettings
from hinge.web.pools import Pool, open_pool

SIZES = (60, 120, 200)
PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "sklearn", "sqlalchemy")
N_TEXTS, N_IMAGES = 250, 600  # texts of each package, images of each pool
SIDE = 64
COLOURS = ((200, 60, 60), (50, 130, 50), (70, 80, 255))  # equally bright
COLUMNS = ("pool", "labels", "first features only, %", "page, %", "± (2 s.e.)", "features in the end")


def measure(quick: bool) -> Section:
    """Label each pool several times with the default strategy, without and with the race between the features."""
    n_runs = 1 if quick else int(os.environ.get("RUNS", "10"))
    names = os.environ.get("POOLS", "colours" if quick else "docstrings,colours,shapes").split(",")
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for name in names for row in _rows(name, *_pool(name, Path(folder) / name), n_runs)]
    return Section(f"features of the labelling page, {n_runs} runs", COLUMNS, rows)


def _rows(name: str, pool: Pool, y: NDArray[np.str_], n_runs: int) -> Iterator[tuple[str, ...]]:
    first = np.array([simulate(pool, y, seed, race=False)[0] for seed in range(n_runs)])
    runs = [simulate(pool, y, seed, race=True) for seed in range(n_runs)]
    page, kinds = np.array([accuracy for accuracy, _ in runs]), [kind for _, kind in runs]
    used = ", ".join(f"{kind} {kinds.count(kind)}" for kind in sorted(set(kinds)))
    for place, size in enumerate(SIZES):
        error = 2 * page[:, place].std(ddof=1) / np.sqrt(n_runs) if n_runs > 1 else np.nan
        cells = (f"{100 * each:.1f}" for each in (first[:, place].mean(), page[:, place].mean(), error))
        yield name, f"{size}", *cells, used


def simulate(pool: Any, y: NDArray[np.str_], seed: int, *, race: bool) -> tuple[list[float], str]:
    """Label up to the largest size; return the accuracy on the rest at each size, and the features in the end."""
    settings, sets = SessionSettings(seed=seed), pool.feature_sets
    choice = FeatureChoice(next(iter(sets)), by_person=not race)
    contest = FeatureRace(sets, settings)
    learners, drawn, found = _start(sets, choice, settings, y, {}), dict[int, str](), []
    for size in range(1, SIZES[-1] + 1):
        label(learners, y, drawn, size)
        if is_race_due(choice, size, len(sets)):
            before, choice = choice, contest.run((choice, tuple((row, str(y[row])) for row in drawn)))
            if choice.name != before.name:
                learners = _start(sets, choice, settings, y, drawn)
        if size in SIZES:
            found.append(accuracy_on_the_rest(learners, sets[choice.name].X, y, drawn))
    return found, choice.name


def _start(
    sets: Any, choice: FeatureChoice, settings: SessionSettings, y: NDArray[np.str_], drawn: dict[int, str]
) -> Learners:
    """Return learners that know all labels, as when the page changes the features."""
    chosen = sets[choice.name]
    learners = Learners(chosen.X, settings.with_kernel(chosen.kernel), lambda _: None)
    if drawn:
        rows = list(drawn)
        learners.tell(rows, [str(y[row]) for row in rows], [row for row in rows if drawn[row] == "random"])
    return learners


def _pool(name: str, folder: Path) -> tuple[Pool, NDArray[np.str_]]:
    folder.mkdir()
    random = np.random.default_rng(0)
    truth = _write_docstrings(folder, random) if name == "docstrings" else _write_images(folder, name, random)
    pool = open_pool(str(folder))
    return pool, np.array([truth[pool.key(row)] for row in range(len(pool))])


def _write_docstrings(folder: Path, random: np.random.Generator) -> dict[str, str]:
    truth: dict[str, str] = {}
    for package in PACKAGES:
        texts = sorted(set(_docstrings(package)))
        for number in random.permutation(len(texts))[:N_TEXTS]:
            name = f"{len(truth):05}.txt"
            (folder / name).write_text(texts[number], encoding="utf-8")
            truth[name] = package
    return truth


def _docstrings(package: str) -> Iterator[str]:
    """Return the docstrings of at least 40 characters in the source of a package, without importing it."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise RuntimeError(f"The package {package} is not installed.")
    for path in sorted(Path(spec.origin).parent.rglob("*.py")):
        if "tests" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and len(text := ast.get_docstring(node) or "") >= 40:
                yield text.encode("utf-8", "replace").decode()


def _write_images(folder: Path, kind: str, random: np.random.Generator) -> dict[str, str]:
    """Draw coloured patches, or circles, squares and stripes, on noise, anywhere in the image."""
    truth = {}
    for number in range(N_IMAGES):
        image = Image.fromarray(random.integers(90, 130, (SIDE, SIDE, 3), dtype=np.uint8))
        _draw(ImageDraw.Draw(image), kind, number % 3, random)
        name = f"{number:05}.png"
        image.save(folder / name)
        truth[name] = "abc"[number % 3]
    return truth


def _draw(pen: ImageDraw.ImageDraw, kind: str, which: int, random: np.random.Generator) -> None:
    side = int(random.integers(16, 32))
    x, y = random.integers(2, SIDE - side - 2, 2).tolist()
    box = (x, y, x + side, y + side)
    if kind == "colours":
        pen.rectangle(box, fill=tuple(int(part + random.integers(-30, 30)) for part in COLOURS[which]))
    elif which == 0:
        pen.ellipse(box, outline="white", width=3)
    elif which == 1:
        pen.rectangle(box, outline="white", width=3)
    else:
        for step in range(0, side + 1, 6):
            pen.line((x, y + step, x + side, y + side - step), fill="white", width=2)
