"""The accounting playground without its page: ε, σ and T from one another, at once, and then tightly.

The instant answers come from the moments accountant; every other accountant, and the tight curves, are a stage.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpmia_lab.checks import Mistake, one_of, whole
from dpmia_lab.options import option
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.moments import MOST_STEPS, Spending, moments_deltas
from dpmia_lab.privacy.paper import ClosedForm, closed_form, paper_epsilon
from dpmia_lab.privacy.tight import tight_epsilon, tight_profile
from dpmia_lab.privacy.tradeoff import tradeoff_curve
from dpmia_lab.privacy.units import UNITS
from dpmia_lab.stages import Progress, Stage

FOLLOWS = {"epsilon": "ε", "sigma": "σ", "steps": "T"}  # what may follow from the others
# False positives at which curves are drawn: close together where a curve falls steeply.
RATES = np.concatenate([[0.0], np.geomspace(1e-4, 0.1, 31), np.linspace(0.12, 1, 45)])
TIGHT_POINTS = 7  # of the curve over T


@dataclass(frozen=True)
class Setting:
    follows: str = option("epsilon", "which one follows from the others: epsilon, sigma or steps")
    epsilon: float = option(3.0, "ε, the privacy that may be spent")
    sigma: float = option(2.0, "σ, noise multiplier: noise a step, in units of the clipping norm")
    q: float = option(0.25, "each unit's chance to join a step")
    steps: int = option(300, "T, number of steps")
    count: int = option(280, "K, how many units there are")
    delta: float = option(0.0, "δ (0: the largest power of ten below 1/K)")
    neighbours: str = option("add-remove", "what neighbours differ by: add-remove or replace-one")
    unit: str = option("record", "what is hidden: record, subclass or class")

    def __post_init__(self) -> None:
        one_of(FOLLOWS, follows=self.follows)
        one_of(UNITS, unit=self.unit)
        whole(1, 10**12, K=self.count)
        names = ("epsilon", "sigma", "q", "steps", "neighbours")
        accounting.check_setting(**{name: getattr(self, name) for name in names}, delta=self.used_delta)

    @property
    def used_delta(self) -> float:
        return self.delta or accounting.default_delta(self.count)

    def how(self) -> dict:
        """As the accountants want it."""
        names = ("sigma", "q", "steps", "neighbours")
        return {**{name: getattr(self, name) for name in names}, "delta": self.used_delta}

    def guarantee(self, epsilon: float, accountant: str) -> accounting.Guarantee:
        return accounting.Guarantee(epsilon, self.unit, self.neighbours, self.used_delta, accountant)


def answer(setting: Setting, accountant: str) -> float:
    """What follows from the others, by that accountant; raises Unreachable where nothing does."""
    asked = {"epsilon": setting.epsilon, **setting.how()}
    del asked[setting.follows]
    find = {"epsilon": accounting.epsilon, "sigma": accounting.sigma_for, "steps": accounting.steps_for}
    return find[setting.follows](accountant, **asked)


def solved(setting: Setting) -> Setting:
    """The setting with what follows filled in, by the moments accountant: in milliseconds."""
    value = answer(setting, "moments")
    if setting.follows == "steps" and value == 0:
        raise accounting.Unreachable(
            f"epsilon must pay for at least one step at this σ and q; it is {setting.epsilon:g}."
        )
    return replace(setting, **{setting.follows: value})


@dataclass(frozen=True)
class Curve:
    """By one accountant: ε at each number of steps, and, where known, the best attacker's two errors."""

    steps: np.ndarray
    epsilons: np.ndarray  # ∞ where there is no guarantee
    rates: np.ndarray | None = None  # outsiders wrongly accused
    misses: np.ndarray | None = None  # members missed, at least


def drawn_steps(steps: int, points: int = 50) -> np.ndarray:
    """Whole numbers from 1 to at least 10,000, evenly on a logarithmic axis; ``steps`` is among them."""
    last = min(MOST_STEPS, max(10_000, 10 ** math.ceil(math.log10(max(steps, 1)) + 0.5)))
    return np.unique(np.append(np.rint(np.geomspace(1, last, points)), steps)).astype(np.int64)


def instant_curve(setting: Setting) -> Curve:
    """By the moments accountant."""
    spending = Spending(setting.sigma, setting.q, setting.used_delta, setting.neighbours)
    steps = drawn_steps(setting.steps)
    largest = Spending(setting.sigma, setting.q, 1e-9, setting.neighbours).epsilon(setting.steps)
    grid = np.linspace(0, min(largest, 700.0), 150)
    deltas = moments_deltas(grid, setting.sigma, setting.q, setting.steps, setting.neighbours)
    misses = tradeoff_curve(RATES, grid, np.minimum(deltas, min(1.0, setting.q * setting.steps)))
    return Curve(steps, np.array([spending.epsilon(int(count)) for count in steps]), RATES, misses)


def paper_curves(setting: Setting) -> dict[str, Curve]:
    """Paper A's moments bound, and its formula where its conditions are met."""
    steps, how = drawn_steps(setting.steps), setting.how()
    bound = np.array([paper_epsilon(**{**how, "steps": int(count)}) for count in steps])
    forms = [closed_form(**{**how, "steps": int(count)}) for count in steps]
    formula = np.array([form.epsilon if form.holds else np.inf for form in forms])
    return {"paper-moments": Curve(steps, bound), "paper-closed-form": Curve(steps, formula)}


@dataclass(frozen=True)
class Tight:
    """What takes longer: ε by the tight accountant, what follows by each one (or why nothing does), and curves."""

    epsilon: float  # tight, at the solved setting
    answers: dict[str, float | str]  # as many as are known so far
    curves: dict[str, Curve]


def tight_epsilon_first(setting: Setting) -> Stage[Tight]:
    """For a solved setting, what comes soonest: the tight ε and the tight trade-off curve."""
    yield Progress(0, 1, "accounting tightly")
    epsilon = accounting.epsilon("tight", **setting.how())
    misses = tradeoff_curve(RATES, *tight_profile(setting.sigma, setting.q, setting.steps, setting.neighbours))
    answers = {"tight": epsilon} if setting.follows == "epsilon" else {}
    here = Curve(np.array([setting.steps]), np.array([epsilon]), RATES, misses)
    return Tight(epsilon, answers, {"tight": here, "moments": instant_curve(setting)})


def tight_answers(setting: Setting, first: Tight) -> Stage[Tight]:
    """All of it, beginning with what came first."""
    answers = {}
    for accountant in accounting.ACCOUNTANTS:
        yield Progress(0, 1, "accounting tightly")
        answers[accountant] = first.answers[accountant] if accountant in first.answers else said(setting, accountant)
    steps, here = drawn_steps(setting.steps), first.curves["tight"]
    some = np.unique(np.append(steps[:: math.ceil(len(steps) / TIGHT_POINTS)], [setting.steps, steps[-1]]))
    epsilons = []
    for count in some:
        yield Progress(0, 1, "accounting tightly")
        epsilons.append(tight_epsilon(**{**setting.how(), "steps": int(count)}))
    curves = {**first.curves, "tight": replace(here, steps=some, epsilons=np.array(epsilons)), **paper_curves(setting)}
    return Tight(first.epsilon, answers, curves)


def said(setting: Setting, accountant: str) -> float | str:
    try:
        return answer(setting, accountant)
    except Mistake as mistake:
        return str(mistake)


def formula(setting: Setting) -> ClosedForm:
    """Paper A's closed form at a solved setting, with its conditions."""
    return closed_form(**setting.how())
