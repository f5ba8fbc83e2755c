"""How many cores this machine has, and how fast they are, so that a time measured elsewhere can be told for here."""

import os
import time
from functools import cache

import numpy as np


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def yardstick() -> float:
    """As measured once; a page asks for it often."""
    return measured()


def measured() -> float:
    """Seconds that a fixed small piece of arithmetic takes on one core of its own: the best of five."""
    return min(_once() for _ in range(5))


def _once() -> float:
    x, start = np.linspace(0.0, 1.0, 50_000), time.process_time()
    for _ in range(4):
        x = np.sin(x) + np.exp(-x)
    return time.process_time() - start


def free_memory() -> int:
    """Bytes that a process could still have."""
    import psutil

    return psutil.virtual_memory().available
