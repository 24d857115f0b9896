"""Options in files, completion in shells, streams as output, comparisons, and messages for frequent mistakes."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

import hinge
from hinge.cli import _options
from hinge.cli._app import COMMANDS
from hinge.export import FORMATS

HINGE = Path(sysconfig.get_path("scripts")) / "hinge"


def call(*arguments, **variables):
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "hinge", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, env={**os.environ, **variables})


@pytest.mark.parametrize("command", COMMANDS)
def test_help_needs_no_numpy(folder, command):
    (folder / "numpy.py").write_text("raise ImportError('imported')\n")
    done = call(command, "--help", PYTHONPATH=str(folder))
    assert (done.returncode, b"Usage" in done.stdout) == (0, True), done.stderr


def test_formats_of_the_help_page():
    assert tuple(each.name for each in FORMATS) == _options.EXPORT_FORMATS
    assert tuple(suffix for each in FORMATS for suffix in each.suffixes) == _options.EXPORT_SUFFIXES


class TestConfig:
    def test_options_are_read_and_written(self, run, census):
        given = ("--label", "income", "--C", "3", "--drop", "hours", "--kind", "age=category", "--balance")
        run("train", "census.csv", *given, "--save-config", "run.toml", tunes=True)
        saved = tomllib.loads((census / "run.toml").read_text())
        expected = {"data": "census.csv", "label": "income", "C": 3.0, "drop": "hours", "kind": ["age=category"]}
        assert saved == expected | {"balance": True}
        run("train", "--config", "run.toml", "-o", "again.hinge", tunes=True)
        first, second = hinge.load("model.hinge"), hinge.load("again.hinge")
        assert first.preparation.columns == second.preparation.columns
        np.testing.assert_array_equal(first.dual_coef_, second.dual_coef_)

    def test_the_command_line_comes_first(self, run, census):
        (census / "run.toml").write_text('label = "income"\nC = 3\ndrop = ["hours", "city"]\nmax_support = 50\n')
        result = json.loads(run("train", "census.csv", "--config", "run.toml", "--C", "7", "--json").out)
        assert (result["C"], result["features"]) == (7.0, 1)
        assert result["online"]["support_vectors"] <= 50

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("cost = 3", "must hold options of hinge train, got 'cost'"),
            ("C = ", "must be a TOML file"),
            ('C = "much"', "Invalid value for '--C'"),
        ],
    )
    def test_mistakes(self, run, census, text, sentence):
        (census / "run.toml").write_text(text)
        done = run("train", "census.csv", "--config", "run.toml")
        assert (done.code, sentence in done.err) == (2, True), done.err
        assert run("train", "--config", "nothing.toml").err == "hinge: There is no file nothing.toml.\n"


class TestCompletion:
    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ("hinge tr", ["train"]),
            ("hinge train --th", ["--thousands", "--threshold"]),
            ("hinge train --model inc", ["incremental"]),
        ],
    )
    def test_bash(self, words, expected):
        place = str(len(words.split()) - 1)
        variables = {"_HINGE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place}
        done = subprocess.run([HINGE], capture_output=True, check=False, env={**os.environ, **variables}, text=True)
        assert done.stdout.split() == expected

    @pytest.mark.parametrize("shell", ["zsh", "fish"])
    def test_other_shells(self, shell):
        variables = {"_HINGE_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "hinge ev"}
        variables["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
        done = subprocess.run([HINGE], capture_output=True, check=False, env={**os.environ, **variables}, text=True)
        assert "evaluate" in done.stdout

    def test_bash_loads_the_script(self, folder):
        bash = shutil.which("bash")
        if bash is None:
            pytest.skip("there is no bash")
        variables = {**os.environ, "_HINGE_COMPLETE": "source_bash"}
        script = subprocess.run([HINGE], capture_output=True, check=True, env=variables, text=True).stdout
        (folder / "complete.sh").write_text(script)
        done = subprocess.run(
            [bash, "-c", "source ./complete.sh && complete -p hinge"], capture_output=True, check=True
        )
        assert b"_hinge_completion" in done.stdout


class TestStreams:
    def test_a_model_goes_to_a_pipe(self, census):
        done = call("train", "census.csv", "--label", "income", "-o", "/dev/stdout")
        (census / "piped.hinge").write_bytes(done.stdout)
        assert hinge.load("piped.hinge").n_seen_ == 600
        assert b"support vectors" in done.stderr

    def test_predictions_and_exports(self, run, census):
        pytest.importorskip("onnx")
        run("train", "census.csv", "--label", "income")
        done = call("predict", "model.hinge", "test.csv", "-o", "/dev/stdout")
        assert done.stdout.decode() == run("predict", "model.hinge", "test.csv").out
        run("export", "model.hinge", "-o", "model.onnx")
        done = call("export", "model.hinge", "--to", "onnx", "-o", "/dev/stdout")
        assert done.stdout == (census / "model.onnx").read_bytes()

    def test_a_closed_pipe(self, run, census):
        run("train", "census.csv", "--label", "income")
        read, write = os.pipe()
        os.close(read)
        command = [sys.executable, "-m", "hinge", "predict", "model.hinge", "test.csv"]
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
        os.close(write)
        assert (done.returncode, done.stderr) == (141, b"")  # as programs that SIGPIPE ends


def test_trees_are_trained_on_the_same_rows(run, census):
    done = run("train", "census.csv", "--label", "income", "--test", "test.csv", "--compare", "--json")
    trees = json.loads(done.out)["trees"]
    model = hinge.load("model.hinge")
    train, test = pd.read_csv("census.csv"), pd.read_csv("test.csv")
    oracle = HistGradientBoostingClassifier(random_state=0).fit(model.transform(train), train["income"])
    error = np.mean(oracle.predict(model.transform(test)) != test["income"])
    assert trees["test_error"] == pytest.approx(100 * error)
    said = " ".join(run("train", "census.csv", "--label", "income", "--compare").err.split())
    assert "HistGradientBoostingClassifier with default parameters on the same rows: --test names rows" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("info", "census.csv"), "census.csv is not a hinge model: it holds text"),
        (("predict", "census.csv", "census.csv"), "census.csv is not a hinge model"),
        (
            ("train", "census.csv", "--kernel", "precomputed"),
            "--kernel must be one of rbf, linear, poly, sigmoid, laplacian",
        ),
        (("train", "census.csv", "--kernel", "gauss"), "got 'gauss'"),
        (("train", "huge.csv"), "Column 'age' must hold numbers up to 3e+38, got 1e+300 in line 3"),
    ],
)
def test_messages(run, census, arguments, sentence):
    (census / "huge.csv").write_text("age,label\n1,a\n1e300,b\n" + "2,a\n3,b\n" * 20)
    done = run(*arguments)
    assert (done.code, sentence in done.err) == (2, True), done.err
    assert "Warning" not in done.err
    assert "two sets" not in done.err


def test_threads(run, census):
    run("train", "census.csv", "--label", "income", "--n-jobs", "2")
    run("train", "census.csv", "--label", "income", "-o", "one.hinge", "--n-jobs", "1")
    np.testing.assert_array_equal(hinge.load("model.hinge").dual_coef_, hinge.load("one.hinge").dual_coef_)


@pytest.mark.parametrize(
    ("head", "sentence"),
    [(b"\x28\xb5\x2f\xfd", "is compressed by zstd"), (b"PK\x03\x04", "is a zip archive or an Excel workbook")],
)
def test_files_that_must_be_unpacked(run, folder, head, sentence):
    (folder / "data.csv").write_bytes(head + b"\x00\x14")
    done = run("train", "data.csv")
    assert (done.code, sentence in " ".join(done.err.split())) == (2, True), done.err


def test_workbooks_are_named(run, folder):
    (folder / "data.xlsx").write_bytes(b"PK\x03\x04\x14\x00")
    assert "is a zip archive or an Excel workbook" in run("train", "data.xlsx").err
