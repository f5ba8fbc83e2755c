"""Ridge regression: small coefficients, which is no promise."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpmia_lab.checks import not_negative
from dpmia_lab.defences.tables.base import TableDefence
from dpmia_lab.options import number_text
from dpmia_lab.stages import Stage
from dpmia_lab.training.regression import Problem, least_squares


@dataclass(frozen=True)
class Ridge(TableDefence):
    title: ClassVar[str] = "ridge: small coefficients"
    models: ClassVar[tuple[str, ...]] = ("regression",)

    ridge: float = 0.1

    def __post_init__(self) -> None:
        not_negative(ridge=self.ridge)

    def words(self) -> str:
        return f"ridge {number_text(self.ridge)}"

    def coefficients(self, problem: Problem, rng: np.random.Generator) -> Stage[np.ndarray]:
        return least_squares(problem, self.ridge)
        yield  # a stage
