"""One cell of lesson 6's grid in full, of the reference or of the reader's own run: numbers, people, comparisons."""

import numpy as np

from dpmia_lab.experiments.evaluation import Config, array_name
from dpmia_lab.stages import Event, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.choosing.controls import attacker_choice
from dpmia_lab.widgets.choosing.data import CellResult, Grid, Place
from dpmia_lab.widgets.choosing.words import (
    LATER,
    NO_PICTURES,
    gallery_html,
    groups_table,
    judge_html,
    numbers_html,
    strip_html,
)
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.parts import column, on_change, text
from dpmia_lab.widgets.kit.pictures import people_html

PLOTS = "dpmia_lab.plots.evaluation"
NOTHING = "<p class='dp-soft'>Nothing yet. Your cell's people and numbers will stand here.</p>"
MOST_PEOPLE = 10  # shown of the reader's own run


class CellDetail:
    """A title, the numbers, the people, a chart and a table of all kinds of models, and what the judge is worth."""

    def __init__(self, chart_delay: float | None = None) -> None:
        self.cell: CellResult | None = None
        self.attacker = "published"
        self.words, self.people = text("", "dp-results-numbers"), text("", "dp-cell-people")
        self.chart = ChartPlace(self.drawn, PLOTS, "dp-chart", "dp-groups-chart", delay=chart_delay)
        self.compared, self.judge = text(""), text("")
        parts = [self.words, self.people, self.chart.view, self.compared, self.judge]
        self.view = column(*parts, classes=("dp-cell-detail",))

    def show(self, cell: CellResult, people: str, attacker: str) -> None:
        self.cell, self.attacker = cell, attacker
        self.words.value = f"<h4>The cell {cell.title}, {cell.words}</h4>{numbers_html(cell, attacker)}"
        self.people.value = people
        self.compared.value = groups_table(cell, attacker)
        self.judge.value = judge_html(cell, attacker)
        self.chart.redraw()

    def nothing(self) -> None:
        self.cell = None
        self.words.value = f"<p class='dp-soft'>{LATER}</p>"
        self.people.value = self.compared.value = self.judge.value = self.chart.view.value = ""

    def drawn(self, width: int) -> Chart | None:
        if self.cell is None:
            return None
        from dpmia_lab.plots.evaluation import groups_chart

        return groups_chart(self.cell.rows, self.attacker, self.cell.numbers["chance"], width)


def people_of(grid: Grid, place: Place, attacker: str) -> str:
    """Of the reference: the first people of the cell's first model, and of the models it is compared with."""
    kept = grid.pictures
    if not kept:
        return f"<p class='dp-soft'>{NO_PICTURES}</p>"

    def of(group: str, what: str = "reconstruction") -> np.ndarray:
        return kept[array_name(what, group, attacker)]

    names = list(kept["names"])
    drawn, right, often = (of("private", what)[place] for what in ("reconstruction", "first_right", "recognised"))
    strips = {
        "The same people, from a model without privacy of the same accuracy": of("control")[place],
        "From a model without privacy that learnt to the end": of("plain"),
        "From a model of pure noise": of("noise"),
    }
    rows = "".join(f"<h5>{words}</h5>{strip_html(names, some)}" for words, some in strips.items())
    return (
        f"<h5>The first {len(names)} people, not chosen by result: photograph, and drawing from the first of the "
        f"private models</h5>{gallery_html(names, kept['truth'], drawn, right, often)}{rows}"
    )


class CellView:
    """What the reader's own cell comes to."""

    def __init__(self) -> None:
        self.config: Config | None = None
        self.result: Result | None = None
        self.truth: np.ndarray | None = None
        self.attacker = attacker_choice()
        on_change(self.attacker, lambda _: self.draw())
        self.live, self.detail = text(NOTHING, "dp-live-people"), CellDetail()
        self.charts = [self.detail.chart]
        self.view = column(self.live, self.detail.view, classes=("dp-cell-results",))

    def started(self, config: Config) -> None:
        """What is shown stays until there is more."""

    def happened(self, event: Event) -> None:
        if not isinstance(event, Snapshot):
            return
        if event.name == "truth":
            self.truth = event.array
            self.live.value = live_html(event.array, np.full_like(event.array, 0.5), "What will be drawn of them?")
        elif event.name == "reconstruction" and self.truth is not None:
            self.live.value = live_html(self.truth, event.array, f"Drawn from a model of {event.step:,} steps")

    def show(self, result: Result) -> None:
        self.result = result
        self.draw()

    def draw(self) -> None:
        if self.result is None or self.config is None:
            return
        self.live.value = ""
        cell = CellResult(self.config, self.result.numbers, self.result.rows, "your own", own=True)
        self.detail.show(cell, own_people(self.result, self.attacker.value), self.attacker.value)


def live_html(truth: np.ndarray, drawn: np.ndarray, words: str) -> str:
    some = slice(0, MOST_PEOPLE)
    names = [f"person {i + 1}" for i in range(len(truth[some]))]
    return f"<h5>{words}</h5>{people_html(names, truth[some], drawn[some], [''] * len(names))}"


def own_people(result: Result, attacker: str) -> str:
    arrays, some = result.arrays, slice(0, MOST_PEOPLE)
    named = arrays[array_name("named", attack=attacker)]
    right = named == np.arange(named.shape[1])
    drawn = arrays[array_name("reconstruction", attack=attacker)][some]
    gallery = gallery_html(
        [str(name) for name in arrays["names"][some]], arrays["truth"][some], drawn, right[0, some], right.mean(0)[some]
    )
    return f"<h5>The first {len(drawn)} people: photograph, and drawing from the first model</h5>{gallery}"
