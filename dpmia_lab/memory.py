"""A page's share of the machine's memory: asked for too much, it says so instead of taking it from the others."""

import contextlib
import ctypes
import os
import re
from pathlib import Path

MEMORY = "DPMIA_MEMORY"  # in the environment: bytes a page may have of its own
# PyTorch's words, and the system's
REFUSED = re.compile("can't allocate memory|not enough memory|Cannot allocate memory")


def limit_memory(bytes_more: int) -> None:
    """This process may have so much beyond what it has now; what it then asks for in vain raises an error.

    Memory that is written to counts, shared with a parent or not; what is merely mapped from files does not.
    """
    import resource  # not on Windows

    now = 1024 * int(re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])
    resource.setrlimit(resource.RLIMIT_DATA, (now + bytes_more,) * 2)


def give_back_memory() -> None:
    """To the system, what this process has freed, where the C library can; Python goes on meanwhile."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def is_want_of_memory(error: Exception) -> bool:
    """Python and NumPy have an error of their own for it, PyTorch says it in words."""
    told = isinstance(error, RuntimeError | OSError) and REFUSED.search(str(error))
    return isinstance(error, MemoryError) or bool(told)


def want_of_memory() -> str:
    """The sentence for it."""
    given = os.environ.get(MEMORY)
    most = f"the {int(given) // 10**6:,} MB that a page may have here" if given else "this machine has left"
    return f"This run needs more memory than {most}; choose fewer records or models, or smaller ones."
