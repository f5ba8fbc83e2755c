"""Charts of lesson 3: each class under three models, and what ε and the number of subclasses go with."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes

from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.plots.axes import label_line_ends, mark_baseline, plain_ticks
from dpmia_lab.plots.baselines import DASHES, MEASURES, SHORT
from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import EXPOSED, INK, PROTECTED, REFERENCE, STYLE, Chart, new_figure

RECORD = "#CC79A7"  # record-level; from Okabe-Ito, like the others
# model: (colour of its marks, of its words, marker, dash)
MARKS = {
    "vanilla": (EXPOSED, "#A84A00", "o", (0, (1, 1))),
    "record": (RECORD, "#8E4A73", "s", (0, (4, 2))),
    "unit": (PROTECTED, PROTECTED, "D", "-"),
}
WIDE = 640  # pixels from which two charts stand side by side


def models_chart(
    measure: str,
    models: dict[str, np.ndarray],
    baselines: dict[str, np.ndarray],
    names: list[str],
    words: dict[str, str],
    width: int,
) -> Chart:
    """Each class's picture under every model (marks) against pictures that owe nothing to any attack (grey).

    ``models``, ``baselines``: a value a class, by name; ``words``: model → what it is called. Up to a dozen classes
    stand in their order; more are sorted by the record-level model's values.
    """
    title, good = MEASURES[measure]
    few, narrow = len(names) <= 12, width < 500
    order = np.arange(len(names)) if few else np.argsort(models["record"])
    places = np.arange(len(order))
    with rc_context(STYLE):
        figure = new_figure(width, 340, left=48, right=120 if narrow else 190, top=48, bottom=48)
        axes = figure.add_subplot()
        for name, seen in baselines.items():
            drawn = seen[order] if few else np.full(len(order), seen.mean())
            axes.plot(places, drawn, color=REFERENCE, linestyle=DASHES[name], linewidth=1.3)
            mark_baseline(axes, places, drawn, BASELINES[name], title)
        for i, (model, (colour, _, marker, _)) in enumerate(MARKS.items()):
            beside = places + 0.14 * (i - 1) * few
            inside = "none" if model == "record" and not few else colour  # hollow, so that none hides another
            look = {"color": inside, "markeredgecolor": colour, "markersize": 7 if few else 4, "linestyle": "none"}
            axes.plot(beside, models[model][order], marker, zorder=3 if inside == "none" else 2, **look)
            named = [f"{names[k]}, {words[model]}" for k in order]
            said = [f"{title}: {models[model][k]:.2f}" for k in order]
            mark(axes, beside, models[model][order], named, said, [str(k) for k in order])
        last = order[-1] if few else None
        ends = {SHORT[n] if narrow else BASELINES[n]: end(seen, last) for n, seen in baselines.items()}
        ends |= {words[model]: end(models[model], last) for model in MARKS}
        label_line_ends(axes, len(order) - 1, ends, {words[model]: MARKS[model][1] for model in MARKS})
        axes.set_title(good if narrow else f"{title}\n{good}", loc="left")
        short = [(name.split() or [""])[-1] for name in names]
        axes.set_xticks(places if few else [], [short[i] for i in order] if few else [], parse_math=False)
        sorting = "sorted" if narrow else "sorted by the record-level model"
        axes.set_xlabel("classes" if few else f"{len(order)} classes, {sorting}")
    said = [f"{words[model]} {models[model].mean():.2f}" for model in MARKS]
    said += [f"{BASELINES[name]} {seen.mean():.2f}" for name, seen in baselines.items()]
    return Chart(figure, f"{title}, mean over {len(order)} classes: {', '.join(said)}.")


def end(values: np.ndarray, last: int | None) -> float:
    """Where a line's words stand: at the last class's value, or at the mean where classes are sorted."""
    return float(values.mean() if last is None else values[last])


# ---- curves
@dataclass(frozen=True)
class Curve:
    """Points of one kind of model: from the reference, a paper, or the reader."""

    model: str  # decides colour and marker
    words: str
    x: np.ndarray
    y: np.ndarray
    spread: np.ndarray | None = None  # one standard deviation of y
    source: str = "reference"  # or "published", "own"
    keys: Sequence[str] | str = ""  # what a click on each point opens


@dataclass(frozen=True)
class Sheet:
    """One of two charts side by side."""

    curves: list[Curve]
    x_words: str
    y_words: str
    lines: dict[str, float]  # baselines, in words


def curves_chart(left: Sheet, right: Sheet, width: int, same_scale: bool = False) -> Chart:
    """Two charts with a logarithmic x; one above the other on a narrow page. ``same_scale``: of y, to compare them."""
    wide = width >= WIDE
    with rc_context(STYLE):
        figure = new_figure(width, 360 if wide else 660, left=52, right=26, top=56, bottom=52)
        figure.subplots_adjust(wspace=0.24, hspace=0.42)
        for place, sheet in enumerate((left, right), 1):
            shared = {"sharey": figure.axes[0]} if same_scale and figure.axes else {}
            draw_sheet(figure.add_subplot(*((1, 2, place) if wide else (2, 1, place)), **shared), sheet)
    return Chart(figure, " ".join(sheet_words(sheet) for sheet in (left, right)))


def draw_sheet(axes: Axes, sheet: Sheet) -> None:
    axes.set_xscale("log")
    for curve in sheet.curves:
        draw_curve(axes, curve)
        mark_curve(axes, curve, sheet)
    for words, value in sheet.lines.items():
        axes.axhline(value, color=REFERENCE, linestyle=(0, (1, 1)), linewidth=1.2)
        place = (0.99, value), axes.get_yaxis_transform()
        axes.annotate(words, place[0], xycoords=place[1], ha="right", va="bottom", color=REFERENCE, fontsize=9.5)
    if any(curve.source == "published" for curve in sheet.curves):
        axes.text(
            0.02, 0.98, "hollow, grey: paper A", transform=axes.transAxes, va="top", color=REFERENCE, fontsize=9.5
        )
    axes.set_title(sheet.y_words, loc="left")
    axes.set_xlabel(sheet.x_words)
    axes.margins(x=0.08, y=0.2)
    plain_ticks(axes)


def draw_curve(axes: Axes, curve: Curve) -> None:
    colour, text_colour, marker, dash = MARKS[curve.model]
    order = np.argsort(curve.x)
    x, y = np.asarray(curve.x)[order], np.asarray(curve.y)[order]
    if curve.source == "published":
        axes.plot(x, y, marker, color="none", markeredgecolor=REFERENCE, markersize=6, linestyle="none")
        return None
    if curve.source == "own":  # the reader's points lie on top, larger, edged in ink
        axes.plot(x, y, marker, color=colour, markeredgecolor=INK, markersize=10, zorder=4, linestyle="none")
        return None
    if curve.spread is not None:
        spread = np.asarray(curve.spread)[order]
        axes.fill_between(x, y - spread, y + spread, color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, y, marker=marker, color=colour, linestyle=dash, markersize=4, linewidth=1.6)
    return label_curve(axes, curve.words, x, y, text_colour)


def mark_curve(axes: Axes, curve: Curve, sheet: Sheet) -> None:
    """By rising x, as the curve is drawn."""
    order, quantity = np.argsort(curve.x), sheet.y_words.split("\n")[0]
    spread = [""] * len(order) if curve.spread is None else [f" ± {value:.2f}" for value in curve.spread]
    along = sheet.x_words.split(" (")[0].split(",")[0]
    said = [f"{quantity} {curve.y[i]:.2f}{spread[i]} at {along} = {curve.x[i]:.3g}" for i in order]
    keys = curve.keys if isinstance(curve.keys, str) else [curve.keys[i] for i in order]
    mark(axes, np.asarray(curve.x)[order], np.asarray(curve.y)[order], curve.words, said, keys)


def label_curve(axes: Axes, words: str, x: np.ndarray, y: np.ndarray, colour: str) -> None:
    """The curve's name below its left end."""
    how = {"textcoords": "offset points", "ha": "left", "va": "top", "color": colour, "fontsize": 9.5}
    axes.annotate(words, (x[0], y[0]), (-4, -8), **how)


def sheet_words(sheet: Sheet) -> str:
    said = [
        f"{curve.words} from {curve.y[np.argmin(curve.x)]:.2f} at {min(curve.x):.3g} "
        f"to {curve.y[np.argmax(curve.x)]:.2f} at {max(curve.x):.3g}"
        for curve in sheet.curves
    ]
    said += [f"{words} {value:.2f}" for words, value in sheet.lines.items()]
    title = sheet.y_words.replace("\n", ", ")
    return f"{title} against {sheet.x_words}: {'; '.join(said) or 'nothing to show yet'}."
