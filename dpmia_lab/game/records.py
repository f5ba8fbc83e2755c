"""Records with labels, as collected."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Records:
    """x (n, …) as collected, unperturbed, and y (n,)."""

    x: np.ndarray
    y: np.ndarray

    def __len__(self) -> int:
        return len(self.y)

    def at(self, places: np.ndarray) -> "Records":
        return Records(self.x[places], self.y[places])

    def joined(self, other: "Records") -> "Records":
        return Records(np.concatenate([self.x, other.x]), np.concatenate([self.y, other.y]))
