"""Charts of lesson 5: accuracy against attack, and ROC curves, each point and curve shaded by its ε."""

from collections.abc import Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter

from dpmia_lab.experiments.equal_leak import frontier
from dpmia_lab.experiments.mechanisms import GRID, MECHANISMS
from dpmia_lab.plots.axes import FALSE_ALARMS
from dpmia_lab.plots.mechanisms import MARKS, SMALL, WIDE, WORDS, Drawn, epsilon_words, heading
from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import EXPOSED, INK, REFERENCE, STYLE, Chart, new_figure
from dpmia_lab.privacy.accounting import epsilon_text

HEIGHT = 340  # pixels: beside its controls on one screen
DASHES = ("-", (0, (6, 2)), (0, (4, 2)), (0, (2, 1)), (0, (6, 1, 1, 1)), (0, (1, 1)), (0, (3, 1, 1, 1, 1, 1)))


# ---- accuracy against attack
def tradeoff_chart(
    sweeps: Sequence[Drawn], attack: str, protocol: str, attack_words: str, width: int, level: float | None = None
) -> Chart:
    """Every point: AUC across, accuracy up, with one standard deviation each way; darker is a smaller ε.

    ``level``: the AUC at which both mechanisms are read, on the lines between their points.
    """
    narrow, taken, said = width < WIDE, [], []
    with rc_context(STYLE):
        figure = new_figure(width, HEIGHT, left=50, right=16, top=52, bottom=50)
        axes = figure.add_subplot()
        for sweep in sweeps:
            for mechanism in MECHANISMS:
                draw_cloud(axes, sweep, mechanism, attack, protocol)
                said += cloud_words(sweep, mechanism, attack, protocol)
        axes.axvline(0.5, color=REFERENCE, linewidth=1.1)
        for sweep in [sweep for sweep in sweeps if not sweep.own]:
            draw_frontiers(axes, sweep, attack, protocol, level)
        axes.set_xlim(*auc_limits(sweeps, attack, protocol))
        axes.set_ylim(-0.03, 1.08)
        for sweep in sorted(sweeps, key=lambda sweep: not sweep.own)[: 1 if narrow else 2]:
            taken = label_cloud(axes, sweep, attack, protocol, taken)
        shade = "Darker: smaller ε" + ("" if narrow else " (local: features only)")
        axes.set_title(f"test accuracy (higher: more useful)\nbest: upper left. {shade}", loc="left")
        axes.set_xlabel("AUC (lower: safer)" if narrow else f"AUC, {attack_words} (lower: safer)")
        draw_key(axes, 0.64 if narrow else 0.8)
    return Chart(figure, f"Accuracy against AUC: {'; '.join(said) or 'nothing to show yet'}.")


def draw_frontiers(axes: Axes, sweep: Drawn, attack: str, protocol: str, level: float | None) -> None:
    """Each mechanism's line, and a ring on it at the level."""
    for mechanism in ("central", "local"):
        auc, accuracy, *_ = frontier(sweep.sweep, mechanism, attack, protocol)
        colour = MARKS[mechanism][0]
        axes.plot(auc, accuracy, color=colour, linewidth=1.4, alpha=0.6, zorder=1)
        if level is not None and len(auc):
            look = {"markersize": 13, "markeredgewidth": 2, "markeredgecolor": colour, "zorder": 5}
            kept = float(np.interp(level, auc, accuracy))
            axes.plot(level, kept, "o", color="none", **look)
            mark(
                axes,
                level,
                kept,
                f"{WORDS[mechanism]}, read at equal leak",
                f"test accuracy {kept:.2f}, AUC {level:.3f}",
            )
    if level is not None:
        axes.axvline(level, color=INK, linestyle=(0, (4, 2)), linewidth=1.2, zorder=1)


def auc_limits(sweeps: Sequence[Drawn], attack: str, protocol: str) -> tuple[float, float]:
    found = [row for drawn in sweeps for row in drawn.sweep.rows.where(measure="auc", attack=attack, protocol=protocol)]
    values = [0.5, 0.6, *(row.value for row in found)]
    low, high = min(values), max(values)
    return max(0.0, low - 0.08 * (high - low)), min(1.04, high + 0.12 * (high - low))


