"""Charts of lesson 5: accuracy, AUC of the attacks and φ over ε, for both mechanisms.

All take arrays as ``experiments.mechanisms`` returns them: a value a point, NaN where there is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes

from dpmia_lab.experiments.mechanisms import MECHANISMS
from dpmia_lab.plots.hiding import plain_ticks
from dpmia_lab.plots.style import EXPOSED, INK, PROTECTED, REFERENCE, STYLE, Chart, new_figure
from dpmia_lab.privacy.accounting import rounded_up

# mechanism: (colour, marker); none is what is exposed, the others differ in hue and in shape
MARKS = {"none": (EXPOSED, "D"), "central": (PROTECTED, "o"), "local": ("#009E73", "s")}
WORDS = {"none": "no defence", "central": "central", "local": "local"}
BOXES = {"white_box": ("white box", "-", True), "black_box": ("black box", (0, (4, 2)), False)}  # filled or hollow
WIDE = 560  # pixels from which central and local stand side by side
ROW = 196  # pixels a row of charts
SMALL = 9.5  # points


@dataclass(frozen=True)
class Drawn:
    """One sweep: the reference, or one of the reader's; of those the newest has age 0."""

    arrays: dict[str, np.ndarray]
    words: str
    own: bool = False
    age: int = 0

    def places(self, mechanism: str) -> np.ndarray:
        """Of this mechanism's points, by rising ε."""
        found = np.flatnonzero(self.arrays["mechanism"] == MECHANISMS.index(mechanism))
        return found[np.argsort(self.arrays["epsilon"][found], kind="stable")]

    def at(self, name: str, mechanism: str) -> np.ndarray:
        """Its values; NaN where this sweep has none of that name."""
        places = self.places(mechanism)
        return self.arrays[name][places] if name in self.arrays else np.full(len(places), np.nan)

    @property
    def strength(self) -> float:
        return max(0.25, 0.75**self.age)


def epsilon_text(value: float) -> str:
    """Rounded up to three digits, but never 1.8e3 for 1800."""
    return rounded_up(float(value), max(3, len(f"{value:.0f}")))


def ending_of(attack: str) -> str:
    return "_shifted" if attack.endswith("_shifted") else ""


# ---- over ε
def over_epsilon_chart(sweeps: Sequence[Drawn], attack: str, axis_words: dict[str, str], width: int) -> Chart:
    """Accuracy, AUC of both attacks, φ of the chosen one; central on the left, local on the right, own ε axes.

    ``axis_words``: mechanism → what its ε is for.
    """
    wide, ending = width >= WIDE, ending_of(attack)
    rows = 3 if wide else 6
    with rc_context(STYLE):
        figure = new_figure(width, rows * (ROW + (44 if wide else 64)) + 30, left=50, right=14, top=66, bottom=64)
        figure.subplots_adjust(wspace=0.2, hspace=0.5 if wide else 0.85)
        for row, draw in enumerate((draw_accuracy, draw_aucs, draw_phi)):
            for column, mechanism in enumerate(("central", "local")):
                place = (3, 2, 2 * row + column + 1) if wide else (6, 1, 2 * row + column + 1)
                axes = figure.add_subplot(*place)
                axes.set_xscale("log")
                draw(axes, sweeps, mechanism, ending, attack)
                finish(axes, sweeps, mechanism, axis_words[mechanism] if row == 2 or not wide else "")
                if row == 0 or not wide:
                    axes.set_title(f"{heading(mechanism)}\n{axes.get_title('left')}", loc="left")
    return Chart(figure, over_epsilon_words(sweeps, attack))


def heading(mechanism: str) -> str:
    return {"central": "CENTRAL: noise on the gradients", "local": "LOCAL: noise on the data"}[mechanism]


def draw_accuracy(axes: Axes, sweeps: Sequence[Drawn], mechanism: str, ending: str, attack: str) -> None:
    for sweep in sweeps:
        draw_line(axes, sweep, mechanism, "test_accuracy", "-", filled=True)
        draw_undefended(axes, sweep, "test_accuracy")
    axes.set_ylim(-0.03, 1.06)
    axes.set_title("test accuracy (higher: more useful)", loc="left")


def draw_aucs(axes: Axes, sweeps: Sequence[Drawn], mechanism: str, ending: str, attack: str) -> None:
    axes.axhline(0.5, color=REFERENCE, linewidth=1.1)
    note(axes, "guessing", 0.5, REFERENCE, below=True)
    for sweep in sweeps:
        for box, (words, dash, filled) in BOXES.items():
            last = draw_line(axes, sweep, mechanism, f"auc_{box}{ending}", dash, filled)
            if last is not None and not sweep.own:
                higher = box == higher_box(sweep, mechanism, ending)
                axes.annotate(words, last, (0, 6 if higher else -6), textcoords="offset points", ha="right",
                              va="bottom" if higher else "top", color=MARKS[mechanism][0], fontsize=SMALL)  # fmt: skip
        draw_undefended(axes, sweep, f"auc_{attack}")
    axes.set_ylim(0.4, 1.04)
    axes.set_title("AUC of the attacks (lower: safer)", loc="left")


