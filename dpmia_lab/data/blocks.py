"""Records drawn a block at a time: little memory, and record i is the same however many are asked for."""

from collections.abc import Callable

import numpy as np

from ..checks import whole
from ..seeds import numpy_generator

BLOCK = 2_000  # records drawn from one generator
MOST_RECORDS = 1_000_000

Draw = Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]


def drawn_in_blocks(draw: Draw, records: int, seed: int, *path: str | int) -> tuple[np.ndarray, np.ndarray]:
    """x (records, features) uint8 and y (records,) int64 from ``draw(count, rng)``, each block with its own rng."""
    whole(1, MOST_RECORDS, records=records)
    blocks = range(-(-records // BLOCK))
    parts = [draw(BLOCK, numpy_generator(seed, *path, block)) for block in blocks]
    spare = len(blocks) * BLOCK - records
    parts[-1] = tuple(array[: BLOCK - spare] for array in parts[-1])
    return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])


def drawn_labels(count: int, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(count,) int64: label c with probability shares[c], independently."""
    return rng.choice(len(shares), count, p=shares)


def zipf_shares(classes: int, exponent: float) -> np.ndarray:
    """(classes,) proportional to 1/rank^exponent: a few large classes and a tail of small ones."""
    weights = np.arange(1, classes + 1, dtype=float) ** -exponent
    return weights / weights.sum()
