"""`hinge train`, `predict` and `evaluate` where labels are values to predict."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

import hinge
from hinge.cli._values import ValueScore
from hinge.tables import PreparedRegressor


def write(path, values, n=400, seed=0):
    """Write rows of two numbers and a value that depends on them; return the values."""
    a, b = np.random.default_rng(seed).normal(size=(2, n))
    y = 50_000 + 20_000 * a + 5_000 * b**2
    lines = (f"{p:.4f};{q:.4f};{values(v)}" for p, q, v in zip(a, b, y, strict=True))
    path.write_text("a;b;price\n" + "\n".join(lines) + "\n")
    return y


def in_euros(value):
    return f"{value:,.2f} €".translate(str.maketrans(",.", ".,"))


@pytest.mark.parametrize("form", [str, round, in_euros])
def test_many_different_numbers_are_values_to_predict(run, folder, form):
    y = write(folder / "prices.csv", form)
    write(folder / "test.csv", form, seed=1)
    done = run("train", "prices.csv", "--test", "test.csv", "--json")
    result = json.loads(done.out)
    assert (done.code, result["estimator"], result["classes"]) == (0, "ApproximateSVR", [])
    assert result["online"]["test_values"]["r2"] > 0.85
    assert result["online"]["test_error"] is None
    model = hinge.load("model.hinge")
    assert isinstance(model, PreparedRegressor)
    assert model.preparation.answers.mean == pytest.approx(y.mean(), rel=1e-3)
    assert "so this is regression" in " ".join(run("train", "prices.csv").err.split())


def test_errors_are_those_of_scikit_learn(run, folder):
    y = write(folder / "prices.csv", str)
    assert run("train", "prices.csv", "--task", "regression").code == 0
    predicted = np.array([float(line) for line in run("predict", "model.hinge", "prices.csv").out.split()])
    np.testing.assert_allclose(
        predicted, hinge.load("model.hinge").predict(np.loadtxt("prices.csv", delimiter=";", skiprows=1)[:, :2])
    )
    result = json.loads(run("evaluate", "model.hinge", "prices.csv", "--json").out)
    assert result["mean_absolute_error"] == pytest.approx(mean_absolute_error(y, predicted))
    assert result["mean_squared_error"] == pytest.approx(mean_squared_error(y, predicted))
    assert result["r2"] == pytest.approx(r2_score(y, predicted))
    assert "R2 0." in run("evaluate", "model.hinge", "prices.csv").out


def test_scores_of_chunks_add_up():
    y, predicted = np.random.default_rng(0).normal(5, 3, size=(2, 500))
    score = ValueScore()
    for start in range(0, 500, 37):
        score.add(y[start : start + 37], predicted[start : start + 37])
    assert score.r2 == pytest.approx(r2_score(y, predicted))
    assert score.recent_error == pytest.approx(score.mean_absolute_error)


def test_training_resumes(run, folder):
    write(folder / "prices.csv", in_euros)
    run("train", "prices.csv")
    before = json.loads(run("evaluate", "model.hinge", "prices.csv", "--json").out)
    write(folder / "more.csv", in_euros, seed=2)
    assert run("train", "more.csv", "--resume", "model.hinge", "--in-place").code == 0
    assert hinge.load("model.hinge").n_seen_ == 800
    after = json.loads(run("evaluate", "model.hinge", "prices.csv", "--json").out)
    assert after["r2"] > before["r2"] - 0.05


@pytest.mark.parametrize(
    ("labels", "task"),
    [
        (lambda random: random.integers(0, 40, 400), "classification"),  # counts the classes, with enough rows of each
        (lambda random: 3 * random.integers(0, 40, 400), "regression"),
        (lambda random: random.integers(0, 3, 400), "classification"),
        (lambda random: random.integers(18, 90, 400), "regression"),
        (lambda random: random.integers(0, 3, 400) / 2, "regression"),
        (lambda random: np.array(["a", "b"])[random.integers(0, 2, 400)], "classification"),
    ],
)
def test_the_labels_decide_the_task(run, folder, labels, task):
    random = np.random.default_rng(0)
    found = labels(random)
    (folder / "rows.csv").write_text("x,y\n" + "".join(f"{random.normal():.3f},{label}\n" for label in found))
    result = json.loads(run("train", "rows.csv", "--json").out)
    assert bool(result["classes"]) == (task == "classification")
    if task == "regression" and found.dtype.kind == "i":
        again = json.loads(run("train", "rows.csv", "--json", "--task", "classification").out)
        assert len(again["classes"]) == len(np.unique(found))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--task", "regression", "--model", "robust"), "--model must be approximate with --task regression"),
        (("--task", "classification", "--model", "one-class"), "--model must be a classifier"),
        (("--task", "clustering"), "--task must be one of classification, regression, anomaly, got 'clustering'"),
        (("--label", "city", "--task", "regression"), "must hold numbers written in one way, got 'Rome'"),
        (("--task", "classification", "--epsilon", "1"), "--epsilon must be left out"),
    ],
)
def test_what_does_not_fit(run, folder, options, sentence):
    (folder / "rows.csv").write_text("x,city,y\n" + "1,Rome,0\n2,Oslo,1\n" * 20)
    done = run("train", "rows.csv", *options)
    assert (done.code, sentence in done.err) == (2, True), done.err


def test_anomalies(run, folder):
    write(folder / "rows.csv", str)
    assert json.loads(run("train", "rows.csv", "--task", "anomaly", "--json").out)["estimator"] == (
        "IncrementalOneClassSVM"
    )


def test_a_classifier_makes_each_number_a_class(run, folder):
    a = np.random.default_rng(0).normal(size=200)
    pd.DataFrame({"a": a, "dose": np.where(a > 0, 1.5, 2.5)}).to_csv("doses.csv", index=False)
    for chosen in (("--task", "classification"), ("--model", "tracking")):
        done = run("train", "doses.csv", "-o", "m.hinge", "--json", *chosen)
        assert json.loads(done.out)["classes"] == ["1.5", "2.5"]
        assert set(run("predict", "m.hinge", "doses.csv").out.split()) == {"1.5", "2.5"}


def test_the_labels_decide_for_models_that_learn_both(run, folder):
    """Values are standardised, whether or not the model is named."""
    a = np.random.default_rng(0).normal(size=300)
    pd.DataFrame({"a": a, "price": 3000 + 100 * a}).to_csv("prices.csv", index=False)
    options = ((), ("--model", "approximate"))
    plain, named = (run("train", "prices.csv", "-o", "m.hinge", "--json", *more) for more in options)
    plain, named = json.loads(plain.out), json.loads(named.out)
    assert plain["estimator"] == named["estimator"] == "ApproximateSVR"
    predicted = np.array(run("predict", "m.hinge", "prices.csv").out.split(), dtype=float)
    assert np.corrcoef(predicted, 3000 + 100 * a)[0, 1] > 0.95
    assert abs(predicted.mean() - 3000) < 20


def test_words_among_values_are_mistakes(run, folder):
    """Else 300 different numbers would become 301 classes."""
    rows = [f"{number % 17},{number + 0.5 if number != 7 else 'broken'}" for number in range(300)]
    (folder / "data.csv").write_text("a,price\n" + "\n".join(rows) + "\n")
    done = run("train", "data.csv")
    assert (done.code, "got 'broken' in line 9 among many different numbers" in done.err) == (2, True), done.err
    assert run("train", "data.csv", "--task", "classification").code == 0
    (folder / "data.csv").write_text((folder / "data.csv").read_text().replace("broken", "k.A."))
    assert "Every row must have a label, but line 9 has none" in run("train", "data.csv").err
    assert "mean absolute error" in run("train", "data.csv", "--missing", "drop").out
