"""The front door of privacy accounting: ε, σ and T from one another, by any accountant, for a named neighbour relation.

In each of T steps every unit (record, subclass or class) joins with probability q, by itself; the sum of what
they contribute, each clipped to S, gets noise N(0, σ²S²I). An ε without its unit, neighbours, δ and accountant
means nothing: ``Guarantee.words`` says all of it.
"""

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass

from dpmia_lab.checks import Mistake, between, not_negative, one_of, whole
from dpmia_lab.privacy.moments import MOST_STEPS, Spending, classic_epsilon, moments_epsilon
from dpmia_lab.privacy.paper import closed_form, closed_form_sigma, closed_form_steps, paper_epsilon
from dpmia_lab.privacy.search import first_within
from dpmia_lab.privacy.tight import tight_epsilon

NEIGHBOURS = {"add-remove": "add or remove one", "replace-one": "replace one"}
LEAST_SIGMA, MOST_SIGMA = 0.01, 1e6


class Unreachable(Mistake):
    """No setting within range does what was asked for."""


@dataclass(frozen=True)
class Accountant:
    """``epsilon(sigma, q, steps, delta, neighbours)`` is for q, σ > 0; ∞ means it gives no guarantee."""

    words: str
    explanation: str
    epsilon: Callable[[float, float, int, float, str], float]


