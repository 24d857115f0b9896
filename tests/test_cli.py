"""The command line, called as users call it but in this process."""

import json
import subprocess
import sys

import pytest

import hinge
from hinge.cli import main


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(capsys, *arguments):
    """Return exit code, standard output and standard error."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    captured = capsys.readouterr()
    return ended.value.code, captured.out, captured.err


def test_train_writes_model_and_picture(capsys, tmp_path):
    code, out, _ = run(capsys, "train", "digits")
    assert code == 0
    assert "hinge OnlineSVC, one pass" in out
    assert "scikit-learn SVC" in out
    assert (tmp_path / "train.png").read_bytes().startswith(b"\x89PNG")
    model = hinge.load(tmp_path / "model.hinge")
    assert model.n_seen_ == 1200


def test_json_is_one_object(capsys):
    code, out, err = run(
        capsys, "train", "digits", "--epochs", "2", "--C", "5", "--gamma", "0.05", "-o", "m.hinge", "--json"
    )
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert (result["C"], result["gamma"], result["epochs"], result["model"]) == (5, 0.05, 2, "m.hinge")
    assert result["online"]["test_error"] < 5
    assert result["svc"]["test_error"] < 5


def test_runs_repeat(capsys):
    results = [json.loads(run(capsys, "train", "digits", "--no-compare", "--json")[1]) for _ in range(2)]
    for result in results:
        assert result["svc"] is None
        del result["online"]["seconds"]
    assert results[0] == results[1]


def test_two_classes_in_the_plane_have_a_boundary(capsys, tmp_path):
    code, _, _ = run(capsys, "train", "--no-compare", "--plot", "plane.png")
    assert code == 0
    assert (tmp_path / "plane.png").stat().st_size > 50_000


def test_info(capsys):
    run(capsys, "train", "digits", "--no-compare")
    code, out, _ = run(capsys, "info", "model.hinge")
    assert code == 0
    assert "OnlineSVC" in out
    code, out, _ = run(capsys, "info", "model.hinge", "--json")
    facts = json.loads(out)
    assert facts["features"] == 64
    assert facts["examples_seen"] == 1200
    assert facts["parameters"] == "C=10.0, gamma=0.1, random_state=0"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("train", "nothing"), "There is no data set 'nothing'"),
        (("train", "digits", "--C", "-1"), "C must be"),
        (("train", "digits", "-o", "nowhere/model.hinge"), "There is no folder nowhere"),
        (("train", "digits", "--plot", "nowhere/train.png"), "There is no folder nowhere"),
        (("info", "nothing.hinge"), "There is no file nothing.hinge"),
        (("train", "--epochs", "0"), "epochs"),
        (("nonsense",), "nonsense"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(capsys, arguments, sentence):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err


def test_picture_needs_matplotlib(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("hinge.cli.train.importlib.util.find_spec", lambda _: None)
    code, _, err = run(capsys, "train", "digits", "--plot", "picture.png")
    assert code == 2
    assert "pip install 'hinge[plot]'" in err
    code, out, _ = run(capsys, "train", "digits", "--no-compare")
    assert code == 0
    assert "pip install 'hinge[plot]'" in out
    assert not (tmp_path / "train.png").exists()


def test_interrupt_saves_what_was_learned(capsys, monkeypatch):
    calls = []

    def interrupted(self, *arguments, **keywords):
        calls.append(1)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return learn(self, *arguments, **keywords)

    learn = hinge.OnlineSVC.partial_fit
    monkeypatch.setattr(hinge.OnlineSVC, "partial_fit", interrupted)
    code, _, err = run(capsys, "train", "digits")
    assert code == 130
    assert "Stopped after 135 examples" in err
    assert hinge.load("model.hinge").n_seen_ == 135


def test_interrupt_before_anything_was_learned(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(hinge.OnlineSVC, "partial_fit", interrupted)
    assert run(capsys, "train", "digits")[0] == 130


@pytest.mark.parametrize("command", [(), ("train",), ("info",)])
def test_help_fits_a_screen(command):
    done = subprocess.run(
        [sys.executable, "-m", "hinge", *command, "--help"], capture_output=True, text=True, check=True
    )
    assert len(done.stdout.splitlines()) <= 45
