"""Memory of this process in megabytes: resident, peak, and allocated on the heap."""

import contextlib
import ctypes
import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


class _Heap(ctypes.Structure):
    """Statistics of the heap (mallinfo2 of glibc 2.33 and later)."""

    _names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = tuple((name, ctypes.c_size_t) for name in _names)


def resident() -> float:
    """Return the resident memory (its peak on systems without /proc)."""
    return _status("VmRSS") if STATUS.exists() else peak()


def peak() -> float:
    """Return the peak of the resident memory since the start or the last `reset_peak`."""
    if STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def reset_peak() -> None:
    """Reset the peak, if the system allows it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def allocated() -> float:
    """Return the allocated part of the heap (the resident memory if the C library has no such statistics).

    A leak shows here. Resident memory also contains free blocks, which are used again.
    """
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError):
        return resident()
    mallinfo2.restype = _Heap
    heap = mallinfo2()
    return float(heap.uordblks + heap.hblkhd) / 1e6


def _status(field: str) -> float:
    for line in STATUS.read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise LookupError(field)
