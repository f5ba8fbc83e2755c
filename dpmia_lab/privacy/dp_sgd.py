"""One description of differentially private descent, read by every engine that trains and by the accountants alike.

Since both are told σ, q and T by the same object, a model and its promise cannot disagree.
"""

import math
from dataclasses import dataclass, replace

from dpmia_lab.checks import Mistake, between, not_negative, one_of, positive, whole
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.moments import Spending


@dataclass(frozen=True)
class DpSgd:
    """In each of T steps every unit joins with chance q; gradients are clipped to S; noise N(0, σ²S²) is added.

    Plain descent has σ = 0 and S = ∞.
    """

    sigma: float  # σ, noise multiplier
    q: float
    clip: float  # S
    steps: int  # T
    delta: float = 0.0  # δ; 0 where no promise is asked for
    neighbours: str = "add-remove"

    def __post_init__(self) -> None:
        not_negative(sigma=self.sigma)
        between(0, 1, q=self.q, delta=self.delta)
        whole(0, accounting.MOST_STEPS, steps=self.steps)
        one_of(accounting.NEIGHBOURS, neighbours=self.neighbours)
        positive(q=self.q)
        if not self.clip > 0:
            raise Mistake(f"clip must be greater than 0; it is {self.clip!r}.")
        if self.sigma and math.isinf(self.clip):
            raise Mistake("clip must be a number where there is noise; it is inf.")

    def epsilon(self, accountant: str = "tight") -> float:
        """What all T steps cost."""
        setting = (self.sigma, self.q, self.steps, self.delta, self.neighbours)
        return accounting.epsilon(accountant, *setting)

    def guarantee(self, unit: str = "record", accountant: str = "tight") -> accounting.Guarantee:
        return accounting.Guarantee(self.epsilon(accountant), unit, self.neighbours, self.delta, accountant)

    def spending(self) -> Spending:
        """ε after any number of steps, at once, by the moments accountant."""
        return Spending(self.sigma, self.q, self.delta, self.neighbours)

    def within(self, epsilon: float, accountant: str = "moments") -> "DpSgd":
        """The same, with as many steps as ε pays for."""
        setting = (epsilon, self.sigma, self.q, self.delta, self.neighbours)
        return replace(self, steps=accounting.steps_for(accountant, *setting))

    def noise(self, units: int) -> float:
        """σS/(qK): the deviation of the noise a step, in each parameter."""
        return self.sigma * self.clip / (self.q * units) if self.sigma else 0.0


def of_epochs(
    sigma: float, clip: float, epochs: float, batch: int, units: int, delta: float = 0.0, neighbours: str = "add-remove"
) -> DpSgd:
    """Each unit joins ``epochs`` steps and ``batch`` units join each step, on average; a batch above K is K."""
    together = min(batch, units)
    steps = max(1, round(epochs * units / together))
    return DpSgd(sigma, together / units, clip, steps, delta, neighbours)
