"""The soak run of the benchmarks, for a few steps: all of its traffic flows, nothing fails, and it can tell."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the extra hinge[label] is not installed")

PATIENCE = 30.0  # seconds


@pytest.fixture
def soak(monkeypatch):
    """The modules of the run, which are not installed with the package."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    monkeypatch.delenv("HINGE_DATA", raising=False)
    from benchmarks.soak import mixture, people, picture, records, traffic, trouble

    monkeypatch.setattr(people, "THOUGHT", 0.01)
    monkeypatch.setattr(people, "N_LABELS", 12)
    monkeypatch.setattr(traffic, "PAUSE", 0.01)
    return {"mixture": mixture, "picture": picture, "records": records, "trouble": trouble}


def test_all_traffic_flows_and_nothing_fails(soak, tmp_path):
    mixture = soak["mixture"].Mixture(tmp_path)
    try:
        for _ in range(12):
            mixture.step()
        mixture.save()
        mixture.step()
        mixture.compare()
        end = time.monotonic() + PATIENCE
        while not (mixture.labelling.n_labels > 12 and mixture.readers[0].n_asked) and time.monotonic() < end:
            time.sleep(0.01)
    finally:
        mixture.close()
    record = mixture.record(0.1)
    assert mixture.trouble.texts == []
    assert all(record[name] > 0 for name in ("examples", "asked", "saved", "refused", "dialogue", "labels"))
    assert 0 <= record["violation"] < 1e-9
    assert record["difference"] < 1e-8
    assert all(math.isfinite(value) for value in record.values())
    written = soak["records"].Records(tmp_path / "soak.csv")
    for minutes in (0.0, 0.1):
        written.add(record | {"minutes": minutes})
    soak["picture"].draw(soak["records"].read(tmp_path / "soak.csv"), tmp_path / "soak.png")
    assert (tmp_path / "soak.png").read_bytes().startswith(b"\x89PNG")


def test_what_goes_wrong_is_counted(soak):
    trouble = soak["trouble"].Trouble(n_kept=1)
    for number in range(3):
        with trouble.noted("counting"):
            raise ValueError(f"number {number}")
    assert trouble.n_errors == 3
    assert len(trouble.texts) == 1
    assert "number 0" in trouble.texts[0]


def test_a_leak_is_seen(soak):
    minutes = np.arange(0.0, 61.0)
    leaking = [{"minutes": minute, "in use, MB": 400 + 0.5 * minute} for minute in minutes]
    settling = [{"minutes": minute, "in use, MB": 400 + min(50.0, 10 * minute)} for minute in minutes]
    assert soak["records"].slope(leaking) == pytest.approx(30.0)
    assert abs(soak["records"].slope(settling)) < 1e-9


def test_what_is_in_use_is_not_what_is_resident():
    """What was given back is not in use, wherever it lies; what is held is, in large pieces and in small ones."""
    memory = pytest.importorskip("benchmarks.memory", reason="the benchmarks are not at hand")
    before = memory.in_use()
    held = [np.ones(5_000_000), *(bytes(2_000) for _ in range(10_000))]
    assert 55 < memory.in_use() - before < 70
    held.clear()
    assert abs(memory.in_use() - before) < 5
