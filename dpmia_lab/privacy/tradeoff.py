"""What ε and δ mean for an attacker who must tell two neighbouring worlds apart.

Dong, Roth & Su 2022 (f-DP): an attacker who accuses the innocent at a rate α misses at least f(α) of the guilty.
A privacy profile is two arrays, ε ≥ 0 and the δ(ε) that goes with each; any part of it gives a valid, lower f.
"""

import numpy as np


def tradeoff_curve(false_positive_rates: np.ndarray, epsilons: np.ndarray, deltas: np.ndarray) -> np.ndarray:
    """(rates,): the least false-negative rate of any attacker at each false-positive rate.

    f(α) = max over ε of 0, 1 − δ − e^ε α and e^−ε (1 − δ − α): each pair (ε, δ) cuts off two corners.
    """
    alpha = np.asarray(false_positive_rates, dtype=float)[..., None]  # (rates, 1) against (epsilons,)
    growth = np.exp(np.minimum(epsilons, 700.0))  # beyond it e^ε α exceeds 1 for any rate worth the name
    steep = 1 - deltas - growth * alpha
    flat = (1 - deltas - alpha) / growth
    return np.maximum(0.0, np.maximum(steep, flat).max(-1))


def highest_belief(prior: float, epsilon: float) -> float:
    """How sure an attacker can become from this prior: e^ε p / (e^ε p + 1 − p).

    Under (ε, 0); with a δ, it may be exceeded with a chance of about δ.
    """
    return float(prior / (prior + (1 - prior) * np.exp(-epsilon))) if prior else 0.0
