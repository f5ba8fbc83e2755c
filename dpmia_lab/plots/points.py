"""A chart knows where its points are: each has a place in the picture, a name, its numbers in words, and what it opens.

Plots call ``mark`` where they draw; places are worked out when all axes have their limits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Transform

from dpmia_lab.plots.readings import Reading

MOST = 40  # readings along one line
EDGE = 6.0  # points (1/72 inch) that a marker may stand outside of its axes


@dataclass(frozen=True)
class Marks:
    """Points that were drawn together."""

    axes: Axes
    places: np.ndarray  # (points, 2), as drawn
    names: Sequence[str]
    words: Sequence[str]
    keys: Sequence[str]
    transform: Transform


class MarkedFigure(Figure):
    """A figure that remembers its points."""

    def __init__(self, *arguments, **named) -> None:
        super().__init__(*arguments, **named)
        self.marks: list[Marks] = []


def mark(
    axes: Axes,
    x: Sequence[float] | float,
    y: Sequence[float] | float,
    names: Sequence[str] | str,
    words: Sequence[str] | str,
    keys: Sequence[str] | str = "",
    transform: Transform | None = None,
) -> None:
    """Remember points as they are drawn; a name, words or a key for all of them, or one each.

    ``transform``: of x and y, where they are not the axes' data.
    """
    x, y = np.broadcast_arrays(*(np.atleast_1d(np.asarray(v, dtype=float)) for v in (x, y)))
    each = ([v] * len(x) if isinstance(v, str) else list(v) for v in (names, words, keys))
    axes.figure.marks.append(Marks(axes, np.column_stack([x, y]), *each, transform or axes.transData))


def some_of(count: int, most: int = MOST) -> np.ndarray:
    """Places of at most so many readings along a line of ``count`` values, its ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def readings_of(figure: MarkedFigure) -> list[Reading]:
    """In the order in which they were marked; what is not there (NaN, outside of its axes) is left out."""
    size, found = np.array([figure.bbox.width, figure.bbox.height]), []
    for line, marks in enumerate(figure.marks):
        shares = marks.transform.transform(marks.places) / size
        edge = EDGE * figure.dpi / 72 / size
        low, high = marks.axes.bbox.get_points() / size
        with np.errstate(invalid="ignore"):
            there = ((shares >= low - edge) & (shares <= high + edge)).all(axis=1)
        for i in np.flatnonzero(there):
            x, y = float(shares[i, 0]), float(1 - shares[i, 1])
            found.append(Reading(x, y, marks.names[i], marks.words[i], marks.keys[i], line))
    return found
