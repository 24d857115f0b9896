"""What all commands have in common, and the small ones."""

import json
import subprocess
import sys

import pytest

import hinge

COMMANDS = ["train", "predict", "evaluate", "info", "export", "bench"]


@pytest.mark.parametrize("command", [[], *([command] for command in COMMANDS)])
def test_help_fits_a_screen_and_has_an_example(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    done = run(*command, "--help")
    lines = done.out.splitlines()
    assert len(lines) <= (43 if command == ["train"] else 24)
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


def test_the_installed_command(folder):
    done = subprocess.run(
        [sys.executable, "-c", "import hinge_command; hinge_command.main()", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == f"hinge {hinge.__version__}"


def test_ctrl_c_while_the_libraries_load_is_quiet(folder):
    """A package of the same name stands in for the real one, and is interrupted while it is imported."""
    (folder / "hinge" / "cli").mkdir(parents=True)
    (folder / "hinge" / "__init__.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    (folder / "hinge" / "cli" / "__init__.py").write_text("def main(): pass\n")
    script = f"import sys, hinge_command; sys.path.insert(0, {str(folder)!r}); hinge_command.main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
