"""Imputation: the secret guessed from the other attributes, without any model of the outcome (Jayaraman & Evans 2022).

What an attack on a model is to be measured against: it uses the same knowledge and no model. Chances are those of a
multinomial logistic regression fitted on public people, of all splits at once. How strongly its coefficients are held
back is chosen on public people too: with few of them and no signal it comes down to the commonest value.
"""

import numpy as np

from dpmia_lab.attacks.attributes.evidence import Evidence
from dpmia_lab.stages import Progress, Stage, part

ROUNDS = 20  # of Newton's method, at most
RIDGES = (0.1, 1.0, 10.0, 100.0)  # on every coefficient but the constant
TRIED = 5  # splits on which the ridge is chosen, for all
LARGEST = 4.0  # change of a coefficient in one round: further off, Newton's step is a bad guess
CLOSE = 1e-4


def imputation_scores(evidence: Evidence) -> np.ndarray:
    """From the other attributes alone."""
    return evidence.imputed


def imputation_outcome_scores(evidence: Evidence) -> np.ndarray:
    """From the other attributes and the outcome, which attacks on a model know too."""
    return evidence.imputed_outcome


def imputer(x: np.ndarray, y: np.ndarray, values: int) -> Stage[np.ndarray]:
    """(S, d, V): coefficients from public people x (S, n, d) and y (S, n), with the ridge that suits them."""
    half, costs = x.shape[1] // 2, []
    for place, ridge in enumerate(RIDGES):
        some = fitted_logistic(x[:TRIED, :half], y[:TRIED, :half], values, ridge)
        w = yield from part(some, place / (len(RIDGES) + 1), (place + 1) / (len(RIDGES) + 1))
        told = log_chances(x[:TRIED, half:], w)
        costs.append(-np.take_along_axis(told, y[:TRIED, half:, None], 2).mean())
    stage = fitted_logistic(x, y, values, RIDGES[int(np.argmin(costs))])
    return (yield from part(stage, len(RIDGES) / (len(RIDGES) + 1), 1.0))


def fitted_logistic(x: np.ndarray, y: np.ndarray, values: int, ridge: float) -> Stage[np.ndarray]:
    """(S, d, V): coefficients for rows x (S, n, d), which begin with 1, and secrets y (S, n), by Newton's method.

    Maximises Σ log chance − ½·ridge·‖coefficients‖²; the penalty also settles what is common to all values.
    """
    splits, n, d = x.shape
    truth = np.eye(values)[y]  # (S, n, V)
    w = np.zeros((splits, d, values))
    penalty = np.full(d, ridge)
    penalty[0] = 1e-3  # how common values are is no matter of shrinking
    for round_ in range(ROUNDS):
        yield Progress(round_, ROUNDS, "imputing")
        chance = np.exp(log_chances(x, w))
        gradient = x.mT @ (chance - truth) + penalty[:, None] * w  # (S, d, V)
        change = newton_step(x, chance, gradient, penalty)
        w = w - change * np.minimum(1, LARGEST / np.maximum(np.abs(change).max((1, 2), keepdims=True), 1e-12))
        if np.abs(change).max() < CLOSE:
            break
    return w


def newton_step(x: np.ndarray, chance: np.ndarray, gradient: np.ndarray, penalty: np.ndarray) -> np.ndarray:
    """(S, d, V): Hessian⁻¹ · gradient; the Hessian's block for values v and u is Xᵀ diag(p_v(δ_vu − p_u)) X."""
    splits, d, values = gradient.shape
    hessian = np.empty((splits, values, d, values, d))
    for v in range(values):
        for u in range(v, values):
            weight = chance[..., v] * ((v == u) - chance[..., u])  # (S, n)
            block = x.mT @ (weight[..., None] * x)
            hessian[:, v, :, u] = hessian[:, u, :, v] = block
    flat = hessian.reshape(splits, values * d, values * d) + np.diag(np.tile(penalty, values))
    step = np.linalg.solve(flat, gradient.mT.reshape(splits, values * d, 1))
    return step.reshape(splits, values, d).mT


def log_chances(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(S, n, V)."""
    logits = x @ w
    logits -= logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))
