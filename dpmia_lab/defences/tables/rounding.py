"""The model's answers are rounded: numbers to a step of their own unit, confidences to a step of 1."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpmia_lab.checks import not_negative
from dpmia_lab.defences.tables.base import TableDefence
from dpmia_lab.options import number_text


@dataclass(frozen=True)
class Rounding(TableDefence):
    title: ClassVar[str] = "answers rounded"

    rounding: float = 5.0

    def __post_init__(self) -> None:
        not_negative(rounding=self.rounding)

    def words(self) -> str:
        return f"answers rounded to {number_text(self.rounding)}"

    def fits(self, model: str) -> str:
        if model != "regression" and self.rounding > 0.5:
            return f"rounding must be at most 0.5 for confidences, which go from 0 to 1; it is {self.rounding!r}."
        return super().fits(model)

    def released(self, answers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.rounding * np.rint(answers / self.rounding) if self.rounding else answers
