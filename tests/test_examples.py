"""The example programs run and do what they claim."""

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


@pytest.fixture
def made_up():
    """Traffic with two kinds of attacks, one of them a flood."""
    random = np.random.default_rng(0)
    labels = np.array(["normal."] * 2_000 + ["flood."] * 2_000 + ["probe."] * 500)
    X = random.normal(size=(len(labels), 3)) + 4 * (labels != "normal.")[:, None] + 4 * (labels == "probe.")[:, None]
    return Dataset("made up", X, labels, X[:1], labels[:1], 1.0, 1.0)


def test_traffic(intrusion, made_up):
    X, is_attack = intrusion.traffic(made_up, seed=1)
    assert X.shape == (1_000, 3)
    assert is_attack.sum() == 100
    assert np.array_equal(X, intrusion.traffic(made_up, seed=1)[0])
    probes = X[is_attack].mean(axis=1) > 6
    assert 30 <= probes.sum() <= 70  # in the file, four in five are floods


def test_labelling_and_ranking(intrusion, made_up):
    X, is_attack = intrusion.traffic(made_up, seed=0)
    learner = intrusion.label_actively(X, is_attack, intrusion.rank_by_anomaly(X), "positive")
    assert len(learner.labels) == 60
    assert all(is_attack[row] == label for row, label in learner.labels.items())
    order = intrusion.rank_by_classifier(learner, X)
    assert sorted(order) == list(range(1_000))
    assert list(order[:60]) == list(learner.labels)
    assert intrusion.detection_rate(is_attack[order], 0.1) > 0.95


def test_first_suspects_of_one_class(intrusion):
    random = np.random.default_rng(0)
    is_attack = np.arange(1_000) >= 15
    X = random.normal(size=(1_000, 2)) + 3 * is_attack[:, None]
    learner = intrusion.label_actively(X, is_attack, np.arange(1_000), "boundary")
    assert list(learner.labels)[:16] == list(range(16))  # until the first of the other class
    assert len(learner.labels) == 60


def test_detection_rate(intrusion):
    hits = np.array([True, False, True, False, True, True])
    assert [intrusion.detection_rate(hits, rate) for rate in (0.0, 0.5, 1.0)] == [0.25, 0.5, 1.0]


def test_missing_data_is_reported(intrusion, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("HINGE_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(sys, "argv", ["intrusion.py"])
    with pytest.raises(SystemExit) as stopped:
        intrusion.main()
    assert stopped.value.code == 1
    assert "HINGE_DATA" in capsys.readouterr().err


@pytest.mark.slow
def test_intrusion(intrusion, data_folder, monkeypatch, capsys, tmp_path):
    X, is_attack = intrusion.traffic(load("kddcup99"), seed=0)
    suspects = intrusion.rank_by_anomaly(X)
    hits = {
        name: is_attack[intrusion.rank_by_classifier(intrusion.label_actively(X, is_attack, suspects, strategy), X)]
        for name, strategy in intrusion.STRATEGIES.items()
    }
    positive, boundary, anomalies = hits["largest positive"], hits["near boundary"], is_attack[suspects]
    assert positive[:60].sum() > max(boundary[:60].sum(), anomalies[:60].sum())  # while labelling
    assert boundary[:60].sum() <= anomalies[:60].sum()
    assert (
        intrusion.detection_rate(boundary, 0.05) > intrusion.detection_rate(anomalies, 0.05) + 0.2
    )  # classification beats ranking
    pytest.importorskip("matplotlib")
    figure = tmp_path / "pictures" / "roc.png"
    monkeypatch.setattr(sys, "argv", ["intrusion.py", "--output", str(figure)])
    intrusion.main()
    assert "near boundary" in capsys.readouterr().out
    assert figure.stat().st_size > 10_000
