"""Charts of lesson 5: accuracy, AUC of the attacks and φ over ε, for both mechanisms.

All take sweeps, the reference's and the reader's, and which attack under which protocol to draw.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes

from dpmia_lab.experiments.mechanism_sweep import Sweep
from dpmia_lab.experiments.mechanisms import point_of
from dpmia_lab.plots.axes import plain_ticks
from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import EXPOSED, INK, PROTECTED, REFERENCE, STYLE, Chart, new_figure
from dpmia_lab.privacy.accounting import epsilon_text

# mechanism: (colour, marker); none is what is exposed, the others differ in hue and in shape
MARKS = {"none": (EXPOSED, "D"), "central": (PROTECTED, "o"), "local": ("#009E73", "s")}
WORDS = {"none": "no defence", "central": "central", "local": "local"}
BOXES = {"white_box": ("white box", "-", True), "black_box": ("black box", (0, (4, 2)), False)}  # filled or hollow
ALONE = {"lira_offline": ("likelihood ratio", "-", True)}  # drawn without the others
WIDE = 560  # pixels from which central and local stand side by side
ROW = 196  # pixels a row of charts
SMALL = 9.5  # points


@dataclass(frozen=True)
class Drawn:
    """One sweep: the reference, or one of the reader's; of those the newest has age 0."""

    sweep: Sweep
    own: bool = False
    age: int = 0
    key: str = ""  # what a click opens

    def points(self, mechanism: str) -> list[str]:
        """The names of this mechanism's points, by rising ε."""
        points, order = self.sweep.of(mechanism), np.argsort(self.sweep.at("epsilon", mechanism), kind="stable")
        return [points[place] for place in order]

    def at(self, measure: str, mechanism: str, attack: str = "", protocol: str = "") -> np.ndarray:
        """Its values; NaN where this sweep has none."""
        points = self.points(mechanism)
        return np.array([self.sweep.value(measure, defence, attack, protocol) for defence in points])

    def spreads(self, measure: str, mechanism: str, attack: str = "", protocol: str = "") -> np.ndarray:
        """Their standard deviations over seeds."""
        points = self.points(mechanism)
        return np.array([self.sweep.spread(measure, defence, attack, protocol) for defence in points])

    @property
    def strength(self) -> float:
        return max(0.25, 0.75**self.age)


# ---- over ε
def over_epsilon_chart(
    sweeps: Sequence[Drawn], attack: str, protocol: str, axis_words: dict[str, str], width: int
) -> Chart:
    """Accuracy, AUC of both boxes or of the likelihood ratio, φ of the chosen; central left, local right, own ε axes.

    ``axis_words``: mechanism → what its ε is for.
    """
    wide = width >= WIDE
    rows = 3 if wide else 6
    with rc_context(STYLE):
        figure = new_figure(width, rows * (ROW + (44 if wide else 64)) + 30, left=50, right=14, top=66, bottom=64)
        figure.subplots_adjust(wspace=0.2, hspace=0.5 if wide else 0.85)
        for row, draw in enumerate((draw_accuracy, draw_aucs, draw_phi)):
            for column, mechanism in enumerate(("central", "local")):
                place = (3, 2, 2 * row + column + 1) if wide else (6, 1, 2 * row + column + 1)
                axes = figure.add_subplot(*place)
                axes.set_xscale("log")
                draw(axes, sweeps, mechanism, attack, protocol)
                finish(axes, sweeps, mechanism, axis_words[mechanism] if row == 2 or not wide else "")
                if row == 0 or not wide:
                    axes.set_title(f"{heading(mechanism)}\n{axes.get_title('left')}", loc="left")
    return Chart(figure, over_epsilon_words(sweeps, attack, protocol))


def heading(mechanism: str) -> str:
    return {"central": "CENTRAL: noise on the gradients", "local": "LOCAL: noise on the data"}[mechanism]


def draw_accuracy(axes: Axes, sweeps: Sequence[Drawn], mechanism: str, attack: str, protocol: str) -> None:
    for sweep in sweeps:
        draw_line(axes, sweep, mechanism, "-", True, "test_accuracy")
        draw_undefended(axes, sweep, "test_accuracy")
    axes.set_ylim(-0.03, 1.06)
    axes.set_title("test accuracy (higher: more useful)", loc="left")


def draw_aucs(axes: Axes, sweeps: Sequence[Drawn], mechanism: str, attack: str, protocol: str) -> None:
    axes.axhline(0.5, color=REFERENCE, linewidth=1.1)
    note(axes, "guessing", 0.5, REFERENCE, below=True)
    for sweep in sweeps:
        for box, (_, dash, filled) in shown_attacks(attack).items():
            draw_line(axes, sweep, mechanism, dash, filled, "auc", box, protocol)
        draw_undefended(axes, sweep, "auc", attack, protocol)
    axes.set_ylim(0.4, 1.04)
    axes.text(0.98, 0.03, attack_key(attack), transform=axes.transAxes, ha="right", fontsize=SMALL,
              color=MARKS[mechanism][0])  # fmt: skip
    axes.set_title("AUC of the attacks (lower: safer)", loc="left")


def shown_attacks(attack: str) -> dict[str, tuple]:
    return BOXES if attack in BOXES else {attack: ALONE[attack]}


def attack_key(attack: str) -> str:
    """In a corner: at the ends of the lines the names would lie on them."""
    shown = shown_attacks(attack)
    if len(shown) == 1:
        return shown[attack][0]
    return ", ".join(f"{words} {'filled' if filled else 'hollow'}" for words, _, filled in shown.values())


