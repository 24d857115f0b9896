"""Weights of classes, thresholds of decision values, and rare classes that a model ignores."""

import json

import numpy as np
import pytest
from sklearn.metrics import f1_score

import hinge
from hinge.cli.train._threshold import Goal, choose_threshold


def write(path, n, *, rare=0.04, distance=1.2, seed=0, names=("fraud", "ok")):
    random = np.random.default_rng(seed)
    is_rare = random.random(n) < rare
    X = random.normal(size=(n, 3)) + distance * is_rare[:, None]
    lines = (",".join([*(f"{x:.4f}" for x in row), names[not r]]) for row, r in zip(X, is_rare, strict=True))
    path.write_text("a,b,c,label\n" + "\n".join(lines) + "\n")


@pytest.fixture
def frauds(folder):
    write(folder / "train.csv", 2000)
    write(folder / "test.csv", 1000, seed=1)
    return folder


def recall(run, label="fraud", model="model.hinge"):
    return json.loads(run("evaluate", model, "test.csv", "--json").out)["classes"][label]["recall"]


def test_weights_of_classes(run, frauds):
    run("train", "train.csv")
    before = recall(run)
    assert run("train", "train.csv", "--class-weight", "fraud=10").code == 0
    assert hinge.load("model.hinge").model.class_weight == {"fraud": 10.0}
    assert recall(run) > before + 0.2
    run("train", "train.csv", "--class-weight", "balanced")
    run("train", "train.csv", "--balance", "-o", "same.hinge")
    assert hinge.load("model.hinge").model.class_weight == hinge.load("same.hinge").model.class_weight


@pytest.mark.parametrize("names", [("fraud", "ok"), ("sick", "healthy")])  # the rarer class is the first, the second
def test_a_threshold_is_kept_in_the_model(run, frauds, names):
    write(frauds / "train.csv", 2000, names=names)
    write(frauds / "test.csv", 1000, seed=1, names=names)
    run("train", "train.csv")
    before = recall(run, names[0])
    done = run("train", "train.csv", "--threshold", "cost=20", "--test", "test.csv", "--json")
    assert recall(run, names[0]) > before + 0.1
    model = hinge.load("model.hinge")
    assert model.preparation.answers.threshold != 0
    rows = np.loadtxt("test.csv", delimiter=",", skiprows=1, usecols=(0, 1, 2))
    values = model.decision_function(rows)
    expected = np.where(values >= model.preparation.answers.threshold, model.classes_[1], model.classes_[0])
    assert model.predict(rows).tolist() == expected.tolist()
    assert run("predict", "model.hinge", "test.csv").out.split() == expected.tolist()
    labels = [line.rsplit(",")[-1] for line in (frauds / "test.csv").read_text().splitlines()[1:]]
    assert json.loads(done.out)["online"]["test_error"] == pytest.approx(100 * np.mean(expected != labels))


@pytest.mark.parametrize("name", ["fraud", "zfraud"])
def test_a_threshold_may_be_given(run, folder, name):
    """The larger it is, the fewer rows are of the rarer class, whatever the alphabet says."""
    write(folder / "train.csv", 2000, names=(name, "ok"))
    write(folder / "test.csv", 1000, seed=1, names=(name, "ok"))
    found = []
    for threshold in ("-0.5", "0", "0.25"):
        run("train", "train.csv", "--threshold", threshold)
        found.append(recall(run, name))
    assert found == sorted(found, reverse=True)
    assert found[0] > found[-1] + 0.1
    before = hinge.load("model.hinge").preparation.answers.threshold
    assert abs(before) == 0.25
    run("train", "train.csv", "--resume", "model.hinge", "--in-place")
    assert hinge.load("model.hinge").preparation.answers.threshold == before


def brute_force(values, is_positive, worth):
    """Return the largest worth of any threshold."""
    return max(worth(is_positive, values >= value) for value in values)


