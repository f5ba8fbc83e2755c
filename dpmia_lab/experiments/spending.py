"""The accounting playground without its page: ε, σ and T from one another, at once, and then tightly.

All that a page shows of a setting is one ``Answer``, by one accountant: number, dot and curves cannot disagree. While
a slider moves it is the moments accountant's, in milliseconds; the tight one's is a stage, and so is the comparison
of all accountants, and what a person with several records is promised.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpmia_lab.checks import Mistake, one_of, whole
from dpmia_lab.options import option
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.moments import MOST_STEPS, Spending, moments_deltas
from dpmia_lab.privacy.paper import ClosedForm, closed_form, paper_epsilon
from dpmia_lab.privacy.people import MOST_RECORDS, group_epsilon
from dpmia_lab.privacy.tight import tight_profile
from dpmia_lab.privacy.tradeoff import most_often_right, tradeoff_curve
from dpmia_lab.privacy.units import UNITS
from dpmia_lab.reference import shipped
from dpmia_lab.stages import Progress, Snapshot, Stage

FOLLOWS = {"epsilon": "ε", "sigma": "σ", "steps": "T"}  # what may follow from the others
# False positives at which curves are drawn: close together where a curve falls steeply.
RATES = np.concatenate([[0.0], np.geomspace(1e-4, 0.1, 31), np.linspace(0.12, 1, 45)])
TIGHT_POINTS = 7  # of the curve over T
RECORDS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50)  # one person's


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
    records: int = option(7, "k, how many of the records are one person's")

    def __post_init__(self) -> None:
        one_of(FOLLOWS, follows=self.follows)
        whole(1, MOST_RECORDS, records=self.records)
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


def solved(setting: Setting, accountant: str = "moments") -> Setting:
    """The setting with what follows filled in; by the moments accountant, in milliseconds."""
    value = answer(setting, accountant)
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


@dataclass(frozen=True)
class Answer:
    """All that is shown of a setting: what follows is filled in, and the curve is by the same accountant."""

    setting: Setting
    accountant: str
    curve: Curve
    right: float  # how often the best attacker is right, at most, who must say "in" or "out" from even odds

    @property
    def epsilon(self) -> float:
        """What is spent after the setting's own steps; where ε is given, a little less than may be."""
        return float(self.curve.epsilons[self.curve.steps == self.setting.steps][0])

    @property
    def guarantee(self) -> accounting.Guarantee:
        return self.setting.guarantee(self.epsilon, self.accountant)

    def missed(self, accused: float) -> float:
        """Members missed, at least, by an attacker who wrongly accuses this share of outsiders."""
        return float(np.interp(accused, self.curve.rates, self.curve.misses))


def drawn_steps(steps: int, points: int = 50) -> np.ndarray:
    """Whole numbers from 1 to at least 10,000, evenly on a logarithmic axis; ``steps`` is among them."""
    last = min(MOST_STEPS, max(10_000, 10 ** math.ceil(math.log10(max(steps, 1)) + 0.5)))
    return np.unique(np.append(np.rint(np.geomspace(1, last, points)), steps)).astype(np.int64)


def instant_answer(setting: Setting) -> Answer:
    """By the moments accountant."""
    now = solved(setting)
    steps = drawn_steps(now.steps)
    spending = Spending(now.sigma, now.q, now.used_delta, now.neighbours)
    largest = Spending(now.sigma, now.q, 1e-9, now.neighbours).epsilon(now.steps)
    grid = np.linspace(0, min(largest, 700.0), 150)
    deltas = moments_deltas(grid, now.sigma, now.q, now.steps, now.neighbours)
    deltas = np.minimum(deltas, min(1.0, now.q * now.steps))
    epsilons = np.array([spending.epsilon(int(count)) for count in steps])
    curve = Curve(steps, epsilons, RATES, tradeoff_curve(RATES, grid, deltas))
    return Answer(now, "moments", curve, most_often_right(grid, deltas))


