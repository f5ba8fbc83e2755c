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

    Under (ε, 0). With a δ there may be outputs that tell more: beyond an ε + t, with a chance of at most δ/(1 − e^−t).
    """
    return float(prior / (prior + (1 - prior) * np.exp(-epsilon))) if prior else 0.0


def most_often_right(epsilons: float | np.ndarray, deltas: float | np.ndarray = 0.0) -> float:
    """How often anybody is right, at most, who must say "in" or "out" from even odds: (e^ε + δ) / (e^ε + 1).

    Two errors α and β with β ≥ 1 − δ − e^ε α and α ≥ 1 − δ − e^ε β (Kairouz, Oh & Viswanath 2015): their mean is
    smallest where both are (1 − δ) / (1 + e^ε). Of several pairs that all hold, the strictest counts.
    """
    odds = np.exp(-np.asarray(epsilons, dtype=float))
    return 1 - float(((1 - deltas) * odds / (1 + odds)).max())
