"""Only the likeliest class is told, with confidence 1."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpmia_lab.defences.networks.base import NetworkDefence


@dataclass(frozen=True)
class LabelOnly(NetworkDefence):
    title: ClassVar[str] = "the label only"
    changes_training: ClassVar[bool] = False

    def words(self) -> str:
        return "the label only"

    def told(self, confidences: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.eye(confidences.shape[1], dtype=confidences.dtype)[confidences.argmax(1)]
