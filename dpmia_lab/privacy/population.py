"""What differential privacy says about guessing attributes: little about the population, much about one person.

Paper B (section 4) bounds how much a model helps to guess a secret of *anybody* by how well a model of real data can be
told from one of data in which secrets were shuffled. All n records differ between those two, so that bound pays for n
records at once, and is useless unless ε is about 1/n. What differential privacy does bound is how much better a
person's secret is guessed *because they took part*: that pays for one record.
"""

import numpy as np

from dpmia_lab.checks import not_negative, whole
from dpmia_lab.privacy.accounting import check_setting
from dpmia_lab.privacy.tradeoff import tradeoff_curve


# ---- the two games, by enumeration: joint (V, C), chances of a secret and of what else is known of a person
def semantic_gain(joint: np.ndarray) -> float:
    """How often whoever knows the population guesses a secret right, at best (eq. 7): no model is needed for it."""
    return float(joint.max(0).sum())


def shuffled(joint: np.ndarray) -> np.ndarray:
    """(V, C): the population in which a secret has nothing to do with anything else."""
    return joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)


def imputation_advantage(joint: np.ndarray) -> float:
    """Eq. 8's advantage of one who guesses from knowledge of the population and never looks at the model.

    As eq. 8 is printed, the person too comes from the shuffled population in its second term. A model that says
    nothing then has gain ½ in the other game, Theorem 1 promises an advantage of 0, and this is more: imputation
    refutes it. The proof draws the person from the true population in both terms; read so, the theorem holds.
    """
    guess = joint.argmax(0)
    right = shuffled(joint)[guess, np.arange(joint.shape[1])].sum()
    return semantic_gain(joint) - float(right)


def distinguishing_gain(one: np.ndarray, other: np.ndarray) -> float:
    """How often the better guess is right at which of two distributions of models a model came from, at even odds."""
    return 0.5 + 0.25 * float(np.abs(np.asarray(one) - np.asarray(other)).sum())


# ---- the theorems
def distinguishing_bound(people: int, epsilon: float, delta: float = 0.0) -> float:
    """Theorem 2: e^{nε}/(e^{nε} + 1) + (e^{nε} − 1)/((e^{nε} + 1)(e^ε − 1))·δ, at most 1; without overflow.

    The first term is the logistic function of nε; the second is tanh(nε/2)·δ/(e^ε − 1), which for ε = 0 is nδ/2.
    """
    whole(1, 10**15, people=people)
    not_negative(epsilon=epsilon)
    if delta:
        check_setting(delta=delta)
    exponent = people * epsilon
    first = 1 / (1 + np.exp(-exponent))
    small = epsilon < 1e-12
    second = people / 2 if small else np.tanh(exponent / 2) * np.exp(-epsilon) / -np.expm1(-epsilon)
    return float(min(1.0, first + second * delta))


def advantage_bound(people: int, epsilon: float, delta: float = 0.0) -> float:
    """Theorems 1 and 2 together: 2·gain − 1; 1 says nothing."""
    return 2 * distinguishing_bound(people, epsilon, delta) - 1


def epsilon_for_advantage(people: int, advantage: float) -> float:
    """The largest ε (with δ = 0) at which the bound promises no more than this advantage: 2·atanh(advantage)/n."""
    return float(2 * np.arctanh(advantage) / people)


# ---- one person
def most_with_person(without: float | np.ndarray, epsilons, deltas) -> np.ndarray:
    """How often a person's secret is guessed right at most, if it is guessed right ``without`` their record so often.

    Guessing right is an event, and the two models are neighbours (add or remove the record): the chance of an event is
    at most 1 − f(its chance for the neighbour), f the trade-off curve of all pairs (ε, δ) that hold.
    """
    rates = np.atleast_1d(np.asarray(without, dtype=float))
    return 1 - tradeoff_curve(rates, np.atleast_1d(epsilons), np.atleast_1d(deltas))
