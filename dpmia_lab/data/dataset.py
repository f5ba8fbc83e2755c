"""The one shape in which every lesson receives its data."""

from dataclasses import dataclass

import numpy as np

from ..checks import Mistake


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
    Labels of any kind (numbers, words) become the places of their sorted distinct values.
    """
    x, y = np.asarray(x), np.asarray(y)
    if y.ndim != 1 or len(y) != len(x):
        raise Mistake(f"{source}: y must hold one label per picture; X is {x.shape} and y is {y.shape}.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise Mistake(f"{source}: y must hold a label for every picture; some are NaN or infinite.")
    x = _channels_first(x, source)
    x = _zero_to_one(x, source)
    values, labels = np.unique(y, return_inverse=True)
    if len(values) < 2:
        raise Mistake(f"{source}: there must be at least 2 classes; there is {len(values)}.")
    return x, labels.astype(np.int64)


def _channels_first(x: np.ndarray, source: str) -> np.ndarray:
    if x.ndim == 3:
        x = x[:, None]
    elif x.ndim == 4 and x.shape[1] not in (1, 3) and x.shape[3] in (1, 3):
        x = x.transpose(0, 3, 1, 2)
    if x.ndim != 4 or x.shape[1] not in (1, 3) or 0 in x.shape:
        rule = "(n, h, w), (n, h, w, 1 or 3) or (n, 1 or 3, h, w)"
        raise Mistake(f"{source}: X must have the shape {rule}; it has {x.shape}.")
    return x


def _zero_to_one(x: np.ndarray, source: str) -> np.ndarray:
    if x.dtype.kind not in "uifb":
        raise Mistake(f"{source}: X must hold numbers; its type is {x.dtype}.")
    if x.dtype.kind == "f" and not np.isfinite(x).all():
        raise Mistake(f"{source}: X must hold finite numbers only; some are NaN or infinite.")
    top = 255 if x.dtype.kind in "ui" else 1
    low, high = float(x.min()), float(x.max())
    if low < 0 or high > top:
        rule = "from 0 to 255 where they are whole numbers, from 0 to 1 where they are fractions"
        raise Mistake(f"{source}: the values of X must lie {rule}; they lie from {low:g} to {high:g}.")
    return np.ascontiguousarray(x, dtype=np.float32) / np.float32(top)


def split_per_class(
    x: np.ndarray, y: np.ndarray, train_share: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """train_x, train_y, test_x, test_y: of every class, that share (at least one each way), at random.

    Pictures keep their order within each half; every class needs at least two.
    """
    is_train = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        places = rng.permutation(np.flatnonzero(y == label))
        if len(places) < 2:
            raise Mistake(f"every class must have at least 2 pictures to be split; class {label} has 1.")
        count = min(max(round(train_share * len(places)), 1), len(places) - 1)
        is_train[places[:count]] = True
    return x[is_train], y[is_train], x[~is_train], y[~is_train]
