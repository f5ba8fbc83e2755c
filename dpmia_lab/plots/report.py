"""A chart of the report: what each attack finds out, beside guessing."""

from collections.abc import Sequence

from matplotlib import rc_context

from dpmia_lab.experiments.comparing_grid import Measured
from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import EXPOSED, INK, REFERENCE, STYLE, Chart, new_figure

ROW = 26  # pixels


def bars_chart(found: Sequence[tuple[str, Measured]], what: str, chance: float, width: int) -> Chart:
    """One bar an attack, with its interval over seeds and its number; in the order given."""
    share = "AUC" not in what and "likeness" not in what
    texts = [f"{100 * one.mean:.1f} %" if share else f"{one.mean:.2f}" for _, one in found]
    with rc_context(STYLE):
        figure = new_figure(width, 62 + ROW * len(found), left=130, right=70, top=14, bottom=46)
        axes = figure.add_subplot()
        places = range(len(found))
        axes.barh(places, [one.mean for _, one in found], height=0.62, color=EXPOSED, alpha=0.85)
        for place, (name, one) in enumerate(found):
            end = one.mean if one.high is None else one.high
            if one.low is not None:
                axes.plot([max(0.0, one.low), one.high], [place] * 2, color=INK, linewidth=1.4)
            axes.annotate(texts[place], (max(end, one.mean), place), (6, 0), textcoords="offset points", va="center")
            mark(axes, one.mean, place, name, texts[place])
        axes.axvline(chance, color=REFERENCE, linewidth=1.4, linestyle=(0, (1, 1.5)))
        axes.set_yticks(places, [name for name, _ in found])
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}" if share else f"{value:.2f}")
        axes.set_xlabel(f"{what} (lower: safer)" if width > 500 else what)
    told = "; ".join(f"{name} {text}" for (name, _), text in zip(found, texts, strict=True))
    guess = f"{100 * chance:.1f} %" if share else f"{chance:.2f}"
    return Chart(figure, f"{what}, by attack: {told}. Guessing: {guess}.")
