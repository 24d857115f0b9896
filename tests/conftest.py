"""What several tests share: data, and how long hypothesis looks for trouble."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from sklearn.datasets import make_blobs, make_moons
from sklearn.preprocessing import StandardScaler

import hinge._model.threads  # noqa: F401  (tells the native code where the BLAS is)
from hinge import _core

_FACTOR = float(os.environ.get("HINGE_EXAMPLES", "1"))


def pytest_configure() -> None:
    """Let signals arrive, here and in what the tests start: shells and nohup have them ignored in the background."""
    usual = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL, "SIGTERM": signal.SIG_DFL}
    for name, handler in usual.items():
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def tried(examples: int, **more) -> settings:
    """Return settings of hypothesis: the same examples each time; HINGE_EXAMPLES=50: fifty times as many, at random."""
    phases = [phase for phase in Phase if phase != Phase.explain]  # which traces every line, and takes minutes
    usual = {
        "derandomize": _FACTOR == 1,
        "deadline": None,
        "print_blob": True,
        "phases": phases,
        "suppress_health_check": list(HealthCheck),
    }
    return settings(max_examples=max(1, round(_FACTOR * examples)), **usual | more)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of data sets that do not come with the package."""
    folder = os.environ.get("HINGE_DATA")
    if not folder:
        pytest.skip("set HINGE_DATA to the folder of data sets to run this test")
    return Path(folder)


@pytest.fixture
def asking_at_once():
    """Long native calls ask whether to go on wherever they may stop, however fast the machine."""
    _core.set_monitor_interval(0)
    yield
    _core.set_monitor_interval(50)


@pytest.fixture
def two():
    """Two classes that overlap."""
    X, y = make_moons(120, noise=0.3, random_state=3)
    return StandardScaler().fit_transform(X), y


@pytest.fixture
def three():
    """Three classes that overlap."""
    X, y = make_blobs(150, centers=3, n_features=4, cluster_std=4.0, random_state=5)
    return StandardScaler().fit_transform(X), y


@pytest.fixture
def stream():
    """A longer stream of four classes, the last of which appears after 150 examples."""
    X, y = make_blobs(600, centers=4, n_features=6, cluster_std=5.0, random_state=7)
    first = np.flatnonzero(y != 3)[:150]
    order = np.concatenate([first, np.delete(np.arange(600), first)])
    return StandardScaler().fit_transform(X)[order], y[order]
