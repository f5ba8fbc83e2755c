"""Naive maximum a posteriori (Fredrikson et al. 2014, 2015; paper B's B4): prior × chance of the true outcome.

The attacker asks the model what it says were the secret v. With a regression, the true outcome lies about that answer
with the Gaussian errors the model is known to make; with a classifier, as the published confusion matrix has it.
"""

import numpy as np

from dpmia_lab.attacks.attributes.evidence import Evidence, everyone


def log_likelihood(evidence: Evidence) -> np.ndarray:
    """(S, P, V): of the true outcome, given each value."""
    if evidence.numeric:
        return gaussian(evidence.outcome[..., None] - evidence.asked, evidence.spread)
    return looked_up(evidence.confusion, evidence)


def gaussian(errors: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Logarithm of a Gaussian's density at errors (S, P, V), but for a constant; spread (S,)."""
    return -0.5 * (errors / np.maximum(spread, 1e-9)[:, None, None]) ** 2


def looked_up(confusion: np.ndarray, evidence: Evidence) -> np.ndarray:
    """(S, P, V): the matrix (S, said, true) at what the model says for each value and what is true."""
    split = np.arange(len(confusion))[:, None, None]
    return confusion[split, evidence.said, evidence.outcome[..., None]]


def map_scores(evidence: Evidence) -> np.ndarray:
    return everyone(evidence.prior, evidence) + log_likelihood(evidence)


def imputation_map_scores(evidence: Evidence) -> np.ndarray:
    """The same from what imputation tells instead of the prior: does the model add anything to it?"""
    return evidence.imputed + log_likelihood(evidence)
