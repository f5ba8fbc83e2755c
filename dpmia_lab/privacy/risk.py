"""What a promise means for one person, whoever attacks: from the trade-off curve to rates and words.

The trade-off curve f bounds every test between a world with the unit and one without it (``tradeoff.py``). Any attack
that succeeds is such a test: who succeeds with chance b *without* the unit succeeds with chance at most 1 − f(b) *with*
it (Kulynych et al. 2025). With b a false-alarm rate that bounds membership inference; with b what can be guessed anyway
it bounds attribute inference and reconstruction. All of it holds for one unit: a record, where records are hidden.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpmia_lab.checks import between
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.local import LocalGuarantee
from dpmia_lab.privacy.population import most_with_person
from dpmia_lab.privacy.tight import tight_profile
from dpmia_lab.privacy.tradeoff import most_often_right, tradeoff_curve

FALSE_ALARMS = 0.01
RAREST = 1e-4  # the least rate of either error at which μ is compared: below, a δ alone makes any μ infinite


@dataclass(frozen=True, eq=False)
class Risk:
    """``epsilons``, ``deltas``: all pairs that hold at once; ``unit``: whose they are."""

    epsilons: np.ndarray
    deltas: np.ndarray
    unit: str = "record"

    def most_success(self, baseline: float) -> float:
        """1 − f(b): the most that an attack reaches which would succeed with chance b without the unit."""
        between(0, 1, baseline=baseline)
        return float(most_with_person(baseline, self.epsilons, self.deltas)[0])

    @property
    def most_caught(self) -> float:
        """Of members, at ``FALSE_ALARMS``."""
        return self.most_success(FALSE_ALARMS)

    @property
    def most_right(self) -> float:
        """Of guesses "in" or "out" at even odds."""
        return most_often_right(self.epsilons, self.deltas)

    @cached_property
    def mu(self) -> float:
        """The least μ whose Gaussian curve Φ(Φ⁻¹(1 − α) − μ) lies nowhere above f, at errors of ``RAREST`` or more.

        One number for the whole curve (Dong, Roth & Su 2022): as hard as telling two normal distributions apart whose
        means differ by μ standard deviations. Infinite where f vanishes within that range.
        """
        from scipy.special import ndtri

        alpha = np.geomspace(RAREST, 0.5, 400)
        alpha = np.concatenate([alpha, 1 - alpha[-2::-1]])
        miss = tradeoff_curve(alpha, self.epsilons, self.deltas)
        seen = miss >= RAREST
        if not seen.any():
            return np.inf
        return max(0.0, float((ndtri(1 - alpha[seen]) - ndtri(miss[seen])).max()))

    def words(self, guessed: float = 0.5) -> str:
        """``guessed``: how often a secret of that person is guessed right by those who never see the model."""
        of = f"a {self.unit}" if self.unit == "record" else f"a whole {self.unit}"
        return (
            f"Whatever anybody tries and knows besides, for {of}: at 1 % false alarms at most "
            f"{bound_text(self.most_caught)} of members are caught (1 % by guessing), and at even odds at most "
            f"{bound_text(self.most_right)} of guesses are right (50 % by guessing); a secret that is guessed right in "
            f"{100 * guessed:.3g} % of cases without that {self.unit} is guessed right in at most "
            f"{bound_text(self.most_success(guessed))} with it."
        )


def risk_of(promise: Guarantee | LocalGuarantee, dp: DpSgd | None = None) -> Risk:
    """From all the pairs that descent with ``dp`` keeps, where it is known, else from the promised one alone."""
    if dp is None or not dp.sigma:
        return Risk(np.array([promise.epsilon]), np.array([promise.delta]), promise.unit)
    return Risk(*tight_profile(dp.sigma, dp.q, dp.steps, dp.neighbours), promise.unit)


def bound_text(value: float) -> str:
    """In per cent, rounded up, so that it still is a bound: 6.4 %."""
    return f"{min(100.0, np.ceil(value * 1000 - 1e-6) / 10):.1f} %"
