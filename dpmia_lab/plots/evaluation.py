"""Charts of lesson 6: accuracy against risk for every cell of the grid, and what each judge sees in one of them.

A risk is a row of ``experiments.evaluation``, with its interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib import rc_context
from matplotlib.axes import Axes

from dpmia_lab.experiments.evaluation import GROUPS, IN_FULL, JUDGES
from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import EXPOSED, INK, PROTECTED, REFERENCE, STYLE, Chart, new_figure
from dpmia_lab.rows import Row, Rows

MARKERS = "os^Dv"  # one a σ
LOOKS = {"private": (PROTECTED, "o"), "noise": (REFERENCE, "x"), "control": (EXPOSED, "D"), "plain": (EXPOSED, "s")}
OFFSETS = {"matched": -0.2, "judge": 0.2}  # of the judges, in a row
SMALL = 9.5  # points
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1}  # behind words that cross a line
WIDE = 560  # pixels from which the legend is one line


@dataclass(frozen=True)
class Point:
    """A cell of the grid, or one of the reader's."""

    epsilon: float
    sigma: float
    accuracy: float
    risk: Row
    control: tuple[float, Row] | None = None  # accuracy and risk of its accuracy-matched models without privacy
    own: bool = False
    words: str = ""
    key: str = ""  # what a click opens


@dataclass(frozen=True)
class Choice:
    """What the reader accepts, and what that leaves."""

    limit: float
    allowed: tuple[int, ...]  # places among the points
    best: int | None


# ---- accuracy against risk
def choice_chart(points: Sequence[Point], choice: Choice, noise: Row | None, risk_words: str, width: int) -> Chart:
    """Every cell with its interval; what is admissible lies in the shaded part, the best of it is starred."""
    columns = 4 if width >= WIDE else 2
    with rc_context(STYLE):
        top, bottom = (50, 68) if columns == 4 else (70, 100)
        figure = new_figure(width, 440, left=58, right=18, top=top, bottom=bottom)
        axes = figure.add_subplot()
        draw_limit(axes, choice.limit)
        if noise is not None:
            axes.axvline(noise.value, color=REFERENCE, linestyle=(0, (1, 1.5)), linewidth=1.3)
            note(axes, noise.value, 0.02, "models of pure noise", REFERENCE)
        for point in points:
            draw_control(axes, point, risk_words)
        for place in range(len(points)):
            draw_point(axes, points, place, choice, risk_words)
        name_rows(axes, points)
        finish(axes, points, risk_words if columns == 4 else risk_words.replace(", ", ",\n"), columns)
    return Chart(figure, choice_words(points, choice, noise, risk_words))


def name_rows(axes: Axes, points: Sequence[Point]) -> None:
    """ε once, beside the cells that share it."""
    for epsilon in sorted({point.epsilon for point in points if not point.own}):
        those = [point for point in points if not point.own and point.epsilon == epsilon]
        low, high = min(p.risk.low for p in those), max(p.risk.high for p in those)
        x, side = (low, -1) if low > 0.15 else (high, 1)
        height = sum(p.accuracy for p in those) / len(those)
        axes.annotate(f"ε = {epsilon:g}", (x, height), (7 * side, 0), textcoords="offset points", fontsize=SMALL,
                      ha="right" if side < 0 else "left", va="center", zorder=5, bbox=PAPER)  # fmt: skip


def draw_limit(axes: Axes, limit: float) -> None:
    axes.axvspan(-0.05, limit, color=PROTECTED, alpha=0.08, linewidth=0)
    axes.axvline(limit, color=INK, linewidth=1.2)
    note(axes, limit, 0.97, f"you accept {limit:.0%}", INK)


def note(axes: Axes, x: float, height: float, words: str, colour: str) -> None:
    """Beside a vertical line, on the side with more room; ``height`` as a share of the axes."""
    side = -1 if x > 0.6 else 1
    axes.annotate(words, (x, height), (4 * side, 0), xycoords=("data", "axes fraction"), textcoords="offset points",
                  ha="right" if side < 0 else "left", va="top" if height > 0.5 else "bottom", color=colour,
                  fontsize=SMALL)  # fmt: skip


