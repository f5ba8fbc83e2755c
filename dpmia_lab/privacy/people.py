"""A person with several records: what hiding all of them together costs, at the same δ.

Each of the person's k records joins a step by itself, with chance q, so Binomial(k, q) of them meet in one batch.
With all of them in or out, the worlds of one step to be told apart are, in units of the clipping bound,

    add-remove     Σ b(j) N(j, σ²)   against   N(0, σ²)              b(j) = C(k, j) q^j (1 − q)^(k−j)
    replace-one    Σ b(j) N(j, σ²)   against   Σ b(j) N(−j, σ²)

No other gradients are easier to tell apart (Choquette-Choo et al. 2023, Corollary 4.7; Schuchardt et al. 2024).
k times one record's ε is *not* a bound at the same δ: the textbook's kε goes with a δ of about k e^((k−1)ε) δ.
"""

import functools
import math

import numpy as np

from dpmia_lab.checks import whole
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.moments import conversions, orders_for, step_divergences
from dpmia_lab.privacy.tight import (
    LEAST_PLD_Q,
    MOST_PLD_STEPS,
    TAIL_MASS,
    epsilon_of,
    interval_for,
    repeated,
    tight_epsilon,
    trusted,
)

MOST_RECORDS = 1000


def group_epsilon(records: int, sigma: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    """The smallest ε, at this δ, for all of a person's ``records`` together; of one record it is the tight one."""
    whole(1, MOST_RECORDS, records=records)
    if records == 1 or 0 in (q, sigma, steps):
        return accounting.epsilon("tight", sigma, q, steps, delta, neighbours)
    accounting.check_setting(sigma=sigma, q=q, steps=steps, delta=delta, neighbours=neighbours)
    if records * q * steps <= delta:
        return 0.0
    always = tight_epsilon(sigma / records, 1.0, steps, delta, neighbours)  # all of them in every batch
    largest = min(always, textbook_epsilon(records, sigma, q, steps, delta, neighbours))
    return epsilon_of(composed_group_losses(records, sigma, q, steps, neighbours), steps, delta, largest)


def textbook_epsilon(records: int, sigma: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    """Group privacy without a look inside: kε′ for an ε′ of one record whose δ′ is small enough.

    Changing k records one after another gives (kε′, δ′ Σ e^(iε′) for i < k), at most k e^((k−1)ε′) δ′. Rényi
    divergences say which δ′ goes with ε′; solved for ε′, an order α > k gives the bound below.
    """
    orders = orders_for(sigma)
    orders = orders[orders > records + 1e-9]
    if not len(orders):
        return math.inf
    composed = steps * step_divergences(sigma, q, orders, neighbours)
    one_record = composed + conversions(orders, delta / records)
    return records * max(0.0, float((one_record * (orders - 1) / (orders - records)).min()))


@functools.lru_cache(maxsize=4)
def composed_group_losses(records: int, sigma: float, q: float, steps: int, neighbours: str):
    """dp-accounting's distribution of the summed losses, or None where it would be too large or too rough."""
    if steps > MOST_PLD_STEPS or q < LEAST_PLD_Q:
        return None
    crowd, alone = Counts(records, q), Counts(0, q)
    pairs = [(crowd, crowd)] if neighbours == "replace-one" else [(crowd, alone), (alone, crowd)]
    worlds = [Worlds(first, second, sigma, TAIL_MASS / steps) for first, second in pairs]
    interval = interval_for(max(w.width for w in worlds), max(w.spread for w in worlds), steps)
    if interval is None:
        return None
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    return trusted(repeated(PrivacyLossDistribution(*[world.rounded(interval) for world in worlds]), steps))


class Counts:
    """How many of the person's records are in a batch: those numbers that have a chance, and its logarithm."""

    def __init__(self, records: int, q: float) -> None:
        from scipy.stats import binom

        numbers = np.arange(records + 1)
        logs = binom.logpmf(numbers, records, q)
        self.numbers, self.logs = numbers[np.isfinite(logs)], logs[np.isfinite(logs)]


class Worlds:
    """One noisy step in two worlds: N(+j, σ²) with the first's j against N(−j, σ²) with the second's.

    The loss log(first/second) rises with the output x.
    """

    def __init__(self, first: Counts, second: Counts, sigma: float, tail: float) -> None:
        from scipy.special import ndtri

        self.first, self.second, self.sigma = first, second, sigma
        reach = -float(ndtri(tail / 2)) * sigma
        grid = np.linspace(-reach, first.numbers[-1] + reach, 20_000)
        above = np.exp(self.log_above(first, grid))
        self.x = grid[: np.searchsorted(-above, -tail / 2) + 1]  # beyond, too little of the first world to count
        self.losses = self.losses_at(self.x)
        masses = -np.diff(np.exp(self.log_above(first, self.x)))
        middle = (self.losses[1:] + self.losses[:-1]) / 2
        self.width = float(self.losses[-1] - self.losses[0])
        self.spread = math.sqrt(float(masses @ (middle - masses @ middle) ** 2))

    def log_terms(self, counts: Counts, x: np.ndarray, sign: int) -> np.ndarray:
        """(x, j): log of chance × density at x of N(sign·j, σ²) over that of N(0, σ²)."""
        return counts.logs + (2 * sign * x[:, None] - counts.numbers) * counts.numbers / (2 * self.sigma**2)

    def losses_at(self, x: np.ndarray) -> np.ndarray:
        from scipy.special import logsumexp

        first, second = self.log_terms(self.first, x, 1), self.log_terms(self.second, x, -1)
        return logsumexp(first, axis=1) - logsumexp(second, axis=1)

    def log_above(self, counts: Counts, x: np.ndarray, sign: int = 1) -> np.ndarray:
        """(x,): log of the chance of an output above x."""
        from scipy.special import log_ndtr, logsumexp

        return logsumexp(counts.logs + log_ndtr((sign * counts.numbers - x[:, None]) / self.sigma), axis=1)

    def deltas(self, epsilons: np.ndarray) -> np.ndarray:
        """(epsilons,): first(x > t) − e^ε second(x > t), t where the loss is ε.

        A t that is a little off makes δ too small by the square of the error only: 1e-12 and less on this grid.
        """
        t = np.interp(epsilons, self.losses, self.x)
        above = np.exp(self.log_above(self.first, t)) - np.exp(epsilons + self.log_above(self.second, t, -1))
        return np.maximum.accumulate(np.clip(above, 0, 1)[::-1])[::-1]  # falling, whatever rounding did

    def rounded(self, interval: float):
        """The losses on dp-accounting's grid, to the safe side."""
        from dp_accounting.pld.pld_pmf import create_pmf_pessimistic_connect_dots_fixed_gap

        low, high = math.floor(self.losses[0] / interval), math.ceil(self.losses[-1] / interval)
        deltas = self.deltas(np.arange(low, high + 1) * interval)
        return create_pmf_pessimistic_connect_dots_fixed_gap(interval, low, high, deltas)
