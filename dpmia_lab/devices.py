"""The device that does the work: CUDA, else Apple's GPU, else the processor.

On the processor torch works with one thread: sums are then taken in one order, so the same seed gives
the same bits on a page, in a notebook and on the command line; and readers of a page share the cores.
"""

import os
import platform

import torch

torch.set_num_threads(1)


def best_device() -> torch.device:
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def described(device: torch.device) -> str:
    """One line for the page: what was found."""
    if device.type == "cuda":
        return f"GPU: {torch.cuda.get_device_name(device)}"
    if device.type == "mps":
        return "GPU: Apple (Metal)"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"no GPU; {cores} processor core{'s' if cores != 1 else ''} ({platform.machine()})"
