"""Charts of lesson 1: each class against baselines, and attacks against each other."""

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes

from dpmia_lab.experiments.inversion_comparison import CONTENDERS
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.plots.axes import label_line_ends, mark_baseline
from dpmia_lab.plots.baselines import DASHES, MEASURES, SHORT
from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import EXPOSED, REFERENCE, STYLE, Chart, new_figure
from dpmia_lab.rows import Rows
from dpmia_lab.words.said import heard, marked, numeral, said

DRAWN, DRAWN_SHORT = marked("drawn by the attack"), marked("the attack")
NARROW_LABELS = 110  # pixels


def per_class_chart(
    own: np.ndarray, baselines: dict[str, np.ndarray], measure: str, names: list[str], width: int
) -> Chart:
    """Each class's reconstruction (dots) against pictures that owe nothing to the attack (grey lines).

    ``own`` and each baseline: a value a class. Up to a dozen classes keep their own baseline values; more are sorted
    and see the baselines' means.
    """
    title, good = (said(words) for words in MEASURES[measure])
    few, narrow = len(names) <= 12, width < 500
    order = np.arange(len(names)) if few else np.argsort(own)
    places = np.arange(len(order))
    with rc_context(STYLE):
        figure = new_figure(width, 320, left=48, right=NARROW_LABELS if narrow else 190, top=48, bottom=48)
        axes = figure.add_subplot()
        for name, values in baselines.items():
            drawn = values[order] if few else np.full(len(order), values.mean())
            axes.plot(places, drawn, color=REFERENCE, linestyle=DASHES[name], linewidth=1.3)
            mark_baseline(axes, places, drawn, heard(BASELINES[name]), title)
        axes.plot(places, own[order], "o", color=EXPOSED, markersize=6)
        mark(axes, places, own[order], [names[i] for i in order], drawn_words(own, baselines, title, order),
             [str(i) for i in order])  # fmt: skip
        ends = per_class_line_ends(own, baselines, order[-1] if few else None, narrow)
        label_line_ends(axes, len(order) - 1, ends, {said(DRAWN): EXPOSED, said(DRAWN_SHORT): EXPOSED})
        axes.set_title(good if narrow else f"{title}\n{good}", loc="left")
        short = [(name.split() or [""])[-1] for name in names]  # "person 3" is 3 under an axis that says classes
        axes.set_xticks(places if few else [], [short[i] for i in order] if few else [], parse_math=False)
        axes.set_xlabel(said("classes") if few else said("{count} classes, sorted", count=len(order)))
    means = beside({name: values.mean() for name, values in baselines.items()})
    alt = said(
        "{title}, mean over {count} classes: drawn by the attack {own:.2f}; {others}.",
        title=title,
        count=len(order),
        own=own.mean(),
        others=means,
    )
    return Chart(figure, alt)


def drawn_words(own: np.ndarray, baselines: dict[str, np.ndarray], title: str, order: np.ndarray) -> list[str]:
    """The readings of the attack's dots, each beside its baselines."""
    others = (beside({name: values[i] for name, values in baselines.items()}) for i in order)
    return [f"{title}: {said(DRAWN)} {numeral('{:.2f}', own[i])}; {at}" for i, at in zip(order, others, strict=True)]


def beside(values: dict[str, float]) -> str:
    """The baselines' values in words."""
    return ", ".join(f"{heard(BASELINES[name])} {numeral('{:.2f}', value)}" for name, value in values.items())


def per_class_line_ends(
    own: np.ndarray, baselines: dict[str, np.ndarray], last: int | None, narrow: bool
) -> dict[str, float]:
    """Where each line's words stand: at the last class's value, or at its mean where that is what is drawn."""
    labels = {name: said(SHORT[name]) if narrow else heard(words) for name, words in BASELINES.items()}
    ends = {labels[name]: values.mean() if last is None else values[last] for name, values in baselines.items()}
    return {**ends, said(DRAWN_SHORT if narrow else DRAWN): own.max() if last is None else own[last]}


COMPARED = marked({
    "recognised_share": "recognised by the judge\n(share; higher: worse leak)",
    "recognised_ssim_share": "recognised by nearest SSIM\n(share; higher: worse leak)",
    "ssim_distance_mean": "1 − SSIM, nearest picture\n(lower: worse leak)",
    "distance_mean": "Euclidean distance\n(lower: worse leak)",
})  # fmt: skip
ROWS = marked({"original": "original", "published": "published", "enhanced": "enhanced", "ours": "ours"})


def comparison_chart(rows: Rows, width: int) -> Chart:
    """Four measures side by side; bars are one standard deviation over seeds, grey lines are baselines."""
    columns = 4 if width > 800 else 2 if width > 500 else 1
    lines = len(COMPARED) // columns
    with rc_context(STYLE):
        figure = new_figure(width, 200 * lines, left=96 if columns == 1 else 250, right=12, top=8, bottom=64)
        figure.subplots_adjust(hspace=0.75, wspace=0.12)
        for i, (measure, words) in enumerate(COMPARED.items()):
            axes = figure.add_subplot(lines, columns, i + 1)
            draw_contenders(axes, rows, measure)
            axes.set_xlabel(said(words), fontsize=10)
            if i % columns == 0:
                wide = [heard(words) for words in CONTENDERS.values()]
                axes.set_yticks(range(len(CONTENDERS)), map(said, ROWS.values()) if columns == 1 else wide)
            else:
                axes.set_yticks(range(len(CONTENDERS)), [""] * len(CONTENDERS))
    sentences = [
        said(
            "{words}: {share:.0%} recognised by the judge, distance {distance:.2f}",
            words=heard(words),
            share=rows.value("recognised_share", attack=name),
            distance=rows.value("distance_mean", attack=name),
        )
        for name, words in CONTENDERS.items()
    ]
    return Chart(figure, "; ".join(sentences) + ".")


def draw_contenders(axes: Axes, rows: Rows, measure: str) -> None:
    measured = said(COMPARED[measure]).replace("\n", " ")
    for place, name in enumerate(CONTENDERS):
        row = rows.row(measure, attack=name)
        axes.errorbar(row.value, place, xerr=row.spread or 0.0, fmt="o", color=EXPOSED, markersize=7, capsize=3)
        spread = said(" ± {spread:.2f} over seeds", spread=row.spread) if row.spread else ""
        words = f"{measured}: {numeral('{:.2f}', row.value)}{spread}"
        mark(axes, row.value, place, heard(CONTENDERS[name]), words)
    for name in ("noise", "blank", "other_class"):
        value = rows.value(measure, attack=name)
        axes.axvline(value, color=REFERENCE, linestyle=DASHES[name], linewidth=1.2)
        mark(axes, value, -0.5, heard(BASELINES[name]), f"{measured}: {numeral('{:.2f}', value)}")
    axes.set_ylim(len(CONTENDERS) - 0.5, -0.5)
