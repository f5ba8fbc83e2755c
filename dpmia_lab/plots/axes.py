"""What the charts of several lessons share: axes side by side, ticks in plain numbers, names at the ends of lines."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from dpmia_lab.plots.points import mark, some_of
from dpmia_lab.plots.style import REFERENCE, new_figure
from dpmia_lab.words.said import numeral

LABELS = 90  # pixels kept free for names at line ends
WIDE = 600  # pixels from which two axes stand side by side
FALSE_ALARMS = np.array([0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7])  # rates at which ROC curves are read
LONG = 100  # from lowest to highest value of a logarithmic axis


# ---- axes
def two_axes(width: int, height: int, right: int) -> tuple[Axes, Axes, Figure]:
    """Side by side where there is room, one above the other elsewhere; ``right``: pixels kept free there."""
    side = width >= WIDE
    right = right if side else LABELS
    figure = new_figure(width, height if side else 2 * height, left=56, right=right, top=44, bottom=46)
    gap = LABELS + 64
    inner = (width - 56 - right - gap) / 2
    figure.subplots_adjust(wspace=gap / inner if side else 0, hspace=0 if side else 104 / (height - 97))
    grid = (1, 2) if side else (2, 1)
    return figure.add_subplot(*grid, 1), figure.add_subplot(*grid, 2), figure


# ---- ticks
def powers_only(axes: Axes) -> None:
    """Ticks at powers of ten, in plain numbers; the usual finer ones cost more time than the curves."""
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        low, high = np.ceil(np.log10(limits[0]) - 1e-9), np.floor(np.log10(limits[1]) + 1e-9)
        powers = np.arange(low, high + 1, max(1, round((high - low) / 6)))
        axis.set_ticks(10.0**powers, [power_text(int(p)) for p in powers])
        axis.set_ticks([], minor=True)


def power_text(power: int) -> str:
    """0.1, 1, 100, 10k, 1M, 1e9."""
    if not -3 <= power < 9:
        return f"1e{power}"
    thousands = max(0, power // 3) if power >= 4 else 0
    return f"{10.0 ** (power - 3 * thousands):g}{('', 'k', 'M')[thousands]}"


def plain_ticks(axes: Axes) -> None:
    """1, 10, 100 along a long logarithmic axis, also 2 and 5 along a short one."""
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < LONG else (1,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


# ---- readings
def mark_baseline(axes: Axes, x: np.ndarray, y: np.ndarray, name: str, title: str) -> None:
    """A grey line: where it is level, one reading is enough."""
    chosen = some_of(len(x)) if np.ptp(y) else np.array([len(x) // 2])
    mark(axes, x[chosen], y[chosen], name, [f"{title}: {numeral('{:.2f}', value)}" for value in y[chosen]])


# ---- names
def label_ends(axes: Axes, ends: Sequence[tuple[str, float, str]], gap: float = 0.085) -> None:
    """(words, height, colour) of each line, at the right end, moved apart where they would overlap."""
    scale = np.log if axes.get_yscale() == "log" else float
    low, high = (scale(limit) for limit in axes.get_ylim())
    ends = sorted(ends, key=lambda end: end[1])
    heights = apart([min((scale(value) - low) / (high - low), 1.0) for _, value, _ in ends], gap)
    for (words, _, colour), height in zip(ends, heights, strict=True):
        axes.annotate(
            words, (1, height), (8, 0), xycoords="axes fraction", textcoords="offset points", color=colour,
            va="center", fontsize=10,
        )  # fmt: skip


def apart(heights: list[float], gap: float) -> list[float]:
    """Rising heights with at least that gap, moved up where they are too close, and down from the top."""
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + gap)
    for i in reversed(range(len(heights))):
        heights[i] = min(heights[i], 1.0 - gap * (len(heights) - 1 - i))
    return heights


def label_line_ends(axes: Axes, x: float, ends: Mapping[str, float], colours: Mapping[str, str]) -> None:
    """The name of each line at its right end, moved apart where they would overlap; grey where none is given."""
    low, high = axes.get_ylim()
    gap = (high - low) * 0.075
    position = low - gap
    for words, value in sorted(ends.items(), key=lambda item: item[1]):
        position = max(value, position + gap)
        colour = colours.get(words, REFERENCE)
        axes.annotate(words, (x, position), (12, 0), textcoords="offset points", color=colour, va="center", fontsize=10)
