"""What every chart shares: colours that carry meaning, one style, fixed margins, words and readings that stand for it.

No pyplot: it keeps every figure it makes, which a server cannot afford. Labels stand at the lines, what
is good stands at the axis, grey is reference.
"""

import io
from dataclasses import dataclass

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg

from dpmia_lab.plots.points import MarkedFigure, Reading, readings_of
from dpmia_lab.plots.svg import svg_text

INK, EXPOSED, PROTECTED, REFERENCE, LINE = "#1B1B1B", "#D55E00", "#0072B2", "#767269", "#DEDAD1"
STYLE = {
    "font.family": "sans-serif",
    "font.size": 10.5,
    "axes.titlesize": 10.5,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#EEEBE4",
    "xtick.color": "#5A5750",
    "ytick.color": "#5A5750",
    "text.color": INK,
    "figure.facecolor": "white",
    "svg.fonttype": "none",
}
DPI = 100


@dataclass(frozen=True)
class Chart:
    figure: MarkedFigure
    alt: str  # what the chart shows, in words, computed from the same data

    def readings(self) -> list[Reading]:
        """Its points: where they are in the picture, their names and numbers, and what a click on them opens."""
        return readings_of(self.figure)

    def svg(self, prefix: str = "chart") -> str:
        """For a page; ``prefix`` is the chart's own there."""
        return svg_text(self.figure, STYLE, prefix)

    def png(self) -> bytes:
        """For a file, at twice the resolution: sharp text on sharp screens."""
        buffer = io.BytesIO()
        with rc_context(STYLE):
            FigureCanvasAgg(self.figure).print_png(
                buffer, pil_kwargs={"compress_level": 1}, metadata={"Software": None}
            )
        return buffer.getvalue()


def new_figure(width: int, height: int, left: int, right: int, top: int, bottom: int) -> MarkedFigure:
    """That many CSS pixels, at twice the density; margins in pixels too (an automatic layout draws twice)."""
    figure = MarkedFigure(figsize=(width / DPI, height / DPI), dpi=2 * DPI)
    figure.subplots_adjust(left / width, bottom / height, 1 - right / width, 1 - top / height)
    return figure
