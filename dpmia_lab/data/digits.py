"""Scikit-learn's 1,797 handwritten digits of 8 x 8 pixels: the fastest data to try a lesson on."""

import numpy as np

from ..seeds import numpy_generator
from .dataset import Dataset, split_per_class

TRAIN_SHARE = 0.7
NOTE = "1,797 handwritten digits, 8 x 8 (UCI, through scikit-learn); CC BY 4.0."


def load_digits_8x8(seed: int) -> Dataset:
    from sklearn.datasets import load_digits  # here, so that pages open before scikit-learn is loaded

    digits = load_digits()
    x = (digits.images[:, None] / 16).astype(np.float32)  # (1797, 1, 8, 8); values were 0-16
    y = digits.target.astype(np.int64)
    halves = split_per_class(x, y, TRAIN_SHARE, numpy_generator(seed, "digits", "split"))
    return Dataset("digits", *halves, tuple("0123456789"), NOTE)
