"""`cache_size` bounds the memory for kernel values, up to a constant."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Megabytes besides the cache: kernel values of the next examples, and threads.
CONSTANT = 40
PER_EXAMPLE = 1e-3  # its 8 features, coefficients and bookkeeping


def measured(cache_size):
    """Return the output of `measure.py`."""
    folders = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, Path(__file__).with_name("measure.py"), str(cache_size)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the system cannot reset the peak")
def test_cache_size_bounds_memory():
    found = {}
    for cache_size in (5, 60):
        found[cache_size] = measured(cache_size)
        for name, each in found[cache_size].items():
            columns = 8e-6 * each["held"] * (each["margin"] + 512)  # exact models also keep columns of the margin
            bound = 1.05 * cache_size + CONSTANT + PER_EXAMPLE * each["held"] + (columns if each["margin"] else 0)
            assert each["peak"] <= bound, (name, cache_size, each)
            if each["held"] > 4000:
                assert bound < 8e-6 * each["held"] ** 2, "all kernel values would fit, so nothing is proved"
    assert found[60]["tracking"]["peak"] > found[5]["tracking"]["peak"] + 40  # a larger cache is used
