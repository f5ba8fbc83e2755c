"""How well membership scores tell members from outsiders. Scores (n,), higher = member; member (n,) bool.

A record with the score NaN was not to be evaluated (the white box attacker knew it) and is left out everywhere.
"""

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.metrics.intervals import Estimate, clopper_pearson, share_estimate


def evaluated(scores: np.ndarray, member: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores and membership of the records that have a score; there must be both kinds."""
    scores, member = np.asarray(scores, dtype=np.float64), np.asarray(member, dtype=bool)
    kept = ~np.isnan(scores)
    scores, member = scores[kept], member[kept]
    if member.all() or not member.any():
        raise Mistake(f"scores must be of members and of outsiders; they are of {member.sum()} and {(~member).sum()}.")
    return scores, member


def tied_share(scores: np.ndarray) -> float:
    """The share of records that have the commonest score: among them nobody can be told from anybody."""
    scores = np.asarray(scores, dtype=np.float64)
    scores = scores[~np.isnan(scores)]
    return float(np.unique(scores, return_counts=True)[1].max() / len(scores))


def failure(tied: float, auc_low: float, caught_low: float) -> str:
    """Whether an attack failed: "tied" where most records have one score, "guessing" where it is no better, else "".

    auc_low, caught_low: lower ends of the intervals of its AUC and of its true-positive rate at 1 % false positives.
    Whoever singles out members there did not fail.
    """
    if caught_low > 0.01:
        return ""
    return "tied" if tied > 0.5 else "guessing" if auc_low <= 0.5 else ""


def roc(scores: np.ndarray, member: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """False-positive rates, true-positive rates and thresholds ("member" at or above), from nobody to everybody.

    One point a different score, so that ties are never split; as scikit-learn's with ``drop_intermediate=False``.
    """
    scores, member = evaluated(scores, member)
    order = np.argsort(-scores, kind="stable")
    scores, member = scores[order], member[order]
    last = np.append(np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1)  # of each group of equal scores
    right = np.cumsum(member)[last]
    wrong = last + 1 - right
    fpr, tpr = np.append(0, wrong / wrong[-1]), np.append(0, right / right[-1])
    return fpr, tpr, np.append(np.inf, scores[last])


def placements(scores: np.ndarray, member: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each member the share of outsiders below it, for each outsider the share of members above; ties half."""
    inside, outside = np.sort(scores[member]), np.sort(scores[~member])

    def below(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (np.searchsorted(b, a, "left") + np.searchsorted(b, a, "right")) / (2 * len(b))

    return below(inside, outside), 1 - below(outside, inside)


def auc(scores: np.ndarray, member: np.ndarray) -> float:
    """The chance that a member scores above an outsider, ties counting half: the area under the ROC."""
    return float(placements(*evaluated(scores, member))[0].mean())


def auc_interval(scores: np.ndarray, member: np.ndarray, confidence: float = 0.95) -> Estimate:
    """AUC and DeLong's interval (DeLong, DeLong & Clarke-Pearson 1988; fast form, Sun & Xu 2014).

    Variance = var(members' placements)/members + var(outsiders')/outsiders. It is 0 where the two kinds do not overlap;
    there the interval is Clopper and Pearson's for as many disjoint pairs as there are, all of them told apart.
    """
    from scipy.special import ndtri

    above, below = placements(*evaluated(scores, member))
    value, pairs = float(above.mean()), min(len(above), len(below))
    if value in (0.0, 1.0):
        return share_estimate(round(value * pairs), pairs, confidence)
    if pairs == 1:
        return Estimate(value, 0.0, 1.0)  # no spread to be seen
    half = ndtri((1 + confidence) / 2) * np.sqrt(above.var(ddof=1) / len(above) + below.var(ddof=1) / len(below))
    return Estimate(value, float(max(0, value - half)), float(min(1, value + half)))


def auc_error(value: float, members: int, outsiders: int) -> float:
    """The standard error of an AUC of which only its value is known (Hanley & McNeil 1982).

    As if scores were exponential: Q₁ = A/(2 − A), Q₂ = 2A²/(1 + A), and the variance is
    (A(1 − A) + (members − 1)(Q₁ − A²) + (outsiders − 1)(Q₂ − A²)) / (members · outsiders).
    """
    q_1, q_2 = value / (2 - value), 2 * value**2 / (1 + value)
    spread = value * (1 - value) + (members - 1) * (q_1 - value**2) + (outsiders - 1) * (q_2 - value**2)
    return float(np.sqrt(max(0.0, spread) / (members * outsiders)))


def tpr_at_fpr(scores: np.ndarray, member: np.ndarray, fpr: float, confidence: float = 0.95) -> Estimate:
    """The largest true-positive rate at a threshold whose false-positive rate is at most ``fpr``; no interpolation.

    The interval (Clopper–Pearson) is for that threshold: it does not include the chance in where the threshold lies,
    which with fewer than about 10/fpr outsiders is considerable.
    """
    scores, member = evaluated(scores, member)
    false_rates, true_rates, _ = roc(scores, member)
    members = int(member.sum())
    caught = round(true_rates[false_rates <= fpr + 1e-12].max() * members)
    return share_estimate(caught, members, confidence)


def halves(member: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two index arrays, each with half of the members and half of the outsiders."""
    kinds = [rng.permutation(np.flatnonzero(member == kind)) for kind in (True, False)]
    if min(map(len, kinds)) < 2:
        found = f"{len(kinds[0])} and {len(kinds[1])}"
        raise Mistake(f"scores must be of at least 2 members and 2 outsiders; they are of {found}.")
    first, second = zip(*(np.array_split(kind, 2) for kind in kinds), strict=True)
    return np.concatenate(first), np.concatenate(second)


def balanced_accuracy(
    scores: np.ndarray, member: np.ndarray, rng: np.random.Generator, confidence: float = 0.95
) -> Estimate:
    """½(TPR + TNR) at one threshold, which is chosen on one random half and measured on the other.

    Interval: Clopper–Pearson of both rates, joined for their mean (Zou & Donner 2008).
    """
    scores, member = evaluated(scores, member)
    chosen_on, measured_on = halves(member, rng)
    fpr, tpr, thresholds = roc(scores[chosen_on], member[chosen_on])
    verdict = scores[measured_on] >= thresholds[np.argmax(tpr - fpr)]
    truth = member[measured_on]
    right = np.array([verdict[truth].sum(), (~verdict[~truth]).sum()])
    counts = np.array([truth.sum(), (~truth).sum()])
    rates, (low, high) = right / counts, clopper_pearson(right, counts, confidence)
    value = rates.mean()
    return Estimate(
        float(value),
        float(value - np.hypot(*(rates - low)) / 2),
        float(value + np.hypot(*(high - rates)) / 2),
    )
