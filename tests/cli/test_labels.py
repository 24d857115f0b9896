"""Labels as people write them, rare classes, and what a model remembers of its runs."""

import json
import re

import numpy as np
import pytest

import hinge


@pytest.fixture
def answers(folder):
    """Write answers.csv, whose labels are written in several ways."""
    random = np.random.default_rng(0)
    x = random.normal(size=300)
    words = [random.choice(["Yes", "Yes", "yes", "YES "]) if value > 0 else random.choice(["no", "No"]) for value in x]
    (folder / "answers.csv").write_text("x,y\n" + "".join(f"{a:.4f},{b}\n" for a, b in zip(x, words, strict=True)))
    return folder


def test_labels_that_differ_in_their_writing_are_reported(run, answers):
    done = run("train", "answers.csv")
    said = " ".join(done.err.split())
    assert "5 classes" in said
    assert "Labels that differ only in their writing: " in said
    assert re.search(r"'Yes' \(\d+\)/", said)  # the most frequent way comes first, with its count
    assert "--merge-labels" in said


def test_labels_are_merged_on_request(run, answers):
    done = run("train", "answers.csv", "--merge-labels")
    assert "2 classes" in done.err
    assert "differ only" not in done.err
    model = hinge.load("model.hinge")
    assert {label.casefold() for label in model.classes_} == {"yes", "no"}
    assert "Yes" in model.classes_  # the most frequent way
    result = json.loads(run("evaluate", "model.hinge", "answers.csv", "--json").out)
    assert set(result["classes"]) == set(model.classes_)
    assert result["error"] < 10
    run("train", "answers.csv", "--resume", "model.hinge", "--in-place")
    assert len(hinge.load("model.hinge").classes_) == 2


@pytest.fixture
def rare(folder):
    """Write rare.csv, with one positive row in fifty, hard to tell from the others."""
    random = np.random.default_rng(0)
    for name in ("rare.csv", "test.csv"):
        y = random.random(1500) < 0.02
        X = random.normal(size=(1500, 2)) + 1.2 * y[:, None]
        rows = [f"{a:.4f},{b:.4f},{'fraud' if label else 'fine'}" for (a, b), label in zip(X, y, strict=True)]
        (folder / name).write_text("\n".join(["a,b,label", *rows]))
    return folder


def test_rare_classes(run, rare):
    done = run("train", "rare.csv")
    assert "Class fraud has only" in done.err
    plain = json.loads(run("evaluate", "model.hinge", "test.csv", "--json").out)
    done = run("train", "rare.csv", "--balance")
    assert (done.code, "has only" in done.err) == (0, False)
    weights = hinge.load("model.hinge").model.class_weight
    labels = np.array([line.rsplit(",", 1)[1] for line in (rare / "rare.csv").read_text().split("\n")[1:]])
    for label, weight in weights.items():
        assert weight == pytest.approx(len(labels) / 2 / np.sum(labels == label))
    balanced = json.loads(run("evaluate", "model.hinge", "test.csv", "--json").out)
    recalls = [values["recall"] for values in balanced["classes"].values()]
    assert balanced["balanced_error"] == pytest.approx(100 - 100 * np.mean(recalls))
    assert balanced["balanced_error"] < plain["balanced_error"] - 5
    assert "balanced error" in run("evaluate", "model.hinge", "test.csv").out


def test_balance_needs_counts(run, rare):
    run("train", "rare.csv")
    done = run("train", "rare.csv", "--resume", "model.hinge", "--in-place", "--balance")
    assert (done.code, "--class-weight must be left out with --resume" in done.err) == (2, True)


def test_runs_are_recorded(run, census):
    run("train", "census.csv", "--label", "income", "-o", "census.hinge", "--test", "test.csv")
    done = run("train", "test.csv", "--resume", "census.hinge", "--in-place")
    assert "what it held is kept in census.before.hinge." in done.err
    before, after = hinge.load("census.before.hinge"), hinge.load("census.hinge")
    assert (before.n_seen_, after.n_seen_) == (600, 800)
    first, second = json.loads(run("info", "census.hinge", "--json").out)["runs"]
    assert (first["data"], first["rows"], first["examples_seen"]) == ("census.csv", 600, 600)
    assert (second["data"], second["rows"], second["examples_seen"]) == ("test.csv", 200, 800)
    assert first["test_error"] == json.loads(run("evaluate", "census.before.hinge", "test.csv", "--json").out)["error"]
    assert second["test_error"] is None
    assert "200 rows of test.csv" in run("info", "census.hinge").out
    assert before.history_ == [first]
    hinge.save(after, "copy.hinge")
    assert hinge.load("copy.hinge").history_ == [first, second]


def test_another_output_needs_no_copy(run, census):
    run("train", "census.csv", "--label", "income", "-o", "census.hinge")
    run("train", "test.csv", "--resume", "census.hinge", "-o", "new.hinge")
    assert not list(census.glob("*.before.hinge"))
    assert hinge.load("census.hinge").n_seen_ == 600


def test_a_model_is_replaced_only_on_request(run, census):
    run("train", "census.csv", "--label", "income")
    done = run("train", "test.csv", "--resume", "model.hinge")
    assert (done.code, "needs -o FILE for the new model, or --in-place" in done.err) == (2, True)
    for options, sentence in (
        (("--in-place",), "--in-place must be left out without --resume"),
        (("--resume", "model.hinge", "--in-place", "-o", "b.hinge"), "-o must be left out with --in-place"),
    ):
        done = run("train", "test.csv", *options)
        assert (done.code, sentence in done.err) == (2, True)
    assert hinge.load("model.hinge").n_seen_ == 600
    done = run("train", "test.csv", "--label", "income")  # a new model
    assert "model.hinge existed; what it held is kept in model.before.hinge." in " ".join(done.err.split())
    assert hinge.load("model.before.hinge").n_seen_ == 600


def test_changed_parameters_are_announced(run, census):
    run("train", "census.csv", "--label", "income")
    done = run("train", "test.csv", "--resume", "model.hinge", "-o", "new.hinge", "--C", "5")
    assert "with other parameters: C was 1.0, is now 5.0." in " ".join(done.err.split())
    assert hinge.load("new.hinge").model.C == 5.0
    assert "other parameters" not in run("train", "test.csv", "--resume", "new.hinge", "--in-place", "--C", "5").err


def test_labels_that_were_never_learned(run, census):
    run("train", "census.csv", "--label", "income")
    rows = (census / "test.csv").read_text().splitlines()
    (census / "some.csv").write_text("\n".join([*rows, "30,Rome,40,unclear"]))
    done = run("evaluate", "model.hinge", "some.csv", "--json")
    assert "1 rows have labels that the model has never learned, and count as errors: 'unclear'." in done.err
    assert json.loads(done.out)["unknown_labels"] == 1
    (census / "other.csv").write_text("\n".join([rows[0], "30,Rome,40,unclear"]))
    done = run("evaluate", "model.hinge", "other.csv")
    assert (done.code, "got only 'unclear'; is this the right label column?" in done.err) == (2, True)