def draw_phi(axes: Axes, sweeps: Sequence[Drawn], mechanism: str, attack: str, protocol: str) -> None:
    axes.axhline(1, color=REFERENCE, linewidth=1.1)
    missing = False
    for sweep in sweeps:
        draw_line(axes, sweep, mechanism, "-", True, "phi", attack, protocol)
        x, y = sweep.at("epsilon", mechanism), sweep.at("phi", mechanism, attack, protocol)
        nothing = np.isnan(y) & np.isfinite(x)
        missing |= bool(nothing.any())
        axes.plot(x[nothing], np.full(nothing.sum(), -0.02), "x", color=INK, markersize=7, clip_on=False,
                  transform=axes.get_xaxis_transform(), zorder=5)  # fmt: skip
        said = [f"no φ at {epsilon_words(mechanism, epsilon)}: it would divide by chance" for epsilon in x[nothing]]
        mark(axes, x[nothing], -0.02, f"{WORDS[mechanism]}, {sweep.sweep.words}", said, sweep.key,
             axes.get_xaxis_transform())  # fmt: skip
    if missing:
        axes.text(0.03, 0.06, "× no φ: it would divide by chance", transform=axes.transAxes, fontsize=SMALL)
    axes.set_ylim(-0.05, 2.15)
    axes.set_title("φ (above 1: more gained than lost)", loc="left")


def draw_line(
    axes: Axes, sweep: Drawn, mechanism: str, dash, filled: bool, measure: str, attack: str = "", protocol: str = ""
) -> None:
    """The mechanism's points over ε."""
    x, y = sweep.at("epsilon", mechanism), sweep.at(measure, mechanism, attack, protocol)
    there = np.isfinite(x) & np.isfinite(y)
    if not there.any():
        return
    mark_line(axes, sweep, mechanism, measure, attack, protocol)
    colour, marker = MARKS[mechanism]
    look = {"color": colour, "markerfacecolor": colour if filled else "white", "marker": marker}
    if sweep.own:  # on top, larger, edged in ink
        axes.plot(x[there], y[there], linestyle="none", markersize=9, markeredgecolor=INK, alpha=sweep.strength,
                  zorder=4, **look)  # fmt: skip
    else:
        axes.plot(x[there], y[there], linestyle=dash, linewidth=1.6, markersize=5, markeredgecolor=colour, **look)
        spread = sweep.spreads(measure, mechanism, attack, protocol)
        bars = there & np.isfinite(spread)
        axes.errorbar(x[bars], y[bars], spread[bars], fmt="none", ecolor=colour, elinewidth=1.1, capsize=2)


def mark_line(axes: Axes, drawn: Drawn, mechanism: str, measure: str, attack: str, protocol: str) -> None:
    """What its points are read as; NaN is no point."""
    x, y = drawn.at("epsilon", mechanism), drawn.at(measure, mechanism, attack, protocol)
    whose = f"{(BOXES | ALONE)[attack][0]}, " if measure == "auc" else ""
    name = {"test_accuracy": "test accuracy", "auc": "AUC", "phi": "φ"}[measure]
    spread = drawn.spreads(measure, mechanism, attack, protocol)
    said = [
        f"{whose}{name} {value:.2f}{f' ± {sd:.2f}' if np.isfinite(sd) else ''} at {epsilon_words(mechanism, epsilon)}"
        for epsilon, value, sd in zip(x, y, spread, strict=True)
    ]
    mark(axes, x, y, f"{WORDS[mechanism]}, {drawn.sweep.words}", said, drawn.key)


def draw_undefended(axes: Axes, drawn: Drawn, measure: str, attack: str = "", protocol: str = "") -> None:
    """A level line; the reader's in ink dots."""
    level = drawn.sweep.value(measure, "none", attack, protocol)
    if np.isfinite(level) and drawn.age == 0:
        axes.axhline(level, color=INK if drawn.own else EXPOSED, linestyle=(0, (1, 1.5)), linewidth=1.3)
        words = {"test_accuracy": "test accuracy", "auc": "AUC"}[measure]
        mark(axes, 0.02, level, f"no defence, {drawn.sweep.words}", f"{words} {level:.2f}", drawn.key,
             axes.get_yaxis_transform())  # fmt: skip
        if not drawn.own:
            note(axes, "no defence", level, EXPOSED, below=level > 0.9)


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


def over_epsilon_words(sweeps: Sequence[Drawn], attack: str, protocol: str) -> str:
    said = [
        f"{drawn.sweep.words}, {WORDS[mechanism]}, {point_words(drawn.sweep, defence, attack, protocol)}"
        for drawn in sweeps
        for mechanism in ("central", "local")
        for defence in ends_of(drawn.points(mechanism))
    ]
    return f"Over ε for a record: {'; '.join(said) or 'nothing to show yet'}."


def epsilon_words(mechanism: str, epsilon: float) -> str:
    """Labels are not randomised, so a local ε is for features."""
    return f"ε = {epsilon_text(epsilon)}{' (features only)' if mechanism == 'local' else ''}"


def ends_of(points: list[str]) -> list[str]:
    return points if len(points) < 2 else [points[0], points[-1]]


def point_words(sweep: Sweep, defence: str, attack: str, protocol: str) -> str:
    epsilon, accuracy = (sweep.value(measure, defence) for measure in ("epsilon", "test_accuracy"))
    auc, worth = (sweep.value(measure, defence, attack, protocol) for measure in ("auc", "phi"))
    return (
        f"at {epsilon_words(point_of(defence)[0], epsilon)}: accuracy {accuracy:.2f}, AUC {auc:.2f}, "
        f"{'no φ' if np.isnan(worth) else f'φ {worth:.2f}'}"
    )
