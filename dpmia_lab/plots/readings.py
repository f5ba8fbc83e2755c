"""A point of a chart, as those read it who cannot see it, or who point at it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """``x`` and ``y``: shares of the picture's width from its left, and of its height from its top."""

    x: float
    y: float
    name: str
    words: str
    key: str = ""  # what a click opens
    line: int = 0  # the same for points that were marked together
