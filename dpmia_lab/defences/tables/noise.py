"""Each answer of the model is told with fresh Gaussian noise, in the answer's own unit (of confidences: 1)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpmia_lab.checks import not_negative
from dpmia_lab.defences.tables.base import TableDefence
from dpmia_lab.options import number_text


@dataclass(frozen=True)
class Noise(TableDefence):
    title: ClassVar[str] = "noise on the answers"

    noise: float = 5.0

    def __post_init__(self) -> None:
        not_negative(noise=self.noise)

    def words(self) -> str:
        return f"noise {number_text(self.noise)} on each answer"

    def fits(self, model: str) -> str:
        if model != "regression" and self.noise > 1:
            return f"noise must be at most 1 for confidences, which go from 0 to 1; it is {self.noise!r}."
        return super().fits(model)

    def released(self, answers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return answers + self.noise * rng.standard_normal(answers.shape) if self.noise else answers

    def blur(self) -> float:
        return self.noise
