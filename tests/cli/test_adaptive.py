"""`hinge train --model adaptive`, and the other commands with such models."""

import json

import numpy as np

import hinge
from hinge.stream import AdaptiveSVC


def write_stream(path, n=1200):
    """Write rows whose labels are swapped half-way."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 2)).round(4)
    y = np.where((X[:, 0] > 0) ^ (np.arange(n) >= n // 2), "yes", "no")
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join(["a,b,answer", *lines]) + "\n")
    return X, y


def result_of(done):
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_a_file_is_a_stream(run, folder):
    """Rows are learned once, in the order of the file."""
    X, y = write_stream(folder / "stream.csv")
    result = result_of(run("train", "stream.csv", "--model", "adaptive", "--label", "answer", "--json"))
    prepared = hinge.load("model.hinge")
    same = AdaptiveSVC().partial_fit(prepared.transform(X.astype(str).tolist()), y, classes=prepared.classes_)
    assert prepared.model.drifts_ == same.drifts_
    assert abs(prepared.model.drifts_[0].start - 600) < 60
    assert result["estimator"] == "AdaptiveSVC"
    facts = result_of(run("info", "model.hinge", "--json"))
    assert (facts["estimator"], facts["drifts"], facts["examples_seen"]) == ("AdaptiveSVC", 1, 1200)
    assert (
        run("predict", "model.hinge", "stream.csv").out.split()[-10:] == prepared.predict(X[-10:].astype(str)).tolist()
    )
    assert run("evaluate", "model.hinge", "stream.csv").code == 0


def test_what_makes_no_sense_is_refused_in_a_sentence(run, folder):
    write_stream(folder / "stream.csv", 100)
    done = run("train", "stream.csv", "--model", "adaptive", "--epochs", "2")
    assert "--epochs must be 1: AdaptiveSVC learns a stream" in done.err
    assert run("train", "stream.csv", "--model", "adaptive").code == 0
    done = run("export", "model.hinge", "-o", "model.onnx")
    assert "cannot be exported" in done.err