def draw_control(axes: Axes, point: Point, risk_words: str) -> None:
    if point.control is not None:
        accuracy, found = point.control
        axes.plot(found.value, accuracy, "D", markersize=5, markerfacecolor="white", markeredgecolor=EXPOSED, zorder=2)
        name = f"no privacy, as accurate as ε = {point.epsilon:g}, σ = {point.sigma:g}"
        mark(axes, found.value, accuracy, name, point_words(accuracy, found, risk_words))


def draw_point(axes: Axes, points: Sequence[Point], place: int, choice: Choice, risk_words: str) -> None:
    point, allowed, best = points[place], place in choice.allowed, place == choice.best
    sigmas = sorted({other.sigma for other in points if not other.own})
    known = point.sigma in sigmas
    marker = MARKERS[sigmas.index(point.sigma) % len(MARKERS)] if known else "P"
    value, ends = point.risk.value, [point.risk.low, point.risk.high]
    axes.plot(ends, [point.accuracy] * 2, color=PROTECTED, linewidth=1.2, alpha=0.7, zorder=3)
    axes.plot(value, point.accuracy, marker, markersize=11 if point.own else 8, zorder=4, markeredgecolor=INK if
              point.own else PROTECTED, markerfacecolor=PROTECTED if allowed or point.own else "white")  # fmt: skip
    whose = f"{point.words}, " if point.own else ""
    said = point_words(point.accuracy, point.risk, risk_words) + (", admissible" if allowed else "")
    mark(axes, value, point.accuracy, f"{whose}ε = {point.epsilon:g}, σ = {point.sigma:g}", said, point.key)
    if point.own:
        label = f"{point.words}, ε = {point.epsilon:g}"
        side = -1 if value > 0.6 else 1
        axes.annotate(label, (value, point.accuracy), (9 * side, -9), textcoords="offset points", fontsize=SMALL,
                      ha="right" if side < 0 else "left", va="top", zorder=5, bbox=PAPER)  # fmt: skip
    if best:
        axes.plot(value, point.accuracy, "*", markersize=20, markerfacecolor="none", markeredgecolor=INK,
                  markeredgewidth=1.6, zorder=6)  # fmt: skip


def point_words(accuracy: float, risk: Row, risk_words: str) -> str:
    return f"test accuracy {accuracy:.0%}; {risk_words}: {risk.value:.0%} ({risk.low:.0%} to {risk.high:.0%})"


def finish(axes: Axes, points: Sequence[Point], risk_words: str, columns: int) -> None:
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(0, 1.04)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel(f"{risk_words}\nlower: safer; bars: 95% intervals", fontsize=SMALL)
    axes.set_title("test accuracy (higher: more useful)", loc="left")
    sigmas = sorted({point.sigma for point in points if not point.own})
    if not points:
        axes.text(0.5, 0.5, "no cells yet", transform=axes.transAxes, ha="center", color=REFERENCE)
    for sigma, marker in zip(sigmas, MARKERS, strict=False):
        axes.plot([], [], marker, color=PROTECTED, markersize=7, label=f"σ = {sigma:g}", linestyle="none")
    if any(point.control for point in points):
        axes.plot([], [], "D", markerfacecolor="white", markeredgecolor=EXPOSED, markersize=5, linestyle="none",
                  label="no privacy, same accuracy")  # fmt: skip
    if sigmas:
        corner = (-0.02 if columns == 4 else -0.22, 1.06)
        axes.legend(loc="lower left", bbox_to_anchor=corner, ncols=columns, fontsize=SMALL, frameon=False,
                    handletextpad=0.2, columnspacing=1.2, borderpad=0)  # fmt: skip


