"""Charts of lesson 10: utility over leak for every defence at every strength, with the front that nobody beats."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from dpmia_lab.metrics.front import front_line
from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import EXPOSED, INK, PROTECTED, REFERENCE, STYLE, Chart, new_figure

HEIGHT, SMALL = 400, 9.5  # pixels; points
WIDE = 560  # pixels from which words stand in full
LOOKS = {  # kind → colour, marker, whether it is filled, words
    "none": (EXPOSED, "X", True, "no defence"),
    "promise": (PROTECTED, "o", True, "a promise"),
    "empirical": (EXPOSED, "^", False, "no promise"),
    "control": (REFERENCE, "s", False, "control (no defence)"),
    "own": (INK, "*", True, "yours, one seed"),
}
CHARACTER = 5.6  # pixels a letter of a label takes, about
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8}  # behind words that cross a line
PLACES = ((9, 5, "left"), (9, -13, "left"), (-9, 5, "right"), (-9, -13, "right"), (9, 17, "left"), (-9, 17, "right"))


@dataclass(frozen=True)
class Dot:
    """A defence at one strength: where it is, with the ends of its intervals, and what a reader is told of it."""

    key: str  # what a click opens
    name: str
    words: str
    kind: str  # of LOOKS
    leak: float
    right: float
    leak_ends: tuple[float, float] | None = None
    right_ends: tuple[float, float] | None = None
    front: bool = False
    out: bool = False  # does not keep to what was asked


@dataclass(frozen=True)
class Asked:
    """What a reader accepts and needs."""

    most: float
    right: float


def front_chart(
    dots: Sequence[Dot], leak_words: str, chance: float, width: int, asked: Asked | None = None, chosen: str = ""
) -> Chart:
    """Accuracy up, leak across, so that the best is at the upper left. ``chosen``: the key of the dot that is open."""
    with rc_context(STYLE):
        figure = new_figure(
            width, HEIGHT, left=50, right=16, top=46 if width >= WIDE else 92, bottom=48 if width >= WIDE else 62
        )
        axes = figure.add_subplot()
        set_limits(axes, dots, chance, asked)
        axes.axvline(chance, color=REFERENCE, linewidth=1.1, linestyle=(0, (1, 1.5)), zorder=1)
        draw_line(axes, dots)
        draw_dots(axes, dots, chosen)
        if asked is not None:
            draw_asked(axes, asked)
        name_dots(axes, [dot for dot in dots if dot.kind == "own" or (not dot.out if asked else dot.front)], dots)
        finish(axes, dots, leak_words, width)
    return Chart(figure, chart_words(dots, leak_words, asked))


def set_limits(axes: Axes, dots: Sequence[Dot], chance: float, asked: Asked | None) -> None:
    leaks = [chance, 0.0, *(dot.leak for dot in dots), *([asked.most] if asked else [])]
    rights = [*(dot.right for dot in dots), *([asked.right] if asked else [])] or [0.0, 1.0]
    across, up = max(np.ptp(leaks), 0.02), max(np.ptp(rights), 0.02)
    least = 0.5 - 0.03 if chance == 0.5 else min(leaks) - 0.03 * across
    axes.set_xlim(least, max(leaks) + 0.06 * across)
    axes.set_ylim(min(rights) - 0.08 * up, max(rights) + 0.1 * up)


def draw_line(axes: Axes, dots: Sequence[Dot]) -> None:
    """The stairs of the front, on to the right edge: more leak buys no more."""
    leak, right = front_line(*(np.array([getattr(dot, name) for dot in dots]) for name in ("right", "leak")))
    if len(leak):
        axes.plot([*leak, axes.get_xlim()[1]], [*right, right[-1]], color=INK, linewidth=1.2, alpha=0.55, zorder=2)


def draw_dots(axes: Axes, dots: Sequence[Dot], chosen: str) -> None:
    """All that look alike at once: one by one they would take longer than a slider waits."""
    looks: dict[tuple, list[Dot]] = {}
    for dot in dots:
        looks.setdefault((dot.kind, dot.front, dot.out), []).append(dot)
    for (kind, front, out), alike in looks.items():
        colour, marker, filled, _ = LOOKS[kind]
        alpha = 0.35 if out else 1.0
        axes.add_collection(
            LineCollection(intervals(alike), colors=colour, linewidths=1.1, alpha=0.45 * alpha, zorder=2.5),
            autolim=False,
        )
        axes.plot(
            [dot.leak for dot in alike], [dot.right for dot in alike], marker, alpha=alpha,
            markersize=13 if kind == "own" else 8.5 if front else 6.5, markeredgecolor=colour, markeredgewidth=1.3,
            markerfacecolor=colour if filled else "white", zorder=5 if kind == "own" else 4 if front else 3,
        )  # fmt: skip
    for dot in [dot for dot in dots if dot.key == chosen]:
        axes.plot(dot.leak, dot.right, "o", markersize=17, markerfacecolor="none", markeredgecolor=INK, zorder=6)
    if dots:
        places = ([getattr(dot, name) for dot in dots] for name in ("leak", "right", "name", "words", "key"))
        mark(axes, *places)


def intervals(dots: Sequence[Dot]) -> list[list[tuple[float, float]]]:
    across = [[(end, dot.right) for end in dot.leak_ends] for dot in dots if dot.leak_ends is not None]
    return across + [[(dot.leak, end) for end in dot.right_ends] for dot in dots if dot.right_ends is not None]


def draw_asked(axes: Axes, asked: Asked) -> None:
    """The corner that is asked for."""
    (left, _), (_, top) = axes.get_xlim(), axes.get_ylim()
    axes.fill_between([left, asked.most], asked.right, top, color=PROTECTED, alpha=0.08, linewidth=0, zorder=0)
    axes.plot([asked.most] * 2, [asked.right, top], color=INK, linewidth=1.2, zorder=1)
    axes.plot([left, asked.most], [asked.right] * 2, color=INK, linewidth=1.2, zorder=1)


def name_dots(axes: Axes, named: Sequence[Dot], dots: Sequence[Dot]) -> None:
    """Words beside dots, each where nothing else stands, in pixels; none where there is no such place."""
    at = {dot.key: axes.transData.transform((dot.leak, dot.right)) / 2 for dot in dots}  # drawn at twice the density
    (left, bottom), (right, top) = (axes.transAxes.transform(corner) / 2 for corner in ((0, 0), (1, 1)))
    taken = [box_around(*place, 12, 10) for place in at.values()]
    for dot in named:
        x, y = at[dot.key]
        for across, up, side in PLACES:
            wide = CHARACTER * len(dot.name)
            start = x + across * 1.4 if side == "left" else x + across * 1.4 - wide
            box = (start, y + 1.4 * up - 3, start + wide, y + 1.4 * up + 11)
            inside = start >= left and start + wide <= right and bottom <= box[1] and box[3] <= top
            if inside and not any(overlap(box, other) for other in taken):
                taken.append(box)
                how = {"textcoords": "offset points", "fontsize": SMALL, "ha": side, "bbox": PAPER, "zorder": 4.5}
                axes.annotate(dot.name, (dot.leak, dot.right), (across, up), **how)
                break


def box_around(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def overlap(one: tuple, other: tuple) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def finish(axes: Axes, dots: Sequence[Dot], leak_words: str, width: int) -> None:
    wide = width >= WIDE
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.2f}" if "AUC" in leak_words else f"{value:.0%}")
    across = f"{leak_words} (lower: safer)" if wide else leak_words.replace(", ", ",\n", 1)
    axes.set_xlabel(across, fontsize=10 if wide else SMALL)
    axes.set_title("right on new records (higher: more useful)", loc="left", pad=26 if wide else 46)
    for kind, (colour, marker, filled, words) in LOOKS.items():
        if any(dot.kind == kind for dot in dots):
            axes.plot([], [], marker, color=colour, markerfacecolor=colour if filled else "white", label=words)
    if dots:
        axes.legend(
            loc="lower left", bbox_to_anchor=(-0.02 if wide else -0.14, 1.0), ncols=5 if wide else 2, frameon=False,
            fontsize=SMALL, handletextpad=0.1, columnspacing=1.1, borderpad=0,
        )  # fmt: skip


def chart_words(dots: Sequence[Dot], leak_words: str, asked: Asked | None) -> str:
    if not dots:
        return "Nothing was measured yet."
    front = sorted((dot for dot in dots if dot.front), key=lambda dot: dot.leak)
    said = [f"Share right on new records over {leak_words}, {len(dots)} defences and strengths."]
    said.append("On the front: " + "; ".join(f"{dot.name}: {dot.words}" for dot in front) + ".")
    if own := [f"{dot.name}: {dot.words}" for dot in dots if dot.kind == "own" and not dot.front]:
        said.append(f"Yours: {'; '.join(own)}.")
    if asked is not None:
        kept = [dot.name for dot in dots if not dot.out]
        said.append(f"Within what was asked for: {', '.join(kept) or 'nothing'}.")
    return " ".join(said)
