"""What an attacker on one sensitive attribute has: arrays of all splits at once, never a model or a secret.

S splits, P people in each, V values the secret may have, K classes of the outcome.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Evidence:
    """Logarithms of chances may be off by a constant a person."""

    outcome: np.ndarray  # (S, P): what is true of the person: a number, or the code of a class
    asked: np.ndarray  # (S, P, V): what the model says were the secret v: numbers; of a classifier (S, P, V, K)
    answer: np.ndarray  # (S, P): what the model said about the person as they are; of a classifier (S, P, K)
    blur: float  # standard deviation of the noise in each answer
    prior: np.ndarray  # (S, V): logarithm of how common each value is
    imputed: np.ndarray  # (S, P, V): logarithm of its chance given the other attributes
    imputed_outcome: np.ndarray  # (S, P, V): and given the outcome
    spread: np.ndarray  # (S,): standard deviation of the model's errors, told with it (numbers only)
    confusion: np.ndarray  # (S, K, K): logarithm of the chance of an outcome (last) given what the model says, likewise
    public_outcome: np.ndarray  # (S, F): of a few people whom the attacker knows all about
    public_answer: np.ndarray  # (S, F): what the model said about them; of a classifier (S, F, K)
    counted: np.ndarray | None = None  # (S, P, V): logarithm of the outcome's share at the leaf reached (trees only)

    @property
    def numeric(self) -> bool:
        return self.asked.ndim == 3

    @property
    def said(self) -> np.ndarray:
        """(S, P, V): the class a classifier names for each value."""
        return self.asked.argmax(-1)


def everyone(scores: np.ndarray, evidence: Evidence) -> np.ndarray:
    """(S, P, V): scores (S, V) that are the same for all people."""
    return np.broadcast_to(scores[:, None], (*evidence.outcome.shape, scores.shape[1]))
