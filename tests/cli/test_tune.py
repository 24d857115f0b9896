"""`hinge train` chooses C, gamma and the scaling of features."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hinge
from hinge.cli.train import _learn as learning
from hinge.cli.train._budget import Budget
from hinge.exceptions import ParameterError
from hinge.model_selection import ScaledSearch

TRAIN = ("train", "census.csv", "--label", "income", "--test", "test.csv", "-o", "m.hinge")


@pytest.fixture
def ring(folder):
    """Write rows in two classes, inside and outside a circle, with columns of very different sizes."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    y = np.where((X**2).sum(axis=1) < 1.2, "in", "out")
    lines = [f"{a},{1000 * b},{label}" for (a, b), label in zip(X, y, strict=True)]
    (folder / "ring.csv").write_text("\n".join(["a,b,where", *lines]))
    return folder


def test_chooses_by_default_and_says_how(census, run):
    done = run(*TRAIN, "--json", tunes=True)
    assert done.code == 0, done.err
    summary = json.loads(done.out)
    tuning = summary["tuning"]
    assert (summary["C"], summary["gamma"]) == (tuning["C"], tuning["gamma"])
    assert tuning["rows"] == 600
    assert tuning["settings"] > 50
    assert tuning["best"][0]["C"] == tuning["C"]
    model = hinge.load("m.hinge")
    assert tuning["C"] == model.model.C
    assert model.model.history_[-1]["tuning"] == {name: tuning[name] for name in tuning if name != "best"}
    plain = json.loads(run(*TRAIN, "--json", "--no-tune", tunes=True).out)
    assert plain["tuning"] is None
    assert plain["C"] == 1.0
    assert summary["online"]["test_error"] == pytest.approx(tuning["score"], abs=6)  # 200 test rows


def test_text_of_the_command(census, run):
    done = run(*TRAIN, "--plot", "p.png", tunes=True)
    assert done.code == 0
    for words in ("for at most 60 s", "--no-tune leaves this out", "The last settings of the race", "Chosen: C="):
        assert words in done.err
    assert (census / "p.png").exists()
    assert "expected error" in " ".join(run("info", "m.hinge").out.split())


def test_values_of_the_user_are_not_replaced(census, run):
    for option in (("--C", "3"), ("--gamma", "0.5")):
        assert json.loads(run(*TRAIN, *option, "--json", tunes=True).out)["tuning"] is None
    assert json.loads(run(*TRAIN, "--scale", "none", "--json", tunes=True).out)["scaling"] == "left as they are"


def test_scaling_takes_part(ring, run):
    summary = json.loads(run("train", "ring.csv", "-o", "m.hinge", "--json", tunes=True).out)
    scalings = {entry["scaling"] for entry in summary["tuning"]["best"]}
    assert "left as they are" not in scalings  # one column would outweigh the other
    assert summary["tuning"]["score"] < 10


def test_chosen_scaling_is_that_of_the_saved_model(ring, run):
    run("train", "ring.csv", "--scale", "range", "--C", "10", "-o", "range.hinge")
    assert "mapped to [0, 1]" in hinge.load("range.hinge").preparation.scaling.description
    summary = json.loads(run("train", "ring.csv", "-o", "m.hinge", "--json", tunes=True).out)
    assert hinge.load("m.hinge").preparation.scaling.description == summary["tuning"]["scaling"]
    assert run("predict", "m.hinge", "ring.csv", "-o", "p.csv").code == 0
    truth = [line.rsplit(",", 1)[1] for line in (ring / "ring.csv").read_text().splitlines()[1:]]
    predicted = [line.split(",")[0] for line in (ring / "p.csv").read_text().splitlines()]
    predicted = predicted[-len(truth) :]
    assert np.mean(np.array(truth) == np.array(predicted)) > 0.9


def test_pipe_chooses_by_its_first_rows(census, run):
    rows = (census / "census.csv").read_text()
    done = run("train", "-", "--label", "income", "-o", "m.hinge", "--json", stdin=rows, tunes=True)
    assert done.code == 0, done.err
    tuning = json.loads(done.out)["tuning"]
    assert tuning["rows"] == 600
    assert tuning["C"] == hinge.load("m.hinge").model.C


def test_few_rows_keep_the_defaults(folder, run):
    (folder / "few.csv").write_text("a,b,y\n" + "".join(f"{i},{i % 3},{'no' if i < 6 else 'yes'}\n" for i in range(12)))
    done = run("train", "few.csv", "--label", "y", "-o", "m.hinge", tunes=True)
    assert done.code == 0
    assert "too few" in done.err


def test_interrupt_takes_the_best_so_far(census, run, monkeypatch):
    seen = []

    def press(self, event):
        seen.append(event)
        if event.number == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(ScaledSearch, "_observe", press)
    done = run(*TRAIN, "--json", tunes=True)
    assert done.code == 0
    summary = json.loads(done.out)
    assert summary["tuning"]["stopped"] == "interrupted"
    assert summary["examples_seen"] == 600


def test_known_data_sets_have_values_of_their_own(run):
    done = run("train", "digits", "--no-compare", "--json", tunes=True)
    assert json.loads(done.out)["tuning"] is None


@pytest.mark.parametrize("text", ["", "soon", "-5s", "0", "5 parsecs"])
def test_bad_times(text):
    with pytest.raises(ParameterError, match="--tune must be a time"):
        Budget.parse(text, no_tune=False)


def test_bad_combinations(census, run):
    assert "--tune must be left out with --no-tune" in run(*TRAIN, "--tune", "5s", "--no-tune", tunes=True).err
    run("train", "census.csv", "--label", "income", "-o", "m.hinge")
    done = run("train", "test.csv", "--resume", "m.hinge", "--in-place", "--tune", "5s", tunes=True)
    assert done.code != 0
    assert "--tune must be left out with --resume" in " ".join(done.err.split())


def test_max_time_stops_at_a_consistent_point(census, run, monkeypatch):
    clock = iter(np.arange(0.0, 1e6, 1.0))  # a second per look
    monkeypatch.setattr(learning.time, "monotonic", lambda: next(clock))
    done = run("train", "census.csv", "--label", "income", "-o", "m.hinge", "--max-time", "3s", "--json")
    assert done.code == 0, done.err
    summary = json.loads(done.out)
    assert summary["out_of_time"]
    assert 0 < summary["examples_seen"] < 600
    model = hinge.load("m.hinge").model
    assert model.n_seen_ == summary["examples_seen"]
    assert "--max-time must be a time" in run("train", "census.csv", "--max-time", "soon").err
