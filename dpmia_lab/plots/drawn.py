"""Charts written as SVG by hand, without matplotlib: in a millisecond or two, so that they can follow a slider.

A ``Drawing`` has one pair of axes; what is drawn is given in the data's own units. It knows its points, as the other
charts of the lab do, and becomes a ``Drawn``, which a page shows like any other chart.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from dpmia_lab.plots.readings import Reading

COLOURS = {
    "ink": "#1b1b1b", "soft": "#5a5750", "reference": "#767269", "line": "#dedad1", "grid": "#eeebe4",
    "card": "#ffffff", "exposed": "#d55e00", "exposed-text": "#a84a00", "protected": "#0072b2",
}  # fmt: skip
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
SIZE = 13  # pixels, of all words


def colour(name: str) -> str:
    """The page's own, which may be another in the dark; alone, the picture keeps the usual one."""
    return f"var(--{name}, {COLOURS[name]})"


@dataclass(frozen=True)
class Axis:
    """From ``low`` to ``high``, with words at some values; ``title`` says what it is and what is good."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    title: str
    log: bool = False

    def shares(self, values) -> np.ndarray:
        """How far along the axis values are, 0 to 1; what lies outside is moved to the nearer end."""
        values = np.clip(np.asarray(values, dtype=float), self.low, self.high)
        low, high = (np.log(self.low), np.log(self.high)) if self.log else (self.low, self.high)
        return ((np.log(values) if self.log else values) - low) / (high - low)


@dataclass(frozen=True)
class Drawn:
    """A finished chart; ``parts`` is what stands within its ``<svg>``."""

    width: int
    height: int
    parts: str
    alt: str
    points: tuple[Reading, ...] = ()

    def svg(self, prefix: str = "") -> str:
        """``prefix`` as the other charts have it; nothing in here refers to another part."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" style="font: {SIZE}px {FONT}">{self.parts}</svg>'
        )

    def placed(self, x: float, y: float) -> str:
        """As a part of a larger picture, with its upper left corner there."""
        return f'<g transform="translate({x} {y})">{self.parts}</g>'

    def readings(self) -> list[Reading]:
        return list(self.points)


@dataclass
class Drawing:
    """``margins``: pixels left, right, above and below the axes."""

    width: int
    height: int
    x: Axis
    y: Axis
    margins: tuple[int, int, int, int] = (44, 12, 26, 42)
    parts: list[str] = field(default_factory=list)
    points: list[Reading] = field(default_factory=list)
    lines: int = 0  # how many times points were marked

    def places(self, x, y) -> np.ndarray:
        """(points, 2) in pixels."""
        left, right, top, bottom = self.margins
        across = left + self.x.shares(x) * (self.width - left - right)
        down = self.height - bottom - self.y.shares(y) * (self.height - top - bottom)
        return np.column_stack(np.broadcast_arrays(np.atleast_1d(across), np.atleast_1d(down)))

    def axes(self) -> None:
        """Light grid, words at the ticks, the titles: of y above it, of x below."""
        left, right, top, bottom = self.margins
        for value, words in self.x.ticks:
            ((x, _),) = self.places(value, self.y.low)
            self.segment(x, top, x, self.height - bottom, "grid")
            self.words_at(x, self.height - bottom + 16, words, "soft", "middle")
        for value, words in self.y.ticks:
            ((_, y),) = self.places(self.x.low, value)
            self.segment(left, y, self.width - right, y, "grid")
            self.words_at(left - 6, y + 4, words, "soft", "end")
        self.segment(left, self.height - bottom, self.width - right, self.height - bottom, "line")
        self.segment(left, top, left, self.height - bottom, "line")
        self.words_at(0, 13, self.y.title)
        self.words_at(self.width - right, self.height - 6, self.x.title, anchor="end")

    def segment(self, x1: float, y1: float, x2: float, y2: float, stroke: str, width: float = 1) -> None:
        """In pixels."""
        self.parts.append(
            f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour(stroke)}" stroke-width="{width}"/>'
        )

    def line(self, x, y, stroke: str, width: float = 2, dash: str = "", opacity: float = 1) -> None:
        path = "L".join(f"{across:.1f} {down:.1f}" for across, down in self.places(x, y))
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        seen = f' opacity="{opacity:.2f}"' if opacity < 1 else ""
        self.parts.append(
            f'<path d="M{path}" fill="none" stroke="{colour(stroke)}" stroke-width="{width}" '
            f'stroke-linejoin="round"{dashed}{seen}/>'
        )

    def dot(self, x: float, y: float, fill: str, radius: float = 4, opacity: float = 1, shape: str = "circle") -> None:
        """A circle, or a ``diamond``; with an edge in the page's colour, to stand out from what it covers."""
        ((across, down),) = self.places(x, y)
        look = f'fill="{colour(fill)}" stroke="{colour("card")}" opacity="{opacity:.2f}"'
        if shape == "diamond":
            r = 1.3 * radius
            corners = f"M{across:.1f} {down - r:.1f}l{r:.1f} {r:.1f}l{-r:.1f} {r:.1f}l{-r:.1f} {-r:.1f}Z"
            self.parts.append(f'<path d="{corners}" {look}/>')
        else:
            self.parts.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="{radius:.1f}" {look}/>')

    def interval(self, x: tuple[float, float], y: tuple[float, float], stroke: str) -> None:
        """From one place to another, as a bar."""
        (x1, y1), (x2, y2) = self.places(x, y)
        self.segment(x1, y1, x2, y2, stroke, width=2.5)

    def words(self, x: float, y: float, text: str, fill: str = "ink", anchor: str = "start", by=(0, 0)) -> None:
        """``by``: pixels right and down of the place."""
        ((across, down),) = self.places(x, y)
        self.words_at(across + by[0], down + by[1], text, fill, anchor)

    def words_at(self, x: float, y: float, text: str, fill: str = "ink", anchor: str = "start", bold=False) -> None:
        """In pixels; with an edge in the page's colour, so that lines behind do not disturb."""
        weight = ' font-weight="620"' if bold else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour(fill)}" stroke="{colour("card")}" '
            f'stroke-width="3" paint-order="stroke"{weight}>{escape(text)}</text>'
        )

    def mark(self, x, y, name: str, words: Sequence[str], keys: Sequence[str] = ()) -> None:
        """Remember points for the pointer, the keyboard and screen readers."""
        places = self.places(x, y) / (self.width, self.height)
        for i, (across, down) in enumerate(places):
            key = keys[i] if keys else ""
            self.points.append(Reading(float(across), float(down), name, words[i], key, self.lines))
        self.lines += 1

    def finished(self, alt: str) -> Drawn:
        return Drawn(self.width, self.height, "".join(self.parts), alt, tuple(self.points))
