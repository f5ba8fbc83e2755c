"""What a number on the page is made of: plain functions on arrays, no model in sight.

Pictures are (n, channels, height, width) in [0, 1]. A *distance* is lower the better the attack (and the
worse for privacy); similarity, recognition and confidence are higher the better the attack.
"""

import numpy as np

SSIM_PIXELS = 40_000  # of pictures compared with one at a time
FAINT = 0.01  # standard deviation of grey levels below which nothing is seen


def viewable(x: np.ndarray) -> np.ndarray:
    """What can be shown of x: pictures within [0, 1] as they are, others stretched onto [0, 1]."""
    low = x.min(axis=(1, 2, 3), keepdims=True)
    high = x.max(axis=(1, 2, 3), keepdims=True)
    outside = (low < 0) | (high > 1)
    stretched = (x - low) / np.maximum(high - low, 1e-12)
    return np.where(outside, stretched, x).astype(np.float32)


def stretched_pictures(x: np.ndarray) -> np.ndarray:
    """Each picture from black to white, so that a faint one can be seen; a flat one stays as it is."""
    low, high = x.min(axis=(1, 2, 3), keepdims=True), x.max(axis=(1, 2, 3), keepdims=True)
    return np.where(high - low > 1e-6, (x - low) / np.maximum(high - low, 1e-6), x)


def is_blank(x: np.ndarray) -> np.ndarray:
    """(n,): whether the eye sees nothing in a picture, its grey levels differing by less than a screen shows."""
    return x.std(axis=(1, 2, 3)) < FAINT


def euclidean_distances(x: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(n, m): ‖x_i − others_j‖₂ over all pixels."""
    a, b = _flat(x).astype(np.float64), _flat(others).astype(np.float64)
    squares = (a**2).sum(1)[:, None] + (b**2).sum(1)[None] - 2 * a @ b.T
    return np.sqrt(np.maximum(squares, 0))


def correlations(x: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(n, m): Pearson correlation of pixels, blind to brightness and contrast; 0 for a flat picture."""
    return _standardised(x) @ _standardised(others).T


def ssim_values(x: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(n, m): structural similarity of every pair, as scikit-image defines it (7x7 windows).

    Local means and variances are computed once a picture instead of once a pair, and a few others at a time stay in
    the processor's cache; a test holds it equal to ``skimage.metrics.structural_similarity``.
    """
    side = ssim_window(x.shape)
    x, others = x.astype(np.float64), others.astype(np.float64)
    mean_x, var_x = local_moments(x, side)
    values = np.empty((len(x), len(others)))
    at_once = max(1, SSIM_PIXELS // x[0].size)
    for start in range(0, len(others), at_once):
        now = slice(start, start + at_once)
        some = others[now]
        mean_o, var_o = local_moments(some, side)
        for i in range(len(x)):
            local = mean_x[i], mean_o, var_x[i], var_o, window_sums(x[i] * some, side)
            values[i, now] = local_ssim(*local, side * side).mean(axis=(1, 2, 3))
    return values


def local_ssim(mean_x, mean_o, var_x, var_o, sums, samples: int) -> np.ndarray:
    """SSIM window by window.  sums: Σ x·o over each window, worked on in place."""
    c1, c2 = 0.01**2, 0.03**2
    both = mean_x * mean_o
    top = sums  # becomes 2·covariance + c2
    top *= 2 / (samples - 1)
    top -= (2 * samples / (samples - 1)) * both - c2
    top *= 2 * both + c1
    top /= (mean_x**2 + mean_o**2 + c1) * (var_x + var_o + c2)
    return top


def local_moments(x: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and sample variance over each window, where the window fits."""
    samples = side * side
    mean = window_sums(x, side) / samples
    return mean, (window_sums(x * x, side) - samples * mean**2) / (samples - 1)


def window_sums(x: np.ndarray, side: int) -> np.ndarray:
    """(n, channels, height, width) → the sums over side x side pixels, where the window fits."""
    for axis in (2, 3):
        last = x.shape[axis] - side + 1
        pieces = [x[:, :, s : s + last] if axis == 2 else x[..., s : s + last] for s in range(side)]
        x = pieces[0] + pieces[1] if side > 1 else pieces[0]
        for piece in pieces[2:]:
            x += piece
    return x


def least_ssim_distance(x: np.ndarray, others: np.ndarray) -> float:
    """1 − SSIM of the single picture x to the most similar of the others, as scikit-image computes it."""
    from skimage.metrics import structural_similarity

    nearest = others[ssim_values(x, others).argmax()]
    how = {"data_range": 1.0, "channel_axis": 0, "win_size": ssim_window(x.shape)}
    return float(1 - structural_similarity(x[0], nearest, **how))


def ssim_window(shape: tuple[int, ...]) -> int:
    """7, or the largest odd window that fits a smaller picture."""
    side = min(7, *shape[-2:])
    return side if side % 2 else side - 1


def nearest_of_class(
    distances: np.ndarray, labels: np.ndarray, other_labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each row, its least distance to a column of its own label, and which column that is (A2).

    The least, not the mean: the person who was hit hardest.
    """
    own = np.where(labels[:, None] == other_labels[None], distances, np.inf)
    index = own.argmin(1)
    return own[np.arange(len(own)), index], index


def mean_and_spread(values) -> tuple[float, float]:
    """Mean and standard deviation (n − 1) over repeats; the spread of a single run is unknown (nan)."""
    values = np.asarray(values, dtype=float)
    return float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else float("nan")


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's: 1 where the two rise together, −1 where one falls as the other rises; 0 where one is constant."""
    from scipy.stats import rankdata

    ranks = [rankdata(values) - (np.size(values) + 1) / 2 for values in (np.ravel(a), np.ravel(b))]
    size = np.sqrt((ranks[0] ** 2).sum() * (ranks[1] ** 2).sum())
    return float((ranks[0] * ranks[1]).sum() / size) if size else 0.0


def _flat(x: np.ndarray) -> np.ndarray:
    return x.reshape(len(x), -1)


def _standardised(x: np.ndarray) -> np.ndarray:
    flat = _flat(x).astype(np.float64)
    flat = flat - flat.mean(1, keepdims=True)
    norm = np.linalg.norm(flat, axis=1, keepdims=True)
    return np.divide(flat, norm, out=np.zeros_like(flat), where=norm > 1e-9)
