"""How much memory the kernel cache may take."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from hinge._model.params import number
from hinge.exceptions import ParameterError

LARGEST_AUTO_MEGABYTES = 1000  # models that need more are rare, and processes often run side by side
_SHARE_OF_MEMORY = 4
_USUAL_MEMORY = 2**32  # where the system does not tell
_CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_HINT = "it is in megabytes; 'auto' chooses a number for you"


def cache_megabytes(cache_size: object) -> float:
    """Return the size of the cache in megabytes; raise ParameterError unless it is a number above 0 or "auto".

    "auto" is a quarter of the memory of the machine or container, at most 1000. What is free at the moment plays no
    part: the same call must give the same model tomorrow, to the last digit.

    Examples
    --------
    >>> cache_megabytes(200)
    200.0
    >>> cache_megabytes("auto") <= 1000
    True
    """
    if isinstance(cache_size, str):
        if cache_size != "auto":
            raise ParameterError(f"cache_size must be a finite number above 0 or 'auto', got {cache_size!r}; {_HINT}.")
        return min(LARGEST_AUTO_MEGABYTES, memory_bytes() / _SHARE_OF_MEMORY / 2**20)
    return number("cache_size", cache_size, above=0, hint=_HINT)


@functools.cache
def memory_bytes() -> int:
    """Return the memory of the machine, or of the container if that has less."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        memory = _USUAL_MEMORY
    return min([memory if memory > 0 else _USUAL_MEMORY, *_container_limits()])


def _container_limits() -> list[int]:
    limits = []
    for name in _CONTAINER_LIMITS:
        try:
            text = Path(name).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            continue
        if text.isdigit() and int(text) > 0:  # "max": no limit
            limits.append(int(text))
    return limits
