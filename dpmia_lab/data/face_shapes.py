"""Soft shapes to draw with: every function takes and returns arrays (pictures, height, width)."""

import numpy as np


def step(x: np.ndarray) -> np.ndarray:
    """0 below 0, 1 above 1, smooth between."""
    x = np.minimum(np.maximum(x, 0), 1)  # quicker than np.clip on small arrays
    return x * x * (3 - 2 * x)


def inside(distance: np.ndarray, softness: float) -> np.ndarray:
    """How far a pixel belongs to a shape, from its signed distance (negative within): 1 in, 0 out.

    ``softness`` is the width of the edge; a pixel or more, so that edges have no steps.
    """
    return step(0.5 - distance / softness)


def bump(x: np.ndarray, y: np.ndarray, width: float, height: float) -> np.ndarray:
    """A round hill of height 1 at the origin."""
    return np.exp(-((x / width) ** 2) - (y / height) ** 2)


def ridge(x: np.ndarray, width) -> np.ndarray:
    """A rounded bar of height 1 along the line where x is 0."""
    return np.exp(-((x / width) ** 2))


def paint(canvas: np.ndarray, tone, cover: np.ndarray) -> np.ndarray:
    """Lay a tone over a canvas where ``cover`` is 1, mixing where it is less."""
    return canvas + cover * (tone - canvas)


def oval(x: np.ndarray, y: np.ndarray, width: float, height: float, power: float = 2.0) -> np.ndarray:
    """About the signed distance to an oval round the origin; a higher power makes it squarer."""
    radius = (np.abs(x / width) ** power + np.abs(y / height) ** power) ** (1 / power)
    return (radius - 1) * min(width, height)


def smooth_least(a: np.ndarray, b: np.ndarray, width: float) -> np.ndarray:
    """The lesser of two distances, the corner where they meet rounded off over ``width``."""
    share = np.clip(0.5 + (b - a) / (2 * width), 0, 1)
    return b + (a - b) * share - width * share * (1 - share) / 2
