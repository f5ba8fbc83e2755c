"""The tight accountant: privacy loss distributions (PLD), composed by Fourier transform.

dp-accounting knows both neighbour relations under Poisson sampling; here its grid is chosen so that an answer
comes in about a tenth of a second. Without sampling (q = 1) the exact formula of Balle & Wang 2018 is used.

Every answer is an upper bound. Where the grid would be too large, or δ so small that the transform's rounding
would show, the moments accountant answers instead: larger, and just as valid. A unit joins any step at all with a
chance of at most qT, so a δ of that much needs no ε.
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from dpmia_lab.privacy.moments import ALWAYS, log_mixture, moments_deltas, moments_epsilon

MOST_INTERVAL = 700  # beyond, the library's exponentials overflow
STEP_POINTS = (100, 400, 6000)  # of one step's grid: at least, rather at least, at most
MOST_POINTS = 300_000  # of the composed grid
MOST_PLD_STEPS = 10**7
LEAST_PLD_Q = 1e-12
TAIL_MASS = 1e-12  # chance of the losses left out on the grid's upper side; they count as infinite
ROUNDING = 1e-15  # of the transform, a step: 25 times what was measured


def tight_epsilon(sigma: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    """The smallest ε that goes with this δ."""
    if q * steps <= delta:
        return 0.0
    largest = moments_epsilon(sigma, q, steps, delta, neighbours)
    if largest in (0, math.inf):
        return largest
    if q > ALWAYS:
        mu = mean_shift(sigma, steps, neighbours)
        return smallest_within(lambda epsilon: gaussian_deltas(mu, epsilon), delta, largest)
    return epsilon_of(composed_losses(sigma, q, steps, neighbours), steps, delta, largest)


def epsilon_of(composed, steps: int, delta: float, largest: float) -> float:
    """The smallest ε of composed losses at this δ; ``largest``, a valid bound, where they cannot tell."""
    left = min(delta, 0.9) - allowance(steps)  # nearer to 1 the library's exponentials might overflow
    if composed is None or left <= 0:
        return largest
    if largest < 600:  # beyond, its e^−ε would lose digits
        return min(largest, float(composed.get_epsilon_for_delta(left)))
    return smallest_within(composed.get_delta_for_epsilon, left, largest)


def tight_deltas(epsilons: np.ndarray, sigma: float, q: float, steps: int, neighbours: str) -> np.ndarray:
    """(epsilons,): the smallest δ that goes with each ε ≥ 0."""
    epsilons = np.asarray(epsilons, dtype=float)
    deltas = np.minimum(moments_deltas(epsilons, sigma, q, steps, neighbours), q * steps)
    if q == 0 or sigma == 0 or steps == 0:
        return deltas
    if q > ALWAYS:
        return gaussian_deltas(mean_shift(sigma, steps, neighbours), epsilons)
    composed = composed_losses(sigma, q, steps, neighbours)
    return deltas if composed is None else np.minimum(deltas, hockey_sticks(composed, epsilons) + allowance(steps))


def tight_profile(sigma: float, q: float, steps: int, neighbours: str) -> tuple[np.ndarray, np.ndarray]:
    """200 pairs (ε, δ) to draw a trade-off curve from: ε from 0 until δ is 1e-9 (or ε 700, beyond drawing)."""
    epsilons = np.linspace(0, min(700.0, tight_epsilon(sigma, q, steps, 1e-9, neighbours)), 200)
    return epsilons, tight_deltas(epsilons, sigma, q, steps, neighbours)


def mean_shift(sigma: float, steps: int, neighbours: str) -> float:
    """Without sampling, all steps together are one Gaussian shifted by so many of its standard deviations."""
    return (1 if neighbours == "add-remove" else 2) * math.sqrt(steps) / sigma


def gaussian_deltas(mu: float, epsilons: np.ndarray) -> np.ndarray:
    """Balle & Wang 2018, Theorem 8: Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), without overflow."""
    from scipy.special import log_ndtr

    first = log_ndtr(mu / 2 - epsilons / mu)
    second = epsilons + log_ndtr(-mu / 2 - epsilons / mu)
    return -np.exp(first) * np.expm1(np.minimum(0.0, second - first))


def smallest_within(delta_at: Callable[[float], float], delta: float, largest: float) -> float:
    """The smallest ε up to ``largest`` with δ(ε) ≤ delta, from above, to one part in a million."""
    low, high = 0.0, largest
    if delta_at(low) <= delta:
        return low
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if delta_at(middle) <= delta else (middle, high)
    return high


def allowance(steps: int) -> float:
    """Added to every δ: the tails that were cut, and the transform's rounding."""
    return TAIL_MASS + ROUNDING * steps


