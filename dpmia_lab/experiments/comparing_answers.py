"""What a grid of defences and attacks answers: who is on the front, how they rank, and what keeps to given limits.

Functions of a grid alone; pages and reports put what comes out into words and charts. The harm of a column is what the
attack that is worst for it does, so that a defence is never praised for the attack that it happens to stop.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpmia_lab.experiments.comparing_grid import Grid, Measured, measured_over
from dpmia_lab.metrics.front import front_shares, on_front
from dpmia_lab.metrics.tradeoffs import aop, phi

CANARIES, AT_RISK = ("mislabelled", "atypical"), ("worst",)
WHO = {"everybody": (), "canaries": CANARIES, "at risk": AT_RISK}  # protocols; everybody: all others
GUESSING = {"auc": 0.5, "tpr1": 0.01, "tpr01": 0.001, "attack_over_imputation": 0.0}
NOTHING = "nothing"  # the attack that knows nothing: its row is the chance level
WITHOUT_MODEL = ("prior", "imputation", "imputation_outcome")  # of attribute inference
KNOWS_THEM = ("alignment_same",)  # has other pictures of the same people: what it draws, it knew before


@dataclass(frozen=True)
class Harm:
    """What somebody suffers: how it is measured, of whom, and by which attack ("": the worst for each defence)."""

    measure: str = "tpr1"
    who: str = "everybody"
    attack: str = ""


@dataclass(frozen=True)
class Leak:
    """What one attack does to one column."""

    attack: str
    protocol: str
    measured: Measured


@dataclass(frozen=True)
class Bargain:
    """A column's utility and leak; ``front``: no other column beats its means; ``seeds``: in what share of seeds (NaN
    for a column that has not all of them, such as a reader's own cell).
    """

    column: str
    accuracy: Measured
    leak: Leak
    front: bool
    seeds: float


# ---- what a column leaks
def attacks_against(grid: Grid, harm: Harm) -> list[tuple[str, str]]:
    """The (attack, protocol) that do this harm; what needs no model to attack is a baseline, not an attack."""
    return [
        (attack, protocol)
        for attack, protocol in grid.attacks(harm.measure)
        if not is_baseline(attack, harm.measure) and of_whom(protocol) == harm.who and harm.attack in ("", attack)
    ]


def is_baseline(attack: str, measure: str) -> bool:
    return attack in ("", NOTHING, *KNOWS_THEM, *(WITHOUT_MODEL if measure.startswith("attack_") else ()))


def of_whom(protocol: str) -> str:
    return next((who for who, protocols in WHO.items() if protocol in protocols), "everybody")


def leak_of(grid: Grid, column: str, harm: Harm) -> Leak | None:
    """By the attack with the highest mean; None where none was tried on this column."""
    found = [
        (float(told.mean()), attack, protocol)
        for attack, protocol in attacks_against(grid, harm)
        if len(told := finite(grid.values_of(column, harm.measure, attack, protocol)))
    ]
    if not found:
        return None
    _, attack, protocol = max(found, key=lambda one: one[0])
    return Leak(attack, protocol, grid.measured(column, harm.measure, attack, protocol))


def finite(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)]


def chance_of(grid: Grid, measure: str) -> float:
    """What somebody who knows nothing scores."""
    if measure in GUESSING:
        return GUESSING[measure]
    found = [grid.measured(column, measure, attack, protocol).mean for column in grid.columns
             for attack, protocol in grid.attacks(measure) if attack == NOTHING]  # fmt: skip
    return float(np.nanmean(found)) if np.isfinite(found).any() else 0.0


def harms_of(grid: Grid) -> list[Harm]:
    """Every measure of harm that was taken, of everybody and of the worst cases, by the worst attack."""
    measures = ("tpr1", "recognised", "recognised_answers", "attack_over_imputation", "auc", "tpr01")
    possible = [Harm(measure, who) for measure in measures for who in WHO]
    return [harm for harm in possible if attacks_against(grid, harm)]


# ---- the front
def bargains(grid: Grid, harm: Harm) -> list[Bargain]:
    """Every column that was attacked, in the grid's order."""
    leaks = {name: leak for name in grid.columns if (leak := leak_of(grid, name, harm)) is not None}
    if not leaks:
        return []
    accuracy = {name: measured_over(grid.accuracy(name)) for name in leaks}
    both = [accuracy.values(), [leak.measured for leak in leaks.values()]]
    front = on_front(*(np.array([one.mean for one in found]) for found in both))
    each = [np.array([one.values for one in found]) for found in both]  # (columns, seeds)
    whole = np.isfinite(each[0] + each[1]).all(1)
    shares = np.full(len(leaks), np.nan)
    shares[whole] = front_shares(*(values[whole] for values in each))
    return [Bargain(name, accuracy[name], leaks[name], bool(front[place]), float(shares[place]))
            for place, name in enumerate(leaks)]  # fmt: skip


