"""The one shape in which every lesson receives its data."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Dataset:
    """Pictures with labels, already split; pixel values lie in [0, 1].

    train_x: (n, channels, height, width) float32;  train_y: (n,) int64;  test_x, test_y alike.
    """

    name: str
    train_x: np.ndarray
    train_y: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray
    class_names: tuple[str, ...]
    note: str  # where the pictures come from, and their terms, in one line for the page

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.train_x.shape[1:]

    @property
    def classes(self) -> int:
        return len(self.class_names)


def checked_pictures(x: np.ndarray, y: np.ndarray, source: str) -> tuple[np.ndarray, np.ndarray]:
    """Pictures as (n, channels, height, width) float32 in [0, 1] and labels 0..classes-1, or a Mistake.

    Accepts (n, h, w), (n, h, w, 1|3) or (n, 1|3, h, w); whole numbers are read as 0-255.
    """
    raise NotImplementedError


def split_per_class(
    x: np.ndarray, y: np.ndarray, train_share: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """train_x, train_y, test_x, test_y: of every class, that share (at least one each way), at random."""
    raise NotImplementedError
