"""Defences compared, in lessons 7 and 8: what each costs and what still leaks, from weak to strong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context

from dpmia_lab.plots.axes import LABELS, WIDE, label_ends
from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import INK, REFERENCE, STYLE, Chart, new_figure

TOP, BOTTOM, NAME = 40, 56, 19  # pixels; NAME: a line of names
WIDE_COLUMNS, NARROW_COLUMNS = 5, 2  # of names, below the chart
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195", "#5A5750")


@dataclass(frozen=True)
class Line:
    """A defence from weak to strong: its cost and its leak at each strength, means over splits or seeds."""

    name: str
    strengths: Sequence[str]
    cost: np.ndarray
    leak: np.ndarray
    spread: np.ndarray  # of the leak


@rc_context(STYLE)
def curves_chart(
    lines: Sequence[Line], levels: Mapping[str, float], cost_words: str, leak_words: str, width: int, lower: bool,
    safer: str = "lower",
) -> Chart:  # fmt: skip
    """Leak over cost, one line a defence; ``levels``: what is reached without the model. lower: a low cost is good.

    ``safer``: whether lower or higher leaks are.
    """
    wide = width >= WIDE
    columns = WIDE_COLUMNS if wide else NARROW_COLUMNS
    below = BOTTOM + NAME * -(-len(lines) // columns) + (0 if wide else NAME)
    figure = new_figure(
        width, 380, left=56, right=LABELS + 84 if wide else 20, top=TOP if wide else TOP + NAME, bottom=below
    )
    axes = figure.add_subplot()
    for place, line in enumerate(lines):
        colour = INK if len(line.cost) == 1 and line.name == "no defence" else COLOURS[place % len(COLOURS)]
        axes.plot(line.cost, line.leak, "o-", color=colour, markersize=6, linewidth=1.6, label=line.name)
        points = zip(line.strengths, line.leak, line.spread, line.cost, strict=True)
        words = [f"{strength}: {leak_words} {leak:.3f} ± {spread:.3f}, {cost_words} {cost:.4g}"
                 for strength, leak, spread, cost in points]  # fmt: skip
        mark(axes, line.cost, line.leak, line.name, words)
    ends = []
    for name, value in levels.items():
        axes.axhline(value, color=REFERENCE, linestyle=":", linewidth=1.2)
        ends.append((name, value, REFERENCE))
    if not lower:
        axes.invert_xaxis()
    title = leak_words if wide else leak_words.replace(" (", "\n(", 1)
    axes.set_title(f"{title}\n{safer}: safer", loc="left", x=0)
    axes.set_xlabel(f"{cost_words}{' ' if wide else chr(10)}(left: more useful)")
    axes.margins(0.06)
    if wide:
        label_ends(axes, ends, gap=0.06)
    figure.legend(
        fontsize=9, ncols=columns, loc="lower left", bbox_to_anchor=(0, 0), frameon=False, borderpad=0.1,
        handlelength=1.6, columnspacing=1.2,
    )  # fmt: skip
    told = "; ".join(f"{line.name} from {line.leak[0]:.2f} to {line.leak[-1]:.2f}" for line in lines)
    return Chart(figure, f"{leak_words} against {cost_words}, by defence from weak to strong: {told}.")