def higher_box(sweep: Drawn, mechanism: str, ending: str) -> str:
    """Whose curve ends higher, and so has its name above it."""
    ends = {box: sweep.at(f"auc_{box}{ending}", mechanism) for box in BOXES}
    return max(ends, key=lambda box: np.nan_to_num(ends[box][-1]) if len(ends[box]) else 0.0)


def draw_phi(axes: Axes, sweeps: Sequence[Drawn], mechanism: str, ending: str, attack: str) -> None:
    axes.axhline(1, color=REFERENCE, linewidth=1.1)
    missing = False
    for sweep in sweeps:
        draw_line(axes, sweep, mechanism, f"phi_{attack}", "-", filled=True)
        x, y = sweep.at("epsilon", mechanism), sweep.at(f"phi_{attack}", mechanism)
        nothing = np.isnan(y) & np.isfinite(x)
        missing |= bool(nothing.any())
        axes.plot(x[nothing], np.full(nothing.sum(), -0.02), "x", color=INK, markersize=7, clip_on=False,
                  transform=axes.get_xaxis_transform(), zorder=5)  # fmt: skip
    if missing:
        axes.text(0.03, 0.06, "× φ undefined: nothing to protect or to lose", transform=axes.transAxes, fontsize=SMALL)
    axes.set_ylim(-0.05, 2.15)
    axes.set_title("φ (above 1: more gained than lost)", loc="left")


def draw_line(axes: Axes, sweep: Drawn, mechanism: str, name: str, dash, filled: bool) -> tuple[float, float] | None:
    """The mechanism's points over ε; returns where the line ends, None if there is nothing to draw."""
    x, y, spread = (sweep.at(n, mechanism) for n in ("epsilon", name, f"{name}_sd"))
    there = np.isfinite(x) & np.isfinite(y)
    if not there.any():
        return None
    colour, marker = MARKS[mechanism]
    look = {"color": colour, "markerfacecolor": colour if filled else "white", "marker": marker}
    if sweep.own:  # on top, larger, edged in ink
        axes.plot(x[there], y[there], linestyle="none", markersize=9, markeredgecolor=INK, alpha=sweep.strength,
                  zorder=4, **look)  # fmt: skip
    else:
        axes.plot(x[there], y[there], linestyle=dash, linewidth=1.6, markersize=5, markeredgecolor=colour, **look)
        bars = there & np.isfinite(spread)
        axes.errorbar(x[bars], y[bars], spread[bars], fmt="none", ecolor=colour, elinewidth=1.1, capsize=2)
    return float(x[there][-1]), float(y[there][-1])


def draw_undefended(axes: Axes, sweep: Drawn, name: str) -> None:
    """A level line; the reader's in ink dots."""
    level = sweep.at(name, "none")
    if len(level) and np.isfinite(level[0]) and sweep.age == 0:
        axes.axhline(level[0], color=INK if sweep.own else EXPOSED, linestyle=(0, (1, 1.5)), linewidth=1.3)
        if not sweep.own:
            note(axes, "no defence", level[0], EXPOSED, below=level[0] > 0.9)


def note(axes: Axes, words: str, level: float, colour: str, below: bool) -> None:
    """The name of a level line, at its left end."""
    axes.annotate(words, (0, level), (3, -3 if below else 2), xycoords=("axes fraction", "data"), fontsize=SMALL,
                  textcoords="offset points", va="top" if below else "bottom", color=colour)  # fmt: skip


def finish(axes: Axes, sweeps: Sequence[Drawn], mechanism: str, words: str) -> None:
    x = np.concatenate([sweep.at("epsilon", mechanism) for sweep in sweeps] or [np.array([])])
    x = x[np.isfinite(x)]
    if len(x):
        axes.set_xlim(x.min() / 1.6, x.max() * 1.6)
        plain_ticks(axes)
    else:
        axes.set_xticks([])
        axes.text(0.5, 0.5, "no points yet", transform=axes.transAxes, ha="center", color=REFERENCE)
    axes.set_xticks([], minor=True)  # they cost more time than the curves
    axes.set_xlabel(words, fontsize=SMALL)


def over_epsilon_words(sweeps: Sequence[Drawn], attack: str) -> str:
    said = [
        f"{sweep.words}, {WORDS[mechanism]}, {point_words(sweep, mechanism, place, attack)}"
        for sweep in sweeps
        for mechanism in ("central", "local")
        for place in ends_of(len(sweep.places(mechanism)))
    ]
    return f"Over ε for a record: {'; '.join(said) or 'nothing to show yet'}."


def ends_of(count: int) -> list[int]:
    return [] if count == 0 else [0] if count == 1 else [0, count - 1]


def point_words(sweep: Drawn, mechanism: str, place: int, attack: str) -> str:
    def value(name: str) -> float:
        return sweep.at(name, mechanism)[place]

    worth = value(f"phi_{attack}")
    return (
        f"at ε = {epsilon_text(value('epsilon'))}: accuracy {value('test_accuracy'):.2f}, "
        f"AUC {value(f'auc_{attack}'):.2f}, φ {'undefined' if np.isnan(worth) else f'{worth:.2f}'}"
    )
