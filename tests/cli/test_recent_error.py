"""The error of the last 1000 rows, beside the one since the beginning."""

import json

import numpy as np
import pytest

import hinge


def table(n):
    """A stream whose labels are random at first, and then clear."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 2))
    y = np.where(np.arange(n) < n // 2, random.integers(0, 2, n), X[:, 0] > 0).astype(int)
    return "a,b,y\n" + "\n".join(f"{a:.4f},{b:.4f},{label}" for (a, b), label in zip(X, y, strict=True)) + "\n"


@pytest.mark.parametrize("model", ["perceptron", "approximate"])
def test_a_pipe(run, model):
    done = run("train", "-", "--label", "y", "--model", model, "--json", stdin=table(2600))
    assert done.code == 0, done.err
    online = json.loads(done.out)["online"]
    assert online["progressive_error_last_1000"] < online["progressive_error"] - 5


def test_the_table_and_the_picture_show_both(run, folder):
    (folder / "rows.csv").write_text(table(300))
    done = run("train", "rows.csv", "--label", "y", "--model", "perceptron", "--plot", "curve.svg")
    assert done.code == 0, done.err
    assert "before learning each example: " in done.out
    assert "% of the last 1000: " in done.out.replace("%,", "%").replace(", of", " of")
    assert (folder / "curve.svg").exists()


def test_a_pipe_that_begins_with_few_rows_leaves_gamma_to_the_model(run, folder):
    done = run("train", "-", "--label", "y", "-o", "model.hinge", "--json", stdin=table(300))
    assert done.code == 0, done.err
    model = hinge.load("model.hinge").model
    assert model.gamma == "scale"
    assert model._state.beginning.n_given == 300
