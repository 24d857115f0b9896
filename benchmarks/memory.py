"""Resident memory of this process, now and at its peak, in megabytes."""

import contextlib
import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def resident() -> float:
    """Return the memory resident now (the peak where the system does not tell)."""
    return _status("VmRSS") if STATUS.exists() else peak()


def peak() -> float:
    """Return the highest resident memory since the start or the last `forget_peak`."""
    if STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def forget_peak() -> None:
    """Start the peak anew, where the system allows it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _status(field: str) -> float:
    for line in STATUS.read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise LookupError(field)