def shades(mechanism: str, epsilons: np.ndarray) -> list[tuple[float, float, float]]:
    """A colour a point, from the mechanism's own darkened (smallest ε) to nearly white; by rank."""
    own = np.array(to_rgb(MARKS[mechanism][0]))
    ranks = np.argsort(np.argsort(epsilons)) / max(1, len(epsilons) - 1)
    return [tuple(0.55 * own * (1 - r) + (0.35 * own + 0.65) * r) for r in ranks]


def draw_cloud(axes: Axes, sweep: Drawn, mechanism: str, attack: str, protocol: str) -> None:
    x, y = places_of(sweep, mechanism, attack, protocol)
    dx, dy = sweep.spreads("auc", mechanism, attack, protocol), sweep.spreads("test_accuracy", mechanism)
    marker = MARKS[mechanism][1]
    colours = [EXPOSED] * len(x) if mechanism == "none" else shades(mechanism, sweep.at("epsilon", mechanism))
    bars = np.isfinite(x + y + dx + dy)
    if bars.any():
        how = {"fmt": "none", "ecolor": REFERENCE, "elinewidth": 1, "capsize": 2, "zorder": 2}
        axes.errorbar(x[bars], y[bars], dy[bars], dx[bars], **how)
    for i in np.flatnonzero(np.isfinite(x) & np.isfinite(y)):
        edge, size, width, order = (INK, 11, 1.4, 4) if sweep.own else (MARKS[mechanism][0], 7, 0.8, 3)
        look = {"markeredgecolor": edge, "markersize": size, "markeredgewidth": width, "zorder": order}
        axes.plot(x[i], y[i], marker, color=colours[i], alpha=sweep.strength, **look)
    mark_cloud(axes, sweep, mechanism, attack, protocol)


def mark_cloud(axes: Axes, sweep: Drawn, mechanism: str, attack: str, protocol: str) -> None:
    x, y = places_of(sweep, mechanism, attack, protocol)
    at = ["" if np.isnan(e) else f", {epsilon_words(mechanism, e)}" for e in sweep.at("epsilon", mechanism)]
    names = [f"{WORDS[mechanism]}{epsilon}" for epsilon in at]
    said = [f"{sweep.sweep.words}: test accuracy {up:.2f}, AUC {across:.2f}" for across, up in zip(x, y, strict=True)]
    mark(axes, x, y, names, said, sweep.key)


def places_of(sweep: Drawn, mechanism: str, attack: str, protocol: str) -> tuple[np.ndarray, np.ndarray]:
    """AUC and accuracy of the mechanism's points."""
    return sweep.at("auc", mechanism, attack, protocol), sweep.at("test_accuracy", mechanism)


def label_cloud(axes: Axes, sweep: Drawn, attack: str, protocol: str, taken: list) -> list:
    """ε beside the points, where no other label stands; returns where labels stand, in pixels."""
    for mechanism in MECHANISMS:
        x, y = places_of(sweep, mechanism, attack, protocol)
        epsilons = sweep.at("epsilon", mechanism)
        for i in np.flatnonzero(np.isfinite(x) & np.isfinite(y)):
            here = axes.transData.transform((x[i], y[i])) / 2  # drawn at twice the density
            if any(abs(here[0] - a) < 58 and abs(here[1] - b) < 14 for a, b in taken):
                continue
            words = WORDS["none"] if mechanism == "none" else f"ε = {epsilon_text(epsilons[i])}"
            colour = INK if sweep.own else "#5A5750"
            paper = {"fc": "white", "ec": "none", "pad": 0.5, "alpha": 0.75}
            how = {"textcoords": "offset points", "fontsize": SMALL, "color": colour, "bbox": paper, "zorder": 2.5}
            if axes.transAxes.inverted().transform(2 * here)[0] > 0.75:  # no room at its right
                axes.annotate(words, (x[i], y[i]), (0, 8), ha="right", **how)
            else:
                axes.annotate(words, (x[i], y[i]), (8, 3), **how)
            taken = [*taken, tuple(here)]
    return taken