def tight_answer(setting: Setting) -> Stage[Answer]:
    """By the tight accountant."""
    yield Progress(0, TIGHT_POINTS, "accounting tightly")
    now = solved(setting, "tight")
    steps = drawn_steps(now.steps)
    some = np.unique(np.append(steps[:: math.ceil(len(steps) / TIGHT_POINTS)], [now.steps, steps[-1]]))
    epsilons = []
    for place, count in enumerate(some):
        yield Progress(place, len(some), "accounting tightly")
        epsilons.append(accounting.epsilon("tight", **{**now.how(), "steps": int(count)}))
    grid, deltas = tight_profile(now.sigma, now.q, now.steps, now.neighbours)
    curve = Curve(some, np.array(epsilons), RATES, tradeoff_curve(RATES, grid, deltas))
    return Answer(now, "tight", curve, most_often_right(grid, deltas))


@dataclass(frozen=True)
class Comparison:
    """Beside one tight answer: what follows by each accountant (or why nothing does), and each one's curve over T."""

    tight: Answer
    answers: dict[str, float | str]
    curves: dict[str, Curve]


def comparison(tight: Answer) -> Stage[Comparison]:
    """Every accountant beside the tight one."""
    answers = {"tight": getattr(tight.setting, tight.setting.follows)}
    for accountant in accounting.ACCOUNTANTS:
        yield Progress(len(answers), len(accounting.ACCOUNTANTS), "comparing accountants")
        if accountant not in answers:
            answers[accountant] = said(tight.setting, accountant)
    steps, how = drawn_steps(tight.setting.steps), tight.setting.how()
    spending = Spending(how["sigma"], how["q"], how["delta"], how["neighbours"])
    bound = np.array([paper_epsilon(**{**how, "steps": int(count)}) for count in steps])
    forms = [closed_form(**{**how, "steps": int(count)}) for count in steps]
    formula = np.array([form.epsilon if form.holds else np.inf for form in forms])
    curves = {
        "tight": tight.curve,
        "moments": Curve(steps, np.array([spending.epsilon(int(count)) for count in steps])),
        "paper-moments": Curve(steps, bound),
        "paper-closed-form": Curve(steps, formula),
    }
    return Comparison(tight, answers, curves)


def opening() -> tuple[Answer, np.ndarray]:
    """The tight answer and ``persons`` of the usual setting, computed beforehand: to be there before the accountant."""
    stored = {name: np.array(values) for name, values in shipped("spending").items()}
    curve = Curve(stored["steps"], stored["epsilons"], RATES, stored["misses"])
    usual = Setting()
    spent = float(curve.epsilons[curve.steps == usual.steps][0])
    return Answer(replace(usual, epsilon=spent), "tight", curve, float(stored["right"])), stored["persons"]


def opening_again() -> Stage[dict[str, list[float] | float]]:
    """What ``opening`` reads."""
    answer = yield from tight_answer(Setting())
    epsilons = yield from persons(Setting())
    curve = {name: getattr(answer.curve, name).tolist() for name in ("steps", "epsilons", "misses")}
    return {**curve, "right": answer.right, "persons": epsilons.tolist()}


def said(setting: Setting, accountant: str) -> float | str:
    try:
        return answer(setting, accountant)
    except Mistake as mistake:
        return str(mistake)


def formula(setting: Setting) -> ClosedForm:
    """Paper A's closed form at a solved setting, with its conditions."""
    return closed_form(**setting.how())


def persons(setting: Setting) -> Stage[np.ndarray]:
    """(RECORDS,): ε, at the same δ, for a person who has so many of the records, all of them in or all of them out.

    One record's comes first, then that of the setting's own k; the rest of the curve follows.
    """
    places = sorted(range(len(RECORDS)), key=lambda place: RECORDS[place] not in (1, setting.records))
    epsilons = np.full(len(RECORDS), np.nan)
    for done, place in enumerate(places):
        epsilons[place] = group_epsilon(RECORDS[place], **setting.how())
        if RECORDS[place] != 1:
            yield Snapshot("persons", done, epsilons.copy())
    return epsilons
