"""The figures of `hinge evaluate`, beside those that scikit-learn computes from what `hinge predict` writes.

Files are read here with Python's csv module alone, and the classes are not those of the command.
"""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from sklearn import metrics

HEADER = ("a", "b", "c", "y")


def write(path, X, y):
    with open(path, "w", newline="") as file:  # noqa: PTH123
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows([*row, label] for row, label in zip(X.round(4).tolist(), y, strict=True))


def draw(task, random, n):
    """Return rows, and labels that the rows do not quite decide."""
    X = random.normal(size=(n, 3))
    score = X[:, 0] + 0.5 * X[:, 1] + 0.4 * random.normal(size=n)
    if task == "several":
        return X, np.array(["low", "middle", "high", "top"])[np.digitize(score, [-0.5, 0.7, 1.5])].tolist()
    if task == "values":
        return X, (3 * score).round(3).tolist()
    limit = {"two": 0.2, "rare": 1.9, "rare first": 1.9, "outliers": 1.7}[task]
    names = ("zero", "alarm") if task == "rare first" else ("common", "rare")
    X[score > limit] *= 2
    return X, [names[each] for each in (score > limit).tolist()]


@pytest.fixture
def asked(run, folder, request):
    """Train and evaluate a model; return the JSON of `evaluate`, the labels, the predictions and their columns."""
    task, *options = request.param
    random = np.random.default_rng(7)
    write("train.csv", *draw(task, random, 500))
    X, y = draw(task, random, 400)
    write("test.csv", X, y)
    done = run("train", "train.csv", "-o", "model.hinge", *options)
    assert done.code == 0, done.err
    more = ("--normal", "common") if task == "outliers" else ()
    result = json.loads(run("evaluate", "model.hinge", "test.csv", *more, "--json").out)

    def predicted(*how):
        lines = list(csv.reader(run("predict", "model.hinge", "test.csv", *how).out.splitlines()))
        table = lines[1:] if how else lines
        numbers = np.array([[float(text) for text in line[1:]] for line in table])
        return np.array([line[0] for line in table]), numbers, lines[0][1:]

    return result, np.array(y), predicted


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    return True


def classes_agree(result, y, predictions):
    names = sorted(set(y.tolist()))
    assert close(result["accuracy"], metrics.accuracy_score(y, predictions))
    assert close(result["balanced_accuracy"], metrics.balanced_accuracy_score(y, predictions))
    assert close(result["macro_F1"], metrics.f1_score(y, predictions, average="macro"))
    expected = metrics.precision_recall_fscore_support(y, predictions, labels=names, zero_division=0)
    for place, name in enumerate(names):
        shown = result["classes"][name]
        values = [shown["precision"] or 0.0, shown["recall"], shown["F1"], shown["rows"]]
        assert close(values, [each[place] for each in expected])
    confusion = {(label, prediction): number for label, prediction, number in result["confusion"]}
    table = [[confusion.get((one, other), 0) for other in names] for one in names]
    assert table == metrics.confusion_matrix(y, predictions, labels=names).tolist()
    return True


@pytest.mark.parametrize(
    "asked",
    [
        ("two", "--probabilities"),
        ("rare", "--probabilities", "--class-weight", "balanced"),
        ("rare first", "--probabilities"),
        ("rare", "--probabilities", "--threshold", "recall=0.8"),
    ],
    indirect=True,
)
def test_two_classes(asked):
    result, y, predicted = asked
    predictions, scores, _ = predicted("--scores")
    scores = scores[:, 0]
    assert classes_agree(result, y, predictions)
    names = sorted(set(y.tolist()))
    rarer = min(names, key=y.tolist().count)
    sign = 1 if rarer == names[1] else -1
    assert close(result["roc_area"], metrics.roc_auc_score(y == rarer, sign * scores))
    assert result["average_precision_class"] == rarer
    assert close(result["average_precision"], metrics.average_precision_score(y == rarer, sign * scores))
    _, chances, columns = predicted("--probabilities")
    assert columns == names
    assert close(result["log_loss"], metrics.log_loss(y, chances, labels=names))


@pytest.mark.parametrize("asked", [("several", "--probabilities")], indirect=True)
def test_several_classes(asked):
    result, y, predicted = asked
    predictions, scores, names = predicted("--scores")
    assert classes_agree(result, y, predictions)
    for column, name in zip(scores.T, names, strict=True):
        assert close(result["roc_area_by_class"][name], metrics.roc_auc_score(y == name, column))
        assert close(result["average_precision_by_class"][name], metrics.average_precision_score(y == name, column))
    _, chances, columns = predicted("--probabilities")
    assert close(result["log_loss"], metrics.log_loss(y, chances, labels=columns))
    assert result["average_precision_class"] is None


@pytest.mark.parametrize(
    "asked", [("values",), ("values", "--task", "regression", "--loss", "squared_epsilon_insensitive")], indirect=True
)
def test_values(asked):
    result, y, predicted = asked
    values = predicted()[0].astype(float)
    truth = y.astype(float)
    assert close(result["mean_absolute_error"], metrics.mean_absolute_error(truth, values))
    assert close(result["mean_squared_error"], metrics.mean_squared_error(truth, values))
    assert close(result["r2"], metrics.r2_score(truth, values))


@pytest.mark.parametrize("asked", [("outliers", "--model", "one-class", "--normal", "common")], indirect=True)
def test_outliers(asked):
    result, y, predicted = asked
    predictions, scores, _ = predicted("--scores")
    truth = np.where(y == "common", "normal", "outlier")
    assert classes_agree(result, truth, predictions)
    assert close(result["roc_area"], metrics.roc_auc_score(truth == "normal", scores[:, 0]))
    assert result["average_precision_class"] == "outlier"
    assert close(result["average_precision"], metrics.average_precision_score(truth == "outlier", -scores[:, 0]))
