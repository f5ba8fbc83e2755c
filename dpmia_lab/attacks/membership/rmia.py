"""The relative attack, RMIA (Zarifzadeh, Liu & Shokri 2024): is this record surer than random others would be?

Λ(x) = P(x | target) / P(x), where P(x) is the record's probability averaged over models with and without it. The score
is the share of population records z with Λ(x) / Λ(z) ≥ γ. Works with very few reference models.
"""

import numpy as np

LEAST = 1e-45  # probabilities count as at least this, so that no ratio is 0/0


def rmia_scores(
    target_p: np.ndarray,  # (n,): probability at the label under the target
    reference_p: np.ndarray,  # (M, n): the same under models not trained on the record
    population_target_p: np.ndarray,  # (z,): records nobody was trained on
    population_reference_p: np.ndarray,  # (M, z)
    *,
    gamma: float = 1.0,
    a: float = 0.3,
) -> np.ndarray:
    """(n,): the offline attack, with P(x) ≈ ½((1 + a)·mean_out + (1 − a)): models with x are surer than those without.

    a = 1 takes no correction, a = 0 the strongest (every model trained on x is taken to be certain); the authors choose
    it on reference models, .2 to .6 for most data.
    """
    ratio = target_p / prior(mean(reference_p), a)
    return dominated_share(ratio, population_ratios(population_target_p, population_reference_p, a), gamma)


def online_rmia_scores(
    target_p: np.ndarray,
    reference_p: np.ndarray,
    inside: np.ndarray,  # (M, n) bool: trained on that record?
    population_target_p: np.ndarray,
    population_reference_p: np.ndarray,
    *,
    gamma: float = 1.0,
    a: float = 0.3,
) -> np.ndarray:
    """(n,): the online attack, with P(x) = ½(mean_in + mean_out) over the record's own reference models.

    A record that no model was trained on is corrected as offline, and so are the population's records, which are
    outside of all models; one that all were trained on has P(x) = mean_in.
    """
    inside = np.asarray(inside, dtype=bool)
    with_x, without_x = mean(reference_p, inside), mean(reference_p, ~inside)
    p = 0.5 * (with_x + without_x)
    p = np.where(np.isnan(with_x), prior(without_x, a), np.where(np.isnan(without_x), with_x, p))
    ratio = target_p / np.maximum(p, LEAST)
    return dominated_share(ratio, population_ratios(population_target_p, population_reference_p, a), gamma)


def population_ratios(target_p: np.ndarray, reference_p: np.ndarray, a: float) -> np.ndarray:
    """(z,): Λ(z)."""
    return np.maximum(target_p, LEAST) / prior(mean(reference_p), a)


def prior(mean_out: np.ndarray, a: float) -> np.ndarray:
    return np.maximum(0.5 * ((1 + a) * mean_out + (1 - a)), LEAST)


def mean(p: np.ndarray, chosen: np.ndarray | None = None) -> np.ndarray:
    """(n,): over the chosen of M models; NaN where none is."""
    p = np.asarray(p, dtype=np.float64)
    if chosen is None:
        return p.mean(0)
    count = chosen.sum(0)
    return np.divide(np.where(chosen, p, 0).sum(0), count, out=np.full(p.shape[1], np.nan), where=count > 0)


def dominated_share(ratio: np.ndarray, population: np.ndarray, gamma: float) -> np.ndarray:
    """(n,): share of Λ(z) ≤ Λ(x)/γ. Sorted once and searched: n·log z steps, and no table of n·z ratios."""
    return np.searchsorted(np.sort(population), ratio / gamma, side="right") / len(population)