# ---- one number for both
@dataclass(frozen=True)
class Ranked:
    """A column by AOP(λ), with what that number is made of, and the tail that it does not look at."""

    column: str
    aop: Measured
    phi: float | None  # mean over the seeds in which it is defined
    accuracy: Measured
    auc: Leak
    tail: Leak | None  # members caught at 1 % false alarms


def ranked(grid: Grid, lam: float, classes: int, who: str = "everybody", attack: str = "") -> list[Ranked]:
    """Best first."""
    made = []
    for name in grid.columns:
        leak = leak_of(grid, name, Harm("auc", who, attack))
        if leak is None:
            continue
        accuracy = grid.accuracy(name)
        score = measured_over(aop(accuracy, leak.measured.values, lam))
        share = phi_of(grid, name, leak, classes)
        tail = leak_of(grid, name, Harm("tpr1", who, attack))
        made.append(Ranked(name, score, share, measured_over(accuracy), leak, tail))
    return sorted(made, key=lambda one: -one.aop.mean)


def phi_of(grid: Grid, column: str, leak: Leak, classes: int) -> float | None:
    """Against the undefended model under the same attack, seed by seed."""
    before = grid.accuracy("none"), grid.values_of("none", "auc", leak.attack, leak.protocol)
    after = grid.accuracy(column), leak.measured.values
    found = [phi(a0, a, k0, k, classes) for a0, a, k0, k in zip(before[0], after[0], before[1], after[1], strict=True)
             if np.isfinite([a0, a, k0, k]).all()]  # fmt: skip
    told = [value for value in found if value is not None]
    return float(np.mean(told)) if told and column != "none" else None


# ---- what may be used
@dataclass(frozen=True)
class Limit:
    """The most of a harm that is accepted."""

    harm: Harm
    most: float


@dataclass(frozen=True)
class Question:
    """The limits, and the least accuracy that is needed."""

    limits: tuple[Limit, ...]
    right: float


@dataclass(frozen=True)
class Option:
    """A column held against a question.

    ``misses``: by how much it misses the accuracy that is needed, then each limit, at the end of the interval that is
    less kind to it; 0 where it keeps to it, None where that cannot be told.
    """

    column: str
    accuracy: Measured
    leaks: tuple[Leak | None, ...]
    misses: tuple[float | None, ...]

    @property
    def kept(self) -> bool:
        return all(miss == 0 for miss in self.misses)

    @property
    def farthest(self) -> float:
        """The largest miss; infinite where something cannot be told."""
        return max(np.inf if miss is None else miss for miss in self.misses)


@dataclass(frozen=True)
class Answer:
    """``kept``: what may be used, the most accurate first; ``closest``: what misses least, where nothing may."""

    question: Question
    kept: Sequence[Option]
    closest: Option | None
    tried: int


def answer_to(grid: Grid, question: Question) -> Answer:
    """A column counts only if the whole of each of its intervals over seeds keeps to what is asked."""
    options = [option_of(grid, name, question) for name in grid.columns]
    kept = sorted((option for option in options if option.kept), key=lambda option: -option.accuracy.mean)
    tellable = [option for option in options if np.isfinite(option.farthest)]
    closest = min(tellable, key=lambda option: (option.farthest, -option.accuracy.mean), default=None)
    return Answer(question, kept, None if kept else closest, len(options))


def option_of(grid: Grid, column: str, question: Question) -> Option:
    accuracy = measured_over(grid.accuracy(column))
    leaks = tuple(leak_of(grid, column, limit.harm) for limit in question.limits)
    misses = [None if accuracy.low is None else max(0.0, question.right - accuracy.low)]
    for leak, limit in zip(leaks, question.limits, strict=True):
        known = leak is not None and leak.measured.high is not None
        misses.append(max(0.0, leak.measured.high - limit.most) if known else None)
    return Option(column, accuracy, leaks, tuple(misses))
