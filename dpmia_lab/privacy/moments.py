"""The instant accountant: Rényi divergences of one noisy step, summed over steps, turned into (ε, δ).

Abadi et al. 2016 called them moments; Mironov 2017 and Mironov, Talwar & Zhang 2019 gave them today's form.
One step adds N(0, σ²) to a sum in which the unit in question takes part with probability q; the worlds to be
told apart are, in units of the clipping bound,

    add-remove     (1−q)N(0, σ²) + qN(1, σ²)   against   N(0, σ²)
    replace-one    (1−q)N(0, σ²) + qN(1, σ²)   against   (1−q)N(0, σ²) + qN(−1, σ²)

The other direction of add-remove is never the worse one (Mironov, Talwar & Zhang 2019, Theorem 5).
"""

import math

import numpy as np

MOST_STEPS = 10**9
# Geometric in α − 1, and close together: the best order often lies just below one from which the divergence soars.
ORDERS = 1 + np.concatenate([2.0 ** (np.arange(-40, -8) / 4), 2.0 ** (np.arange(-32, 481) / 16)])
ALWAYS = 1 - 1e-9  # from here on the unit is taken to join every step, which is never the better case


def orders_for(sigma: float) -> np.ndarray:
    """Those orders that can be of use at this noise: beyond them the divergence outgrows all it saves.

    With hardly any noise the grids are large and ε is huge: there every fourth order will do.
    """
    largest = sigma * max(128 * min(1.0, sigma), 40)
    orders = ORDERS[: max(1, np.searchsorted(ORDERS - 1, largest, side="right"))]
    return orders[::4] if sigma < 0.1 else orders


def step_divergences(sigma: float, q: float, orders: np.ndarray, neighbours: str) -> np.ndarray:
    """(orders,): the Rényi divergence of one step at each order α > 1, the orders rising."""
    if q == 0:
        return np.zeros(len(orders))
    if sigma == 0:
        return np.full(len(orders), np.inf)
    if q > ALWAYS:
        shift = 1 if neighbours == "add-remove" else 2
        return orders * (shift / sigma) ** 2 / 2
    groups = np.split(orders, np.searchsorted(orders, [9 * sigma, 36 * sigma]))  # small orders need small grids
    moments = [log_moments(*privacy_losses(sigma, q, g.max(), neighbours), g) for g in groups if len(g)]
    return np.concatenate(moments) / (orders - 1)


def privacy_losses(sigma: float, q: float, order: float, neighbours: str) -> tuple[np.ndarray, np.ndarray]:
    """On a grid of outputs x: log of step × density of the second world, and log of first over second.

    Both worlds are sums of Gaussians whose logarithms are smooth to a distance of πσ² from the real line, so the
    trapezoid rule with this step is exact to rounding. The integrand's bumps lie between 0 and the order (up to
    twice the order where q is nearly 1 and a unit is replaced); 9σ beyond them nothing is left.
    """
    replaced = neighbours == "replace-one"
    step = min(sigma, sigma**2) / 2
    most = order + replaced * min(max(0.0, sigma**2 * math.log(q / (1 - q))), order - 1)
    x = np.arange(-9 * sigma - replaced, most + 9 * sigma + step, step)
    log_weights = math.log(step / (sigma * math.sqrt(2 * math.pi))) - x**2 / (2 * sigma**2)
    losses = log_mixture(q, (2 * x - 1) / (2 * sigma**2))
    if replaced:
        other = log_mixture(q, (-2 * x - 1) / (2 * sigma**2))
        losses, log_weights = losses - other, log_weights + other
    return log_weights, losses


def log_mixture(q: float, log_ratio: np.ndarray) -> np.ndarray:
    """log(1 − q + q e^t): exact for small q e^t, and without overflow for large t."""
    small = np.log1p(q * np.expm1(np.minimum(log_ratio, 30.0)))
    return np.where(log_ratio < 30, small, np.logaddexp(math.log1p(-q), math.log(q) + log_ratio))


def log_moments(log_weights: np.ndarray, losses: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """(orders,): log E[(P/Q)^α] over Q."""
    powers = orders[:, None] * losses  # (orders, grid)
    logs = powers + log_weights
    peaks = logs.max(1)
    moments = peaks + np.log(np.exp(logs - peaks[:, None]).sum(1))
    tiny = moments < 1e-5  # there 1 + tiny would lose digits: sum what exceeds 1 instead
    if tiny.any():
        weights = np.exp(log_weights)
        excess = excesses(powers[tiny], logs[tiny], weights).sum(1)
        rounding = excesses(losses, log_weights + losses, weights).sum()  # of E[P/Q] − 1, which is 0
        moments[tiny] = np.log1p(excess - orders[tiny] * rounding)
    return moments


def excesses(powers: np.ndarray, logs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """weight × (e^power − 1), each to full precision, where logs = power + log weight."""
    near = weights * np.expm1(np.clip(powers, -1, 1))
    return np.where(np.abs(powers) < 1, near, np.exp(logs) - weights)


def conversions(orders: np.ndarray, delta: float, improved: bool = True) -> np.ndarray:
    """(orders,): what each order adds to its composed divergence to make an ε at this δ.

    Classic: Mironov 2017, Proposition 3; improved: Canonne, Kamath & Steinke 2020, Proposition 12.
    """
    classic = -math.log(delta) / (orders - 1)
    return classic + np.log1p(-1 / orders) - np.log(orders) / (orders - 1) if improved else classic


class Spending:
    """What training costs, step by step: prepared once, then asked at every step."""

    def __init__(self, sigma: float, q: float, delta: float, neighbours: str, improved: bool = True) -> None:
        orders = orders_for(sigma)
        self.per_step = step_divergences(sigma, q, orders, neighbours)
        self.conversion = conversions(orders, delta, improved)

    def epsilon(self, steps: int) -> float:
        """ε after so many steps."""
        return max(0.0, float((steps * self.per_step + self.conversion).min())) if steps else 0.0

    def steps(self, epsilon: float) -> int:
        """The largest number of steps that stays within ε, at most a thousand million."""
        room = np.minimum(epsilon - self.conversion, 1e18)
        most = float((room / np.maximum(self.per_step, 1e-30)).max())
        whole = int(min(max(most, 0.0), MOST_STEPS))
        nearest = (whole + 1, whole, whole - 1)  # the quotient may be off by rounding
        return next((steps for steps in nearest if 0 < steps <= MOST_STEPS and self.epsilon(steps) <= epsilon), 0)


def moments_epsilon(sigma: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    return Spending(sigma, q, delta, neighbours).epsilon(steps)


def classic_epsilon(sigma: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    return Spending(sigma, q, delta, neighbours, improved=False).epsilon(steps)


def moments_deltas(epsilons: np.ndarray, sigma: float, q: float, steps: int, neighbours: str) -> np.ndarray:
    """(epsilons,): the δ that goes with each ε, by the improved conversion solved for δ."""
    if steps == 0 or q == 0:
        return np.zeros(len(epsilons))
    orders = orders_for(sigma)
    composed = steps * step_divergences(sigma, q, orders, neighbours)
    exponents = (orders - 1) * (composed + np.log1p(-1 / orders) - np.asarray(epsilons)[:, None]) - np.log(orders)
    return np.exp(np.minimum(exponents.min(1), 0.0))
