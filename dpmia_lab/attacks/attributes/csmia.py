"""CSMIA, a confidence-based attack (Mehnaz et al. 2022): trust the model where it is right, doubt it where it is wrong.

One value makes the model right: that one. Several do: the one with which it is most confident. None does: the one with
which it is least confident of its wrong answer.
"""

import numpy as np

from dpmia_lab.attacks.attributes.evidence import Evidence


def csmia_scores(evidence: Evidence) -> np.ndarray:
    """(S, P, V): 1 + confidence where the model is right, 1 − confidence where it is wrong: the order the rules ask."""
    right = evidence.said == evidence.outcome[..., None]
    confidence = np.clip(evidence.asked.max(-1), 0, 1)
    return np.where(right, 1 + confidence, 1 - confidence)
