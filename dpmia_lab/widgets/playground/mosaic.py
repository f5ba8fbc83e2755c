"""All people in one picture: of each the truth and, beside it, what the attacker drew. One PNG, in two milliseconds."""

import numpy as np

from dpmia_lab.widgets.kit.pictures import bit_grid, picture_html

BETWEEN, AROUND = 1, 3  # pixels between a truth and its drawing, and between two people
ACROSS = 5  # people in a row
PAPER = 1.0
BLUR = np.exp(-(np.arange(-3, 4) ** 2) / 2)  # as the judge's: one pixel wide


def mosaic(truth: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """(1, height, width): ``ACROSS`` pairs in a row, on white."""
    people, height, width = truth.shape
    across = min(ACROSS, people)
    rows = -(-people // across)
    high, wide = height + AROUND, 2 * width + BETWEEN + AROUND
    sheet = np.full((rows * high - AROUND, across * wide - AROUND), PAPER, dtype=np.float32)
    for i in range(people):
        top, left = i // across * high, i % across * wide
        sheet[top : top + height, left : left + width] = truth[i]
        sheet[top : top + height, left + width + BETWEEN : left + 2 * width + BETWEEN] = drawn[i]
    return sheet[None]


def tiles_of(truth: np.ndarray, drawn: np.ndarray, blurred: bool) -> np.ndarray:
    """Pictures (people, height, width), or shares of bits (classes, bits), as one picture."""
    if truth.ndim == 2:
        truth, drawn = carts(truth, drawn)
    elif blurred:
        drawn = blur(drawn)
    return mosaic(truth, drawn)


def mosaic_html(truth: np.ndarray, drawn: np.ndarray, blurred: bool, words: str) -> str:
    """The page enlarges it, pixel-sharp."""
    return picture_html(tiles_of(truth, drawn, blurred), words, "dp-mosaic")


def carts(truth: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Grids in which much is dark, each style's products from what it buys most to what it buys least.

    So the truth fades from top to bottom, and a drawing that fades alike gives it away.
    """
    order = np.argsort(-truth, axis=1, kind="stable")
    truth, drawn = (np.take_along_axis(shares, order, axis=1) for shares in (truth, drawn))
    truth = truth / truth.max(axis=1, keepdims=True).clip(1e-9)
    return tuple(1 - np.stack([bit_grid(bits) for bits in shares]) for shares in (truth, drawn))


def blur(pictures: np.ndarray) -> np.ndarray:
    """Each with as much contrast as before."""
    kernel = BLUR / BLUR.sum()
    soft = np.pad(pictures, ((0, 0), (3, 3), (3, 3)), mode="edge")
    soft = sum(weight * soft[:, i : i + pictures.shape[1]] for i, weight in enumerate(kernel))
    soft = sum(weight * soft[:, :, i : i + pictures.shape[2]] for i, weight in enumerate(kernel))
    mean = soft.mean(axis=(1, 2), keepdims=True)
    gain = pictures.std(axis=(1, 2), keepdims=True) / soft.std(axis=(1, 2), keepdims=True).clip(1e-6)
    return (mean + gain * (soft - mean)).clip(0, 1)
