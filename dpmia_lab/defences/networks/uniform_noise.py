"""Each confidence is told with fresh uniform noise (Salem et al. 2020); none is told below 0."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpmia_lab.checks import between
from dpmia_lab.defences.networks.base import NetworkDefence
from dpmia_lab.options import number_text, option


@dataclass(frozen=True)
class UniformNoise(NetworkDefence):
    title: ClassVar[str] = "uniform noise on confidences"
    changes_training: ClassVar[bool] = False
    draws_anew: ClassVar[bool] = True

    noise: float = option(0.1, "uniform_noise: at most so much is added to a confidence, or taken away")

    def __post_init__(self) -> None:
        between(0, 1, noise=self.noise)

    def words(self) -> str:
        return f"uniform noise up to {number_text(self.noise)} on confidences"

    def told(self, confidences: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        noise = rng.uniform(-self.noise, self.noise, confidences.shape)
        return np.clip(confidences + noise, 0, None).astype(confidences.dtype)