def choice_words(points: Sequence[Point], choice: Choice, noise: Row | None, risk_words: str) -> str:
    said = [
        f"{'your ' + point.words + ', ' if point.own else ''}ε = {point.epsilon:g}, σ = {point.sigma:g}: accuracy "
        f"{point.accuracy:.0%}, risk {point.risk.value:.0%} (up to {point.risk.high:.0%})"
        + (", admissible" if place in choice.allowed else "")
        + (", the most accurate of these" if place == choice.best else "")
        for place, point in enumerate(points)
    ]
    pure = f" Models of pure noise: {noise.value:.0%}." if noise is not None else ""
    return (
        f"Test accuracy against risk ({risk_words}); you accept {choice.limit:.0%}. "
        f"{'; '.join(said) or 'No cells yet'}.{pure}"
    )


# ---- one cell, and the models it is compared with
def groups_chart(rows: Rows, attacker: str, chance: float, width: int) -> Chart:
    """A row a kind of model: how many people each judge recognises in the same drawings.

    ``chance``: the share of people that luck alone would recognise.
    """
    found, wide = rows.where(attack=attacker, measure="impact_mean"), width >= WIDE
    with rc_context(STYLE):
        figure = new_figure(width, 250, left=112, right=22, top=34, bottom=50 if wide else 64)
        axes = figure.add_subplot()
        for judge, offset in OFFSETS.items():
            draw_judge(axes, found.where(protocol=judge), offset, 0.8 if wide else 0.4)
        axes.axvline(chance, color=REFERENCE, linewidth=1.2)
        axes.set_title("people recognised", loc="left")
        gap = " " if wide else "\n"
        axes.set_xlabel(f"lower: safer; bars: 95% intervals;{gap}grey: chance, {chance:.1%}", fontsize=SMALL)
        finish_groups(axes)
    return Chart(figure, groups_words(found))


def draw_judge(axes: Axes, found: Rows, offset: float, turn: float) -> None:
    """``found``: what one judge recognises, of every group; filled for the filter, open for the network.

    ``turn``: beyond it words stand to the left.
    """
    for row in found:
        colour, marker = LOOKS[row.defence]
        height = list(GROUPS).index(row.defence) + offset
        filled = colour if row.protocol == "matched" or marker == "x" else "white"
        axes.plot([row.low, row.high], [height, height], color=colour, linewidth=1.8)
        axes.plot(row.value, height, marker, color=colour, markerfacecolor=filled, markersize=8, zorder=3)
        said = f"recognised by {JUDGES[row.protocol]}: {row.value:.1%} ({row.low:.1%} to {row.high:.1%})"
        mark(axes, row.value, height, GROUPS[row.defence], said)
        side = -1 if row.value > turn else 1
        words = f"{row.value:.0%} {IN_FULL[row.protocol]}"
        axes.annotate(words, (row.low if side < 0 else row.high, height), (8 * side, 0), textcoords="offset points",
                      ha="right" if side < 0 else "left", va="center", fontsize=SMALL)  # fmt: skip


def finish_groups(axes: Axes) -> None:
    short = {"private": "private", "noise": "pure noise", "control": "no privacy,\nsame accuracy",
             "plain": "no privacy"}  # fmt: skip
    axes.set_yticks(range(len(GROUPS)), [short[group] for group in GROUPS], fontsize=SMALL)
    axes.set_ylim(len(GROUPS) - 0.5, -0.5)
    axes.set_xlim(-0.03, 1.05)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")


def groups_words(found: Rows) -> str:
    said = []
    for group, words in GROUPS.items():
        seen = (found.row("impact_mean", defence=group, protocol=judge) for judge in OFFSETS)
        told = [f"{JUDGES[r.protocol]} {r.value:.0%} ({r.low:.0%} to {r.high:.0%})" for r in seen]
        said.append(f"{words}: {', '.join(told)}")
    return f"People recognised in the same drawings, with 95% intervals. {'; '.join(said)}."