@pytest.mark.parametrize("wanted", [0.5, 0.9])
def test_the_recall_is_that_of_the_finished_model(run, folder, wanted):
    """Decisions pile up near -1 here; those made while the model was learning are shifted against its last ones."""
    random = np.random.default_rng(3)
    for name, n in (("train.csv", 3000), ("test.csv", 3000)):
        X = random.normal(size=(n, 2))
        is_rare = random.random(n) < np.where(X[:, 0] * X[:, 1] > 0, 0.38, 0.02)
        rows = (f"{a:.4f},{b:.4f},{'bad' if rare else 'ok'}" for (a, b), rare in zip(X, is_rare, strict=True))
        (folder / name).write_text("a,b,label\n" + "\n".join(rows) + "\n")
    said = run("train", "train.csv", "--no-tune", "--threshold", f"recall={wanted}").err
    assert f"has recall {wanted:.1f}" in " ".join(said.split())
    assert recall(run, "bad") == pytest.approx(wanted, abs=0.1)


def test_equal_decisions_cannot_be_told_apart(run, folder):
    rows = [f"{number % 2},{'bad' if number % 20 == 0 else 'ok'}" for number in range(400)]
    (folder / "train.csv").write_text("a,label\n" + "\n".join(rows) + "\n")
    said = " ".join(run("train", "train.csv", "--no-tune", "--threshold", "recall=0.5").err.split())
    assert "recall 1.000" in said
    assert "of these decisions are equal, and without them it is 0.000" in said


@pytest.mark.parametrize("seed", range(5))
def test_thresholds_are_the_best_ones(seed):
    random = np.random.default_rng(seed)
    is_positive = random.random(200) < 0.2
    values = (random.normal(size=200) + is_positive).round(1)  # with ties

    def fewest(truth, called):
        return -called.sum() if np.sum(truth & called) >= 0.7 * truth.sum() else -np.inf

    def saving(truth, called):
        return -(5 * np.sum(truth & ~called) + np.sum(~truth & called))

    for goal, worth in ((Goal("f1"), f1_score), (Goal("recall", 0.7), fewest), (Goal("cost", 5.0), saving)):
        chosen = values >= choose_threshold(values, is_positive, goal)
        assert worth(is_positive, chosen) == pytest.approx(brute_force(values, is_positive, worth))


def test_a_class_that_is_never_predicted(run, folder):
    write(folder / "train.csv", 1000, rare=0.02, distance=0.0)
    said = " ".join(run("train", "train.csv").err.split())
    assert "The model never predicts class fraud, which has" in said
    write(folder / "train.csv", 1000, rare=0.02, distance=5.0)
    assert "never predicts" not in run("train", "train.csv").err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--class-weight", "frau=2"), "weights of the classes 'fraud', 'ok', such as fraud=2, got 'frau=2'"),
        (("--class-weight", "fraud=x"), "must give numbers, got 'x' for fraud"),
        (("--threshold", "recall=2"), "--threshold must be f1, recall=R"),
        (("--threshold", "best"), "--threshold must be f1, recall=R"),
        (("--threshold", "f1", "--task", "anomaly"), "--threshold must be left out"),
        (("--class-weight", "balanced", "--task", "anomaly"), "--class-weight must be left out"),
    ],
)
def test_what_does_not_fit(run, frauds, options, sentence):
    done = run("train", "train.csv", *options)
    assert (done.code, sentence in done.err) == (2, True), done.err


def test_the_settings_for_a_threshold_put_the_rare_class_first(run, folder):
    """By their errors alone, settings that never predict a class of 2 % are as good as any."""
    write(folder / "train.csv", 1500, rare=0.02, distance=1.5)
    done = json.loads(run("train", "train.csv", "--threshold", "recall=0.8", "--json", tunes=True).out)
    assert done["tuning"]["measure"] == "ROC AUC"
    assert 0.8 < done["tuning"]["score"] <= 1.0


def test_many_classes_that_are_never_predicted(run, folder):
    """One sentence is enough for them, and it does not recommend what is for two classes."""
    rows = [f"0,{'most' if number % 4 else f'rare{number % 40}'}" for number in range(400)]
    (folder / "train.csv").write_text("a,label\n" + "\n".join(rows) + "\n")
    said = " ".join(run("train", "train.csv").err.split())
    assert "The model never predicts 10 of 11 classes, such as rare0 with 2.5 % of the rows; try --class-weight" in said
    assert "--threshold" not in said
