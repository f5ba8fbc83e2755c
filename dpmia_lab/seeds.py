"""Randomness: every generator is made here, from a seed and the path of what it is for.

Two different paths never share a stream, so adding a draw in one place changes no other.
Generators always live on the CPU: numbers are drawn there and moved, so that the same seed
gives the same numbers on every device.
"""

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch


def derived_seed(seed: int, *path: str | int) -> int:
    """A 63-bit number fixed by ``seed`` and ``path``, e.g. ``derived_seed(0, "faces", 17)``."""
    text = "/".join(str(step) for step in (seed, *path))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def numpy_generator(seed: int, *path: str | int) -> np.random.Generator:
    return np.random.default_rng(derived_seed(seed, *path))


def torch_generator(seed: int, *path: str | int) -> "torch.Generator":
    import torch  # here, so that pages open before torch is loaded

    return torch.Generator().manual_seed(derived_seed(seed, *path))
