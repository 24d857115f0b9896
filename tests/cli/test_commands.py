"""What all commands have in common, and the small commands."""

import ast
import importlib
import json
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import hinge
import hinge.cli
from hinge.cli import _options, main
from hinge.cli._app import COMMANDS as HELP_LINES
from hinge.cli._models import MODELS
from hinge.estimators import ESTIMATORS

COMMANDS = ["train", "predict", "evaluate", "compare", "info", "export", "bench"]


@pytest.mark.parametrize("command", [[], *([command] for command in COMMANDS)])
def test_help_fits_a_screen_and_has_an_example(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    done = run(*command, "--help")
    lines = done.out.splitlines()
    assert len(lines) <= (75 if command == ["train"] else 24)  # that of train has sections
    assert max(map(len, lines)) <= 80
    assert "Example: hinge" in done.out


def test_version(run):
    done = run("--version")
    assert (done.code, done.out.strip()) == (0, f"hinge {hinge.__version__}")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nonsense",), "nonsense"),
        (("info", "nothing.hinge"), "There is no file nothing.hinge"),
        (("predict", "nothing.hinge", "x.csv"), "There is no file nothing.hinge"),
        (("evaluate", "nothing.hinge", "x.csv"), "There is no file nothing.hinge"),
        (("export", "nothing.hinge", "-o", "x.onnx"), "There is no file nothing.hinge"),
        (("export", "nothing.hinge", "-o", "x.txt"), "--to must be onnx or libsvm"),
        (("bench", "nothing"), "There is no data set 'nothing'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, arguments, sentence):
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert "Traceback" not in done.err


def test_bench(run):
    done = run("bench", "digits", "--json")
    results = json.loads(done.out)["results"]
    assert [result["model"] for result in results[:2]] == ["OnlineSVC", "SVC"]
    assert all(result["test_error"] < 5 for result in results)
    assert "OnlineSVC" in run("bench", "digits").out


def test_export(run):
    pytest.importorskip("onnx")
    run("train", "digits", "--no-compare")
    assert "ONNX" in run("export", "model.hinge", "-o", "digits.onnx").out
    assert "LIBSVM" in run("export", "model.hinge", "-o", "digits.libsvm").out
    assert run("export", "model.hinge", "-o", "digits.bin", "--to", "libsvm").code == 0
    facts = json.loads(run("export", "model.hinge", "-o", "digits.onnx", "--json").out)
    assert (facts["file"], facts["format"], len(facts["classes"])) == ("digits.onnx", "onnx", 10)


def test_the_installed_script():
    """The script is declared with a function that exists; the tests do not need an installed script."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert EntryPoint("hinge", project["scripts"]["hinge"], "console_scripts").load() is main


def test_help_lists_the_first_line_of_each_docstring():
    for name, help_line in HELP_LINES.items():
        command = getattr(importlib.import_module(f"hinge.cli.{name}"), name)
        assert command.__doc__.splitlines()[0] == help_line


def program(*arguments):
    return subprocess.run([sys.executable, "-m", "hinge", *arguments], capture_output=True, text=True, check=False)


def test_help_pages_name_all_models_and_kinds():
    assert tuple(MODELS) == _options.MODEL_NAMES
    assert tuple(hinge.tables.COLUMN_KINDS) == _options.COLUMN_KINDS


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["train", "--help"]])
def test_help_and_version_need_no_numpy(folder, arguments):
    """NumPy and scikit-learn take a second to import."""
    (folder / "numpy.py").write_text("raise ImportError('imported')\n")
    done = program(*arguments)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("library", "arguments"), [("typer", ["--help"]), ("numpy", ["info", "model.hinge"])])
def test_ctrl_c_while_libraries_are_imported_is_quiet(folder, library, arguments):
    """A module of the same name replaces a library and sends SIGINT while it is imported."""
    (folder / f"{library}.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = program(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_that_is_ignored_stays_ignored(folder):
    """Shell scripts start background jobs this way."""
    (folder / "numpy.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise ImportError('on')\n"
    )
    script = f"trap '' INT; exec {sys.executable} -m hinge info model.hinge"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)  # noqa: S607
    assert (done.returncode, done.stderr) == (2, "hinge: on\n")


def test_only_the_table_of_models_names_estimators():
    """A new estimator needs its name there and nothing else; `bench` compares one estimator with scikit-learn's."""
    modules = {"approximate", "incremental", "online", "perceptron", "robust", "tracking"}
    estimators = {named.__name__ for named in ESTIMATORS.values()}
    for file in Path(hinge.cli.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or (node.module or "").removeprefix("hinge.") not in modules:
                continue
            if estimators & {alias.name for alias in node.names}:
                assert file.name in ("_models.py", "_bench.py")


def test_commands_use_no_private_attributes_of_other_objects():
    """All that a command needs is public; `hinge.streaming` has what scikit-learn does not define."""
    package = Path(hinge.cli.__file__).parent
    found = []
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.endswith("__"):
                owner = node.value.id if isinstance(node.value, ast.Name) else ""
                if (owner, node.attr) not in {("self", node.attr), ("os", "_exit")}:
                    found.append(f"{file.name}:{node.lineno} {node.attr}")
            if isinstance(node, ast.Constant) and node.value in {"_state", "_stream_traits"}:
                found.append(f"{file.name}:{node.lineno} {node.value}")
    assert found == []
