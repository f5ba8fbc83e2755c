"""Lower bounds on ε from an attack: whoever tells members apart this well was not given (ε, δ)-privacy with less.

Two bounds, for two ways of drawing who is a member. Each may exceed the true ε with a chance of 1 − confidence,
*if* what it assumes holds; none says anything about an attack nobody has tried.

- ``epsilon_lower_bound`` counts records as independent trials. They are when every score comes from its own run of the
  mechanism. Records of one model share that model, so there the bound is a rule of thumb, not a proof.
- ``one_run_lower_bound`` is valid for one model, if each record was put in by its own fair coin. The scores may use the
  model and all records, but not the coins. An attacker who was told some of the coins is scored on the others, and
  those told must have been picked without looking.

δ must be small: about 1/n, and right guesses of everybody are what a mechanism may do that names one record now and
then. ``one_run_limit`` is what no attack could exceed; where it is low, a low bound says nothing about the attack.
Whoever reports the best of several attacks asks each for a confidence of ``each_of`` them.
"""

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.metrics.intervals import clopper_pearson
from dpmia_lab.metrics.membership import evaluated, halves, roc

# Shares of the records that the one-run audit guesses in and out, fixed before any score is seen.
GUESSED = ((0.02, 0.0), (0.02, 0.02), (0.1, 0.1), (0.5, 0.5))


def epsilon_lower_bound(
    scores: np.ndarray, member: np.ndarray, delta: float, rng: np.random.Generator, confidence: float = 0.95
) -> float:
    """max(0, ln((TPR_low − δ)/FPR_high), ln((TNR_low − δ)/FNR_high)); the threshold comes from one random half of the
    records, the rates from the other.

    Any (ε, δ)-private mechanism has TPR ≤ e^ε·FPR + δ and TNR ≤ e^ε·FNR + δ. Both logarithms rest on the same two
    events, TPR_low ≤ TPR and FPR ≤ FPR_high (TNR_low = 1 − FPR_high, FNR_high = 1 − TPR_low); each one-sided bound is
    taken at 1 − (1 − confidence)/2, so that together they hold with the confidence asked for.
    """
    scores, member = evaluated(scores, member)
    chosen_on, measured_on = halves(member, rng)
    fpr, tpr, thresholds = roc(scores[chosen_on], member[chosen_on])
    truth = member[chosen_on]
    bounds = threshold_bounds(tpr * truth.sum(), truth.sum(), fpr * (~truth).sum(), (~truth).sum(), delta, confidence)
    accused, truth = scores[measured_on] >= thresholds[np.argmax(bounds)], member[measured_on]
    counts = accused[truth].sum(), truth.sum(), accused[~truth].sum(), (~truth).sum()
    return float(threshold_bounds(*counts, delta, confidence))


def threshold_bounds(caught, members, accused, outsiders, delta: float, confidence: float) -> np.ndarray:
    """ε from ``caught`` of the members and ``accused`` of the outsiders; arrays give a bound a threshold."""
    tpr_low = clopper_pearson(caught, members, confidence)[0]
    fpr_high = clopper_pearson(accused, outsiders, confidence)[1]
    ratios = (tpr_low - delta) / fpr_high, (1 - fpr_high - delta) / (1 - tpr_low)
    return np.log(np.maximum(1.0, np.maximum(*ratios)))


def one_run_p_value(correct: int, guesses: int, delta: float, n: int, epsilon: float) -> float:
    """At most the chance of ≥ ``correct`` right ``guesses`` under (ε, δ)-privacy (Steinke, Nasr & Jagielski 2023).

    Each of n records was put in by its own fair coin. With W ~ Binomial(guesses, e^ε/(1 + e^ε)) and v = correct:
    P[W ≥ v] + 2nδ · max over i ≥ 1 of P[v − i ≤ W < v] / i, their bound for approximate privacy (main theorem and
    Appendix D). With δ = 0 it is plain: private guesses are no better than independent randomised response.
    """
    from scipy.special import bdtr, bdtrc

    q = 1 / (1 + np.exp(-epsilon))
    beta = 1.0 if correct == 0 else float(bdtrc(correct - 1, guesses, q))
    if delta == 0 or correct == 0:
        return beta
    i = np.arange(1, correct + 1)
    lower = np.where(i == correct, 0.0, bdtr(np.maximum(correct - i - 1, 0), guesses, q))  # P[W < v − i]
    alpha = np.max((bdtr(correct - 1, guesses, q) - lower) / i)
    return float(min(1.0, beta + 2 * n * delta * alpha))


def one_run_epsilon(correct: int, guesses: int, delta: float, n: int, confidence: float = 0.95) -> float:
    """The largest ε that so many right guesses refute: p-value ≤ 1 − confidence, by bisection; 0 where none is.

    Whatever ε is refuted refutes every smaller one too, for (ε, δ)-privacy implies (ε', δ) for ε' > ε; so the answer is
    valid even where the p-value should not rise evenly with ε.
    """
    if not 0 <= correct <= guesses <= n:
        raise Mistake(f"correct must be at most guesses, and guesses at most n; they are {correct}, {guesses} and {n}.")
    low, high = 0.0, 60.0
    if one_run_p_value(correct, guesses, delta, n, low) > 1 - confidence:
        return 0.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        refuted = one_run_p_value(correct, guesses, delta, n, middle) <= 1 - confidence
        low, high = (middle, high) if refuted else (low, middle)
    return low


def one_run_lower_bound(
    scores: np.ndarray, member: np.ndarray, delta: float, rng: np.random.Generator, confidence: float = 0.95
) -> float:
    """The best of a few one-run audits: the highest scores are guessed "in", the lowest "out" (``GUESSED``).

    For choosing the best afterwards each audit pays with its confidence (Bonferroni). Equal scores are ordered by
    chance, since the order of records may tell how the coins fell.
    """
    scores, member = evaluated(scores, member)
    n = len(scores)
    ranked = member[np.lexsort((rng.random(n), scores))]  # lowest score first
    each, bounds = each_of(len(GUESSED), confidence), []
    for k_in, k_out in guess_counts(n):
        right = int(ranked[n - k_in :].sum() + (~ranked[:k_out]).sum())
        bounds.append(one_run_epsilon(right, k_in + k_out, delta, n, each))
    return max(bounds)


def one_run_limit(n: int, delta: float, confidence: float = 0.95) -> float:
    """What ``one_run_lower_bound`` gives where every guess is right."""
    each = each_of(len(GUESSED), confidence)
    return max(one_run_epsilon(sum(counts), sum(counts), delta, n, each) for counts in guess_counts(n))


def guess_counts(n: int) -> list[tuple[int, int]]:
    """How many of n records each audit guesses in, and out."""
    return [(int(share_in * n), int(share_out * n)) for share_in, share_out in GUESSED]


def each_of(tried: int, confidence: float) -> float:
    """The confidence at which each of so many must hold, for all of them to hold with the confidence asked for."""
    return 1 - (1 - confidence) / tried
