"""A measured share, and how far it can be trusted."""

from typing import NamedTuple

import numpy as np


class Estimate(NamedTuple):
    """A value with the two ends of its confidence interval."""

    value: float
    low: float
    high: float


def clopper_pearson(k, n, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Low and high end for a share of which k of n independent trials are known; exact, never too short.

    Each end alone is wrong with a chance of at most (1 − confidence)/2. k may be an array.
    """
    from scipy.special import betaincinv

    k, tail = np.asarray(k, dtype=np.float64), (1 - confidence) / 2
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    return low, high


def share_estimate(k: int, n: int, confidence: float = 0.95) -> Estimate:
    low, high = clopper_pearson(k, n, confidence)
    return Estimate(k / n, float(low), float(high))
