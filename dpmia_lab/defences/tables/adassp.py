"""AdaSSP: linear regression from noisy sums (Wang 2018), differentially private for a person.

Three things are released with Gaussian noise: the least eigenvalue of XᵀX, Xᵀy, and XᵀX itself (symmetric noise).
‖x‖ ≤ 1 and |y| ≤ 1 after scaling by bounds that are public, so that one person changes each by at most 1. As much
ridge is added as the noise asks for. ``joint`` calibrates the three together as what they are, Gaussian noise, by the
lab's tight accountant; else each has a third of ε and of δ, as published.
"""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from dpmia_lab.checks import positive, true_or_false
from dpmia_lab.defences.tables.base import ComposedGuarantee, TableDefence
from dpmia_lab.options import number_text
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.stages import Stage
from dpmia_lab.training.regression import Problem, solved

FAILURE = 0.05  # ρ: chance that the noise is larger than the ridge allows for; no part of the promise


@dataclass(frozen=True)
class AdaSsp(TableDefence):
    title: ClassVar[str] = "AdaSSP: noisy sums"
    models: ClassVar[tuple[str, ...]] = ("regression",)

    epsilon: float = 1.0
    delta: float = 1e-5
    joint: bool = True

    def __post_init__(self) -> None:
        positive(epsilon=self.epsilon)
        accounting.check_delta(self.delta)
        true_or_false(joint=self.joint)

    def words(self) -> str:
        return f"AdaSSP, ε = {number_text(self.epsilon)} for a record"

    def promise(self, people: int) -> Guarantee:
        if self.joint:
            return Guarantee(self.epsilon, "record", "add-remove", self.delta, "tight")
        return ComposedGuarantee(self.epsilon, "record", "add-remove", self.delta, "sum of thirds")

    @property
    def deviation(self) -> float:
        """Of the noise on each of the three, whose sensitivity is 1."""
        if self.joint:
            return joint_deviation(self.epsilon, self.delta)
        return float(np.sqrt(np.log(6 / self.delta)) / (self.epsilon / 3))

    def coefficients(self, problem: Problem, rng: np.random.Generator) -> Stage[np.ndarray]:
        released = self.noisy_sums(*sums_of(problem), rng)
        scaled = self.from_sums(*released)  # of x/norm and of y in −1 … 1
        half = (problem.high - problem.low) / 2
        coefficients = scaled * half / problem.norm
        coefficients[:, 0] += (problem.high + problem.low) / 2
        return coefficients
        yield  # a stage

    def noisy_sums(
        self, gram: np.ndarray, moments: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All that is ever told of the data: least eigenvalues (S,), XᵀX (S, d, d), Xᵀy (S, d)."""
        deviation, d = self.deviation, gram.shape[-1]
        least = np.linalg.eigvalsh(gram)[..., 0] + deviation * rng.standard_normal(len(gram))
        draws = deviation * rng.standard_normal(gram.shape)
        upper = np.triu(draws)
        symmetric = upper + np.triu(draws, 1).mT
        return least, gram + symmetric, moments + deviation * rng.standard_normal((len(gram), d))

    def from_sums(self, least: np.ndarray, gram: np.ndarray, moments: np.ndarray) -> np.ndarray:
        """(S, d): the regression, from what was told alone."""
        deviation, d = self.deviation, gram.shape[-1]
        safe = np.maximum(0, least - deviation * np.sqrt(np.log(6 / self.delta)))
        wanted = deviation * np.sqrt(d * np.log(2 * d**2 / FAILURE))
        ridge = np.maximum(0, wanted - safe)
        return solved(gram + ridge[:, None, None] * np.eye(d), moments)


@cache
def joint_deviation(epsilon: float, delta: float) -> float:
    """Three releases without sampling are three steps of the Gaussian mechanism."""
    return accounting.sigma_for("tight", epsilon, 1.0, 3, delta, "add-remove")


def sums_of(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """XᵀX and Xᵀy after scaling by public bounds: rows no longer than 1, y from −1 to 1."""
    x = problem.x / problem.norm
    y = (2 * problem.y - problem.low - problem.high) / (problem.high - problem.low)
    return x.mT @ x, (x.mT @ y[..., None])[..., 0]
