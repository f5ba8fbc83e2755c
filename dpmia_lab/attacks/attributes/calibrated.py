"""The calibrating attacker: maximum a posteriori after learning how the model's answers relate to the truth.

Of a few public people, the secret included, the attacker knows both the outcome and what the model says, and refits
scale and spread: y = b + α·answer + e by least squares, or for a classifier the confusion matrix. A defence that only
shrinks or shifts all answers is undone by this.
"""

import numpy as np

from dpmia_lab.attacks.attributes.evidence import Evidence, everyone
from dpmia_lab.attacks.attributes.naive_map import gaussian, looked_up


def calibrated_scores(evidence: Evidence) -> np.ndarray:
    prior = everyone(evidence.prior, evidence)
    if not evidence.numeric:
        said, classes = evidence.public_answer.argmax(-1), evidence.asked.shape[-1]
        return prior + looked_up(log_confusion(said, evidence.public_outcome, classes), evidence)
    slope, start, spread = refitted(evidence.public_answer, evidence.public_outcome)
    expected = start[:, None, None] + slope[:, None, None] * evidence.asked
    return prior + gaussian(evidence.outcome[..., None] - expected, spread)


def refitted(answers: np.ndarray, outcomes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """α, b and the standard deviation of e, each (S,), from answers and outcomes (S, F)."""
    middle, goal = answers.mean(1, keepdims=True), outcomes.mean(1, keepdims=True)
    variance = ((answers - middle) ** 2).sum(1)
    slope = ((answers - middle) * (outcomes - goal)).sum(1) / np.maximum(variance, 1e-12)
    start = goal[:, 0] - slope * middle[:, 0]
    errors = outcomes - start[:, None] - slope[:, None] * answers
    return slope, start, np.sqrt((errors**2).sum(1) / max(1, answers.shape[1] - 2))


def log_confusion(said: np.ndarray, truth: np.ndarray, classes: int) -> np.ndarray:
    """(S, K, K): logarithm of the share of each outcome (last) among people of whom the model said each class.

    Everybody is counted once more at random (Laplace), so that nothing is impossible.
    """
    splits = np.arange(len(said))[:, None]
    flat = ((splits * classes + said) * classes + truth).ravel()
    counts = np.bincount(flat, minlength=len(said) * classes**2).reshape(len(said), classes, classes) + 1.0
    return np.log(counts / counts.sum(-1, keepdims=True))
