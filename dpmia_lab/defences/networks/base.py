"""What a defence of a network's answers is: how the network is trained, and what is told of its confidences.

A defence of the lab (``defences/base.py``) with one method more. What a subclass leaves alone stays as it is without
any defence.
"""

import math
from typing import ClassVar

import numpy as np

from dpmia_lab.defences.base import Defence


class NetworkDefence(Defence):
    """Subclasses are frozen dataclasses; ``title`` is what a menu calls them."""

    changes_training: ClassVar[bool] = True  # else the network is the undefended one, and only its answers differ
    draws_anew: ClassVar[bool] = False  # whether the same question may be answered differently the next time

    def told(self, confidences: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """What is told of confidences (n, classes)."""
        return confidences

    def update_noise(self) -> tuple[float, float]:
        """Of a later update on one record: the norm its gradient is clipped to, and the noise multiplier."""
        return math.inf, 0.0
