"""Standard streams that are closed, full or no longer read; output files that are also input; too little memory."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import hinge
from hinge.cli.train._job import Inputs
from tests.streams import BROKEN, broken

FULL = "hinge: Standard output cannot be written: No space left on device.\n"
PRINTING = [
    ("predict", "m.hinge", "d.csv"),
    ("predict", "m.hinge", "d.csv", "--scores"),
    ("predict", "m.hinge", "d.csv", "--json"),
    ("evaluate", "m.hinge", "d.csv"),
    ("evaluate", "m.hinge", "d.csv", "--json"),
    ("info", "m.hinge"),
    ("info", "m.hinge", "--json"),
    ("--version",),
]


@pytest.fixture
def files(folder):
    """Write d.csv and m.hinge."""
    X = np.random.default_rng(0).normal(size=(60, 2)).round(3)
    rows = [f"{a},{b},{'yes' if a > b else 'no'}" for a, b in X.tolist()]
    (folder / "d.csv").write_text("\n".join(["a,b,label", *rows]))
    hinge.save(hinge.OnlineSVC().fit(X, np.where(X[:, 0] > X[:, 1], "yes", "no")), "m.hinge")
    return folder


@pytest.mark.parametrize("kind", BROKEN)
def test_training_does_not_need_standard_error(run, files, monkeypatch, kind):
    with broken(kind) as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        assert run("train", "d.csv", "-o", "new.hinge").code == 0
        assert run("train", "nothing.csv").code == 2
    assert hinge.load("new.hinge").n_seen_ == 60


@pytest.mark.parametrize("arguments", PRINTING)
@pytest.mark.parametrize("kind", BROKEN)
def test_results_that_cannot_be_printed(run, files, monkeypatch, kind, arguments):
    with broken(kind) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        done = run(*arguments)
    assert (done.code, done.err) == ((1, FULL) if kind == "full" else (141, ""))


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_the_model_is_saved_before_results_are_printed(run, files, monkeypatch, kind, more):
    with broken(kind) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert run("train", "d.csv", "-o", "new.hinge", *more).code == (1 if kind == "full" else 141)
    assert hinge.load("new.hinge").n_seen_ == 60


@pytest.mark.parametrize("command", ["predict m.hinge d.csv", "info m.hinge", "predict m.hinge d.csv -o answers"])
def test_a_closed_standard_output(run, files, monkeypatch, command):
    told = (0, "") if "-o" in command else (1, "hinge: Standard output cannot be written: Bad file descriptor.\n")
    assert without("stdout", run, monkeypatch, command) == told


@pytest.mark.parametrize("command", ["predict m.hinge -", "train -", "info m.hinge"])
def test_a_closed_standard_input(run, files, monkeypatch, command):
    told = (0, "") if "info" in command else (2, "hinge: standard input cannot be read: Bad file descriptor.\n")
    assert without("stdin", run, monkeypatch, command) == told


def without(name, run, monkeypatch, command):
    """Run a command without one of the streams; return exit code and standard error."""
    monkeypatch.setattr(sys, name, None)
    done = run(*command.split())
    getattr(sys, name).close()  # its replacement
    return done.code, done.err


def test_reading_a_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(hinge.HingeError, match="standard input is closed; give the name of a file"):
        hinge.datasets.read("-")


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "m.hinge", "d.csv", "-o", "m.hinge"),
        ("predict", "m.hinge", "d.csv", "-o", "d.csv"),
        ("predict", "m.hinge", "d.csv", "-o", "sub/../d.csv"),
        ("predict", "m.hinge", "d.csv", "-o", "soft.csv"),
        ("predict", "m.hinge", "d.csv", "-o", "hard.csv"),
        ("predict", "soft.hinge", "d.csv", "-o", "m.hinge"),
        ("predict", "m.hinge", "-", "-o", "d.csv"),
        ("train", "d.csv", "-o", "d.csv"),
        ("train", "d.csv", "--test", "t.csv", "-o", "t.csv"),
        ("train", "-", "-o", "d.csv"),
        ("train", "d.csv", "--plot", "hard.svg"),
        ("train", "d.csv", "-o", "new.svg", "--plot", "sub/../new.svg"),
        ("train", "d.csv", "--resume", "m.hinge", "--in-place", "--plot", "model.svg"),
        ("export", "m.hinge", "-o", "m.hinge", "--to", "onnx"),
        ("label", "d.csv", "--export", "d.csv"),
        ("label", "d.csv", "--import", "t.csv", "--export", "t.csv"),
    ],
)
def test_input_files_are_not_overwritten(run, files, monkeypatch, arguments):
    (files / "sub").mkdir()
    (files / "t.csv").write_bytes((files / "d.csv").read_bytes())
    (files / "soft.csv").symlink_to("d.csv")
    (files / "soft.hinge").symlink_to("m.hinge")
    for link, name in (("hard.csv", "d.csv"), ("hard.svg", "d.csv"), ("model.svg", "m.hinge")):
        (files / link).hardlink_to(files / name)
    before = {file.name: file.read_bytes() for file in files.iterdir() if file.is_file()}
    with (files / "d.csv").open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "must not be the same file as" in done.err
    assert done.err.count("\n") == 1
    assert {file.name: file.read_bytes() for file in files.iterdir() if file.is_file()} == before


def test_resume_may_overwrite_the_model(run, files):
    assert run("train", "d.csv", "-o", "new.hinge").code == 0
    assert run("train", "d.csv", "--resume", "new.hinge", "-o", "new.hinge").code == 0
    assert hinge.load("new.hinge").n_seen_ == 120
    assert Inputs("spirals").files == (None, None)  # a data set is not a file, so a model may have its name


def test_too_little_memory(run, files, monkeypatch):
    before = (files / "m.hinge").read_bytes()
    learn = hinge.OnlineSVC.partial_fit

    def hungry(self, X, y, **more):
        learn(self, X, y, **more)
        if self.n_seen_ > 40:
            raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(hinge.OnlineSVC, "partial_fit", hungry)
    done = run("train", "d.csv", "-o", "m.hinge", "--json")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith("hinge: There is not enough memory; try a smaller --cache-size")
    assert (files / "m.hinge").read_bytes() == before


# OpenBLAS retries forever to allocate its work memory, so it must have it before the limit is set.
LIMITED = """
import resource, sys
import numpy as np
import hinge.cli.train._run
X = np.random.default_rng(0).normal(size=(500, 8)).astype(np.float32)
hinge.OnlineSVC(gamma=0.1).fit(X, X[:, 0] > 0)
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (30 << 20), -1))
hinge.cli.main(sys.argv[1:])
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux says how much memory is taken")  # noqa: PTH110
def test_a_limit_of_memory(files):
    before = (files / "m.hinge").read_bytes()
    random = np.random.default_rng(0)
    np.savez("large.npz", X=random.normal(size=(6000, 8)).astype(np.float32), y=random.integers(0, 2, 6000))
    command = [
        sys.executable,
        "-c",
        LIMITED,
        "train",
        "large.npz",
        "--no-tune",
        "--cache-size",
        "4000",
        "-o",
        "m.hinge",
        "--json",
    ]
    one = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=one, timeout=120)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("hinge: There is not enough memory")
    assert done.stderr.count("\n") == 1
    assert (files / "m.hinge").read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "codes"),
    [
        ("{hinge} train d.csv -o new.hinge >/dev/null 2>/dev/full; echo $?", [0]),
        ("{hinge} train d.csv -o new.hinge 2>&1 >/dev/null | true; echo ${{PIPESTATUS[0]}}", [0]),
        ("{hinge} train d.csv -o new.hinge >/dev/null 2>&-; echo $?", [0]),
        ("{hinge} train d.csv -o new.hinge >&- 2>&- <&-; echo $? >&3", [1]),
        ("{hinge} predict m.hinge d.csv 2>&1 >/dev/full; echo $?", [FULL.strip(), 1]),
        ("{hinge} predict m.hinge d.csv --json 2>&1 >/dev/full; echo $?", [FULL.strip(), 1]),
        ("({hinge} info m.hinge; echo $? >&3) 2>&3 | true", [141]),
        ("({hinge} predict m.hinge d.csv --json; echo $? >&3) 2>&3 | true", [141]),
    ],
)
def test_shells(files, script, codes):
    """The same with real streams: Python prints no error at exit."""
    script = "exec 3>&1; " + script.format(hinge=f"{sys.executable} -m hinge")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)  # noqa: S607
    assert (done.stdout.splitlines(), done.stderr) == ([str(code) for code in codes], "")
    if "train" in script:
        assert hinge.load("new.hinge").n_seen_ == 60


@pytest.mark.slow
def test_a_progress_bar_does_not_need_standard_error(folder):
    """The bar is drawn while native code runs; the exit code is that of the program."""
    script = (
        "import json, numpy as np, hinge\n"
        "X = np.random.default_rng(0).normal(size=(20000, 5))\n"
        "y = np.random.default_rng(1).integers(0, 2, 20000)\n"
        "print(json.dumps(hinge.OnlineSVC(gamma=0.1, verbose=True, finishing=False).fit(X[:9000], y[:9000]).n_seen_))\n"
    )
    for end in ("2>/dev/full", "2> >(true)"):
        done = subprocess.run(
            ["bash", "-c", f"{sys.executable} -c '{script}' {end}; echo $?"],  # noqa: S607
            capture_output=True,
            text=True,
            check=False,
        )
        assert [json.loads(line) for line in done.stdout.splitlines()] == [9000, 0]
