"""How many of a model's people a judge recognises (paper E, III-C), and how many it would recognise by chance.

``named`` (models, classes) holds the judge's verdict on each reconstruction: picture ℓ is recognised if it is named ℓ.
*Impact*: the share of a model's people recognised. *Success*: at least one of them. The paper gives no chance level,
and it is high: verdicts that know nothing name 1 of the classes right on average, whatever the judge prefers, and at
least one right with a chance of 63 % or more (all named differently), up to 100 % (all named alike). A single person's
chance level is another: as often as the judge says that name of drawings from pure noise.
"""

from math import comb, factorial

import numpy as np

from dpmia_lab.metrics.intervals import Estimate

MOST_HITS = 60


def impacts(named: np.ndarray) -> np.ndarray:
    """(models,): share of each model's people that are named right."""
    return (named == np.arange(named.shape[1])).mean(1)


def called_shares(named: np.ndarray) -> np.ndarray:
    """(classes,): how often each name is given at all. Of pure noise, that is each person's own chance level."""
    return (np.bincount(named.ravel(), minlength=named.shape[1]) / named.size).astype(np.float32)


def chance_of_hits(named: np.ndarray) -> np.ndarray:
    """Chance of 0, 1, … hits if the verdicts (classes,) were dealt out to the pictures at random.

    With n_ℓ verdicts for label ℓ, E[C(hits, j)] = e_j(n)·(C − j)!/C!, e_j the elementary symmetric polynomials;
    inclusion and exclusion turns these into chances. They are at most 1/j!: beyond ``MOST_HITS`` nothing is left.
    """
    classes = len(named)
    most = min(classes, MOST_HITS)
    moments = np.ones(1)
    for i, count in enumerate(np.bincount(named, minlength=classes), 1):
        # Π (1 + n_ℓ·t) = Σ e_j·t^j, with C(i, j) divided out on the way so that no number grows large
        j = np.arange(min(i, most) + 1)
        longer, shifted = np.zeros(len(j)), np.zeros(len(j))
        longer[: len(moments)] = moments
        shifted[1:] = moments[: len(j) - 1]
        moments = ((i - j) * longer + j * count * shifted) / i
    moments = moments / np.array([float(factorial(j)) for j in range(most + 1)])  # e_j/C(C, j) · 1/j!
    signs = [[(-1) ** (j - k) * comb(j, k) if j >= k else 0 for j in range(most + 1)] for k in range(most + 1)]
    return np.clip(np.array(signs, dtype=float) @ moments, 0, 1)


def chance_of_success(named: np.ndarray) -> np.ndarray:
    """(models,): chance of at least one hit if each model's verdicts were dealt out at random."""
    return np.array([1 - chance_of_hits(row)[0] for row in named])


def p_values(named: np.ndarray) -> np.ndarray:
    """(models,): chance of at least as many hits as there are, if each model's verdicts were dealt out at random."""
    hits = np.rint(impacts(named) * named.shape[1]).astype(int)
    return np.array([min(1.0, chance_of_hits(row)[count:].sum()) for row, count in zip(named, hits, strict=True)])


def mean_estimate(values: np.ndarray, confidence: float = 0.95) -> Estimate:
    """The mean of shares over independent models, with Student's interval kept within [0, 1]; one model tells none."""
    from scipy.special import stdtrit

    mean = float(np.mean(values))
    if len(values) < 2:
        return Estimate(mean, 0.0, 1.0)
    half = stdtrit(len(values) - 1, (1 + confidence) / 2) * np.std(values, ddof=1) / len(values) ** 0.5
    return Estimate(mean, float(max(0.0, mean - half)), float(min(1.0, mean + half)))
