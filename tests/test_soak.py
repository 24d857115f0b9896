"""A few steps of the soak benchmark: all its parts run, nothing fails, and errors and leaks are detected."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the extra hinge-svm[label] is not installed")

TIMEOUT_S = 30.0


@pytest.fixture
def soak(monkeypatch):
    """The modules of the benchmark, which are not installed with the package."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    monkeypatch.delenv("HINGE_DATA", raising=False)
    from benchmarks.soak import background, error_log, figure, people, records, workload

    monkeypatch.setattr(people, "THINKING_S", 0.01)
    monkeypatch.setattr(people, "N_LABELS", 12)
    monkeypatch.setattr(background, "PAUSE", 0.01)
    return {"workload": workload, "figure": figure, "records": records, "error_log": error_log}


def test_all_parts_run_without_errors(soak, tmp_path):
    workload = soak["workload"].Workload(tmp_path)
    try:
        for _ in range(12):
            workload.step()
        workload.save()
        workload.step()
        workload.compare()
        end = time.monotonic() + TIMEOUT_S
        while not (workload.labelling.n_labels > 12 and workload.readers[0].n_predictions) and time.monotonic() < end:
            time.sleep(0.01)
    finally:
        workload.close()
    record = workload.record(0.1)
    assert workload.errors.texts == []
    assert all(record[name] > 0 for name in ("examples", "predictions", "saved", "refused", "queries", "labels"))
    assert 0 <= record["violation"] < 1e-9
    assert record["difference"] < 1e-8
    assert all(math.isfinite(value) for value in record.values())
    written = soak["records"].Records(tmp_path / "soak.csv")
    for minutes in (0.0, 0.1):
        written.add(record | {"minutes": minutes})
    soak["figure"].draw(soak["records"].read(tmp_path / "soak.csv"), tmp_path / "soak.png")
    assert (tmp_path / "soak.png").read_bytes().startswith(b"\x89PNG")


def test_errors_are_counted(soak):
    errors = soak["error_log"].ErrorLog(n_kept=1)
    for number in range(3):
        with errors.recording("counting"):
            raise ValueError(f"number {number}")
    assert errors.n_errors == 3
    assert len(errors.texts) == 1
    assert "number 0" in errors.texts[0]


def test_leaks_are_detected(soak):
    minutes = np.arange(0.0, 61.0)
    leaking = [{"minutes": minute, "allocated, MB": 400 + 0.5 * minute} for minute in minutes]
    warming_up = [{"minutes": minute, "allocated, MB": 400 + min(50.0, 10 * minute)} for minute in minutes]
    assert soak["records"].slope(leaking) == pytest.approx(30.0)
    assert abs(soak["records"].slope(warming_up)) < 1e-9


def test_allocated_memory_excludes_freed_blocks():
    """Freed memory does not count even if it is resident; large and small objects that are held do."""
    memory = pytest.importorskip("benchmarks.memory", reason="needs the benchmarks folder")
    before = memory.allocated()
    held = [np.ones(5_000_000), *(bytes(2_000) for _ in range(10_000))]
    assert 55 < memory.allocated() - before < 70
    held.clear()
    assert abs(memory.allocated() - before) < 5
