"""An attack's scores as numbers, each with its interval, and the least ε that they prove."""

import numpy as np

from dpmia_lab.metrics import audit, membership

CONFIDENCE = 0.95


def verdict_numbers(
    attack: str, scores: np.ndarray, member: np.ndarray, rng: np.random.Generator
) -> dict[str, float]:
    """``auc_ATTACK``, ``auc_low_ATTACK``, ``auc_high_ATTACK``, …; NaN scores were not to be judged.

    tpr1 and tpr01: members found at 1 % and .1 % false alarms.
    """
    scores, member = membership.evaluated(scores, member)
    estimates = {
        "auc": membership.auc_interval(scores, member, CONFIDENCE),
        "tpr1": membership.tpr_at_fpr(scores, member, 0.01, CONFIDENCE),
        "tpr01": membership.tpr_at_fpr(scores, member, 0.001, CONFIDENCE),
        "balanced": membership.balanced_accuracy(scores, member, rng, CONFIDENCE),
    }
    numbers = {}
    for name, estimate in estimates.items():
        numbers |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return {f"{name}_{attack}": float(value) for name, value in numbers.items()}


def audit_numbers(
    attack: str, scores: np.ndarray, member: np.ndarray, delta: float, rng: np.random.Generator
) -> dict[str, float]:
    """The least ε that the scores prove.

    epsilon_bound: the one-run audit, valid where each record's membership was a fair coin;  epsilon_bound_rates: from
    the two error rates, as if records were independent trials.
    """
    scores, member = membership.evaluated(scores, member)
    return {
        f"epsilon_bound_{attack}": float(audit.one_run_lower_bound(scores, member, delta, rng, CONFIDENCE)),
        f"epsilon_bound_rates_{attack}": float(audit.epsilon_lower_bound(scores, member, delta, rng, CONFIDENCE)),
    }
