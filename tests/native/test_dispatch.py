"""The loops run with the instruction set of the processor."""

import platform
from pathlib import Path

import pytest

from hinge import _core

LEVEL_3 = "pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt avx f16c lahf_lm abm bmi1 avx2 bmi2"
LEVEL_4 = f"{LEVEL_3} avx512f avx512dq avx512cd avx512bw avx512vl"
CPUINFO = Path("/proc/cpuinfo")


@pytest.mark.skipif(platform.machine() != "x86_64" or not CPUINFO.exists(), reason="reads flags of x86-64 from Linux")
def test_the_highest_level_that_linux_reports():
    line = next(line for line in CPUINFO.read_text().splitlines() if line.startswith("flags"))
    flags = set(line.split())
    level = 4 if flags.issuperset(LEVEL_4.split()) else 3 if flags.issuperset(LEVEL_3.split()) else 1
    assert _core.instruction_set() == {4: "x86-64-v4", 3: "x86-64-v3", 1: "baseline"}[level]
