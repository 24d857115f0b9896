"""`hinge compare`: two models on the same rows."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import hinge


def test_two_classifiers(run, census):
    run("train", "census.csv", "--label", "income", "-o", "all.hinge")
    run("train", "census.csv", "--label", "income", "-o", "few.hinge", "--keep", "hours")
    result = json.loads(run("compare", "all.hinge", "few.hinge", "test.csv", "--json", "--plot", "compare.png").out)
    test = pd.read_csv("test.csv")
    right = [hinge.load(file).predict(test) == test["income"] for file in ("all.hinge", "few.hinge")]
    counts = [int(np.sum(right[0] & ~right[1])), int(np.sum(right[1] & ~right[0]))]
    assert result["better"] == counts
    assert result["p_value"] == pytest.approx(binomtest(counts[0], sum(counts)).pvalue)
    assert [model["error"] for model in result["models"]] == pytest.approx([100 * np.mean(~each) for each in right])
    assert result["same"] + sum(counts) == result["rows"] == 200
    for label, error in result["models"][0]["error_by_class"].items():
        assert error == pytest.approx(100 * np.mean(~right[0][test["income"] == label]))
    assert (census / "compare.png").stat().st_size > 5000
    said = run("compare", "all.hinge", "few.hinge", "test.csv").out
    assert "all.hinge is better, and chance is unlikely" in said
    assert "the models are equally good on each of them" in run("compare", "all.hinge", "all.hinge", "test.csv").out


def test_values(run, folder):
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 300))
    pd.DataFrame({"a": a, "b": b, "price": 1000 * a + 300 * b}).to_csv("prices.csv", index=False)
    run("train", "prices.csv", "-o", "both.hinge")
    run("train", "prices.csv", "-o", "one.hinge", "--drop", "b")
    result = json.loads(run("compare", "both.hinge", "one.hinge", "prices.csv", "--json", "--plot", "p.svg").out)
    frame = pd.read_csv("prices.csv")
    errors = [np.abs(hinge.load(file).predict(frame) - frame["price"]) for file in ("both.hinge", "one.hinge")]
    assert result["better"][0] == np.sum(errors[0] < errors[1])
    assert result["models"][1]["mean_absolute_error"] == pytest.approx(errors[1].mean())
    assert (
        "both.hinge is nearer to the value on more rows" in run("compare", "both.hinge", "one.hinge", "prices.csv").out
    )


def test_models_of_different_tasks(run, census):
    run("train", "census.csv", "--label", "income", "-o", "a.hinge")
    run("train", "census.csv", "--label", "hours", "-o", "b.hinge")
    done = run("compare", "a.hinge", "b.hinge", "test.csv")
    assert (done.code, "Both models must predict values, or both classes" in done.err) == (2, True)
