"""More pictures from few: each also shifted, turned and scaled a little, as paper A does with its faces."""

import numpy as np

MOST_TURN, MOST_SHIFT, MOST_SCALE = 0.2, 2.0, 0.1  # radians, pixels, share


def varied(x: np.ndarray, versions: int, rng: np.random.Generator) -> np.ndarray:
    """(n · versions, 1, h, w): every picture of x (n, 1, h, w), then a varied version of each, and so on."""
    copies = [np.stack([variation(picture[0], rng) for picture in x])[:, None] for _ in range(versions - 1)]
    return np.concatenate([x, *copies])


def variation(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One picture (h, w) turned and scaled about its middle and shifted; what comes in from outside is black."""
    from scipy.ndimage import affine_transform

    turn, down, right, scale = rng.uniform(-1, 1, 4) * (MOST_TURN, MOST_SHIFT, MOST_SHIFT, MOST_SCALE)
    matrix = (1 + scale) * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    middle = (np.array(picture.shape) - 1) / 2
    moved = affine_transform(picture, matrix, middle - matrix @ middle + (down, right), order=1)
    return np.clip(moved, 0, 1)
