"""The relative attack, RMIA (Zarifzadeh, Liu & Shokri 2024): is this record surer than random others are?

Λ(x) = P(x | target) / P(x), where P(x) is the record's probability averaged over reference models with and without it.
The score is the share of population records z with Λ(x) / Λ(z) ≥ γ. Works with very few reference models.

x and z must be divided by averages of the same kind, or every Λ(x) lies on one side of every Λ(z) and all records tie.
Offline no reference model was trained on either, and both averages are corrected alike. Online half of the models were
trained on x; so they must be on z too, and the population is the records asked about, each of which has models with and
without it.

Everything is in logarithms, from logit-confidences (``signals.py``): log p = −log(1 + e^−ℓ) tells records apart where p
has rounded to 1.
"""

import numpy as np

from dpmia_lab.attacks.membership.signals import LEAST
from dpmia_lab.checks import Mistake


def rmia_scores(
    target: np.ndarray,  # (n,): logits of the label under the target
    reference: np.ndarray,  # (M, n): the same under models not trained on the record
    population_target: np.ndarray,  # (z,): records nobody was trained on
    population_reference: np.ndarray,  # (M, z)
    *,
    gamma: float = 1.0,
    a: float = 0.3,
) -> np.ndarray:
    """(n,): the offline attack, with P(x) ≈ ½((1 + a)·mean_out + (1 − a)): models with x are surer than those without.

    a = 1 takes no correction, a = 0 the strongest (every model trained on x is taken to be certain); the authors choose
    it on reference models, .2 to .6 for most data.
    """

    def log_ratios(of_target: np.ndarray, of_reference: np.ndarray) -> np.ndarray:
        p, doubt = sigmoid(of_reference).mean(0), sigmoid(-of_reference).mean(0)
        return log_p(of_target) - log_share(0.5 * ((1 + a) * p + 1 - a), 0.5 * (1 + a) * doubt)

    return relative_scores(log_ratios(target, reference), log_ratios(population_target, population_reference), gamma)


def online_rmia_scores(
    target: np.ndarray,
    reference: np.ndarray,
    inside: np.ndarray,  # (M, n) bool: trained on that record?
    *,
    gamma: float = 1.0,
) -> np.ndarray:
    """(n,): the online attack, with P(x) = ½(mean_in + mean_out) over the record's own reference models.

    The population is the n records themselves, so that P(z) is the same kind of average.
    """
    inside = np.asarray(inside, dtype=bool)
    if inside.all(0).any() or not inside.any(0).all():
        raise Mistake("inside must have for every record a model that was trained on it and one that was not.")

    def average(values: np.ndarray) -> np.ndarray:
        means = [np.where(kind, values, 0).sum(0) / kind.sum(0) for kind in (inside, ~inside)]
        return 0.5 * (means[0] + means[1])

    ratio = log_p(target) - log_share(average(sigmoid(reference)), average(sigmoid(-reference)))
    return relative_scores(ratio, ratio, gamma)


def relative_scores(ratio: np.ndarray, population: np.ndarray, gamma: float) -> np.ndarray:
    """(n,): (k + place) / (z + 1) from log Λ(x) (n,) and log Λ(z) (z,); k of the z have log Λ(z) ≤ log Λ(x) − log γ.

    The share alone is a staircase: records on one step would tie, all of them where the population ends below. They
    keep the order of their ratios by ``place``, in [0, 1). Sorted once and searched: no table of n·z ratios.
    """
    k = np.searchsorted(np.sort(population), ratio - np.log(gamma), side="right")
    place = np.searchsorted(np.unique(ratio), ratio) / len(ratio)
    return (k + place) / (len(population) + 1)


def sigmoid(logits: np.ndarray) -> np.ndarray:
    return np.exp(log_p(logits))


def log_p(logits: np.ndarray) -> np.ndarray:
    """log p from log(p / (1 − p)), in float64."""
    return -np.logaddexp(0, -np.asarray(logits, dtype=np.float64))


def log_share(p: np.ndarray, doubt: np.ndarray) -> np.ndarray:
    """log p from p and 1 − p, by the one of them that has not been rounded."""
    return np.where(doubt < 0.5, np.log1p(-np.minimum(doubt, 0.5)), np.log(np.maximum(p, LEAST)))