def hockey_sticks(composed, epsilons: np.ndarray) -> np.ndarray:
    """(epsilons,): δ of the composed losses; all at once unless e^ε would overflow."""
    if epsilons.max() > 700:
        return np.array([composed.get_delta_for_epsilon(float(epsilon)) for epsilon in epsilons])
    places = np.argsort(epsilons)  # the library wants them in order
    deltas = np.empty(len(epsilons))
    deltas[places] = composed.get_delta_for_epsilon(epsilons[places])
    return deltas


@functools.lru_cache(maxsize=4)  # a page asks for ε and for a curve of the same setting
def composed_losses(sigma: float, q: float, steps: int, neighbours: str):
    """dp-accounting's distribution of the summed losses, or None where it would be too large or too rough."""
    if steps > MOST_PLD_STEPS or q < LEAST_PLD_Q:
        return None
    log_tail = math.log(TAIL_MASS / steps)
    interval = grid_interval(sigma, q, steps, neighbours, log_tail)
    if interval is None:
        return None
    import dp_accounting
    from dp_accounting.pld import privacy_loss_distribution

    relations = dp_accounting.NeighboringRelation
    one_step = privacy_loss_distribution.from_gaussian_mechanism(
        standard_deviation=sigma,
        value_discretization_interval=interval,
        log_mass_truncation_bound=log_tail,
        sampling_prob=q,
        neighboring_relation=relations.ADD_OR_REMOVE_ONE if neighbours == "add-remove" else relations.REPLACE_ONE,
    )
    return trusted(repeated(one_step, steps))


def trusted(composed):
    """The composed losses, or None if rounding shows: all of them together must be 1, or more to the safe side."""
    return composed if 1 - 1e-6 < composed.get_delta_for_epsilon(-1e12) < 2 else None


def repeated(one_step, steps: int):
    """The same step so many times, as so many pairs.

    A pair is kept as an array; a small single step would be a dictionary, whose size the library raises to the
    power of the number of steps.
    """
    if steps == 1:
        return one_step
    even = one_step.compose(one_step).self_compose(steps // 2)
    return even.compose(one_step) if steps % 2 else even


def grid_interval(sigma: float, q: float, steps: int, neighbours: str, log_tail: float) -> float | None:
    """``interval_for`` one step of this noise, from formulas for its losses' range and spread."""
    from scipy.special import ndtri

    sides = 2 if neighbours == "replace-one" else 1  # losses of both signs grow large when a unit is replaced
    furthest = 1 - ndtri(math.exp(log_tail) / 2) * sigma  # the largest output kept
    lowest, highest = log_mixture(q, np.array([-1, 1]) * (2 * furthest - 1) / (2 * sigma**2))
    width = sides * float(highest - lowest)
    spread = min(width, sides * q * math.sqrt(math.expm1(min(700.0, sigma**-2))))
    return interval_for(width, spread, steps, sides)


def interval_for(width: float, spread: float, steps: int, sides: int = 1) -> float | None:
    """An eighth of one step's spread (which costs about 0.1 % of ε), or more where that gives too many points."""
    variance = steps * spread**2
    # The library's Chernoff bound on the composed width, over the orders it tries.
    order = min(max(math.sqrt(70 / variance), 1 / width), 20 / width)
    composed_width = variance * order + 70 / order
    fewest, enough, most = STEP_POINTS
    wanted = min(max(spread / 8, width / most) / sides, width / enough)
    interval = max(wanted, composed_width / MOST_POINTS)
    rough = steps * (width / interval) * (1e-16 / interval)  # rounding in one step's grid, T times over
    return interval if interval < min(width / fewest, MOST_INTERVAL) and rough < 1 else None