def closed_form_epsilon(sigma: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    """The formula's ε where all its conditions are met; elsewhere it proves nothing."""
    answer = closed_form(sigma, q, steps, delta, neighbours)
    return answer.epsilon if answer.holds else math.inf


ACCOUNTANTS = {
    "tight": Accountant(
        "tight accountant, PLD",
        "as good as exact, by dp-accounting; far outside the usual range, what the moments accountant says",
        tight_epsilon,
    ),
    "moments": Accountant(
        "moments accountant, improved conversion",
        "Rényi divergences, converted as by Canonne, Kamath and Steinke 2020: at once, and a little larger",
        moments_epsilon,
    ),
    "moments-classic": Accountant(
        "moments accountant, classic conversion",
        "Rényi divergences, converted as by Mironov 2017",
        classic_epsilon,
    ),
    "paper-moments": Accountant(
        "paper A's moments bound",
        "its Lemmas 1 and 2, with whole moments; replacement as a shift of 2, which is sound but loose",
        paper_epsilon,
    ),
    "paper-closed-form": Accountant(
        "paper A's closed form",
        "its Theorem 1 and Remark 1; no guarantee unless all conditions are met",
        closed_form_epsilon,
    ),
}


@dataclass(frozen=True)
class Guarantee:
    """An ε with all that gives it a meaning."""

    epsilon: float
    unit: str
    neighbours: str
    delta: float
    accountant: str

    def words(self) -> str:
        """Such as "ε = 2.31 for a record (add or remove one; δ = 1e-5; tight accountant, PLD)"."""
        number = "∞ (no guarantee)" if math.isinf(self.epsilon) else epsilon_text(self.epsilon)
        details = (NEIGHBOURS[self.neighbours], f"δ = {short(self.delta)}", ACCOUNTANTS[self.accountant].words)
        return f"ε = {number} for a {self.unit} ({'; '.join(details)})"


def epsilon_text(value: float, digits: int = 3) -> str:
    """A computed ε as it is printed everywhere: rounded up, never down; what stands before the point stands in full."""
    if math.isinf(value):
        return "∞"
    return rounded_up(float(value), max(digits, len(f"{value:.0f}")) if value < 1e6 else digits)


def rounded_up(value: float, digits: int = 3) -> str:
    """To so many significant digits, never below the value itself."""
    if value == 0:
        return "0"
    scale = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return short(math.ceil(value / scale - 1e-9) * scale, digits)


def short(value: float, digits: int = 6) -> str:
    """1e-5, not 1e-05; 1830, not 1.83e3."""
    text = f"{value:.{digits}g}"
    head, e, exponent = text.partition("e")
    if e and 0 < int(exponent) < 6:
        return f"{float(text):.0f}"
    return f"{head}e{int(exponent)}" if e else text


def check_setting(**values) -> None:
    """Any of sigma, q, steps, delta, neighbours, epsilon, accountant: one sentence if a value cannot be used."""
    for name, value in values.items():
        CHECKS[name](**{name: value})


def check_sigma(sigma: float) -> None:
    between(0, MOST_SIGMA, sigma=sigma)
    if 0 < sigma < LEAST_SIGMA:
        raise Mistake(f"sigma must be 0 or at least {LEAST_SIGMA}, as less noise protects nothing; it is {sigma!r}.")


def check_delta(delta: float) -> None:
    between(0, 1, delta=delta)
    if delta in (0, 1):
        raise Mistake(f"delta must be greater than 0 and less than 1; it is {delta!r}.")


CHECKS = {
    "sigma": check_sigma,
    "q": lambda q: between(0, 1, q=q),
    "steps": lambda steps: whole(0, MOST_STEPS, steps=steps),
    "delta": check_delta,
    "neighbours": lambda neighbours: one_of(tuple(NEIGHBOURS), neighbours=neighbours),
    "epsilon": lambda epsilon: not_negative(epsilon=epsilon),
    "accountant": lambda accountant: one_of(tuple(ACCOUNTANTS), accountant=accountant),
}


def default_delta(units: int) -> float:
    """The largest power of ten strictly below 1/units."""
    whole(1, 10**15, units=units)
    return float(f"1e-{len(str(units))}")


def epsilon(accountant: str, sigma: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    """What so many steps cost; ∞ where the accountant gives no guarantee."""
    check_setting(accountant=accountant, sigma=sigma, q=q, steps=steps, delta=delta, neighbours=neighbours)
    if steps == 0 or q == 0:
        return 0.0
    return math.inf if sigma == 0 else ACCOUNTANTS[accountant].epsilon(sigma, q, steps, delta, neighbours)


def sigma_for(accountant: str, epsilon: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    """The smallest σ, of four significant digits, that keeps within ε."""
    check_setting(accountant=accountant, epsilon=epsilon, q=q, steps=steps, delta=delta, neighbours=neighbours)
    if steps == 0 or q == 0:
        return 0.0
    if accountant == "paper-closed-form":
        return sigma_of_closed_form(epsilon, q, steps, delta, neighbours)
    high, step = round(place_of(MOST_SIGMA)), 0
    if accountant == "tight":  # never more than the moments accountant asks for, and seldom much less
        with contextlib.suppress(Unreachable):
            high, step = round(place_of(sigma_for("moments", epsilon, q, steps, delta, neighbours))), 500
    cost = ACCOUNTANTS[accountant].epsilon
    place = first_within(lambda i: cost(sigma_at(i), q, steps, delta, neighbours), epsilon, 0, high, step)
    if place is None:
        raise Unreachable(f"{accountant}: no sigma up to {MOST_SIGMA:g} keeps within epsilon {epsilon!r}.")
    return sigma_at(place)


def steps_for(accountant: str, epsilon: float, sigma: float, q: float, delta: float, neighbours: str) -> int:
    """The largest whole number of steps that keeps within ε, at most a thousand million."""
    check_setting(accountant=accountant, epsilon=epsilon, sigma=sigma, q=q, delta=delta, neighbours=neighbours)
    if q == 0 or sigma == 0:
        return MOST_STEPS if q == 0 else 0
    if accountant == "paper-closed-form":
        return steps_of_closed_form(epsilon, sigma, q, delta, neighbours)
    if accountant.startswith("moments"):
        return Spending(sigma, q, delta, neighbours, improved=accountant == "moments").steps(epsilon)
    fewest = Spending(sigma, q, delta, neighbours).steps(epsilon) if accountant == "tight" else 0
    cost = ACCOUNTANTS[accountant].epsilon
    # Counted downwards from the most, so that ε falls along the search.
    return MOST_STEPS - first_within(
        lambda i: cost(sigma, q, MOST_STEPS - i, delta, neighbours), epsilon, 0, MOST_STEPS - fewest, 1 + fewest // 8
    )


def sigma_of_closed_form(epsilon: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    """The formula's σ, rounded up; refused where it breaks the formula's own conditions."""
    sigma = closed_form_sigma(epsilon, q, steps, delta, neighbours) if epsilon > 0 else math.inf
    if not LEAST_SIGMA <= sigma <= MOST_SIGMA:
        raise Unreachable(f"paper-closed-form: no sigma from {LEAST_SIGMA} to {MOST_SIGMA:g} fits epsilon {epsilon!r}.")
    sigma = sigma_at(math.ceil(place_of(sigma) - 1e-6))
    refuse_broken(sigma, q, steps, delta, neighbours)
    return sigma


def steps_of_closed_form(epsilon: float, sigma: float, q: float, delta: float, neighbours: str) -> int:
    """The formula's T, rounded down; refused where it breaks the formula's own conditions."""
    steps = int(min(closed_form_steps(epsilon, sigma, q, delta, neighbours) * (1 + 1e-12), MOST_STEPS))
    if steps:
        refuse_broken(sigma, q, steps, delta, neighbours)
    return steps


def refuse_broken(sigma: float, q: float, steps: int, delta: float, neighbours: str) -> None:
    broken = [c.words for c in closed_form(sigma, q, steps, delta, neighbours).conditions if not c.met]
    if broken:
        raise Unreachable(
            f"paper-closed-form: the formula says sigma {sigma:g} and steps {steps}, but there it is no guarantee, "
            f"for it breaks {'; '.join(broken)}."
        )


def sigma_at(place: int) -> float:
    """The numbers of four significant digits from 0.01 on, by their place."""
    decade, rest = divmod(place, 9000)
    return float(f"{1000 + rest}e{decade - 5}")


def place_of(sigma: float) -> float:
    """The (fractional) place of σ among those numbers."""
    decade = math.floor(math.log10(sigma) + 1e-12) + 2
    return 9000 * decade + sigma * 10.0 ** (5 - decade) - 1000
