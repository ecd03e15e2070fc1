"""Cores and threads."""

from __future__ import annotations

import os

from . import _values


def threads(jobs: int | None) -> int:
    """The number of threads for ``jobs``."""
    return cores() if jobs is None else _values.whole("jobs", jobs, 1, 2**31)


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
