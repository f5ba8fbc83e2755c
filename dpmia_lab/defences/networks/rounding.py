"""Confidences are told rounded (Fredrikson, Jha & Ristenpart 2015)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpmia_lab.checks import between
from dpmia_lab.defences.networks.base import NetworkDefence
from dpmia_lab.options import number_text, option


@dataclass(frozen=True)
class Rounding(NetworkDefence):
    title: ClassVar[str] = "confidences rounded"
    changes_training: ClassVar[bool] = False

    rounding: float = option(0.1, "rounding: step confidences are rounded to")

    def __post_init__(self) -> None:
        between(1e-9, 0.5, rounding=self.rounding)

    def words(self) -> str:
        return f"confidences rounded to {number_text(self.rounding)}"

    def told(self, confidences: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (self.rounding * np.rint(confidences / self.rounding)).astype(confidences.dtype)
