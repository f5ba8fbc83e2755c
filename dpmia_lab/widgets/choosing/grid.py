"""The 4 × 3 grid of lesson 6: choose a risk, see which cells it admits; choose a cell, see its people."""

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.evaluation import ATTACKERS, JUDGES, array_name
from dpmia_lab.widgets.choosing.controls import (
    attacker_choice,
    data_choice,
    judge_choice,
    limit_slider,
    measure_choice,
)
from dpmia_lab.widgets.choosing.data import (
    CellResult,
    Grid,
    Place,
    Risk,
    admissible,
    most_accurate,
    preset_of,
    reference_grid,
)
from dpmia_lab.widgets.choosing.view import PLOTS, CellDetail, people_of
from dpmia_lab.widgets.choosing.words import (
    LATER,
    RISK_WORDS,
    cell_html,
    choice_html,
    for_the_eye,
    heads_html,
    legend_html,
)
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.parts import button, column, on_change, panel, text, with_classes

CHART_DELAY, CHART_REST = 2.5, 0.15  # seconds: the page comes first, and a slider goes on
IN_A_CELL = slice(0, 3)  # people whose drawings stand in the grid


class GridPanel:
    """``risk``, ``limit`` and ``chosen`` are what tasks look at; ``own`` are the reader's cells, by source."""

    def __init__(self) -> None:
        self.own: dict[str, list[CellResult]] = {}
        self.chosen: Place | None = None
        self.data, self.attacker, self.judge = data_choice(), attacker_choice(), judge_choice()
        self.measure, self.limit = measure_choice(), limit_slider()
        self.heads = text("")
        self.words, self.legend, self.meaning = text("", "dp-choice-words"), text(""), text("", "dp-reason")
        how = {"delay": CHART_DELAY, "rest": CHART_REST}
        self.chart = ChartPlace(self.drawn, PLOTS, "dp-choice-chart", **how, on_pick=self.open_cell)
        self.table, self.verdict = with_classes(widgets.GridBox([]), "dp-grid"), column(classes=("dp-verdict",))
        self.faces: dict[Place, widgets.HTML] = {}
        self.buttons: dict[Place, widgets.Button] = {}
        self.detail = CellDetail(CHART_DELAY)
        self.view = self._layout()
        on_change(self.data, lambda _: self.show_data())
        on_change(self.attacker, lambda _: self.show())
        for control in (self.judge, self.measure, self.limit):
            on_change(control, lambda _: self.show_choice())
        self.show_data()

    def _layout(self) -> widgets.VBox:
        return panel(
            "dp-evaluation-grid",
            controls=[self.judge, self.attacker, self.limit, self.words],
            more=[self.data, self.measure, self.meaning],
            run=[self.verdict],
            picture=[text("<h3>Three people drawn from private models: ε down, σ across</h3>"), self.heads, self.table],
            details=[
                self.legend,
                column(text("<h3>What each cell is worth</h3>"), self.chart.view, classes=("dp-section",)),
                column(self.detail.first, self.detail.rest, classes=("dp-section", "dp-cell-detail")),
                width_for(self.chart, self.detail.chart),
            ],
        )

    def answers(self, outcome: widgets.Widget) -> None:
        """The answer to the reader's prediction stands beside the grid too."""
        self.verdict.children = [outcome]

    # ---- what there is
    @property
    def risk(self) -> Risk:
        return Risk(self.measure.value, self.attacker.value, self.judge.value)

    @property
    def grid(self) -> Grid | None:
        return reference_grid(self.data.value)

    @property
    def cells(self) -> dict[Place, CellResult]:
        return self.grid.cells if self.grid else {}

    def own_here(self) -> list[CellResult]:
        """The reader's cells of the data shown."""
        every = [cell for cells in self.own.values() for cell in cells]
        return [cell for cell in every if preset_of(cell.config) == self.data.value]

    def set_own(self, source: str, cells: list[CellResult]) -> None:
        """The reader's cells, all that this source has."""
        self.own[source] = cells
        self.show_choice()

    # ---- drawing
    def show_data(self) -> None:
        """Other data: another grid, of buttons too."""
        places = list(self.cells)
        self.faces = {place: text("", "dp-cell-face") for place in places}
        self.buttons = {place: self._cell_button(place) for place in places}
        self.table.children = [
            column(self.buttons[place], self.faces[place], classes=("dp-grid-cell",)) for place in places
        ] or [text(f"<p class='dp-soft'>{LATER}</p>")]
        self.heads.value = heads_html(self.grid.pictures, IN_A_CELL) if places else ""
        self.chosen = places[-len(self.grid.sigmas)] if places else None
        self.show()

    def _cell_button(self, place: Place) -> widgets.Button:
        return button(self.cells[place].title, lambda: self.choose(place), "dp-small")

    def choose(self, place: Place) -> None:
        self.chosen = place
        self.show()

    def open_cell(self, key: str) -> None:
        """A point of the chart was clicked; ``key``: its row and column."""
        row, column = key.split()
        self.choose((int(row), int(column)))

    def show(self) -> None:
        self.show_choice()
        if self.grid is None:
            self.detail.nothing()
            return
        people = people_of(self.grid, self.chosen, self.attacker.value)
        self.detail.show(self.cells[self.chosen], people, self.attacker.value)

    def allowed(self) -> list[Place]:
        return admissible(self.cells, self.risk, self.limit.value)

    def show_choice(self) -> None:
        cells, risk, allowed = self.cells, self.risk, self.allowed()
        best = most_accurate(cells, allowed)
        self.meaning.value = RISK_WORDS[risk.measure][1]
        self.words.value = choice_html(cells, risk, self.limit.value)
        first = next(iter(cells.values()), None)
        self.legend.value = legend_html(first.config, first.numbers["delta"], risk) if first else ""
        for (place, cell), box in zip(cells.items(), self.table.children, strict=False):
            mark = "★ within" if place == best else "✓ within" if place in allowed else ""
            self.faces[place].value = cell_html(cell, self._faces(place), risk, mark)
            for name, there in (("dp-admissible", place in allowed), ("dp-best", place == best),
                                ("dp-shown", place == self.chosen)):  # fmt: skip
                (box.add_class if there else box.remove_class)(name)
            shown = "are shown below" if place == self.chosen else "can be shown"
            self.buttons[place].tooltip = f"The people of {cell.title} {shown}"
        self.chart.soon.ask()

    def _faces(self, place: Place) -> list[np.ndarray]:
        drawn = self.grid.pictures.get(array_name("reconstruction"))
        if drawn is None:
            return []
        as_drawn = self.attacker.value == "published"
        return [one if as_drawn else for_the_eye(one) for one in drawn[place][IN_A_CELL]]

    def drawn(self, width: int) -> Chart:
        from dpmia_lab.plots.evaluation import Choice, choice_chart

        risk, cells = self.risk, self.cells
        places, allowed = list(cells), self.allowed()
        best = most_accurate(cells, allowed)
        points = [point_of(cell, risk, "{} {}".format(*place)) for place, cell in cells.items()]
        points += [point_of(cell, risk) for cell in self.own_here()]
        choice = Choice(
            self.limit.value,
            tuple(places.index(place) for place in allowed),
            None if best is None else places.index(best),
        )
        noise = cells[places[0]].at(risk, "noise") if cells else None
        words = f"{RISK_WORDS[risk.measure][0]}, by {JUDGES[risk.judge]}, drawings {ATTACKERS[risk.attacker]}"
        return choice_chart(points, choice, noise, words, width)


def point_of(cell: CellResult, risk: Risk, key: str = ""):
    from dpmia_lab.plots.evaluation import Point

    control = None if cell.own else (cell.accuracy("control"), cell.at(risk, "control"))
    c = cell.config
    return Point(c.epsilon, c.sigma, cell.accuracy(), cell.at(risk), control, cell.own, cell.words, key)
