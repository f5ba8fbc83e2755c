"""One cell of lesson 6's grid in full, of the reference or of the reader's own run: numbers, people, comparisons."""

import numpy as np

from dpmia_lab.experiments.evaluation import DRAWINGS, IN_FULL, Config, array_name
from dpmia_lab.metrics.recognition import called_shares
from dpmia_lab.stages import Event, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.choosing.controls import attacker_choice
from dpmia_lab.widgets.choosing.data import CellResult, Grid, Place, Risk
from dpmia_lab.widgets.choosing.words import (
    LATER,
    NO_PICTURES,
    Known,
    gallery_html,
    judge_html,
    judges_table,
    main_numbers,
    more_numbers,
)
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.parts import column, on_change, text
from dpmia_lab.widgets.kit.pictures import people_html, strip_html

PLOTS = "dpmia_lab.plots.evaluation"
MOST_PEOPLE = 8  # shown of the reader's own run
HOW_TO_READ = (
    "<p class='dp-read'><small>Photograph, and the first model's drawing: is it recognised? In what share of all "
    "models? (To what share of pure noise is that name given?)</small></p>"
)


class CellDetail:
    """A cell in two parts: ``first`` what it gives away and whose drawings these are, ``rest`` all else."""

    def __init__(self, chart_delay: float | None = None) -> None:
        self.cell: CellResult | None = None
        self.attacker = Risk().attacker
        self.words, self.people = text("", "dp-results-numbers"), text("", "dp-cell-people")
        self.chart = ChartPlace(self.drawn, PLOTS, "dp-groups-chart", delay=chart_delay)
        self.compared, self.judge, self.promised = text(""), text(""), text("")
        self.first = column(self.words, self.people, classes=("dp-cell-first",))
        parts = [self.chart.view, self.compared, self.judge, self.promised]
        self.rest = column(*parts, classes=("dp-cell-rest",))

    def show(self, cell: CellResult, people: str, attacker: str) -> None:
        self.cell, self.attacker = cell, attacker
        self.words.value = f"<h3>The cell {cell.title}, {cell.words}</h3>{main_numbers(cell, attacker)}"
        self.people.value = people
        self.compared.value = judges_table(cell, attacker)
        self.judge.value = judge_html(cell, attacker)
        self.promised.value = f"<h4>What was promised</h4>{more_numbers(cell)}"
        self.chart.redraw()

    def nothing(self) -> None:
        self.cell = None
        self.words.value = f"<p class='dp-soft'>{LATER}</p>"
        for part in (self.people, self.compared, self.judge, self.promised, self.chart.view):
            part.value = ""

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

    def of(group: str, what: str = "reconstruction", judge: str = "judge") -> np.ndarray:
        return kept[array_name(what, group, attacker, judge)]

    names = list(kept["names"])
    known = {
        judge: Known(
            of("private", "first_right", judge)[place],
            of("private", "recognised", judge)[place],
            of("noise", "called", judge),
        )
        for judge in IN_FULL
    }
    strips = {
        "The same people, drawn from a model without privacy of the same accuracy": of("control")[place],
        "Drawn from a model without privacy that learnt to the end": of("plain"),
        "Drawn from a model of pure noise": of("noise"),
        "What the matched filter looks for: their other photographs, minus everybody's mean": kept["shapes"],
    }
    rows = "".join(
        f"<h4>{words}</h4>{strip_html(some, [f'{name}. {words}' for name in names])}" for words, some in strips.items()
    )
    gallery = gallery_html(names, kept["truth"], of("private")[place], known)
    return f"<h4>The first {len(names)} people, not chosen by result</h4>{HOW_TO_READ}{gallery}{rows}"


class CellView:
    """What the reader's own cell comes to; while it is computed, its people with what is drawn of them so far."""

    def __init__(self) -> None:
        self.config: Config | None = None
        self.result: Result | None = None
        self.truth: np.ndarray | None = None
        self.attacker = attacker_choice()
        on_change(self.attacker, lambda _: self.draw())
        self.detail = CellDetail()
        self.charts = [self.detail.chart]
        self.picture, self.details = self.detail.first, self.detail.rest

    def started(self, config: Config) -> None:
        """What is shown stays until there is more."""

    def happened(self, event: Event) -> None:
        if not isinstance(event, Snapshot):
            return
        if event.name == "truth":
            self.truth = event.array
            nothing = np.full_like(event.array, 0.5)
            self.detail.people.value = live_html(event.array, nothing, "What will be drawn of them?")
        elif event.name == "reconstruction" and self.truth is not None:
            self.detail.people.value = live_html(self.truth, event.array, f"Drawn from a model of {event.step:,} steps")

    def show(self, result: Result) -> None:
        self.result = result
        self.offer([name for name in DRAWINGS if result.rows.has("impact_mean", attack=name)])
        self.draw()

    def offer(self, attackers: list[str]) -> None:
        """Whose drawings there are to choose from; at first those of an attacker with public pictures, if he drew."""
        there = [(DRAWINGS[name], name) for name in attackers]
        if list(self.attacker.options) != there:
            self.attacker.options = there
            self.attacker.value = "prior" if "prior" in attackers else Risk().attacker

    def draw(self) -> None:
        if self.result is None or self.config is None:
            return
        words = f"{self.config.models} models"
        cell = CellResult(self.config, self.result.numbers, self.result.rows, words, own=True)
        self.detail.show(cell, own_people(self.result, self.attacker.value), self.attacker.value)


def live_html(truth: np.ndarray, drawn: np.ndarray, words: str) -> str:
    some = slice(0, MOST_PEOPLE)
    names = [f"person {i + 1}" for i in range(len(truth[some]))]
    people = people_html(names, truth[some], drawn[some], ["<br>"] * len(names))
    return f"<h4>{words}</h4><p class='dp-read'></p>{people}"


def own_people(result: Result, attacker: str) -> str:
    """Of a run; of real people in a run that ships there are no pictures."""
    arrays, some, known = result.arrays, slice(0, MOST_PEOPLE), {}
    if "truth" not in arrays:
        return f"<p class='dp-soft'>{NO_PICTURES}</p>"
    for judge in IN_FULL:
        named, of_noise = (arrays[array_name("named", group, attacker, judge)] for group in ("private", "noise"))
        right = (named == np.arange(named.shape[1]))[:, some]
        known[judge] = Known(right[0], right.mean(0), called_shares(of_noise)[some])
    drawn = arrays[array_name("reconstruction", attack=attacker)][some]
    gallery = gallery_html([str(name) for name in arrays["names"][some]], arrays["truth"][some], drawn, known)
    return f"<h4>The first {len(drawn)} people, drawings {DRAWINGS[attacker]}</h4>{HOW_TO_READ}{gallery}"
