"""The programs in the folder of examples say what they claim to say."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from hinge.datasets import Dataset, load

FOLDER = Path(__file__).parent.parent / "examples"


@pytest.fixture
def intrusion(monkeypatch):
    specification = importlib.util.spec_from_file_location("intrusion", FOLDER / "intrusion.py")
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "intrusion", module)
    specification.loader.exec_module(module)
    return module


def made_up(random, n=2_000):
    """Traffic with two kinds of attacks, one of them a flood."""
    labels = np.array(["normal."] * n + ["flood."] * n + ["probe."] * (n // 4))
    X = random.normal(size=(len(labels), 3)) + 4 * (labels != "normal.")[:, None] + 4 * (labels == "probe.")[:, None]
    return X, labels


def test_traffic(intrusion):
    random = np.random.default_rng(0)
    data = Dataset("made up", *made_up(random), *made_up(random), 1.0, 1.0)
    train, test = intrusion.traffic(data, seed=1)
    for rows in (train, test):
        assert rows.X.shape == (1_000, 3)
        assert rows.is_attack.sum() == 100
    assert np.allclose(train.X.std(axis=0), 1)
    assert np.array_equal(train.X, intrusion.traffic(data, seed=1)[0].X)
    middle = train.X[train.is_attack].mean(axis=1) > np.median(train.X[train.is_attack])
    assert 20 <= middle.sum() <= 80  # as they come, four in five would be the flood


def test_scenario_is_sane(intrusion):
    random = np.random.default_rng(0)
    data = Dataset("made up", *made_up(random), *made_up(random), 1.0, 1.0)
    train, test = intrusion.traffic(data, seed=0)
    learner = intrusion.dialogue(train, np.arange(1_000), "linear", "largest positive")
    assert len(learner.labels) == 60
    assert all(train.is_attack[row] == label for row, label in learner.labels.items())
    outcome = intrusion.scenario(train, test, "linear")
    assert outcome.test["full SVM"].area > 0.95
    assert outcome.test["reduced SVM"].n_support <= outcome.test["near boundary"].n_support
    for curve in (*outcome.training.values(), *outcome.test.values()):
        assert curve.true_rates[-1] == curve.false_rates[-1] == 1
        assert curve.at(0.1) <= curve.at(0.3)


def test_first_suspects_of_one_kind(intrusion):
    random = np.random.default_rng(0)
    is_attack = np.arange(1_000) >= 15
    train = intrusion.Traffic(random.normal(size=(1_000, 2)) + 3 * is_attack[:, None], is_attack)
    learner = intrusion.dialogue(train, np.arange(1_000), "rbf", "near boundary")
    assert list(learner.labels)[:16] == list(range(16))  # until the first of the other kind
    assert len(learner.labels) == 60


def test_lasso(intrusion):
    points = np.random.default_rng(0).normal(size=(12, 6))
    gram, wanted, weight = points @ points.T, np.linspace(-1, 1, 12), 0.3
    found = intrusion.lasso(gram, wanted, weight)
    slopes = gram @ (found - wanted)
    assert 0 < np.count_nonzero(found) < 12
    assert np.abs(slopes).max() <= weight + 1e-3  # the optimality conditions
    assert slopes[found != 0] == pytest.approx(-weight * np.sign(found[found != 0]), abs=1e-3)


def test_missing_data_are_named(intrusion, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("HINGE_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(sys, "argv", ["intrusion.py"])
    with pytest.raises(SystemExit) as stopped:
        intrusion.main()
    assert stopped.value.code == 1
    assert "HINGE_DATA" in capsys.readouterr().err


@pytest.mark.slow
def test_intrusion(intrusion, data_folder, tmp_path):
    data = load("kddcup99")
    for seed in (0, 1):
        outcome = intrusion.scenario(*intrusion.traffic(data, seed), "rbf")
        positive, boundary, anomalies = (
            outcome.training[name] for name in ("largest positive", "near boundary", "anomaly detection")
        )
        assert positive.found > 1.2 * max(boundary.found, anomalies.found)  # while labelling
        assert boundary.found <= 1.2 * anomalies.found
        assert boundary.at(0.05) > max(boundary.found / 100, anomalies.at(0.05)) + 0.2  # the jump to classifying
        assert outcome.test["near boundary"].at(0.05) > outcome.test["anomaly detection"].at(0.05) + 0.2
        assert outcome.test["full SVM"].area >= max(curve.area for curve in outcome.test.values()) - 0.01
    pytest.importorskip("matplotlib")
    files = intrusion.draw({"rbf": outcome}, tmp_path / "pictures")
    assert all(file.stat().st_size > 10_000 for file in files)
