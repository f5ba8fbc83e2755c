"""A network as those meet it who ask it: its confidences, as its defence lets them be told."""

from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.defences.networks.base import NetworkDefence
from dpmia_lab.game.drawing import confidences_of
from dpmia_lab.seeds import numpy_generator

if TYPE_CHECKING:
    from torch import nn


class Answers:
    """Of one trained network. Each question is answered with noise of its own, where the defence draws any."""

    def __init__(self, model: "nn.Sequential", defence: NetworkDefence, seed: int) -> None:
        from dpmia_lab.training.bottleneck import through_mean

        self.model, self.defence = model, defence
        self.mean_model = through_mean(model)
        self.rng = numpy_generator(seed, "answers")

    def once(self, x: np.ndarray) -> np.ndarray:
        """(n, classes)."""
        return self.defence.told(confidences_of(self.model, x), self.rng)

    def many(self, x: np.ndarray, count: int) -> np.ndarray:
        """(count, n, classes)."""
        return np.stack([self.once(x) for _ in range(count)])

    def averaged(self, x: np.ndarray, count: int) -> np.ndarray:
        """(n, classes): the mean of so many answers."""
        return self.many(x, count).mean(0)

    def through_mean(self, x: np.ndarray) -> np.ndarray:
        """(n, classes): what one who has the weights makes of the mean code, before anything is rounded or hidden."""
        return confidences_of(self.mean_model, x)
