"""Memory of this process, in megabytes: resident now and at its peak, and what of it is in use."""

import contextlib
import ctypes
import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


class _Heap(ctypes.Structure):
    """What the C library tells about its heaps (mallinfo2 of glibc 2.33 and later)."""

    _names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = tuple((name, ctypes.c_size_t) for name in _names)


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


def in_use() -> float:
    """Return what the heaps have given out and not got back (all that is resident where the C library does not tell).

    A leak shows here. Resident memory also has holes between what is in use, which are used again.
    """
    try:
        tell = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError):
        return resident()
    tell.restype = _Heap
    heap = tell()
    return float(heap.uordblks + heap.hblkhd) / 1e6


def _status(field: str) -> float:
    for line in STATUS.read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise LookupError(field)
