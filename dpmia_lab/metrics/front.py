"""Which of several bargains no other one beats: the Pareto front of utility (high is good) over leak (low is good)."""

import numpy as np


def on_front(utility: np.ndarray, leak: np.ndarray) -> np.ndarray:
    """(n,) bool: no other is at least as good in both and better in one. What is not a number is on no front.

    Two that are equal in both are on it together, or neither is.
    """
    u, k = (np.asarray(values, dtype=float) for values in (utility, leak))
    no_worse = (u[None] >= u[:, None]) & (k[None] <= k[:, None])  # [i, j]: j against i
    better = (u[None] > u[:, None]) | (k[None] < k[:, None])
    return np.isfinite(u) & np.isfinite(k) & ~(no_worse & better).any(1)


def front_shares(utility: np.ndarray, leak: np.ndarray) -> np.ndarray:
    """(n, seeds) each → (n,): the share of seeds in which each is on the front."""
    u, k = (np.asarray(values, dtype=float) for values in (utility, leak))
    return np.mean([on_front(u[:, seed], k[:, seed]) for seed in range(u.shape[1])], axis=0)


def front_line(utility: np.ndarray, leak: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The front as stairs to be drawn: (leak, utility), from the least leak upwards.

    At every leak it stands at the most utility that is to be had for no more.
    """
    u, k = (np.asarray(values, dtype=float)[on_front(utility, leak)] for values in (utility, leak))
    order = np.lexsort((u, k))
    u, k = u[order], k[order]
    return np.repeat(k, 2)[1:], np.repeat(u, 2)[: 2 * len(u) - 1]
