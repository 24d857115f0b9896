"""`hinge audit` lists the labels that the other rows contradict."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from hinge import IncrementalSVC


@pytest.fixture
def iris(folder):
    """A file of irises with three wrong labels and one row that is there twice, with two labels."""
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    labels[[4, 60, 130]] = ["virginica", "setosa", "setosa"]
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(kind=labels)
    twin = frame.iloc[[20]].assign(kind="versicolor")
    frame = pd.concat([frame, twin], ignore_index=True)
    frame.to_csv("iris.csv", index=False)
    return frame


def test_wrong_labels_come_first(run, iris):
    result = json.loads(run("audit", "iris.csv", "--json", "-n", "200").out)
    X = StandardScaler().fit_transform(iris[["a", "b", "c", "d"]])
    model = IncrementalSVC().fit(X, iris["kind"].to_numpy(), ids=np.arange(1, 152))
    expected = model.suspects(200)
    assert [each["row"] for each in result["suspects"]] == [each.id for each in expected]
    np.testing.assert_allclose([each["margin"] for each in result["suspects"]], [each.margin for each in expected])
    assert {5, 61, 131, 151} == {each["row"] for each in result["suspects"][:4]}
    assert result["contradicted"] == len(expected)
    assert sum(counts["contradicted"] for counts in result["by_class"].values()) == len(expected)
    weights = np.abs(model.dual_coef_).sum(axis=0)
    own = np.repeat(model.classes_, model.n_support_) == "virginica"
    assert result["by_class"]["virginica"]["influence"] == pytest.approx(100 * weights[own].sum() / weights.sum())
    assert abs(result["by_class"]["virginica"]["support_vectors"] - own.sum()) <= 1  # one has a coefficient of nearly 0
    assert result["ambiguous"] == [{"rows": [21, 151], "labels": ["setosa", "versicolor"]}]
    said = run("audit", "iris.csv", "-n", "1").out
    assert "Rows 21, 151 are equal, with labels setosa, versicolor." in said
    assert f"{len(expected)} of 151 rows are contradicted" in said


def test_a_sample_and_another_label(run, iris):
    result = json.loads(run("audit", "iris.csv", "--json", "--max-rows", "60", "--drop", "a,b").out)
    assert (result["rows"], result["examined"]) == (151, 60)
    same = json.loads(run("audit", "iris.csv", "--json", "--max-rows", "60", "--drop", "a,b").out)
    assert same == result
    assert "a random sample of 151" in run("audit", "iris.csv", "--max-rows", "60").out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--label", "a"), "look like values"),
        (("--number", "0"), "--number must be at least 1, got 0"),
        (("--gamma", "wide"), "gamma"),
        (("--label", "size"), "size"),
    ],
)
def test_bad_input(run, iris, arguments, sentence):
    ended = run("audit", "iris.csv", *arguments)
    assert ended.code == 2
    assert sentence in ended.err