def draw_key(axes: Axes, left: float) -> None:
    """Which shape is which, at the lower right, where accuracy is low and the leak large: seldom a point is there."""
    for place, (mechanism, (colour, marker)) in enumerate(MARKS.items()):
        at = 0.06 + 0.065 * place
        axes.plot([left], [at], marker, color=colour, markersize=7, transform=axes.transAxes, zorder=6)
        axes.text(left + 0.03, at, WORDS[mechanism], transform=axes.transAxes, va="center", fontsize=SMALL)


def cloud_words(sweep: Drawn, mechanism: str, attack: str, protocol: str) -> list[str]:
    x, y = places_of(sweep, mechanism, attack, protocol)
    epsilons = sweep.at("epsilon", mechanism)
    return [
        f"{sweep.sweep.words}, {WORDS[mechanism]}"
        + ("" if mechanism == "none" else f" at {epsilon_words(mechanism, epsilons[i])}")
        + f": accuracy {y[i]:.2f}, AUC {x[i]:.2f}"
        for i in np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    ]


# ---- ROC
def roc_chart(sweep: Drawn | None, attack: str, protocol: str, logarithmic: bool, width: int) -> Chart:
    """The mean ROC curve of every ε, central and local; without a defence in both."""
    wide, said = width >= WIDE, []
    with rc_context(STYLE):
        figure = new_figure(width, 330 if wide else 640, left=50, right=14, top=52, bottom=48)
        figure.subplots_adjust(wspace=0.2, hspace=0.46)
        for place, mechanism in enumerate(("central", "local"), 1):
            axes = figure.add_subplot(*((1, 2, place) if wide else (2, 1, place)))
            curves = [] if sweep is None else roc_curves(sweep, mechanism, attack, protocol)
            draw_rocs(axes, curves, logarithmic)
            axes.set_title(f"{heading(mechanism)}\nmembers found (lower: safer)", loc="left")
            said += [f"{WORDS[mechanism]}, {words}: {np.interp(0.1, GRID, y):.2f}" for words, y, _, _ in curves]
    return Chart(figure, f"Share of members found at 10 % false alarms: {'; '.join(said) or 'nothing to show yet'}.")


def roc_curves(
    drawn: Drawn, mechanism: str, attack: str, protocol: str
) -> list[tuple[str, np.ndarray, object, object]]:
    """(words, curve, colour, dash): first without a defence, then by falling ε."""
    points, epsilons = drawn.points(mechanism)[::-1], drawn.at("epsilon", mechanism)[::-1]
    looks = {defence: ("no defence", EXPOSED, "-") for defence in drawn.points("none")}
    for order, (defence, colour) in enumerate(zip(points, shades(mechanism, epsilons), strict=True)):
        looks[defence] = f"ε = {epsilon_text(epsilons[order])}", colour, DASHES[order % len(DASHES)]
    curves = {defence: drawn.sweep.curves.get((defence, attack, protocol)) for defence in looks}
    return [
        (words, curves[defence], colour, dash)
        for defence, (words, colour, dash) in looks.items()
        if curves[defence] is not None and np.isfinite(curves[defence]).all()
    ]


def draw_rocs(axes: Axes, curves: list, logarithmic: bool) -> None:
    x = GRID[1:] if logarithmic else GRID
    axes.plot(x, x, color=REFERENCE, linewidth=1.1)
    for place, (words, curve, colour, dash) in enumerate(curves):
        axes.plot(x, curve[-len(x) :], color=colour, linestyle=dash, linewidth=1.7)
        found = np.interp(FALSE_ALARMS, GRID, curve)
        said = [f"{y:.1%} of members found at {x:.1%} false alarms" for x, y in zip(FALSE_ALARMS, found, strict=True)]
        mark(axes, FALSE_ALARMS, found, words, said)
        at = 0.05 + 0.075 * (len(curves) - 1 - place)
        axes.plot([0.60, 0.69], [at, at], color=colour, linestyle=dash, linewidth=1.7, transform=axes.transAxes)
        axes.text(0.71, at, words, transform=axes.transAxes, va="center", fontsize=SMALL)
    if not curves:
        axes.text(0.5, 0.5, "no curves yet", transform=axes.transAxes, ha="center", color=REFERENCE)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
            axis.set_tick_params(which="minor", length=0)
    axes.set_xlim(1e-3 if logarithmic else 0, 1)
    axes.set_ylim(1e-3 if logarithmic else 0, 1.02)
    axes.set_xlabel("outsiders wrongly accused")
