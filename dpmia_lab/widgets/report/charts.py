"""The report's charts, as SVG that stands in the file itself, each with words that say what it shows."""

from collections.abc import Collection
from html import escape

from dpmia_lab.experiments.comparing_answers import Bargain, Harm, Question, bargains, chance_of
from dpmia_lab.experiments.comparing_columns import CONTROLS
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.experiments.comparing_risk import promises
from dpmia_lab.widgets.report.meanings import MEANINGS, attack_words, capital, short_words, with_interval

WIDTH, NARROW = 920, 360  # pixels


def figure_html(chart, words: str, name: str, kind: str = "") -> str:
    """An inline picture with its own alternative text, and the same in words below it."""
    drawn = chart.svg(name).replace("<svg ", f'<svg role="img" aria-label="{escape(chart.alt)}" ', 1)
    return f'<figure class="{kind}">{drawn}<figcaption>{escape(words)}</figcaption></figure>'


def front_html(grid: Grid, harm: Harm, question: Question | None, own_cells: Collection[str] = ()) -> str:
    """Wide, and narrow for a telephone; the stylesheet shows one of them."""
    from dpmia_lab.plots.comparing import Asked, Dot, front_chart

    dots = [dot_of(grid, harm, one, Dot, own_cells) for one in bargains(grid, harm)]
    asked = Asked(question.limits[0].most, question.right) if question and question.limits[0].harm == harm else None
    chance, leak_words = chance_of(grid, harm.measure), MEANINGS[harm.measure].name
    words = (
        f"Every defence at every strength: right on new records (up is more useful) over {leak_words} by the "
        "attack that is "
        "worst for it (left is safer). The line is the front: nothing that was tried is better in both. The dotted "
        "line is "
        f"guessing; bars are 95 % intervals over seeds{'; the shaded corner is what was asked for' if asked else ''}."
    )
    made = [front_chart(dots, leak_words, chance, width, asked) for width in (WIDTH, NARROW)]
    wide, narrow = (figure_html(one, words, f"front{i}", kind) for i, (one, kind) in
                    enumerate(zip(made, ("wide", "narrow"), strict=True)))  # fmt: skip
    return wide + narrow


def dot_of(grid: Grid, harm: Harm, one: Bargain, dot: type, own_cells: Collection[str]):
    leak = one.leak.measured
    right, caught = with_interval("accuracy", one.accuracy), with_interval(harm.measure, leak)
    words = f"right {right}, {caught} by {attack_words(one.leak.attack)}"

    def ends(found):
        return None if found.low is None else (found.low, found.high)

    name = grid.columns[one.column].words
    kind = "own" if one.column in own_cells else kind_of(grid, one.column)
    return dot(one.column, name, words, kind, leak.mean, one.accuracy.mean, ends(leak), ends(one.accuracy), one.front)


def kind_of(grid: Grid, column: str) -> str:
    """Of ``plots.comparing.LOOKS``."""
    family = grid.columns[column].family
    if family == "none":
        return "none"
    if family in CONTROLS:
        return "control"
    return "promise" if promises(grid, column) else "empirical"


def attacks_html(grid: Grid, column: str, measure: str) -> str:
    """What every attack finds out about the undefended model, beside guessing."""
    from dpmia_lab.plots.report import bars_chart

    found = [(short_words(attack), grid.measured(column, measure, attack, protocol))
             for attack, protocol in grid.attacks(measure)
             if protocol in ("turns", "alike", "") and grid.has(column, measure, attack, protocol)]  # fmt: skip
    if not found:
        return ""
    chance, name = chance_of(grid, measure), MEANINGS[measure].name
    found.sort(key=lambda one: -one[1].mean)
    made = [bars_chart(found, name, chance, width) for width in (WIDTH, NARROW)]
    words = f"{capital(name)} from {grid.columns[column].words}, attack by attack; the dotted line is guessing."
    return figure_html(made[0], words, "bars0", "wide") + figure_html(made[1], words, "bars1", "narrow")
