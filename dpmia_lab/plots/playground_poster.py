"""One picture of a position, to keep: settings and seed, drawings, both charts, every number with its words."""

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from dpmia_lab.plots.drawn import Drawn, colour

WIDTH, EDGE, GAP = 1060, 24, 28
PICTURES = 500  # pixels across
ACROSS = 78  # letters of a line below them


def poster(title: str, lines: Sequence[str], picture: str, shape: tuple[int, int], charts: Sequence[Drawn]) -> Drawn:
    """``picture``: a PNG as data URI, of that many pixels down and across. ``lines``: what the numbers say.

    The drawings and the numbers on the left, the charts below each other on the right.
    """
    high = PICTURES * shape[0] / shape[1]
    parts = [words(EDGE, 40, "dpmia_lab playground", 18, "620"), words(EDGE, 64, title, 15)]
    image = f'<image href="{picture}" x="{EDGE}" y="84" width="{PICTURES}" height="{high:.0f}" '
    parts.append(f'{image} style="image-rendering: pixelated"/>')
    down = 84 + high + 28
    for line in lines:
        for piece in wrap(line, ACROSS):
            parts.append(words(EDGE, down, piece, 13))
            down += 18
        down += 6
    below = 84
    for chart in charts:
        parts.append(chart.placed(EDGE + PICTURES + GAP, below))
        below += chart.height + 20
    height = round(max(down, below) + 8)
    paper = f'<rect width="{WIDTH}" height="{height}" fill="{colour("card")}"/>'
    return Drawn(WIDTH, height, paper + "".join(parts), f"{title}. {' '.join(lines)}")


def words(x: float, y: float, text: str, size: int, weight: str = "400") -> str:
    look = f'font-size="{size}" font-weight="{weight}" fill="{colour("ink")}"'
    return f'<text x="{x}" y="{y:.0f}" {look}>{escape(text)}</text>'

