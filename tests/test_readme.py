"""What the README shows is what happens."""

import re
import shlex
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command

from hinge.cli._app import app
from hinge.exceptions import StreamWarning

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = sorted(path for folder in ("", "guide", "design") for path in (ROOT / "docs" / folder).glob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
ALL_PAGES = [
    *PAGES,
    *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(ROOT / folder / "README.md" for folder in ("examples", "experiments")),
]
COMMANDS = [ROOT / "README.md", ROOT / "docs" / "guide" / "command-line.md"]
OTHER_COMMANDS = [page for page in DOCS if page not in COMMANDS]
OPTIONAL = {"to_onnx": "onnx", "skactiveml": "skactiveml", "from river": "river"}


def blocks(language, text=README):
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def commands(pages=COMMANDS):
    texts = [page.read_text(encoding="utf-8") for page in pages]
    lines = [line for text in texts for block in blocks("console", text) for line in block.splitlines()]
    return list(dict.fromkeys(line.removeprefix("$ ") for line in lines))


def page_name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize(
    "block", [block for page in PAGES for block in blocks("python", page.read_text(encoding="utf-8"))]
)
def test_python_runs(tmp_path, monkeypatch, capsys, block):
    for word, package in OPTIONAL.items():
        if word in block:
            pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    with pytest.warns(StreamWarning) if "gives a StreamWarning" in block else nullcontext():
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102
    accuracy = re.search(r"accuracy (0\.\d+)", capsys.readouterr().out)
    assert accuracy is None or float(accuracy[1]) > 0.85


def test_set_up_commands_are_the_checked_ones():
    first, second = commands()[:2]
    checks = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert second in checks
    assert first.replace("[plot]", "[test]").replace("hinge train", "pytest -n auto") == second


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A shell in a folder with the files that the README speaks of, where `hinge` is the package under test."""
    random = np.random.default_rng(0)
    for name, n_rows in (("people", 500), ("test", 200), ("more", 100), ("new", 50)):
        ages, cities = random.integers(18, 80, n_rows), random.choice(["Rome", "Oslo", "Paris"], n_rows)
        rich = ages + 20 * (cities == "Oslo") + random.normal(scale=5, size=n_rows) > 55
        lines = [
            f"{age},{city},{'>50K' if yes else '<=50K'}" for age, city, yes in zip(ages, cities, rich, strict=True)
        ]
        if name == "new":
            lines = [line.rsplit(",", 1)[0] for line in lines]
        header = "age,city" if name == "new" else "age,city,income"
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    for name in ("machines", "later"):
        normal = random.normal(size=(200, 2)).round(3)
        states = np.where(random.random(200) < 0.1, "broken", "ok")
        normal[states == "broken"] += 5
        lines = [f"{heat},{noise},{state}" for (heat, noise), state in zip(normal, states, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["heat,noise,state", *lines]) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    hinge = f'hinge() {{ {shlex.quote(sys.executable)} -m hinge "$@"; }}'

    def run(command):
        script = f"set -euo pipefail\n{hinge}\n{command.replace('.venv/bin/', '')}"
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)  # noqa: S607

    return run


@pytest.mark.slow
def test_every_command_runs(shell, tmp_path):
    pytest.importorskip("onnx")
    documented = commands()[2:]
    assert len(documented) >= 8
    for command in documented:
        done = shell(command)
        assert done.returncode == 0, (command, done.stderr)
    assert (tmp_path / "answers.csv").read_text().startswith("label,score\n")
    assert (tmp_path / "income.onnx").exists()


@pytest.mark.slow
def test_commands_of_other_pages_run(shell, tmp_path):
    """All that begin with `hinge` and end by themselves; that of the labelling page serves a folder of photos."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    documented = [line for line in commands(OTHER_COMMANDS) if re.match(r"(\.venv/bin/)?hinge (?!label)", line)]
    assert len(documented) >= 5
    for command in documented:
        done = shell(command.replace("--tune 10m", "--tune 10s"))
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("page", ALL_PAGES, ids=page_name)
def test_options_in_the_running_text_exist(page):
    known = get_command(app)
    for text in re.findall(r"`(hinge [^`]+)`", page.read_text(encoding="utf-8")):
        _, name, *words = text.split()
        if name.startswith("-") or name in ("reproduce", "COMMAND"):  # the first is of development versions
            continue
        command = known.get_command(None, name)
        assert command is not None, text
        options = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
        used = {re.split("[=,]", word)[0].rstrip(")") for word in words if word.startswith("-") and len(word) > 1}
        assert used <= {*options, "--help"}, text


@pytest.mark.slow
def test_first_command(shell, tmp_path):
    """Its last part; the parts before install the package, which is what runs these tests."""
    done = shell(commands()[0].split("&&")[-1])
    assert done.returncode == 0, done.stderr
    assert "scikit-learn SVC" in done.stdout
    assert (tmp_path / "model.hinge").exists()
    assert (tmp_path / "train.png").exists()


def test_inline_commands_are_among_those_that_run():
    """Commands in the running text are bare or in the blocks, so that none goes untested."""
    known = {" ".join(command.split()[:2]) for command in commands()} | {"hinge train"}
    visible = re.sub(r"<!--.*?-->", "", README)
    for command in re.findall(r"`((?:hinge|python|pip) [^`]+)`", visible):
        assert command in known, command


@pytest.mark.parametrize("page", [*ALL_PAGES, ROOT / "ARCHITECTURE.md"], ids=page_name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", ALL_PAGES, ids=page_name)
def test_anchors_are_headings(page):
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
        linked = (page.parent / target) if target else page
        headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}, anchor


@pytest.mark.parametrize("page", ALL_PAGES, ids=page_name)
def test_named_files_and_measurements_exist(page):
    text = page.read_text(encoding="utf-8")
    for path in re.findall(r"\b(?:tests|fuzz|docs|cpp|bindings)/[\w./-]*\w|\.ci/\w+", text):
        assert (ROOT / path).exists(), path
    for name in re.findall(r"benchmarks\.micro ([a-z][\w-]*)", text):
        assert (ROOT / "benchmarks" / "micro" / f"{name.replace('-', '_')}.py").exists(), name
        assert "_" not in name, name


def test_readme_is_short():
    """A person in a hurry reads it; everything else is in docs."""
    assert len(README.splitlines()) < 100


def test_architecture_names_what_exists():
    """Every `file:name` of ARCHITECTURE.md is a file of the repository that contains that name."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    references = re.findall(r"`([\w/]+\.(?:py|cpp|hpp|js)):([\w.]+)`", text)
    assert len(references) > 40
    for file, name in references:
        found = [path for folder in ("src", "cpp", "bindings") for path in (ROOT / folder).rglob(Path(file).name)]
        found = [path.read_text(encoding="utf-8") for path in found if path.as_posix().endswith(file)]
        assert any(name.split(".")[-1] in content for content in found), (file, name)
