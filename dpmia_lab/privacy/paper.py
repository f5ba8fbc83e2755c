"""Paper A's own privacy analysis (Zhang et al. 2020, section IV), with what it needs to be true.

``paper_epsilon`` is its moments bound, computed instead of estimated: sound, though loose where a unit is replaced.
``closed_form`` is Theorem 1, Corollary 1 and Remark 1: a formula, and the conditions under which it was proved.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpmia_lab.privacy.moments import step_divergences

# (7) puts y for e^y − 1, which is more; a slack of 2 in (8) makes up for it while e^y − 1 ≤ 2y, that is y ≤ 1.2564.
LARGEST_Y = 1.2564312086261697


@dataclass(frozen=True)
class Condition:
    """One premise of a proof: the words, whether it is met here, and the numbers on its two sides."""

    words: str
    met: bool
    left_value: float
    right_value: float


@dataclass(frozen=True)
class ClosedForm:
    """What the formula says; a guarantee only if all conditions are met."""

    epsilon: float
    conditions: tuple[Condition, ...]

    @property
    def holds(self) -> bool:
        return all(condition.met for condition in self.conditions)


def paper_epsilon(sigma: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    """Lemmas 1 and 2: ε = min over whole κ of (T α(κ) + ln 1/δ) / κ.

    α(κ) compares N(0, σ²) with (1−q)N(0, σ²) + qN(s, σ²), where s is 2 for replacement and 1 otherwise. That is
    one step of add-remove with noise σ/s, at the Rényi order κ + 1; of E1 and E2 the mixture's is the larger.
    """
    if steps == 0:
        return 0.0
    noise = sigma / shift(neighbours)
    kappas = whole_moments(noise)
    alphas = kappas * step_divergences(noise, q, kappas + 1, "add-remove")
    return float(((steps * alphas - math.log(delta)) / kappas).min())


def whole_moments(sigma: float) -> np.ndarray:
    """κ = 1, 2, … 32, then one in every four per cent, up to what can be of use at this noise."""
    kappas = np.unique(np.rint(2.0 ** (np.arange(0, 481) / 16)))
    kappas = np.union1d(np.arange(1.0, 33.0), kappas)
    return kappas[kappas <= max(1.0, sigma * max(128 * min(1.0, sigma), 40))]


def closed_form(sigma: float, q: float, steps: int, delta: float, neighbours: str) -> ClosedForm:
    """Theorem 1 and Corollary 1 (replace-one), Remark 1 (add-remove), for σ, q > 0 and at least one step."""
    s = shift(neighbours)
    length = math.sqrt(-steps * math.log(delta))
    epsilon = 2 * s * q * length / sigma
    kappa = -2 * math.log(delta) / max(epsilon, 1e-300)  # the moment the proof of Theorem 1 chooses
    limit = math.sqrt(epsilon / (32 * s * length))
    most_kappa = -(sigma**2) * (math.log(q) + math.log(sigma))
    least_sigma = math.ceil(100 * s / math.sqrt(LARGEST_Y)) / 100
    y = min((s / sigma) ** 2, 700.0)
    second_order, allowed = (kappa + 1) * math.expm1(y), 2 * kappa * y * (1 - q)
    conditions = (
        Condition(f"q < √(ε / ({32 * s} √(T ln(1/δ))))", q < limit, q, limit),
        Condition("q < 1 / (16σ)", q < 1 / (16 * sigma), q, 1 / (16 * sigma)),
        Condition("κ = 2 ln(1/δ) / ε ≤ σ² ln(1 / (qσ))", kappa <= most_kappa, kappa, most_kappa),
        Condition(f"σ ≥ {least_sigma:.2f} (or else (7) is false)", sigma >= least_sigma, sigma, least_sigma),
        # The proof of Theorem 1 writes κ² for κ(κ + 1) / (1 − q), out of the same slack.
        Condition(f"(κ + 1)(e^y − 1) ≤ 2κy(1 − q), y = {s * s}/σ²", second_order <= allowed, second_order, allowed),
    )
    return ClosedForm(epsilon, conditions)


def closed_form_sigma(epsilon: float, q: float, steps: int, delta: float, neighbours: str) -> float:
    """The formula solved for σ."""
    return 2 * shift(neighbours) * q * math.sqrt(-steps * math.log(delta)) / epsilon


def closed_form_steps(epsilon: float, sigma: float, q: float, delta: float, neighbours: str) -> float:
    """The formula solved for T."""
    return (epsilon * sigma / (2 * shift(neighbours) * q)) ** 2 / -math.log(delta)


def shift(neighbours: str) -> int:
    """How far the paper lets one unit move the sum, in units of the clipping bound."""
    return 2 if neighbours == "replace-one" else 1
