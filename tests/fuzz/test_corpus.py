"""Valid files are read; inputs that once broke a reader are read or refused in one sentence."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.__main__ import main
from fuzz._blind import changed
from fuzz._corpus import CORPUS, inputs
from fuzz._outcome import outcome
from fuzz._targets import TARGETS
from tests.conftest import tried

CASES = [(target, name) for target in TARGETS for name in inputs(target)]
OUTCOMES = {"read", "refused", "read, but refuses to go on"}


@pytest.mark.parametrize(("target", "name"), CASES)
def test_stored_inputs(tmp_path, target, name):
    expected = {"read"} if name.startswith("valid-") else OUTCOMES
    assert outcome(TARGETS[target], inputs(target)[name], tmp_path) in expected


def test_corpus_is_small():
    assert sum(file.stat().st_size for file in CORPUS.rglob("*") if file.is_file()) < 200_000


@pytest.mark.parametrize("target", TARGETS)
@given(seed=st.integers(0, 2**32))
@tried(40)
def test_changed_inputs(tmp_path_factory, target, seed):
    content = changed(TARGETS[target], list(inputs(target).values()), random.Random(seed))
    assert outcome(TARGETS[target], content, tmp_path_factory.getbasetemp()) in OUTCOMES


def test_folder_for_findings_is_created(tmp_path, monkeypatch):
    folder, seen = tmp_path / "new" / "findings", []
    monkeypatch.setattr(sys, "argv", ["fuzz", "svmlight", "--blind", "--findings", str(folder)])
    monkeypatch.setattr("fuzz._blind.fuzz_blindly", lambda *arguments: seen.append(arguments[-1].is_dir()))
    main()
    assert seen == [True]


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_many_changed_inputs_in_a_separate_process(tmp_path, target):
    """A crash shows as an exit code, and the input stays in the folder."""
    command = [sys.executable, "-m", "fuzz", target, "--blind", "--runs", "1500", "--findings", str(tmp_path / "new")]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=CORPUS.parents[1])
    assert run.returncode == 0, run.stderr
    assert not list((tmp_path / "new").iterdir())
